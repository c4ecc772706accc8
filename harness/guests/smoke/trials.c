// SPDX-License-Identifier: BSD-2-Clause
// The calls: every call of the table, every way to name VPs, and every check on the way, each at least once.
#include "calls.h"

#define LIST_END 0x7FFFFFFFF000ull // the last page of the lower half
#define OUTSIDE  (1ull << 39)      // within the guest's address width, and no memory there

const struct trial trials[] = {
    // 0x0002, flush of a space
    {0x2, OPERANDS_AT, {0, 3, 0}},
    {0x2, OPERANDS_AT, {0x1000, 0, 7}},
    {0x2, OPERANDS_AT, {0, 2, 0}},
    {0x2, OPERANDS_AT, {0, 2, 1ull << 63}},
    {0x2, OPERANDS_AT, {0, 7, 0}},
    {0x2, OPERANDS_AT, {0, 3 | 16, 0}},
    {0x2, OPERANDS_AT, {0, 3 | 1ull << 40, 0}},
    {0x2, OPERANDS_AT, {~0ull, 2, 5}},
    // 0x0003, flush of a list
    {0x3 | REPS(1), OPERANDS_AT, {0, 2, 1, 0x200000}},
    {0x3 | REPS(2), OPERANDS_AT, {0, 3, 0, 0x200000, 0x201001}},
    {0x3 | REPS(3) | START(1), OPERANDS_AT, {0, 3, 0, 0x200000, 0x201000, 0x202000}},
    {0x3 | REPS(3), OPERANDS_AT, {0, 2, 6, LIST_END | 5, 1ull << 48, ~0ull}},
    {0x3 | REPS(11),
     OPERANDS_AT,
     {0, 2, 7, 0x1000, 0x3000, 0x5000, 0x7000, 0x9000, 0xB000, 0xD000, 0xF000, 0x11FFF, 0x21FFF, 0x31FFF}},
    {0x3 | REPS(70), OPERANDS_AT, {0, 3, 0, 0x200000, 0x201000}}, // more than one budget: it is continued
    {0x3 | REPS(90) | START(20), OPERANDS_AT, {0, 3, 0, 0x200000, 0x201000}},
    {0x3 | REPS(509), OPERANDS_AT, {0, 3, 0, 0x200000}}, // to the end of the page
    {0x3 | REPS(510), OPERANDS_AT, {0, 3, 0, 0x200000}}, // and beyond it
    {0x3 | REPS(1), OPERANDS_AT, {0, 7, 0, 0x200000}},
    {0x3 | REPS(1), OPERANDS_AT, {0, 3 | 8, 0, 0x200800}},
    {0x3, OPERANDS_AT, {0, 3, 0}},
    {0x3 | REPS(1) | START(1), OPERANDS_AT, {0, 3, 0, 0x200000}},
    {0x3 | REPS(1) | START(2), OPERANDS_AT, {0, 3, 0, 0x200000}},
    // 0x0008, long spin wait
    {0x8, OPERANDS_AT, {0x1234}},
    {0x8, OPERANDS_AT, {~0ull, ~0ull}},
    // 0x000B, IPIs
    {0xB, OPERANDS_AT, {VECTOR, 5}},
    {0xB, OPERANDS_AT, {VECTOR, 6}},
    {0xB, OPERANDS_AT, {0xFF, 7}},
    {0xB, OPERANDS_AT, {VECTOR, 0}},
    {0xB, OPERANDS_AT, {VECTOR, ~0ull}},
    {0xB, OPERANDS_AT, {0xF, 1}},
    {0xB, OPERANDS_AT, {0x100, 1}},
    {0xB, OPERANDS_AT, {VECTOR | 1ull << 32, 1}},
    {0xB, OPERANDS_AT, {VECTOR | 16ull << 32, 1}},
    {0xB, OPERANDS_AT, {VECTOR | 1ull << 40, 1}},
    // 0x0013, flush of a space, extended sets
    {0x13 | HEADER(1), OPERANDS_AT, {0, 2, 0, 1, 7}},
    {0x13 | HEADER(2), OPERANDS_AT, {0, 2, 0, 1ull << 63 | 1, 2, ~0ull}},
    {0x13 | HEADER(10), OPERANDS_AT, {0, 2, 0, 0x3FF, 4}},
    {0x13, OPERANDS_AT, {0, 2, 1, 0}},
    {0x13, OPERANDS_AT, {0, 2, 0, 0}},
    {0x13 | HEADER(1), OPERANDS_AT, {0, 2, 0, 1, 0}},
    {0x13 | HEADER(1), OPERANDS_AT, {0, 2, 1, 1, 2}},
    {0x13, OPERANDS_AT, {0, 2, 1, 3}},
    {0x13 | HEADER(1), OPERANDS_AT, {0, 3, 0, 1, 4}},
    {0x13 | HEADER(2), OPERANDS_AT, {0, 2, 0, 1, 7}},
    {0x13, OPERANDS_AT, {0, 2, 0, 1, 7}},
    {0x13 | HEADER(1), OPERANDS_AT, {0, 2, 2, 1, 7}},
    {0x13 | HEADER(1), OPERANDS_AT, {0, 2, 3, 1, 7}},
    {0x13 | HEADER(0x3FF), OPERANDS_AT, {0, 2, 0, ~0ull}},
    // 0x0014, flush of a list, extended sets
    {0x14 | HEADER(1) | REPS(1), OPERANDS_AT, {0, 2, 0, 1, 7, 0x200000}},
    {0x14 | HEADER(2) | REPS(3) | START(2), OPERANDS_AT, {0, 2, 0, 3, 2, 1, 0x200000, 0x1000, 0x5003}},
    {0x14 | REPS(2), OPERANDS_AT, {0, 2, 1, 0, 0x200000, 0x1000}},
    {0x14 | HEADER(1) | REPS(80), OPERANDS_AT, {0, 2, 0, 1, 7, 0x200000}},
    {0x14 | HEADER(1), OPERANDS_AT, {0, 2, 0, 1, 7}},
    {0x14 | HEADER(1) | REPS(1), OPERANDS_AT, {0, 6, 0, 1, 7, 0x200000}},
    {0x14 | HEADER(3) | REPS(1), OPERANDS_AT, {0, 2, 0, 1, 7, 0x200000}},
    // 0x0015, IPIs, extended sets
    {0x15 | HEADER(1), OPERANDS_AT, {VECTOR, 0, 1, 3}},
    {0x15 | HEADER(2), OPERANDS_AT, {VECTOR, 0, 3, 6, 1}},
    {0x15, OPERANDS_AT, {VECTOR, 1, 0}},
    {0x15, OPERANDS_AT, {VECTOR, 0, 0}},
    {0x15 | HEADER(1), OPERANDS_AT, {VECTOR, 0, 2, ~0ull}},
    {0x15 | HEADER(1), OPERANDS_AT, {VECTOR, 2, 1, 3}},
    {0x15 | HEADER(2), OPERANDS_AT, {VECTOR, 0, 1, 3}},
    {0x15 | HEADER(1), OPERANDS_AT, {0xE, 0, 1, 3}},
    {0x15 | HEADER(1), OPERANDS_AT, {VECTOR | 1ull << 32, 0, 1, 3}},
    // codes, reserved bits, shapes
    {0x1, OPERANDS_AT, {0}},
    {0x7FFF, OPERANDS_AT, {0}},
    {0x0, OPERANDS_AT, {0}},
    {0x2 | 1ull << 27, OPERANDS_AT, {0, 3, 0}},
    {0x2 | 1ull << 31, OPERANDS_AT, {0, 3, 0}},
    {0x2 | 1ull << 44, OPERANDS_AT, {0, 3, 0}},
    {0x2 | 1ull << 63, OPERANDS_AT, {0, 3, 0}},
    {0x7FFF | 1ull << 28, OPERANDS_AT, {0, 3, 0}},
    {0x2 | REPS(1), OPERANDS_AT, {0, 3, 0}},
    {0x2 | START(1), OPERANDS_AT, {0, 3, 0}},
    {0x2 | HEADER(1), OPERANDS_AT, {0, 3, 0}},
    {0xB | HEADER(1), OPERANDS_AT, {VECTOR, 1}},
    {0x3 | REPS(1) | HEADER(1), OPERANDS_AT, {0, 3, 0, 0x200000}},
    // addresses
    {0x2, OUTSIDE, {0, 3, 0}},
    {0x2, OUTSIDE | 4, {0, 3, 0}},
    {0x2, 1ull << 62, {0, 3, 0}},
    {0x2, ~7ull, {0, 3, 0}},
    {0xB, OUTSIDE, {VECTOR, 1}},
};
const uint32_t trial_count = sizeof trials / sizeof trials[0];

