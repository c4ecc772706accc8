// SPDX-License-Identifier: BSD-2-Clause
// Another VP has an L2 of its own, in the same nested table, and is reset while that runs.
#include "l2.h"

static uint8_t its_save_area[PAGE] __attribute__((aligned(4096)));
static volatile uint32_t starts, runs;
static uint32_t its_intercepts;

static void its_l2(void)
{
    for (;;) {
        pause();
        __asm__ volatile("" : : "r"(*(volatile uint64_t *)window) : "memory");
    }
}

// VP 1, after each start.
void other_l1(void)
{
    starts++;
    while (__atomic_load_n(&race, __ATOMIC_ACQUIRE) == RACE_L2) {
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
        wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)its_save_area);
        l2_fresh(1, its_l2);
        block[1].nested_cr3 = (uintptr_t)cage;
        block[1].intercepts3 |= its_intercepts;
        runs++;
        l2_run(1); // INIT comes here, or at STGI
    }
}

static bool comes(volatile const uint32_t *count, uint32_t to)
{
    for (uint64_t start = rdtsc(); *count < to; pause())
        if (rdtsc() - start > 20000000000)
            return false;
    return true;
}

static void reset_l2(uint32_t intercepts)
{
    l2_caged(l2_read);
    its_intercepts = intercepts;
    starts = 0;
    __atomic_store_n(&race, RACE_L2, __ATOMIC_RELEASE);
    for (uint32_t i = 1; i <= 20; i++) {
        runs = 0;
        start_others(2);
        want(comes(&starts, i) && comes(&runs, 1), "a VP whose L2 is reset starts again");
        seen[1] = (uintptr_t)window;
        *(uint64_t *)(void *)window = i;
        for (uint32_t k = 0; k < 10; k++) {
            block[0].rip = (uintptr_t)l2_read;
            block[0].rsp = (uintptr_t)den[DEN_STACK + 4] - 8;
            want(l2_go() == EXIT_VMMCALL && seen[0] == i, "an L2 beside it");
        }
    }
    __atomic_store_n(&race, 0, __ATOMIC_RELEASE);
    start_others(2); // out of its L2
    want(comes(&starts, 21), "and it starts in the end");
}
static void reset_an_l2(void)
{
    reset_l2(0);
}
static void reset_an_l2_that_l1_keeps(void)
{
    reset_l2(I3_INIT);
}

const struct attack attacks_others[] = {
    ATTACK(reset_an_l2, NOTHING),
    ATTACK(reset_an_l2_that_l1_keeps, NOTHING),
    {0, 0, 0},
};
