// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include "kvm.h"
#include "clocklaws.h"

// The 32 bits of above / below that stand behind the point, in two steps of 16 that 64 bits have room for.
/*@ requires range: 0 < below <= 2199023255552 && below <= 2 * above && above < below;
    assigns  \nothing;
    ensures  kv_clock_2: \result * below <= 4294967296 * above < (\result + 1) * below;
    ensures  full: 2147483648 <= \result; */
PV_HELPER uint32_t fraction(uint64_t above, uint64_t below)
{
    const uint64_t high = above * 0x10000u / below;
    const uint64_t rest = above * 0x10000u % below;
    const uint64_t low = rest * 0x10000u / below;
    //@ assert high: 65536 * above == below * high + rest && rest < below;
    //@ assert low: 65536 * rest == below * low + (65536 * rest) % below && 0 <= (65536 * rest) % below < below;
    //@ assert high_most: high * below + rest < 65536 * below;
    //@ assert short_high: high < 65536;
    //@ assert low_most: low * below + (65536 * rest) % below < 65536 * below;
    //@ assert short_low: low < 65536;
    //@ assert high_least: 32768 * below <= high * below + rest;
    //@ assert half: 32768 <= high;
    //@ assert whole: (65536 * high + low) * below == 65536 * (high * below) + low * below;
    return (uint32_t)(high * 0x10000u + low);
}

void pv_kvm_clock_scale(uint64_t hz, uint32_t *mul, int8_t *shift)
{
    uint64_t above = 1000000000; // nanoseconds a second, and ticks a second, one of them doubled
    uint64_t below = hz;
    int32_t doubled = 0;

    /*@ loop invariant range: 0 <= doubled <= 30 && 1 <= below <= 1099511627776;
        loop invariant below: below == clock_below(hz, doubled);
        loop invariant enough: doubled > 0 ==> below <= 2 * above;
        loop assigns below, doubled;
        loop variant above - below; */
    while (above >= below) {
        below *= 2;
        doubled++;
        //@ assert twice: below == clock_below(hz, doubled);
        //@ assert small: doubled != 31;
    }
    /*@ loop invariant range: -10 <= doubled <= 30 && 1000000000 <= above;
        loop invariant below: below == clock_below(hz, doubled);
        loop invariant above: above == clock_above(doubled);
        loop invariant less: above < below;
        loop invariant enough: doubled > 0 ==> below <= 2 * above;
        loop assigns above, doubled;
        loop variant below - above; */
    while (2 * above < below) {
        above *= 2;
        doubled--;
        //@ assert twice: above == clock_above(doubled);
        //@ assert large: doubled != -11;
    }
    *mul = fraction(above, below);
    *shift = (int8_t)doubled;
}
