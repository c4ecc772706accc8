// SPDX-License-Identifier: BSD-2-Clause
#include "loaded.h"
#include "../base/bits.h"
#include "../hypercall/meaning.h"

/*@ // This number is one of the set, or every number is meant.
    predicate id_in{L}(integer everyone, struct pv_vp_set *named, integer id) = everyone != 0 || set_has(named, id);

    // VP v is a target, as far as was read.
    predicate chosen{J, L}(integer everyone, struct pv_vp_set *named, integer v) =
      \at(pv_j_l2_loaded[v], J) == 1 && id_in{L}(everyone, named, \at(pv_j_l2_vp[v], J)); */

// The set of all numbers that a set can name.
/*@ requires valid: \valid(set);
    assigns  *set;
    ensures  all: \forall integer v; 0 <= v < 4096 ==> set_has(set, v); */
static void fill(struct pv_vp_set *set)
{
    set->banks = pv_bits_all();
    /*@ loop invariant 0 <= b <= 64;
        loop invariant \forall integer k, i; 0 <= k < b ==> 0 <= i < 64 ==> mbit(set->word[k], i);
        loop assigns b, set->word[0 .. 63];
        loop variant 64 - b; */
    for (uint32_t b = 0; b < PV_BANKS; b++) {
        set->word[b] = pv_bits_all();
    }
    //@ assert place: \forall integer v; 0 <= v < 4096 ==> 0 <= v / 64 < 64 && 0 <= v % 64 < 64;
}

// Has this VP loaded a VP of the VM that is in `named`, or any if everyone is meant?
/*@ requires valid: \valid_read(vp) && vp->vp_index < 4096 && \valid_read(named) && everyone <= 1;
    requires fenced: pv_j_fenced == 1;
    assigns  pv_j_l2_loaded[vp->vp_index], pv_j_l2_vp[vp->vp_index];
    ensures  ne_target_5: \result <==> chosen{Here, Here}(everyone, named, vp->vp_index); */
static bool is_target(const struct pv_vp *vp, uint64_t vm_id, uint32_t everyone, const struct pv_vp_set *named)
{
    uint32_t id;
    const bool loaded = pv_shared_l2(vp, vm_id, &id);

    return loaded && (everyone != 0 || pv_vp_set_has(named, id));
}

// Of the VPs of one bank, those that are targets.
/*@ requires ok: vps_ok(p) && bank < 64;
    requires exist: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> set_has(&p->present, 64 * bank + i);
    requires valid: \valid_read(named) && everyone <= 1;
    requires fenced: pv_j_fenced == 1;
    assigns  pv_j_l2_loaded[64 * bank .. 64 * bank + 63], pv_j_l2_vp[64 * bank .. 64 * bank + 63];
    ensures  ne_target_4: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
               (mbit(\result, v % 64) <==> mbit(word, v % 64) && chosen{Here, Here}(everyone, named, v)); */
static uint64_t loaded_in_bank(const struct pv_partition *p, uint32_t bank, uint64_t word, uint64_t vm_id,
                               uint32_t everyone, const struct pv_vp_set *named)
{
    uint64_t left = word;
    uint64_t found = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(word, i));
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
                         (mbit(found, v % 64) <==>
                          v < 64 * bank + next && mbit(word, v % 64) && chosen{Here, Here}(everyone, named, v));
        loop assigns left, found, next, pv_j_l2_loaded[64 * bank .. 64 * bank + 63],
                     pv_j_l2_vp[64 * bank .. 64 * bank + 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        //@ ghost uint32_t v = bank * 64 + i;
        //@ assert at: v % 64 == i && v / 64 == bank;
        //@ assert places: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w / 64 == bank && w % 64 == w - 64 * bank;
        const struct pv_vp *vp = &p->vps[p->position[bank * PV_BANK_VPS + i]];
        left = pv_bit_drop_lowest(left);
        //@ assert exists: set_has(&p->present, v);
        //@ assert there: vp->vp_index == v;
        //@ assert gap: \forall integer w; 64 * bank + next <= w < v ==> !mbit(word, w % 64);
        //@ ghost Begin:;
        if (is_target(vp, vm_id, everyone, named)) {
            found = pv_bit_set(found, i);
        }
        /*@ assert frame: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w != v ==>
              pv_j_l2_loaded[w] == \at(pv_j_l2_loaded[w], Begin) && pv_j_l2_vp[w] == \at(pv_j_l2_vp[w], Begin); */
        //@ assert now: mbit(found, v % 64) <==> chosen{Here, Here}(everyone, named, v);
        /*@ assert others: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w != v ==>
              (mbit(found, w % 64) <==> mbit(\at(found, Begin), w % 64)); */
        //@ ghost next = i + 1;
    }
    return found;
}

// The same for all banks.
/*@ requires ok: vps_ok(p);
    requires valid: \valid_read(named) && \valid(targets) && everyone <= 1;
    requires apart: \separated(targets, named, p) && \separated(targets, p->vps + (0 .. p->vp_count - 1));
    requires fenced: pv_j_fenced == 1;
    assigns  *targets, pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
    ensures  ne_target_6: \forall integer v; 0 <= v < 4096 ==>
               (set_has(targets, v) <==> set_has{Pre}(&p->present, v) && chosen{Here, Pre}(everyone, named, v)); */
