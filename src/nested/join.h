// SPDX-License-Identifier: BSD-2-Clause
// Intercept words and permission maps are joined bit by bit.
#ifndef PV_NESTED_JOIN_H
#define PV_NESTED_JOIN_H

#include "../base/bits.h"

/*@ assigns  \nothing;
    ensures  inverse: \forall integer j; 0 <= j < 32 ==> (mbit(\result, j) <==> !mbit(a, j)); */
uint32_t pv_bits_not32(uint32_t a);

// a | b; WP knows no bounds for "or", but it does for "not".
/*@ assigns  \nothing;
    ensures  nv_floor_1: \forall integer j; 0 <= j < 32 ==> (mbit(\result, j) <==> run_bit(a, b, j)); */
uint32_t pv_bits_or32(uint32_t a, uint32_t b);

#endif
