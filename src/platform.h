// SPDX-License-Identifier: BSD-2-Clause
// The embedder's side of the border: what the core asks of the hypervisor it is linked into. There is no other way
// out of the core. Each contract here is an assumption (A-PLAT-1..8 in proofs/ASSUMPTIONS.md).
//
// The pv_j_* names are the journal of the hypercall, in ghost code only (base/journal.h).
#ifndef PV_PLATFORM_H
#define PV_PLATFORM_H

#include "types.h"
#include "base/journal.h"
#include "nested/types.h"
#include "nested/vmcb.h"

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

// ---- only nested virtualization calls these -------------------------------------------------------------------

// The entry of `bytes` (4 or 8) bytes of L1's memory at guest physical address `gpa`, which is divisible by `bytes`, in one access.
// False, with nothing promised about *entry, when it is not in guest memory. (A-PLAT-9)
/*@ requires size: bytes == 4 || bytes == 8;
    requires aligned: gpa % bytes == 0;
    requires valid: \valid(entry);
    assigns  *entry, pv_j_table_reads;
    ensures  once: pv_j_table_reads == \old(pv_j_table_reads) + 1;
    ensures  said: \result <==> table_there(pv_j_table_reads);
    ensures  exact: \result ==> *entry == table_word(pv_j_table_reads, gpa);
    ensures  fits: bytes == 4 ==> *entry < 4294967296; */
bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry);

// Sets `bits`, the accessed bit or both the accessed and the dirty bit, in that entry, in one access, if it still holds `seen`,
// which was read there last. False: it does not, or is not in guest memory. (A-PLAT-10)
/*@ requires size: bytes == 4 || bytes == 8;
    requires aligned: gpa % bytes == 0;
    requires nw_mark_1: bits == 0x20 || bits == 0x60;
    requires seen: seen == table_word(pv_j_table_reads, gpa) && present(seen);
    assigns  pv_j_marked;
    ensures  marked: \result ==> pv_j_marked == bits; */
bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen, uint64_t bits);

// The frame of the machine that L1 has at guest physical address `gpa`, and what it may do there: frame->hpa is divisible by the
// frame's size, and stands for the L1 address of which the low `shift` bits are 0. Right 1 (reading) is always there. False: L1 has
// none, and nothing is promised about *frame. (A-PLAT-11)
/*@ requires valid: \valid(frame);
    assigns  *frame, pv_j_grants;
    ensures  said: \result ==> pv_j_grants == \old(pv_j_grants) + 1;
    ensures  none: !\result ==> pv_j_grants == \old(pv_j_grants);
    ensures  named: \result ==> frame->hpa == grant_frame(pv_j_grants) && frame->shift == grant_shift(pv_j_grants) &&
               frame->rights == grant_rights(pv_j_grants);
    ensures  shape: \result ==> frame_shape(frame->hpa, frame->shift, frame->rights); */
bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame);

// Copies what a VMRUN reads of the VMCB at guest physical address `gpa` (divisible by 4096), each byte at most once: control area and
// state save area; bytes that src/nested/vmcb.h calls reserved may be left out. False, with nothing promised about *copy,
// when it is not in guest memory. Called once in a VMRUN, whatever other VPs write there meanwhile: NV-ONCE-1. (A-PLAT-12)
/*@ requires page: gpa % 4096 == 0;
    requires valid: \valid(copy);
    requires nv_once_1: pv_j_vmcb_reads == 0;
    assigns  *copy, pv_j_vmcb_reads;
    ensures  once: pv_j_vmcb_reads == 1; */
bool pv_platform_vmcb_read(const struct pv_partition *p, uint64_t gpa, struct pv_vmcb *copy);

#endif
