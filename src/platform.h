// SPDX-License-Identifier: BSD-2-Clause
// The embedder's side of the border: what the core asks of the hypervisor it is linked into. There is no other way
// out of the core. Each contract here is an assumption (proofs/ASSUMPTIONS.md, A-PLAT-*).
//
// The pv_j_* arrays are the caller's journal, in ghost code only: what this hypercall has told to whom, by VP index.
// Nobody else can undo what a journal says, so contracts may promise it although other VPs run at the same time.
#ifndef PV_PLATFORM_H
#define PV_PLATFORM_H

#include "types.h"

// Copies `qwords` (1..512) qwords of guest memory at guest physical address `gpa` (8-byte aligned, within one page)
// to `to`. False, with nothing promised about `to`, when any byte is not in guest memory. Called at most once in a
// hypercall: the operands are read once (HC-COPY-1). Other VPs may write to that memory at any time.
bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords);

// Makes the physical CPU that runs `vp` leave the guest soon. Does not wait.
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp);

// Returns once `vp` was seen outside the guest at a moment after the call began: vp->run even, or changed since.
// The embedder's loop must keep taking its own kicks or be outside the guest itself, as a caller of pv_hypercall is.
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp);

// An interrupt was posted for `vp`, which was outside the guest: if it is halted, it must be scheduled again.
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp);

// The caller says that it spins for long (HvCallNotifyLongSpinWait); the embedder may run another VP.
void pv_platform_yield(const struct pv_partition *p);

#endif
