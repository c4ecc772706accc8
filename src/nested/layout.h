// SPDX-License-Identifier: BSD-2-Clause
// The compiler lays a VMCB out as the processor does. Not in vmcb.h, since the prover's parser knows no _Static_assert.
#ifndef PV_NESTED_LAYOUT_H
#define PV_NESTED_LAYOUT_H

#include <stddef.h>
#include "vmcb.h"

_Static_assert(sizeof(struct pv_vmcb) == 0x1000, "a VMCB is one page");
_Static_assert(offsetof(struct pv_vmcb, pause_threshold) == 0x3C, "pause filter");
_Static_assert(offsetof(struct pv_vmcb, iopm_base) == 0x40, "IOPM_BASE_PA");
_Static_assert(offsetof(struct pv_vmcb, v_intr) == 0x60, "V_INTR");
_Static_assert(offsetof(struct pv_vmcb, exit_code) == 0x70, "EXITCODE");
_Static_assert(offsetof(struct pv_vmcb, asid) == 0x58, "ASID");
_Static_assert(offsetof(struct pv_vmcb, tlb_control) == 0x5C, "TLB_CONTROL");
_Static_assert(offsetof(struct pv_vmcb, nested_control) == 0x90, "NP_ENABLE");
_Static_assert(offsetof(struct pv_vmcb, event_inject) == 0xA8, "EVENTINJ");
_Static_assert(offsetof(struct pv_vmcb, nested_cr3) == 0xB0, "N_CR3");
_Static_assert(offsetof(struct pv_vmcb, clean) == 0xC0, "VMCB clean bits");
_Static_assert(offsetof(struct pv_vmcb, next_rip) == 0xC8, "nRIP");
_Static_assert(offsetof(struct pv_vmcb, hv_control) == 0x3E0, "Hyper-V's enlightenments");
_Static_assert(sizeof(struct pv_segment) == 16, "a segment register");
_Static_assert(offsetof(struct pv_vmcb, es) == 0x400, "state save area");
_Static_assert(offsetof(struct pv_vmcb, tr) == 0x490, "TR");
_Static_assert(offsetof(struct pv_vmcb, cpl) == 0x4CB, "CPL");
_Static_assert(offsetof(struct pv_vmcb, efer) == 0x4D0, "EFER");
_Static_assert(offsetof(struct pv_vmcb, cr4) == 0x548, "CR4");
_Static_assert(offsetof(struct pv_vmcb, rip) == 0x578, "RIP");
_Static_assert(offsetof(struct pv_vmcb, rsp) == 0x5D8, "RSP");
_Static_assert(offsetof(struct pv_vmcb, rax) == 0x5F8, "RAX");
_Static_assert(offsetof(struct pv_vmcb, cr2) == 0x640, "CR2");
_Static_assert(offsetof(struct pv_vmcb, g_pat) == 0x668, "G_PAT");

#endif
