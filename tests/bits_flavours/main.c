// SPDX-License-Identifier: BSD-2-Clause
// Assumption A-BITS-1: the processor's bit count and bit search (fast flavour) answer as the portable bodies do, which
// are proved. Compared on every single bit, every pair of bits, and 10^7 random words.
#define PV_FAST_BITS
#include "base/bits.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t portable_bit_count(uint64_t m);
uint32_t portable_bit_lowest(uint64_t m);

static unsigned long compared, different;

static void compare(uint64_t m)
{
    const uint32_t count = pv_bit_count(m), portable_count = portable_bit_count(m);
    const bool lowest_same = m == 0 || pv_bit_lowest(m) == portable_bit_lowest(m);
    compared++;
    if ((count != portable_count || !lowest_same) && different++ < 10) {
        printf("word 0x%016" PRIx64 ": the flavours differ\n", m);
    }
}

int main(void)
{
    compare(0);
    for (unsigned i = 0; i < 64; i++) {
        for (unsigned j = i; j < 64; j++) {
            compare((uint64_t)1 << i | (uint64_t)1 << j);
            compare(~((uint64_t)1 << i | (uint64_t)1 << j));
        }
    }
    uint64_t x = 0x9E3779B97F4A7C15; // xorshift64
    for (unsigned i = 0; i < 10000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        compare(i % 3 == 0 ? x & (x >> 7) & (x << 11) : x); // every third word has few bits
    }
    printf("%lu words compared, %lu different\n", compared, different);
    return different == 0 ? 0 : 1;
}
