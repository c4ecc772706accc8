// SPDX-License-Identifier: BSD-2-Clause
// Interrupt commands and timers.
#include "attacks.h"

static void ipi_storm(void)
{
    for (uint32_t i = 0; i < 2000; i++) {
        ipi(1000 + i, 0x4000 | 0x77);
        ipi(0xFFFFFFFE, 0x0C00 | 0x77);
    }
}
static void ipi_modes(void)
{
    for (uint32_t mode = 0; mode < 8; mode++)
        ipi(0x7FFFFFFF, 0x4000 | mode << 8 | 0x77);
    ipi(0, 0x4000); // vector 0 to ourselves
}
static void timer_storm(void)
{
    interrupts_on();
    wrmsr(0x83E, 0xB);
    wrmsr(0x832, 0x20000 | 0x78); // periodic, as fast as it goes
    wrmsr(0x838, 1);
    for (uint64_t end = rdtsc() + 20000000; rdtsc() < end;)
        pause();
    wrmsr(0x832, 0x10000);
    wrmsr(0x838, 0);
    interrupts_off();
}
static void deadline_nonsense(void)
{
    wrmsr(0x832, 0x40000 | 0x78);
    wrmsr(0x6E0, ~0ull);
    wrmsr(0x6E0, 1);
    wrmsr(0x6E0, 0x8000000000000000);
    wrmsr(0x6E0, 0);
    wrmsr(0x832, 0x10000);
}
static void nmi_to_self(void)
{
    uint32_t before = interrupts[0][2];
    ipi(0, 0x4400);
    for (uint64_t end = rdtsc() + 200000000; interrupts[0][2] == before && rdtsc() < end;)
        pause();
    if (interrupts[0][2] != before + 1)
        failures++;
}
static void init_to_absent(void)
{
    ipi(77, 0xC500);
    ipi(77, 0x46FF);
}

const struct attack attacks_interrupts[] = {
    ATTACK(ipi_storm, NOTHING),
    ATTACK(ipi_modes, NOTHING),
    ATTACK(timer_storm, NOTHING),
    ATTACK(deadline_nonsense, NOTHING),
    ATTACK(nmi_to_self, NOTHING),
    ATTACK(init_to_absent, NOTHING),
    {0, 0, 0},
};
