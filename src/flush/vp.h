// SPDX-License-Identifier: BSD-2-Clause
// What a VP does on its own side of the protocol, in the journal's words.
#ifndef PV_VP_H
#define PV_VP_H

#include "../proviso.h"
#include "../base/shared.h"

/*@ requires valid: \valid(vp);
    assigns  pv_j_toggled;
    ensures  pr_run_1: pv_j_toggled == \old(pv_j_toggled) + 1; */
void pv_vp_run(struct pv_vp *vp);

/*@ requires valid: \valid(vp);
    assigns  pv_j_toggled;
    ensures  pr_run_2: pv_j_toggled == \old(pv_j_toggled) + 1; */
void pv_vp_stop(struct pv_vp *vp);

/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && \valid(work) && context < 2 && \separated(vp, work);
    requires free: pv_j_held == 0;
    assigns  *work, pv_j_hint, pv_j_hinted, pv_j_lock, pv_j_held, pv_j_taken, pv_j_marks, pv_j_vectors[0 .. 3];
    ensures  pr_take_7: pv_j_held == 0 && pv_j_hinted == queue_of(vp->vp_index, context) &&
               (pv_j_hint != 0 ==> pv_j_taken == queue_of(vp->vp_index, context));
    ensures  pr_enter_1: pv_j_hint != 0 ==> \forall integer page;
               found_page(pv_j_lock, page) <==> ranges_mean(&work->ranges, page);
    ensures  pr_take_1: pv_j_hint != 0 ==> work->ranges.overflow == 0 ==> work->flush == pv_j_marks;
    ensures  pr_take_2: pv_j_hint != 0 ==> work->ranges.overflow != 0 ==>
               work->flush == (pv_j_marks % 2 == 0 ? pv_j_marks + 1 : pv_j_marks);
    ensures  nothing: pv_j_hint == 0 ==> work->flush == 0 && \forall integer page; !ranges_mean(&work->ranges, page);
    ensures  ipi_tell_1: \forall integer i; 0 <= i < 4 ==> work->vector[i] == pv_j_vectors[i];
    ensures  pr_none_1: \result <==> work->flush != 0 || \exists integer i; 0 <= i < 4 && pv_j_vectors[i] != 0; */
bool pv_vp_take(struct pv_vp *vp, uint32_t context, struct pv_work *work);

#endif
