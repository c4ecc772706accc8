// SPDX-License-Identifier: BSD-2-Clause
// What the smoke guest calls with, and how it reports a call. tests/harness/judge puts the same calls to the oracle.
#ifndef GUEST_CALLS_H
#define GUEST_CALLS_H

#include "../lib.h"

#define REPS(n)     ((uint64_t)(n) << 32)
#define START(n)    ((uint64_t)(n) << 48)
#define HEADER(n)   ((uint64_t)(n) << 17) // qwords of the variable header
#define VECTOR      0x51ull
#define OPERANDS_AT 1ull // in `address`: the operand block
enum { MOST_OPERANDS = 14, VPS = 3, BARRIER = 0x20, FIRST_VECTOR = 0x30 };

struct trial {
    uint64_t input;   // without the bit for operands in registers
    uint64_t address; // OPERANDS_AT, or where the operands are said to be
    uint64_t operand[MOST_OPERANDS];
};
extern const struct trial trials[];
extern const uint32_t trial_count;

// A trial made of near-correct parts; the same ones for the same `seed`.
struct trial random_trial(uint64_t *seed);

enum form { MEMORY_64, FAST_64, MEMORY_32, FAST_32, FORMS };

// Makes the call and reports it. `identified`: the guest has named itself to the hypervisor. `user`: at CPL 3.
void perform(uint32_t caller, const struct trial *t, enum form form);
void perform_unidentified(void);
void perform_as_user(void);

#endif
