// SPDX-License-Identifier: BSD-2-Clause
// The guest's memory as the harness sees it: by guest physical address, and by the VP's own page tables.
#ifndef HARNESS_GUEST_H
#define HARNESS_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include "vp.h"
#include "../svm/svm.h"

// Host address of [gpa, gpa + size), or null when any byte is outside the guest's memory.
void *guest_at(uint64_t gpa, uint64_t size);

// Guest virtual (linear) to guest physical address by the VP's page tables, as they are now: for an L2 its own and then L1's,
// so that the address is L1's in any case. False: not mapped.
// Rights are not looked at: this serves instruction fetches that the processor itself has just made.
// `entry_at` (may be null) is set to the last entry of a long-mode walk, or to null where there is none.
bool guest_translate(const struct vp *vp, uint64_t linear, uint64_t *gpa, const uint64_t **entry_at);

// The linear address of the instruction at RIP.
static inline uint64_t guest_rip(const struct vp *vp)
{
    return vp_is_64bit(vp) ? vp->vmcb->rip : (uint32_t)(vp->vmcb->cs.base + vp->vmcb->rip);
}

// The instruction bytes at RIP; how many of the `n` asked could be read.
uint32_t guest_fetch(const struct vp *vp, uint8_t *bytes, uint32_t n);

// Advances RIP over an instruction whose opcode and operands take `length` bytes, and the prefixes before it.
void guest_skip_anything(struct vp *vp, uint32_t length);

// Forgets the pages that instructions were fetched from.
void guest_forget_fetches(struct vp *vp);

// Names the VP's translations: its CR3, and whether it runs a guest of its own.
static inline uint64_t guest_tables(const struct vp *vp)
{
    return vp->vmcb->cr3 ^ (uint64_t)vp->in_l2;
}

// True when the instruction at RIP begins with its opcode, 0F or F4 (HLT), as far as that can be told by the translation
// of the last time. A change of tables above the page's own entry that the guest made without a new CR3 stays unseen, as
// it may in a TLB.
static inline bool guest_has_no_prefix(const struct vp *vp)
{
    uint64_t rip = vp->vmcb->rip;
    const struct fetch_page *f = &vp->fetch[rip / PAGE % FETCH_PAGES];
    if ((rip ^ f->page) >= PAGE || f->cr3 != guest_tables(vp) || f->npt != npt_generation ||
        __atomic_load_n(f->entry_at, __ATOMIC_RELAXED) != f->entry)
        return false;
    uint8_t byte = f->host[rip % PAGE];
    return byte == 0x0F || byte == 0xF4;
}

// The same as guest_skip_anything, quick for what is usual: 64-bit code without prefixes, in a page seen before.
static inline __attribute__((always_inline)) void guest_skip(struct vp *vp, uint32_t length)
{
    if (vp_is_64bit(vp) && !svm_has_next_rip && guest_has_no_prefix(vp)) {
        vp->vmcb->rip += length;
        vp->vmcb->interrupt_state = 0; // the instruction is over, and a shadow over it too
        return;
    }
    guest_skip_anything(vp, length);
}

#endif
