// SPDX-License-Identifier: BSD-2-Clause
// TLB tags. Each pCPU gives out its ASIDs in order; a VP that comes to another pCPU, or that has to forget all of
// its translations, takes a new one. When they run out, everything is flushed and a new generation begins: so
// between two flushes an ASID belongs to one VP. (APM vol. 2, 15.16)
#include "svm.h"
#include "vmcb.h"
#include "../base/pcpu.h"
#include "../vm/vp.h"

enum { TLB_NOTHING = 0, TLB_ALL = 1 };

void asid_prepare(struct pcpu *me, struct vp *vp)
{
    uint64_t npt = __atomic_load_n(&npt_generation, __ATOMIC_ACQUIRE);
    vp->vmcb->tlb_control = TLB_NOTHING;
    if (me->npt_generation != npt) { // entries of every ASID may rest on the old nested tables
        me->npt_generation = npt;
        vp->vmcb->tlb_control = TLB_ALL;
    }
    if (vp->asid_owner == me->asid_owner)
        return;
    if (me->next_asid >= svm_asids) {
        me->next_asid = 1;
        me->asid_owner++;
        vp->vmcb->tlb_control = TLB_ALL;
    }
    vp->vmcb->asid = me->next_asid++;
    vp->asid_owner = me->asid_owner;
}

void asid_flush(struct vp *vp)
{
    vp->asid_owner = 0;
}
