// SPDX-License-Identifier: BSD-2-Clause
#include "flush.h"
#include "../base/bits.h"

/*@ // As flush_told, before the waiting.
    predicate flush_asked{L}(integer v, integer kind) =
      pv_j_asked[v] == kind && pv_j_posted[v] == 0 && pv_j_woken[v] == 0 && pv_j_looked[v] == 1 &&
      0 <= pv_j_ran[v] <= 1 && pv_j_kicked[v] == pv_j_ran[v] && pv_j_waited[v] == 0; */

// Asks one VP, and kicks it if it is in the guest. Returns whether it was.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && \valid_read(ask) && \valid(queue);
    requires apart: \separated(queue, ask, vp, &pv_j_found) && \separated(ask, &pv_j_found);
    requires ok: ranges_ok(ask) && context < 2;
    requires kind: kind == 1 || kind == 2 || kind == 4;
    requires blank: untold(vp->vp_index) && pv_j_waiting == 0;
    assigns  *queue, pv_j_found,
             pv_j_asked[vp->vp_index], pv_j_looked[vp->vp_index], pv_j_ran[vp->vp_index], pv_j_kicked[vp->vp_index];
    ensures  fl_pub_3: flush_asked(vp->vp_index, kind);
    ensures  fl_kick_1: \result <==> pv_j_ran[vp->vp_index] == 1; */
static inline bool ask_vp(const struct pv_partition *p, struct pv_vp *vp, uint32_t context, uint32_t kind,
                          const struct pv_ranges *ask, struct pv_ranges *queue)
{
    if (kind == PV_FLUSH_RANGES) {
        pv_shared_lock(vp, context, queue);
        //@ assert kept: ranges_kept{Pre, Here}(ask);
        //@ ghost Locked:;
        pv_ranges_join(queue, ask);
        //@ assert same: ranges_kept{Locked, Here}(ask) && ranges_kept{Locked, Here}(&pv_j_found);
        pv_shared_publish(vp, context, ask, queue);
    } else {
        pv_shared_mark(vp, context, kind);
    }
    if (pv_shared_running(vp)) {
        pv_platform_kick(p, vp);
        return true;
    }
    return false;
}

// Asks the VPs of one bank; the result has the bits of those that were in the guest.
/*@ requires ok: partition_ok(p) && ranges_ok(ask) && \valid_read(ask) && context < 2 && bank < 64;
    requires apart: \valid(queue) && \separated(queue, ask, p, p->vps + (0 .. p->vp_count - 1), &pv_j_found) &&
               \separated(ask, &pv_j_found) && \separated(p, &pv_j_found) &&
               \separated(p->vps + (0 .. p->vp_count - 1), &pv_j_found);
    requires exist: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> set_has(&p->present, 64 * bank + i);
    requires kind: kind == 1 || kind == 2 || kind == 4;
    requires blank: (\forall integer i; 0 <= i < 64 ==> untold(64 * bank + i)) && pv_j_waiting == 0;
    assigns  *queue, pv_j_found,
             pv_j_asked[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
             pv_j_ran[64 * bank .. 64 * bank + 63], pv_j_kicked[64 * bank .. 64 * bank + 63];
    ensures  fl_pub_4: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> flush_asked(64 * bank + i, kind);
    ensures  fl_only_2: \forall integer i; 0 <= i < 64 ==> !mbit(word, i) ==> untold(64 * bank + i);
    ensures  fl_kick_2: \forall integer i; 0 <= i < 64 ==>
               (mbit(\result, i) <==> mbit(word, i) && pv_j_ran[64 * bank + i] == 1); */
static uint64_t ask_bank(struct pv_partition *p, uint32_t bank, uint64_t word, uint32_t context, uint32_t kind,
                         const struct pv_ranges *ask, struct pv_ranges *queue)
{
    uint64_t left = word;
    uint64_t ran = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant partition_kept{Pre, Here}(p);
        loop invariant ranges_kept{Pre, Here}(ask);
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(word, i));
        loop invariant \forall integer i; 0 <= i < next ==> mbit(word, i) ==> flush_asked(64 * bank + i, kind);
        loop invariant \forall integer i; 0 <= i < 64 ==> (next <= i || !mbit(word, i)) ==> untold(64 * bank + i);
        loop invariant \forall integer i; 0 <= i < 64 ==>
                         (mbit(ran, i) <==> i < next && mbit(word, i) && pv_j_ran[64 * bank + i] == 1);
        loop assigns left, ran, next, *queue, pv_j_found,
                     pv_j_asked[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
                     pv_j_ran[64 * bank .. 64 * bank + 63], pv_j_kicked[64 * bank .. 64 * bank + 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        struct pv_vp *vp = &p->vps[p->position[bank * PV_BANK_VPS + i]];
        left = pv_bit_clear(left, i);
        //@ assert exists: set_has{Pre}(&p->present, 64 * bank + i);
        //@ assert there: partition_ok(p) && vp->vp_index == 64 * bank + i;
        if (ask_vp(p, vp, context, kind, ask, queue)) {
            ran = pv_bit_set(ran, i);
        }
        //@ assert kept_1: p->vp_count == \at(p->vp_count, Pre) && p->vps == \at(p->vps, Pre);
        //@ assert kept_2: p->present.banks == \at(p->present.banks, Pre);
        //@ assert kept_3: \forall integer b; 0 <= b < 64 ==> p->present.word[b] == \at(p->present.word[b], Pre);
        //@ assert kept_4: \forall integer v; 0 <= v < 4096 ==> p->position[v] == \at(p->position[v], Pre);
        /*@ assert kept_5: \forall integer k; 0 <= k < p->vp_count ==>
              p->vps[k].vp_index == \at(p->vps[k].vp_index, Pre); */
        //@ ghost next = i + 1;
    }
    return ran;
}
