// SPDX-License-Identifier: BSD-2-Clause
#include "setup.h"
#include "../base/constants.h"

PV_HOLDS(pv_vp_has_512_bytes, sizeof(struct pv_vp) == 512);

void pv_vp_init(struct pv_vp *vp, uint32_t vp_index, uint32_t apic_id)
{
    vp->run = 0;
    vp->mark[PV_CONTEXT_L1] = 0;
    vp->mark[PV_CONTEXT_L2] = 0;
    vp->lock[PV_CONTEXT_L1] = 0;
    vp->lock[PV_CONTEXT_L2] = 0;
    vp->vp_index = vp_index;
    vp->apic_id = apic_id;
    vp->apic_enabled = 1;
    vp->l2_vm = 0;
    vp->l2_vp = 0;
    vp->l2_named = 0;
    /*@ loop invariant 0 <= w <= 4;
        loop invariant \forall integer k; 0 <= k < w ==> vp->vector[k] == 0;
        loop assigns w, vp->vector[0 .. 3], vp->reserved[0 .. 3];
        loop variant 4 - w; */
    for (uint32_t w = 0; w < 4; w++) {
        vp->vector[w] = 0;
        vp->reserved[w] = 0;
    }
    pv_ranges_clear(&vp->queue[PV_CONTEXT_L1]);
    pv_ranges_clear(&vp->queue[PV_CONTEXT_L2]);
}
