// SPDX-License-Identifier: BSD-2-Clause
// A VP's own side of the protocol: entering the guest, taking what is pending, leaving.
#include "vp.h"

void pv_vp_run(struct pv_vp *vp)
{
    pv_shared_toggle_run(vp);
}

void pv_vp_stop(struct pv_vp *vp)
{
    pv_shared_toggle_run(vp);
}

// Takes the flushes of a context; the ranges become what the queue held.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && \valid(ranges) && context < 2 && \separated(vp, ranges);
    requires free: pv_j_held == 0;
    assigns  *ranges, pv_j_lock, pv_j_held, pv_j_taken, pv_j_marks;
    ensures  pr_take_3: \forall integer page; ranges_mean(ranges, page) <==> found_page(pv_j_lock, page);
    ensures  pr_take_4: ranges->overflow == 0 ==> \result == pv_j_marks;
    ensures  pr_take_5: ranges->overflow != 0 ==> \result == (pv_j_marks % 2 == 0 ? pv_j_marks + 1 : pv_j_marks);
    ensures  pr_take_6: pv_j_held == 0 && pv_j_taken == queue_of(vp->vp_index, context);
    ensures  bits: 0 <= \result <= 15; */
static uint32_t take_flushes(struct pv_vp *vp, uint32_t context, struct pv_ranges *ranges)
{
    pv_shared_lock(vp, context, ranges);
    const uint32_t marks = pv_shared_take_marks(vp, context);
    pv_shared_drain(vp, context, ranges);
    if (ranges->overflow != 0 && marks % 2u == 0) {
        return marks + PV_FLUSH_FULL;
    }
    return marks;
}

// Takes the vectors; true if there is one.
/*@ requires valid: \valid(vp) && \valid(vector + (0 .. 3)) && \separated(vp, vector + (0 .. 3));
    assigns  vector[0 .. 3], pv_j_vectors[0 .. 3];
    ensures  ipi_tell_2: \forall integer i; 0 <= i < 4 ==> vector[i] == pv_j_vectors[i];
    ensures  any: \result <==> \exists integer i; 0 <= i < 4 && pv_j_vectors[i] != 0; */
static bool take_vectors(struct pv_vp *vp, uint64_t *vector)
{
    bool any = false;

    /*@ loop invariant 0 <= i <= 4;
        loop invariant \forall integer j; 0 <= j < i ==> vector[j] == pv_j_vectors[j];
        loop invariant any <==> \exists integer j; 0 <= j < i && pv_j_vectors[j] != 0;
        loop assigns i, any, vector[0 .. 3], pv_j_vectors[0 .. 3];
        loop variant 4 - i; */
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t word = pv_shared_take_vectors(vp, i);
        vector[i] = word;
        any = any || word != 0;
    }
    return any;
}

bool pv_vp_take(struct pv_vp *vp, uint32_t context, struct pv_work *work)
{
    const bool any = take_vectors(vp, work->vector);
    //@ ghost Vectors:;

    work->flush = 0;
    work->reserved = 0;
    pv_ranges_clear(&work->ranges);
    if (pv_shared_marked(vp, context)) {
        const uint32_t flush = take_flushes(vp, context, &work->ranges);
        //@ ghost Taken:;
        work->flush = flush;
        //@ assert kept: ranges_kept{Taken, Here}(&work->ranges);
    }
    //@ assert word_0: work->vector[0] == \at(work->vector[0], Vectors);
    //@ assert word_1: work->vector[1] == \at(work->vector[1], Vectors);
    //@ assert word_2: work->vector[2] == \at(work->vector[2], Vectors);
    //@ assert word_3: work->vector[3] == \at(work->vector[3], Vectors);
    return any || work->flush != 0;
}