static uint64_t next(uint64_t *seed) // splitmix64
{
    uint64_t z = *seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static uint64_t one_of(uint64_t *seed, const uint64_t *from, uint32_t count)
{
    return from[(next(seed) >> 33) % count];
}

struct trial random_trial(uint64_t *seed)
{
    static const uint64_t codes[] = {0x2, 0x3, 0xB, 0x13, 0x14, 0x15, 0x8, 0x9};
    static const uint64_t words[] = {0,     1,          2,        3,      5,        7,
                                     ~0ull, 1ull << 63, 0x200000, 0x1FFF, LIST_END, 1ull << 47};
    static const uint64_t vectors[] = {VECTOR, 0x30, 0x80, 0xFE, 0xFF, 0xF, 0x100, VECTOR | 1ull << 36};
    struct trial t = {one_of(seed, codes, 8), OPERANDS_AT, {0}};
    bool ipis = t.input == 0xB || t.input == 0x15, list = t.input == 0x3 || t.input == 0x14;
    for (uint32_t i = 0; i < MOST_OPERANDS; i++)
        t.operand[i] = one_of(seed, words, 12);
    t.operand[ipis ? 0 : 1] = ipis ? one_of(seed, vectors, 8) : next(seed) >> 61;
    if (t.input >= 0x13) {
        uint32_t format = ipis ? 1 : 2;
        t.operand[format] = next(seed) >> 62 == 0;
        uint64_t banks = next(seed) >> 62;
        t.operand[format + 1] = banks;
        t.input |= HEADER((banks & 1) + (banks >> 1));
    }
    if (list)
        t.input |= REPS(1 + (next(seed) >> 61)) | START(next(seed) >> 62);
    if (next(seed) >> 61 == 0)
        t.input ^= 1ull << (next(seed) >> 58);
    t.input &= ~(1ull << 16);
    return t;
}
