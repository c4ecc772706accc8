// SPDX-License-Identifier: BSD-2-Clause
// Is the control block that L1 wrote one that a processor would run? (APM vol. 2, 15.5.1; NV-CHK-1..7)
#ifndef PV_NESTED_CHECK_H
#define PV_NESTED_CHECK_H

#include <stdbool.h>
#include "../model.h"
#include "../types.h"
#include "../base/journal.h"
#include "vmcb.h"

// What the processor that L1 sees can do.
struct pv_svm_caps {
    uint64_t cr4;          // bits that may be set in CR4: low half
    uint32_t address_bits; // width of a physical address, 32..52
    uint32_t asids;        // ASIDs are 1..asids-1
    uint32_t npt;          // 1: with nested paging
};

/*@ predicate caps_ok{L}(struct pv_svm_caps *s) = 32 <= s->address_bits <= 52 && s->cr4 < 4294967296 && s->npt <= 1;

    // The copy is of a VMCB that runs: each field by its rule of the model.
    predicate vmcb_control_ok{L}(struct pv_vmcb *c, struct pv_svm_caps *s) =
      control_valid(s->address_bits, s->asids, s->npt, c->intercepts4, c->asid, c->tlb_control, c->iopm_base,
                    c->msrpm_base, c->nested_control, c->nested_cr3) && event_valid(c->event_inject);
    predicate vmcb_state_ok{L}(struct pv_vmcb *c, struct pv_svm_caps *s) =
      efer_valid(c->efer) && registers_valid(s->cr4, c->cr0, c->cr4, c->dr6, c->dr7) &&
      long_mode_valid(s->address_bits, c->efer, c->cr0, c->cr3, c->cr4, c->cs.attrib);
    predicate vmcb_ok{L}(struct pv_vmcb *c, struct pv_svm_caps *s) = vmcb_control_ok(c, s) && vmcb_state_ok(c, s); */

// True iff EVENTINJ holds nothing, or an event that can be injected (15.20).
/*@ assigns \nothing;
    ensures nv_chk_4: \result <==> event_valid(event); */
bool pv_event_valid(uint64_t event);

// True iff VMRUN of this copy enters L2; otherwise it ends with exit code -1 (pv_vmcb_exit_invalid).
/*@ requires valid: \valid_read(c) && \valid_read(caps);
    requires caps: caps_ok(caps);
    assigns  \nothing;
    ensures  nv_chk_1: \result <==> vmcb_ok(c, caps); */
bool pv_vmcb_valid(const struct pv_vmcb *c, const struct pv_svm_caps *caps);

// The same in one with its only read: VMRUN's first step (NV-ONCE-1). What is checked is what is used later, since it is
// in *copy, which is ours.
enum pv_vmrun {
    PV_VMRUN_ENTER = 0,
    PV_VMRUN_INVALID = 1, // exit code -1
    PV_VMRUN_FAULT_GP = 2 // there is no memory
};
/*@ requires valid: \valid(copy) && \valid_read(caps) && \separated(copy, caps);
    requires caps: caps_ok(caps);
    requires page: gpa % 4096 == 0;
    requires nv_once_1: pv_j_vmcb_reads == 0;
    assigns  *copy, pv_j_vmcb_reads;
    ensures  nv_once_1_one: pv_j_vmcb_reads == 1;
    ensures  nv_once_1_used: \result != PV_VMRUN_FAULT_GP ==> (\result == PV_VMRUN_ENTER <==> vmcb_ok(copy, caps));
    ensures  three: \result == PV_VMRUN_ENTER || \result == PV_VMRUN_INVALID || \result == PV_VMRUN_FAULT_GP; */
enum pv_vmrun pv_vmcb_take(const struct pv_partition *p, uint64_t gpa, const struct pv_svm_caps *caps,
                           struct pv_vmcb *copy);

#endif
