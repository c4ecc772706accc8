// SPDX-License-Identifier: BSD-2-Clause
#include "ipi.h"
#include "../base/bits.h"

bool pv_ipi_tell(const struct pv_partition *p, struct pv_vp *vp, uint32_t vector)
{
    if (!pv_shared_apic_enabled(vp)) {
        return false;
    }
    pv_shared_post(vp, vector);
    if (pv_shared_running(vp)) {
        pv_platform_kick(p, vp);
    } else {
        pv_platform_wake(p, vp);
    }
    return true;
}

/*@ requires ok: vps_ok(p) && bank < 64;
    requires exist: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> set_has(&p->present, 64 * bank + i);
    requires ipi_vec_1: 16 <= vector <= 255;
    requires blank: (\forall integer v; 64 * bank <= v < 64 * bank + 64 ==> untold(v)) && pv_j_waiting == 0;
    assigns  pv_j_posted[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
             pv_j_ran[64 * bank .. 64 * bank + 63], pv_j_kicked[64 * bank .. 64 * bank + 63],
             pv_j_woken[64 * bank .. 64 * bank + 63], pv_j_deaf[64 * bank .. 64 * bank + 63];
    ensures  ipi_bank_1: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> mbit(word, v % 64) ==>
               ipi_told(v, vector);
    ensures  ipi_only_2: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> !mbit(word, v % 64) ==> untold(v); */
PV_HELPER void tell_bank(struct pv_partition *p, uint32_t bank, uint64_t word, uint32_t vector)
{
    uint64_t left = word;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(word, i));
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + next ==> mbit(word, v % 64) ==>
                         ipi_told(v, vector);
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
                         (64 * bank + next <= v || !mbit(word, v % 64)) ==> untold(v);
        loop assigns left, next, pv_j_posted[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
                     pv_j_ran[64 * bank .. 64 * bank + 63], pv_j_kicked[64 * bank .. 64 * bank + 63],
                     pv_j_woken[64 * bank .. 64 * bank + 63], pv_j_deaf[64 * bank .. 64 * bank + 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        const uint32_t v = bank * PV_BANK_VPS + i;
        //@ assert at: v % 64 == i && v / 64 == bank;
        //@ assert places: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w / 64 == bank && w % 64 == w - 64 * bank;
        struct pv_vp *vp = &p->vps[p->position[v]];
        left = pv_bit_drop_lowest(left);
        //@ assert exists: set_has(&p->present, v);
        //@ assert there: vp->vp_index == v;
        //@ assert gap: \forall integer w; 64 * bank + next <= w < v ==> !mbit(word, w % 64);
        (void)pv_ipi_tell(p, vp, vector);
        //@ assert now: ipi_told(v, vector) && mbit(word, v % 64);
        //@ assert before: \forall integer w; 64 * bank <= w < v ==> mbit(word, w % 64) ==> ipi_told(w, vector);
        /*@ assert after: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w != v ==>
              (v < w || !mbit(word, w % 64)) ==> untold(w); */
        //@ ghost next = i + 1;
    }
}

void pv_ipi_perform(struct pv_partition *p, const struct pv_vp_set *targets, uint32_t vector)
{
    uint64_t left = targets->banks;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(targets->banks, b));
        loop invariant \forall integer v; 0 <= v < 64 * next ==> set_has(targets, v) ==> ipi_told(v, vector);
        loop invariant \forall integer v; 0 <= v < 4096 ==> (64 * next <= v || !set_has(targets, v)) ==> untold(v);
        loop assigns left, next, pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095],
                     pv_j_kicked[0 .. 4095], pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        const uint64_t word = targets->word[bank];
        //@ assert place: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> v / 64 == bank && v % 64 == v - 64 * bank;
        /*@ assert members: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has(targets, v) <==> mbit(word, v % 64)); */
        //@ assert passed: \forall integer v; 64 * next <= v < 64 * bank ==> !set_has(targets, v);
        left = pv_bit_drop_lowest(left);
        tell_bank(p, bank, word, vector);
        /*@ assert now: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has(targets, v) ==> ipi_told(v, vector)) && (!set_has(targets, v) ==> untold(v)); */
        //@ assert old_told: \forall integer v; 0 <= v < 64 * bank ==> set_has(targets, v) ==> ipi_told(v, vector);
        /*@ assert old_untold: \forall integer v; 0 <= v < 64 * bank || 64 * bank + 64 <= v < 4096 ==>
              (64 * bank <= v || !set_has(targets, v)) ==> untold(v); */
        //@ ghost next = bank + 1;
    }
    //@ assert rest: \forall integer v; 64 * next <= v < 4096 ==> !set_has(targets, v);
}
