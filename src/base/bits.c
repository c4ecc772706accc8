// SPDX-License-Identifier: BSD-2-Clause
// Portable bodies of the bit count and the bit search.
#include "bits.h"
#include "bits_bridge.h"

#ifndef PV_FAST_BITS

uint32_t pv_bit_count(uint64_t m)
{
    uint32_t count = 0;
    /*@ loop invariant 0 <= i <= 64;
        loop invariant count == rank(m, i);
        loop invariant count <= i;
        loop assigns i, count;
        loop variant 64 - i; */
    for (uint32_t i = 0; i < 64; i++) {
        if (pv_bit_test(m, i)) {
            count++;
        }
    }
    return count;
}

uint32_t pv_bit_lowest(uint64_t m)
{
    uint32_t i = 0;
    //@ assert exists: 0 <= lowest(m, 0) < 64 && mbit(m, lowest(m, 0));
    /*@ loop invariant 0 <= i <= lowest(m, 0) < 64;
        loop invariant lowest(m, i) == lowest(m, 0);
        loop invariant \forall integer j; 0 <= j < i ==> !mbit(m, j);
        loop assigns i;
        loop variant 64 - i; */
    while (!pv_bit_test(m, i)) {
        i++;
    }
    return i;
}

#endif
