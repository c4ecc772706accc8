// SPDX-License-Identifier: BSD-2-Clause
// Bits of a word, against the plainest definition.
#include "base/bits.h"
#include "check.h"

static uint64_t state = 88172645463325252;
static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// WS-BIT-1..4
static void one_bit(void)
{
    for (unsigned n = 0; n < 20000; n++) {
        const uint64_t a = any(), b = n % 2 ? any() : 0;
        for (uint32_t i = 0; i < 64; i++) {
            const uint64_t only = (uint64_t)1 << i;
            CHECK_EQ(pv_bit_test(a, i), (a / only) % 2);
            CHECK_EQ(pv_bit_set(a, i), a / only % 2 ? a : a + only);
            CHECK_EQ(pv_bit_clear(a, i), a / only % 2 ? a - only : a);
        }
        CHECK_EQ(pv_bits_and(a, b), a - (a & ~b));
    }
}

// WS-COUNT-1, WS-LOW-1
static void count_and_search(void)
{
    for (unsigned n = 0; n < 100000; n++) {
        const uint64_t m = n < 64 ? (uint64_t)1 << n : n < 128 ? ~(uint64_t)0 << (n - 64) : any() & any();
        uint32_t count = 0, lowest = 64;
        for (uint32_t i = 64; i-- > 0;) {
            count += (uint32_t)(m >> i & 1);
            lowest = m >> i & 1 ? i : lowest;
        }
        CHECK_EQ(pv_bit_count(m), count);
        CHECK(m == 0 || pv_bit_lowest(m) == lowest);
    }
    CHECK_EQ(pv_bit_count(0), 0);
    CHECK_EQ(pv_bit_count(~(uint64_t)0), 64);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"one bit: test, set, clear, and", one_bit},
        {"count and search", count_and_search},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
