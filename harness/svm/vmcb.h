// SPDX-License-Identifier: BSD-2-Clause
// The virtual machine control block (APM vol. 2, appendix B) and the numbers of SVM (15.7 to 15.25).
#ifndef HARNESS_VMCB_H
#define HARNESS_VMCB_H

#include <stddef.h>
#include <stdint.h>

struct segment {
    uint16_t selector, attrib;
    uint32_t limit;
    uint64_t base;
};

struct vmcb {
    uint32_t cr_intercepts;        // 0x000: reads 15:0, writes 31:16
    uint32_t dr_intercepts;        // 0x004
    uint32_t exception_intercepts; // 0x008
    uint32_t intercepts3;          // 0x00C
    uint32_t intercepts4;          // 0x010
    uint32_t intercepts5;          // 0x014
    uint8_t reserved0[0x28];
    uint64_t iopm_base, msrpm_base, tsc_offset; // 0x040
    uint32_t asid;                              // 0x058
    uint8_t tlb_control, reserved1[3];
    uint64_t v_intr;          // 0x060
    uint64_t interrupt_state; // 0x068: bit 0 interrupt shadow
    uint64_t exit_code, exit_info1, exit_info2, exit_int_info;
    uint64_t nested_control; // 0x090: bit 0 nested paging
    uint64_t avic_bar, ghcb;
    uint64_t event_inject; // 0x0A8
    uint64_t nested_cr3;   // 0x0B0
    uint64_t lbr_control;
    uint32_t clean, reserved2; // 0x0C0
    uint64_t next_rip;         // 0x0C8: with the NRIPS feature
    uint8_t reserved3[0x400 - 0xD0];
    struct segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr; // 0x400
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
_Static_assert(sizeof(struct vmcb) == 0x1000, "a VMCB is one page");
_Static_assert(offsetof(struct vmcb, iopm_base) == 0x40, "IOPM_BASE_PA");
_Static_assert(offsetof(struct vmcb, v_intr) == 0x60, "V_INTR");
_Static_assert(offsetof(struct vmcb, exit_code) == 0x70, "EXITCODE");
_Static_assert(offsetof(struct vmcb, event_inject) == 0xA8, "EVENTINJ");
_Static_assert(offsetof(struct vmcb, next_rip) == 0xC8, "nRIP");
_Static_assert(offsetof(struct vmcb, tr) == 0x490, "TR");
_Static_assert(offsetof(struct vmcb, efer) == 0x4D0, "EFER");
_Static_assert(offsetof(struct vmcb, cr4) == 0x548, "CR4");
_Static_assert(offsetof(struct vmcb, rip) == 0x578, "RIP");
_Static_assert(offsetof(struct vmcb, cr2) == 0x640, "CR2");
_Static_assert(offsetof(struct vmcb, g_pat) == 0x668, "G_PAT");

// Intercepts, word 3 and 4 (APM vol. 2, 15.9), and the exit codes that belong to them.
enum {
    I3_INTR = 1 << 0,
    I3_NMI = 1 << 1,
    I3_INIT = 1 << 3,
    I3_VINTR = 1 << 4,
    I3_RDPMC = 1 << 15,
    I3_CPUID = 1 << 18,
    I3_IRET = 1 << 20,
    I3_SWINT = 1 << 21,
    I3_INVD = 1 << 22,
    I3_PAUSE = 1 << 23,
    I3_HLT = 1 << 24,
    I3_INVLPGA = 1 << 26,
    I3_IO = 1 << 27,
    I3_MSR = 1 << 28
};
#define I3_SHUTDOWN (1u << 31)
enum {
    I4_VMRUN = 1 << 0,
    I4_VMMCALL = 1 << 1,
    I4_VMLOAD = 1 << 2,
    I4_VMSAVE = 1 << 3,
    I4_STGI = 1 << 4,
    I4_CLGI = 1 << 5,
    I4_SKINIT = 1 << 6,
    I4_RDTSCP = 1 << 7,
    I4_WBINVD = 1 << 9,
    I4_MONITOR = 1 << 10,
    I4_MWAIT = 1 << 11,
    I4_XSETBV = 1 << 13,
    I4_RDPRU = 1 << 14
};
enum {
    EXIT_CR4_WRITE = 0x14,
    EXIT_EXCEPTION = 0x40,
    EXIT_INTR = 0x60,
    EXIT_NMI = 0x61,
    EXIT_VINTR = 0x64,
    EXIT_RDPMC = 0x6F,
    EXIT_CPUID = 0x72,
    EXIT_IRET = 0x74,
    EXIT_SWINT = 0x75,
    EXIT_INVD = 0x76,
    EXIT_PAUSE = 0x77,
    EXIT_HLT = 0x78,
    EXIT_INVLPGA = 0x7A,
    EXIT_IO = 0x7B,
    EXIT_MSR = 0x7C,
    EXIT_SHUTDOWN = 0x7F,
    EXIT_VMRUN = 0x80,
    EXIT_VMMCALL = 0x81,
    EXIT_VMLOAD = 0x82,
    EXIT_VMSAVE = 0x83,
    EXIT_STGI = 0x84,
    EXIT_CLGI = 0x85,
    EXIT_SKINIT = 0x86,
    EXIT_RDTSCP = 0x87,
    EXIT_WBINVD = 0x89,
    EXIT_MONITOR = 0x8A,
    EXIT_MWAIT = 0x8B,
    EXIT_XSETBV = 0x8D,
    EXIT_RDPRU = 0x8E,
    EXIT_NPF = 0x400
};
#define EXIT_INVALID 0xFFFFFFFFu // compared by the low 32 bits: QEMU stores no more

// V_INTR (0x060)
#define V_TPR_MASK     0xFFull
#define V_IRQ          (1ull << 8)
#define V_PRIO_SHIFT   16
#define V_IGN_TPR      (1ull << 20)
#define V_INTR_MASKING (1ull << 24)
#define V_VECTOR_SHIFT 32

// EVENTINJ and EXITINTINFO (APM vol. 2, 15.20)
#define EVENT_VALID     (1ull << 31)
#define EVENT_CODE      (1ull << 11)
#define EVENT_INTR      (0ull << 8)
#define EVENT_TYPE_NMI  (2ull << 8)
#define EVENT_EXCEPTION (3ull << 8)
#define EVENT_SOFTWARE  (4ull << 8)
#define EVENT_TYPE_MASK (7ull << 8)

// EXITINFO1 of a nested page fault (APM vol. 2, 15.25.6)
#define NPF_WRITE (1ull << 1)
#define NPF_FETCH (1ull << 4)
#define NPF_FINAL (1ull << 32)

// Segment attributes, packed as in the VMCB
enum {
    SEG_CODE16 = 0x009B,
    SEG_DATA16 = 0x0093,
    SEG_CODE32 = 0x0C9B,
    SEG_DATA32 = 0x0C93,
    SEG_CODE64 = 0x0A9B
};
enum { SEG_TSS = 0x008B, SEG_LDT = 0x0082, SEG_L = 0x200, SEG_D = 0x400 };

#endif
