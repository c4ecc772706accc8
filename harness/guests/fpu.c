// SPDX-License-Identifier: BSD-2-Clause
// Two VPs, each of which loads its FPU over and over and leaves the guest in between. In QEMU's TCG an FXRSTOR of any
// processor writes a word of the first processor's state without a lock, and takes back what VMRUN or #VMEXIT changes
// there at that moment (docs/harness.md). On a harness that lets the first processor run VPs this guest does not live long.
#include "lib.h"

enum { ROUNDS = 40000, LOADS = 20 };

static uint32_t running;

static void work(uint8_t *state)
{
    __asm__ volatile("fxsave64 %0" : "=m"(*state) : : "memory");
    __atomic_fetch_add(&running, 1u, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) < 2)
        pause();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint32_t k = 0; k < LOADS; k++)
            __asm__ volatile("fxrstor64 %0" : : "m"(*state));
        cpuid(0, 0);
    }
    __atomic_fetch_add(&running, 1u, __ATOMIC_SEQ_CST);
}

void guest_main(void)
{
    static uint8_t state[512] __attribute__((aligned(16)));
    start_others(2);
    work(state);
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) < 4)
        pause();
    put("%u exits of each VP, %u FPU loads before each\n", (uint32_t)ROUNDS, (uint32_t)LOADS);
    check(true, "the machine is still there");
}

void guest_ap(uint32_t vp)
{
    (void)vp;
    static uint8_t state[512] __attribute__((aligned(16)));
    work(state);
}
