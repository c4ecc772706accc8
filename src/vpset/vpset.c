// SPDX-License-Identifier: BSD-2-Clause
#include "vpset.h"
#include "../base/bits.h"

void pv_vp_set_clear(struct pv_vp_set *s)
{
    s->banks = 0;
}

bool pv_vp_set_has(const struct pv_vp_set *s, uint32_t v)
{
    if (v >= PV_MAX_VPS) {
        return false;
    }
    return pv_bit_test(s->banks, v / PV_BANK_VPS) && pv_bit_test(s->word[v / PV_BANK_VPS], v % PV_BANK_VPS);
}

void pv_vp_set_add(struct pv_vp_set *s, uint32_t v)
{
    const uint32_t bank = v / PV_BANK_VPS;
    const uint64_t old = pv_bit_test(s->banks, bank) ? s->word[bank] : 0;
    //@ assert none: \forall integer i; 0 <= i < 64 ==> !mbit(0, i);

    s->word[bank] = pv_bit_set(old, v % PV_BANK_VPS);
    s->banks = pv_bit_set(s->banks, bank);
    /*@ assert bits: \forall integer b, i; 0 <= b < 64 ==> 0 <= i < 64 ==>
          (mbit(s->banks, b) && mbit(s->word[b], i) <==>
           (b == v / 64 && i == v % 64) ||
           (mbit(\at(s->banks, Pre), b) && mbit(\at(s->word[b], Pre), i))); */
    //@ assert place: \forall integer w; 0 <= w < 4096 ==> 0 <= w / 64 < 64 && 0 <= w % 64 < 64;
    //@ assert same: \forall integer w; 0 <= w < 4096 ==> (w == v <==> w / 64 == v / 64 && w % 64 == v % 64);
}

void pv_vp_set_all(struct pv_vp_set *s, const struct pv_vp_set *present)
{
    uint64_t left = present->banks;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(present->banks, b));
        loop invariant \forall integer b; 0 <= b < next ==> mbit(present->banks, b) ==> s->word[b] == present->word[b];
        loop assigns left, next, s->word[0 .. 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        s->word[bank] = present->word[bank];
        left = pv_bit_drop_lowest(left);
        //@ ghost next = bank + 1;
    }
    s->banks = present->banks;
}

void pv_vp_set_from_mask(struct pv_vp_set *s, uint64_t mask, const struct pv_vp_set *present)
{
    //@ assert none: \forall integer i; 0 <= i < 64 ==> !mbit(0, i);
    //@ assert first: \forall integer b; 0 <= b < 64 ==> (mbit(1, b) <==> b == 0);
    s->word[0] = pv_bits_and(mask, present->word[0]);
    s->banks = pv_bits_and(present->banks, 1);
    /*@ assert bits: \forall integer i; 0 <= i < 64 ==>
          (mbit(s->banks, 0) && mbit(s->word[0], i) <==>
           mbit(present->banks, 0) && mbit(present->word[0], i) && mbit(mask, i)); */
    //@ assert only: \forall integer b; 0 < b < 64 ==> !mbit(s->banks, b);
    //@ assert place: \forall integer v; 0 <= v < 4096 ==> 0 <= v / 64 < 64 && 0 <= v % 64 < 64;
    //@ assert same: \forall integer v; 0 <= v < 64 ==> v / 64 == 0 && v % 64 == v;
    /*@ assert each: \forall integer v; 0 <= v < 64 ==>
          (mbit(s->banks, v / 64) && mbit(s->word[v / 64], v % 64) <==>
           mbit(\at(present->banks, Pre), v / 64) && mbit(\at(present->word[v / 64], Pre), v % 64)
           && mbit(mask, v)); */
    /*@ assert low: \forall integer v; 0 <= v < 64 ==>
          (set_has(s, v) <==> set_has{Pre}(present, v) && plain_member(mask, v)); */
    //@ assert beyond: \forall integer v; 64 <= v < 4096 ==> 0 < v / 64 < 64 && !mbit(s->banks, v / 64);
    //@ assert high: \forall integer v; 64 <= v < 4096 ==> !set_has(s, v) && !plain_member(mask, v);
}

void pv_vp_set_from_sparse(struct pv_vp_set *s, uint64_t mask, const uint64_t *words,
                           const struct pv_vp_set *present)
{
    uint64_t left = mask;
    uint64_t banks = pv_bits_and(mask, present->banks);
    uint32_t k = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant k == rank(mask, next) <= next;
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(mask, b));
        loop invariant \forall integer b, i; 0 <= b < next ==> mbit(mask, b) ==> 0 <= i < 64 ==>
                         (mbit(s->word[b], i) <==>
                          mbit(\at(present->word[b], Pre), i) && mbit(\at(words[rank(mask, b)], Pre), i));
        loop assigns left, k, next, s->word[0 .. 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        //@ assert gap: rank(mask, bank) == rank(mask, next);
        //@ assert slot: rank(mask, bank) < rank(mask, 64) == popcount(mask);
        //@ assert kept: words[k] == \at(words[\at(k, Here)], Pre);
        //@ assert held: present->word[bank] == \at(present->word[\at(bank, Here)], Pre);
        s->word[bank] = pv_bits_and(words[k], present->word[bank]);
        left = pv_bit_drop_lowest(left);
        k++;
        //@ ghost next = bank + 1;
    }
    //@ assert rest: \forall integer b; next <= b < 64 ==> !mbit(mask, b);
    s->banks = banks;
    /*@ assert used: \forall integer b; 0 <= b < 64 ==>
          (mbit(s->banks, b) <==> mbit(\at(present->banks, Pre), b) && mbit(mask, b)); */
    /*@ assert bits: \forall integer b, i; 0 <= b < 64 ==> 0 <= i < 64 ==>
          (mbit(s->banks, b) && mbit(s->word[b], i) <==>
           mbit(\at(present->banks, Pre), b) && mbit(\at(present->word[b], Pre), i) && mbit(mask, b)
           && mbit(\at(words[rank(mask, b)], Pre), i)); */
    //@ assert place: \forall integer v; 0 <= v < 4096 ==> 0 <= v / 64 < 64 && 0 <= v % 64 < 64;
    /*@ assert each: \forall integer v; 0 <= v < 4096 ==>
          (mbit(s->banks, v / 64) && mbit(s->word[v / 64], v % 64) <==>
           mbit(\at(present->banks, Pre), v / 64) && mbit(\at(present->word[v / 64], Pre), v % 64)
           && mbit(mask, v / 64) && mbit(\at(words[rank(mask, v / 64)], Pre), v % 64)); */
    /*@ assert lifted: \forall integer v; 0 <= v < 4096 ==>
          (set_has(s, v) <==> set_has{Pre}(present, v) && member(mask, \at(words[slot_of(mask, v)], Pre), v)); */
}
