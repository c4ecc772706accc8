// SPDX-License-Identifier: BSD-2-Clause
// The embedder's side of the border: what the core asks of the hypervisor it is linked into. There is no other way
// out of the core. Each contract here is an assumption (A-PLAT-1..8 in proofs/ASSUMPTIONS.md).
//
// The pv_j_* names are the journal of the hypercall, in ghost code only (base/journal.h).
#ifndef PV_PLATFORM_H
#define PV_PLATFORM_H

#include "types.h"
#include "base/journal.h"

// Copies `qwords` (1..512) qwords of guest memory at guest physical address `gpa` (8-byte aligned, within one page)
// to `to`. False, with nothing promised about `to`, when any byte is not in guest memory. Called at most once in a
// hypercall: the operands are read once (HC-COPY-1). Other VPs may write to that memory at any time. (A-PLAT-1)
/*@ requires span: 1 <= qwords <= 512 && gpa % 8 == 0 && gpa % 4096 + 8 * qwords <= 4096;
    requires valid: \valid(to + (0 .. qwords - 1));
    requires hc_copy_1: pv_j_reads == 0;
    assigns  to[0 .. qwords - 1], pv_j_reads, pv_j_readable;
    ensures  once: pv_j_reads == 1;
    ensures  said: pv_j_readable == (\result ? 1 : 0);
    ensures  exact: \result ==> \forall integer i; 0 <= i < qwords ==> to[i] == guest_word(1, gpa + 8 * i); */
bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords);

// Makes the physical CPU that runs `vp` leave the guest soon. Does not wait. (A-PLAT-2)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires pr_kick_1: pv_j_looked[vp->vp_index] == 1 && pv_j_ran[vp->vp_index] == 1;
    requires pr_wait_1: pv_j_waiting == 0;
    assigns  pv_j_kicked[vp->vp_index];
    ensures  pv_j_kicked[vp->vp_index] == 1; */
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp);

// Returns once `vp` was seen outside the guest at a moment after the call began: vp->run even, or changed since.
// The embedder's loop must keep taking its own kicks or be outside the guest itself, as a caller of pv_hypercall is.
// (A-PLAT-3)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires pr_wait_2: pv_j_kicked[vp->vp_index] == 1;
    assigns  pv_j_waited[vp->vp_index], pv_j_waiting;
    ensures  pv_j_waited[vp->vp_index] == 1 && pv_j_waiting == 1; */
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp);

// An interrupt was posted for `vp`, which was outside the guest: if it is halted, it must be scheduled again.
// (A-PLAT-4)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires pr_wake_1: pv_j_posted[vp->vp_index] != 0 && pv_j_looked[vp->vp_index] == 1 && pv_j_ran[vp->vp_index] == 0;
    assigns  pv_j_woken[vp->vp_index];
    ensures  pv_j_woken[vp->vp_index] == 1; */
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp);

// The caller says that it spins for long (HvCallNotifyLongSpinWait); the embedder may run another VP. (A-PLAT-5)
/*@ assigns  pv_j_yields;
    ensures  pv_j_yields == \old(pv_j_yields) + 1; */
void pv_platform_yield(const struct pv_partition *p);

// ---- only the KVM persona calls these -------------------------------------------------------------------------

// An NMI is pending for `vp` from now on: one that is halted is scheduled again, one in the guest takes it soon. Does
// not wait. (A-PLAT-6, KV-NMI-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    assigns  pv_j_nmi[vp->vp_index];
    ensures  kv_nmi_1: pv_j_nmi[vp->vp_index] == 1; */
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp);

// If `vp` is halted it goes on behind its HLT, without an interrupt; if it is not, its next HLT does not halt it.
// (A-PLAT-7, KV-KICK-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    assigns  pv_j_unhalted[vp->vp_index];
    ensures  kv_kick_1: pv_j_unhalted[vp->vp_index] == 1; */
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp);

// The caller gives its time to `vp`: a hint, for nothing when that VP is not ready and waiting for a physical CPU.
// (A-PLAT-8, KV-YIELD-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    assigns  pv_j_yielded[vp->vp_index];
    ensures  kv_yield_1: pv_j_yielded[vp->vp_index] == 1 + pv_j_unhalted[vp->vp_index]; */
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp);

#endif
