// SPDX-License-Identifier: BSD-2-Clause
// A VP's own side of the protocol: entering the guest, taking what is pending, leaving.
#include "../proviso.h"
#include "../base/shared.h"

void pv_vp_run(struct pv_vp *vp)
{
    pv_shared_toggle_run(vp);
}

void pv_vp_stop(struct pv_vp *vp)
{
    pv_shared_toggle_run(vp);
}

bool pv_vp_take(struct pv_vp *vp, uint32_t context, struct pv_work *work)
{
    work->flush = 0;
    work->reserved = 0;
    pv_ranges_clear(&work->ranges);
    if (pv_shared_marked(vp, context)) {
        pv_shared_lock(vp, context, &work->ranges);
        const uint32_t marks = pv_shared_take_marks(vp, context);
        pv_shared_drain(vp, context, &work->ranges);
        work->flush = work->ranges.overflow != 0 ? marks | PV_FLUSH_FULL : marks;
    }
    uint64_t vectors = 0;
    for (uint32_t i = 0; i < 4; i++) {
        work->vector[i] = pv_shared_take_vectors(vp, i);
        vectors |= work->vector[i];
    }
    return work->flush != 0 || vectors != 0;
}
