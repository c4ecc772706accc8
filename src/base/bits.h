// SPDX-License-Identifier: BSD-2-Clause
// Bits of a 64-bit word, the only place where words are taken apart by bit operators. Positions are 0..63.
// With PV_FAST_BITS the count and the search use the processor's instructions (assumption A-BITS-1).
#ifndef PV_BITS_H
#define PV_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include "../model.h"

/*@ requires place: i < 64;
    assigns  \nothing;
    ensures  ws_bit_1: \result <==> mbit(m, i); */
static inline bool pv_bit_test(uint64_t m, uint32_t i)
{
    return ((m >> i) & 1u) != 0;
}

/*@ requires place: i < 64;
    assigns  \nothing;
    ensures  ws_bit_2: \forall integer j; 0 <= j < 64 ==> (mbit(\result, j) <==> j == i || mbit(m, j)); */
static inline uint64_t pv_bit_set(uint64_t m, uint32_t i)
{
    const uint64_t one = (uint64_t)1 << i;
    const uint64_t others = ~m;
    const uint64_t but_one = ~one;
    const uint64_t neither = others & but_one;
    const uint64_t result = ~neither; // m | one; WP knows no bounds for "or", but it does for "not"
    //@ assert inverse: \forall integer j; 0 <= j < 64 ==> ((but_one & (1 << j)) != 0 <==> j != i);
    //@ assert absent: \forall integer j; 0 <= j < 64 ==> ((others & (1 << j)) != 0 <==> (m & (1 << j)) == 0);
    /*@ assert both: \forall integer j; 0 <= j < 64 ==>
          ((neither & (1 << j)) != 0 <==> (others & (1 << j)) != 0 && (but_one & (1 << j)) != 0); */
    /*@ assert joined: \forall integer j; 0 <= j < 64 ==>
          ((result & (1 << j)) != 0 <==> (neither & (1 << j)) == 0); */
    /*@ assert chain: \forall integer j; 0 <= j < 64 ==>
          ((result & (1 << j)) != 0 <==> j == i || (m & (1 << j)) != 0); */
    //@ assert left: \forall integer j; 0 <= j < 64 ==> (mbit(m, j) <==> (m & (1 << j)) != 0);
    //@ assert right: \forall integer j; 0 <= j < 64 ==> (mbit(result, j) <==> (result & (1 << j)) != 0);
    return result;
}

/*@ requires place: i < 64;
    assigns  \nothing;
    ensures  ws_bit_3: \forall integer j; 0 <= j < 64 ==> (mbit(\result, j) <==> j != i && mbit(m, j)); */
static inline uint64_t pv_bit_clear(uint64_t m, uint32_t i)
{
    const uint64_t one = (uint64_t)1 << i;
    const uint64_t mask = ~one;
    //@ assert inverse: \forall integer j; 0 <= j < 64 ==> ((mask & (1 << j)) != 0 <==> j != i);
    return m & mask;
}

/*@ assigns  \nothing;
    ensures  ws_bit_8: \forall integer j; 0 <= j < 64 ==> (mbit(\result, j) <==> !mbit(m, j)); */
static inline uint64_t pv_bits_not(uint64_t m)
{
    const uint64_t result = ~m;
    //@ assert inverse: \forall integer j; 0 <= j < 64 ==> ((result & (1 << j)) != 0 <==> (m & (1 << j)) == 0);
    return result;
}

/*@ assigns  \nothing;
    ensures  ws_bit_7: \forall integer j; 0 <= j < 64 ==> mbit(\result, j); */
static inline uint64_t pv_bits_all(void)
{
    const uint64_t none = 0;
    //@ assert absent: \forall integer j; 0 <= j < 64 ==> (none & (1 << j)) == 0;
    return pv_bits_not(none);
}

/*@ assigns  \nothing;
    ensures  ws_bit_4: \forall integer j; 0 <= j < 64 ==> (mbit(\result, j) <==> mbit(a, j) && mbit(b, j)); */
static inline uint64_t pv_bits_and(uint64_t a, uint64_t b)
{
    return a & b;
}

/*@ assigns  \nothing;
    ensures  ws_bit_5: \forall integer j; 0 <= j < 32 ==> (mbit(\result, j) <==> mbit(a, j) && mbit(b, j)); */
static inline uint32_t pv_bits_and32(uint32_t a, uint32_t b)
{
    return a & b;
}

/*@ requires place: i < 64;
    assigns  \nothing;
    ensures  ws_pow_1: \result == pow2(i); */
static inline uint64_t pv_bit_value(uint32_t i)
{
    return (uint64_t)1 << i;
}

#if defined(PV_FAST_BITS) && !defined(__FRAMAC__) // never seen by the prover: A-BITS-1

static inline uint32_t pv_bit_count(uint64_t m)
{
    return (uint32_t)__builtin_popcountll(m);
}
static inline uint32_t pv_bit_lowest(uint64_t m)
{
    return (uint32_t)__builtin_ctzll(m);
}

#else

/*@ assigns \nothing;
    ensures ws_count_1: \result == popcount(m);
    ensures ws_count_2: \result <= 64; */
uint32_t pv_bit_count(uint64_t m);

/*@ requires some: m != 0;
    assigns  \nothing;
    ensures  ws_low_0: \result == lowest(m, 0);
    ensures  ws_low_1: 0 <= \result < 64 && mbit(m, \result);
    ensures  ws_low_2: \forall integer j; 0 <= j < \result ==> !mbit(m, j); */
uint32_t pv_bit_lowest(uint64_t m);

#endif

// The word without its lowest bit.
/*@ requires some: m != 0;
    assigns  \nothing;
    ensures  ws_bit_6: \forall integer j; 0 <= j < 64 ==> (mbit(\result, j) <==> j != lowest(m, 0) && mbit(m, j)); */
static inline uint64_t pv_bit_drop_lowest(uint64_t m)
{
    return pv_bits_and(m, m - 1);
}

#endif
