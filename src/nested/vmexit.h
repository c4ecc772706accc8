// SPDX-License-Identifier: BSD-2-Clause
// The end of L2 as L1 sees it (APM vol. 2, 15.6).
#ifndef PV_NESTED_VMEXIT_H
#define PV_NESTED_VMEXIT_H

#include <stdbool.h>
#include "merge.h"

#define PV_EXIT_INVALID UINT64_C(0xFFFFFFFFFFFFFFFF)

struct pv_exit {
    uint64_t code, info1, info2;
    uint64_t event; // EXITINTINFO: what was being delivered, or 0
};

// Puts into `c`, the copy of what L1 wrote, all that #VMEXIT writes there: L2's state as it is in `from`, and the exit. What L1
// alone writes (intercepts, bitmaps, ASID, TLB_CONTROL, nCR3, clean bits..) stays. Segments and the other registers go there by
// pv_vmcb_segments and pv_vmcb_registers.
/*@ requires valid: \valid(c) && \valid_read(from) && \valid_read(exit);
    requires apart: \separated(c, from) && \separated(c, exit);
    assigns  c->cpl, c->rflags, c->v_intr, c->interrupt_state, c->exit_code, c->exit_info1, c->exit_info2,
             c->exit_int_info, c->event_inject;
    ensures  nv_exit_1: c->rflags == \old(from->rflags) && c->cpl == cpl_of(\old(from->ss.attrib)) &&
                        c->interrupt_state == \old(from->interrupt_state) % 2;
    ensures  nv_exit_2: c->exit_code == \old(exit->code) && c->exit_info1 == \old(exit->info1) &&
                        c->exit_info2 == \old(exit->info2) && c->exit_int_info == \old(exit->event);
    ensures  nv_vback_1: c->v_intr == v_intr_back(\old(c->v_intr), \old(from->v_intr));
    ensures  nv_event_1: c->event_inject == event_done(\old(c->event_inject)); */
void pv_vmcb_exit(struct pv_vmcb *c, const struct pv_vmcb *from, const struct pv_exit *exit);

// The same for a VMRUN that does not enter L2: the state stays as L1 wrote it. GIF is 0 afterwards, as after any
// #VMEXIT (F45); that is the embedder's.
/*@ requires valid: \valid(c);
    assigns  c->exit_code, c->exit_info1, c->exit_info2, c->exit_int_info, c->event_inject;
    ensures  nv_fail_1: c->exit_code == exit_invalid && c->exit_info1 == 0 && c->exit_info2 == 0 &&
                        c->exit_int_info == 0;
    ensures  nv_event_1: c->event_inject == event_done(\old(c->event_inject)); */
void pv_vmcb_exit_invalid(struct pv_vmcb *c);

// L1's own control block, in which its state was kept, as L1 goes on after L2: at CPL 0, in protected mode, breakpoints
// off, no interrupt shadow. False: it can't go on and shuts down.
/*@ requires valid: \valid(own);
    requires bits: address_bits < 64;
    assigns  own->cr0, own->rflags, own->dr7, own->cpl, own->interrupt_state;
    ensures  nv_host_1: own->cr0 == host_cr0(\old(own->cr0)) && own->rflags == host_rflags(\old(own->rflags));
    ensures  nv_host_2: own->dr7 == 0x400 && own->cpl == 0 && own->interrupt_state == 0;
    ensures  nv_host_3: \result <==> host_ok(address_bits, own->cr0, own->cr3); */
bool pv_vmcb_host(struct pv_vmcb *own, uint32_t address_bits);

#endif
