// SPDX-License-Identifier: BSD-2-Clause
// VP 0 changes code that VP 1 executes, the way Linux does: a breakpoint first, then what it is to be. VP 1 runs through
// the place again and again, with interrupts off; at a breakpoint that is no longer there it goes back and executes anew.
// QEMU 7.2 can keep a translation that it made while the byte changed (docs/harness.md), and then VP 1 meets the
// same old breakpoint for ever.
#include "lib.h"

enum { ROUNDS = 400, MEET_EVERY = 20, PATIENCE = 1000000000, NOP = 0x90, BREAKPOINT = 0xCC, RET = 0xC3 };

// A page of its own, so that nothing else keeps QEMU watching it.
static uint8_t code[4096] __attribute__((aligned(4096))) = {NOP, RET};
static uint32_t round, passed; // last one changed; last one that VP 1 ran through afterwards
static uint64_t met, gone;     // breakpoints that VP 1 met; of these: no longer there

static void at_breakpoint(struct frame *f)
{
    met++;
    if (__atomic_load_n(&code[0], __ATOMIC_SEQ_CST) == BREAKPOINT)
        return; // stands for the NOP
    gone++;
    f->rip = (uint64_t)(uintptr_t)code;
}

static void wait_tsc(uint64_t ticks)
{
    uint64_t until = rdtsc() + ticks;
    while (rdtsc() < until)
        ;
}

// Breakpoints met that were there.
static uint64_t there(void)
{
    return __atomic_load_n(&met, __ATOMIC_SEQ_CST) - __atomic_load_n(&gone, __ATOMIC_SEQ_CST);
}

void guest_main(void)
{
    on_breakpoint = at_breakpoint;
    start_others(2);
    uint32_t random = 1;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        __atomic_store_n(&code[0], (uint8_t)BREAKPOINT, __ATOMIC_SEQ_CST);
        random = random * 1664525 + 1013904223;
        wait_tsc((random >> 16) * 4); // 0 to about 100 microseconds
        if (i % MEET_EVERY ==
            0) { // on a busy machine VP 1 may not have run at all; not for ever, as it may keep the NOP
            uint64_t before = there(), until = rdtsc() + PATIENCE;
            while (there() == before && rdtsc() < until)
                pause();
        }
        __atomic_store_n(&code[0], (uint8_t)NOP, __ATOMIC_SEQ_CST);
        __atomic_store_n(&round, i, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&passed, __ATOMIC_SEQ_CST) != i)
            pause();
    }
    put("%u changes, %lu breakpoints met, of these %lu no longer there\n", (uint32_t)ROUNDS, met, gone);
    check(met > gone, "changed code is executed as it is");
}

void guest_ap(uint32_t vp)
{
    (void)vp;
    interrupts_off();
    for (;;) {
        uint32_t seen = __atomic_load_n(&round, __ATOMIC_SEQ_CST);
        __asm__ volatile("call *%0" : : "r"(code) : "memory", "cc");
        __atomic_store_n(&passed, seen, __ATOMIC_SEQ_CST);
    }
}