static void loaded_of(const struct pv_partition *p, uint64_t vm_id, uint32_t everyone, const struct pv_vp_set *named,
                      struct pv_vp_set *targets)
{
    uint64_t left = p->present.banks;
    uint64_t banks = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant vps_kept{Pre, Here}(p);
        loop invariant named->banks == \at(named->banks, Pre);
        loop invariant \forall integer b; 0 <= b < 64 ==> named->word[b] == \at(named->word[b], Pre);
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(p->present.banks, b));
        loop invariant \forall integer b; next <= b < 64 ==> !mbit(banks, b);
        loop invariant \forall integer v; 0 <= v < 64 * next ==>
                         (mbit(banks, v / 64) && mbit(targets->word[v / 64], v % 64) <==>
                          set_has{Pre}(&p->present, v) && chosen{Here, Pre}(everyone, named, v));
        loop assigns left, banks, next, targets->word[0 .. 63], pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        const uint64_t word = p->present.word[bank];
        //@ assert place: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> v / 64 == bank && v % 64 == v - 64 * bank;
        /*@ assert members: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has{Pre}(&p->present, v) <==> mbit(word, v % 64)); */
        //@ assert passed: \forall integer v; 64 * next <= v < 64 * bank ==> !set_has{Pre}(&p->present, v);
        left = pv_bit_drop_lowest(left);
        //@ ghost Begin:;
        const uint64_t found = loaded_in_bank(p, bank, word, vm_id, everyone, named);
        /*@ assert frame: \forall integer v; 0 <= v < 64 * bank || 64 * bank + 64 <= v < 4096 ==>
              pv_j_l2_loaded[v] == \at(pv_j_l2_loaded[v], Begin) && pv_j_l2_vp[v] == \at(pv_j_l2_vp[v], Begin); */
        /*@ assert now: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (mbit(found, v % 64) <==> set_has{Pre}(&p->present, v) && chosen{Here, Pre}(everyone, named, v)); */
        //@ assert none: found == 0 ==> \forall integer i; 0 <= i < 64 ==> !mbit(found, i);
        if (found != 0) {
            targets->word[bank] = found;
            banks = pv_bit_set(banks, bank);
        }
        //@ assert kept: \forall integer b; 0 <= b < 64 ==> b != bank ==> targets->word[b] == \at(targets->word[b], Begin);
        /*@ assert banks: \forall integer b; 0 <= b < 64 ==> b != bank ==>
              (mbit(banks, b) <==> mbit(\at(banks, Begin), b)); */
        //@ assert here: mbit(banks, bank) <==> found != 0;
        //@ assert word: found != 0 ==> targets->word[bank] == found;
        /*@ assert this: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (mbit(banks, v / 64) && mbit(targets->word[v / 64], v % 64) <==> mbit(found, v % 64)); */
        //@ assert below: \forall integer v; 0 <= v < 64 * bank ==> 0 <= v / 64 < bank;
        /*@ assert gap: \forall integer v; 64 * \at(next, Here) <= v < 64 * bank ==>
              next <= v / 64 && !mbit(banks, v / 64); */
        /*@ assert old: \forall integer v; 0 <= v < 64 * bank ==>
              (mbit(banks, v / 64) && mbit(targets->word[v / 64], v % 64) <==>
               set_has{Pre}(&p->present, v) && chosen{Here, Pre}(everyone, named, v)); */
        //@ ghost next = bank + 1;
    }
    //@ assert rest: \forall integer v; 64 * next <= v < 4096 ==> !set_has{Pre}(&p->present, v) && !mbit(banks, v / 64);
    targets->banks = banks;
}

void pv_loaded_targets(const struct pv_partition *p, uint64_t vm_id, const struct pv_row *row,
                       struct pv_scratch *scratch)
{
    const uint32_t everyone = pv_everyone_meant(row, scratch->operand) ? 1 : 0;
    //@ ghost uint32_t code = row->code;

    fill(&scratch->targets);
    //@ assert words_1: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert kept_1: vps_kept{Pre, Here}(p);
    //@ ghost Filled:;
    pv_targets(row, scratch->operand, &scratch->targets, &scratch->kicked);
    //@ assert words_2: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert kept_2: vps_kept{Pre, Here}(p);
    /*@ assert same_means: \forall integer v; 0 <= v < 4096 ==>
          (means{Filled}(code, scratch->operand + 0, v) <==> means(code, scratch->operand + 0, v)); */
    /*@ assert named: \forall integer v; 0 <= v < 4096 ==>
          (set_has(&scratch->kicked, v) <==> means(code, scratch->operand + 0, v)); */
    //@ assert everyone: everyone != 0 <==> everyone(code, scratch->operand[1], scratch->operand[2]);
    /*@ assert ids: \forall integer id; 0 <= id ==>
          (id_in(everyone, &scratch->kicked, id) <==> means_id(code, scratch->operand + 0, id)); */
    pv_shared_fence();
    //@ ghost Fenced:;
    loaded_of(p, vm_id, everyone, &scratch->kicked, &scratch->targets);
    //@ assert words_3: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Fenced);
    //@ assert kept_3: vps_kept{Pre, Here}(p);
    /*@ assert still: \forall integer id; 0 <= id ==>
          (id_in{Fenced}(everyone, &scratch->kicked, id) <==> means_id(code, scratch->operand + 0, id)); */
}
