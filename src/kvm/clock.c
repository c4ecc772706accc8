// SPDX-License-Identifier: BSD-2-Clause
#include "kvm.h"

void pv_kvm_clock_scale(uint64_t hz, uint32_t *mul, int8_t *shift)
{
    uint64_t above = 1000000000; // nanoseconds a second, and ticks a second, one of them doubled
    uint64_t below = hz;
    int32_t doubled = 0;

    while (above >= below) {
        below *= 2;
        doubled++;
    }
    while (2 * above < below) {
        above *= 2;
        doubled--;
    }
    // below / 2 <= above < below: the 32 bits of above / below, in two steps of 16 that 64 bits have room for.
    const uint64_t high = above * 0x10000u / below;
    const uint64_t rest = above * 0x10000u % below;
    *mul = (uint32_t)(high * 0x10000u + rest * 0x10000u / below);
    *shift = (int8_t)doubled;
}
