// SPDX-License-Identifier: BSD-2-Clause
// Which MMU context a VP uses. It follows guest mode and nothing else, on every way: VMRUN, #VMEXIT, a VMRUN that fails, a
// forced end of L2, reset. The roots are the core's (src/nested/roots.h); this part is not proved yet.
#ifndef HARNESS_CONTEXTS_H
#define HARNESS_CONTEXTS_H

#include "../../src/nested/roots.h"

// L1 runs; no root is known.
void pv_nested_reset(struct pv_nested *n);

// The context in use.
uint32_t pv_nested_current(const struct pv_nested *n);

// The context of pending flushes (PV_CONTEXT_*): who runs is whose flushes are served.
uint32_t pv_nested_flush_context(const struct pv_nested *n);

// The role word of the root under an L2, from L1's control registers at its VMRUN. Guest mode is part of it, whether
// it has begun already or not.
uint32_t pv_nested_role(uint32_t np, uint64_t cr4, uint64_t efer);

// L2 is entered. What L1 asks of the TLB at this VMRUN (TLB_CONTROL: 0, 1, 3, 7; anything else counts as 1) is owed from now on, and
// then the root is chosen: the return value says whether it was known. `ncr3` is looked at only with `np`.
// `npt_tlb`: L1 has said that ASID flushes leave translations of its nested tables alone.
bool pv_nested_enter(struct pv_nested *n, uint32_t np, uint64_t ncr3, uint64_t cr4, uint64_t efer,
                     uint32_t vasid, uint32_t tlb_control, uint32_t npt_tlb);

// L2 is left, by whatever way.
void pv_nested_leave(struct pv_nested *n);

// The root in use in guest mode, and its slot.
struct pv_root *pv_nested_root(struct pv_nested *n);

uint32_t pv_nested_slot(const struct pv_nested *n);

// INVLPGA of another tag than L1's own: the page goes from L2's TLB, and we let all of that tag go.
void pv_nested_invlpga(struct pv_nested *n, uint32_t vasid);

// The partition's own nested table has changed: nothing that was made from it is good.
void pv_nested_forget_tables(struct pv_nested *n);

// HvCallFlushGuestPhysicalAddress*: what rests on L1's nested table `ncr3`, in every context.
void pv_nested_forget_ncr3(struct pv_nested *n, uint64_t ncr3);

#endif
