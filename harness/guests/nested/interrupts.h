// SPDX-License-Identifier: BSD-2-Clause
// Runs of L2 while something waits for L1.
#ifndef GUEST_INTERRUPTS_H
#define GUEST_INTERRUPTS_H

#include "l1.h"

enum { VECTOR = 0x61, EOI = 0xB };
enum { OPEN = 1, L2_OPEN = 2, MASKING = 4, INTERCEPT = 8 }; // OPEN: L1's IF

// Control block 0 and L1's flags for a run at `entry`; GIF stays clear until the step sets it.
void prepare(void (*entry)(void), uint32_t how);

// After the run: L1 has not taken `vector` yet, and takes it once after STGI.
bool comes_after_stgi(uint32_t vector, uint32_t before);

static inline void clgi(void)
{
    __asm__ volatile("clgi" : : : "memory");
}
static inline void stgi(void)
{
    __asm__ volatile("stgi; nop" : : : "memory");
}

#endif
