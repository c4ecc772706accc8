// SPDX-License-Identifier: BSD-2-Clause
// The virtual machine control block as the processor reads it: one page (APM vol. 2, appendix B).
#ifndef PV_NESTED_VMCB_H
#define PV_NESTED_VMCB_H

#include <stdint.h>

struct pv_segment {
    uint16_t selector, attrib; // attributes packed: bits 55:52 and 47:40 of a descriptor
    uint32_t limit;
    uint64_t base;
};

struct pv_vmcb {
    uint32_t cr_intercepts;        // 0x000: reads 15:0, writes 31:16
    uint32_t dr_intercepts;        // 0x004
    uint32_t exception_intercepts; // 0x008
    uint32_t intercepts3;          // 0x00C
    uint32_t intercepts4;          // 0x010
    uint32_t intercepts5;          // 0x014
    uint8_t reserved0[0x24];
    uint16_t pause_threshold, pause_count;      // 0x03C: with the pause filter features
    uint64_t iopm_base, msrpm_base, tsc_offset; // 0x040
    uint32_t asid;                              // 0x058
    uint8_t tlb_control, reserved1[3];
    uint64_t v_intr;          // 0x060
    uint64_t interrupt_state; // 0x068: bit 0 interrupt shadow
    uint64_t exit_code, exit_info1, exit_info2, exit_int_info;
    uint64_t nested_control; // 0x090: bit 0 nested paging
    uint64_t avic_bar, ghcb;
    uint64_t event_inject;     // 0x0A8
    uint64_t nested_cr3;       // 0x0B0
    uint64_t lbr_control;      // bit 0 last branch records, bit 1 VMLOAD and VMSAVE without exits
    uint32_t clean, reserved2; // 0x0C0
    uint64_t next_rip;         // 0x0C8: with the NRIPS feature
    uint8_t reserved3[0x3E0 - 0xD0];
    uint32_t hv_control, hv_vp_id;                                  // 0x3E0: Hyper-V's enlightenments
    uint64_t hv_vm_id, hv_assist_page, hv_reserved;                 // 0x3E8
    struct pv_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr; // 0x400
    uint8_t reserved4[0x4CB - 0x4A0];
    uint8_t cpl; // 0x4CB
    uint32_t reserved5;
    uint64_t efer; // 0x4D0
    uint8_t reserved6[0x548 - 0x4D8];
    uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip; // 0x548
    uint8_t reserved7[0x5D8 - 0x580];
    uint64_t rsp; // 0x5D8
    uint8_t reserved8[0x5F8 - 0x5E0];
    uint64_t rax, star, lstar, cstar, sfmask, kernel_gs_base, sysenter_cs, sysenter_esp, sysenter_eip, cr2;
    uint8_t reserved9[0x668 - 0x648];
    uint64_t g_pat; // 0x668
    uint8_t reserved10[0x1000 - 0x670];
};

enum { PV_NP_ENABLE = 1 }; // nested_control: L2 has a nested table of its own

#endif
