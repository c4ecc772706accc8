// SPDX-License-Identifier: BSD-2-Clause
// Hypercalls of every kind and form, from several VPs, one at a time; each is reported with all registers and operands,
// and tests/harness/judge asks the oracle what should have come of it. The conformance vectors (tests/) go deeper into the
// core; this shows that the way through a real VMMCALL, with registers, XMM and memory, is right.
#include "smoke/calls.h"

enum { RANDOM_TRIALS = 20 };

static uint32_t turn;

static void all(uint32_t caller)
{
    uint64_t seed = caller + 1;
    uint32_t calls = 0;
    for (enum form form = 0; form < FORMS; form++) {
        for (uint32_t i = 0; i < trial_count; i++)
            if (trials[i].address == OPERANDS_AT || form == MEMORY_64 || form == MEMORY_32) {
                perform(caller, &trials[i], form);
                calls++;
            }
        for (uint32_t i = 0; i < RANDOM_TRIALS; i++, calls++) {
            struct trial t = random_trial(&seed);
            perform(caller, &t, form);
        }
    }
    put("%u calls from VP %u\n", calls, caller);
    __atomic_fetch_add(&turn, 1u, __ATOMIC_SEQ_CST);
    ipi((caller + 1) % VPS, BARRIER); // the next one may be asleep
}

void guest_main(void)
{
    perform_unidentified();
    hyperv_on();
    start_others(VPS);
    interrupts_on();
    all(0);
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != VPS)
        pause();
    perform_as_user();
    put("all calls made\n");
}

void guest_ap(uint32_t vp)
{
    // Targets of both kinds: VP 1 is always in the guest, VP 2 is asleep unless it is called.
    interrupts_on();
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != vp)
        if (vp == 1)
            pause();
        else
            __asm__ volatile("cli; cmpl %0, %1; je 1f; sti; hlt; 1: sti"
                             :
                             : "r"(vp), "m"(turn)
                             : "cc", "memory");
    all(vp);
}
