// SPDX-License-Identifier: BSD-2-Clause
#include "end.h"
#include "lapic.h"
#include "log.h"
#include "pcpu.h"
#include "x86.h"

enum { DEBUG_EXIT_PORT = 0xF4 };

extern void end_print_state(bool expected); // main.c: what the guest was doing, if there is one

static uint32_t ending, parked;

_Noreturn static void stay(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

void end_park(void)
{
    if (__atomic_load_n(&ending, __ATOMIC_RELAXED) == 0)
        return;
    __atomic_fetch_add(&parked, 1u, __ATOMIC_SEQ_CST);
    stay();
}

static void stop_others(void)
{
    for (uint32_t i = 0; i < pcpu_count; i++)
        if (pcpus[i] != this_pcpu())
            lapic_kick(pcpus[i]->apic_id);
    // One that does not come is in the middle of something, and will wait for the console's lock.
    for (uint64_t end = rdtsc() + tsc_hz / 50; __atomic_load_n(&parked, __ATOMIC_SEQ_CST) + 1 < pcpu_count;) {
        pause();
        if (rdtsc() > end)
            break;
    }
}

_Noreturn void end_run(enum end_code code, const char *format, ...)
{
    if (__atomic_exchange_n(&ending, 1u, __ATOMIC_SEQ_CST) != 0)
        stay();
    if (pcpu_count > 1)
        stop_others();
    log_seize();
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    end_print_state(code == END_SHUTDOWN || code == END_RESET || code == END_GUEST_FAIL || code == END_PANIC);
    say("end %x", (unsigned)code);
    out32(DEBUG_EXIT_PORT, (uint32_t)code);
    stay(); // a machine without the debug-exit device stays here, quietly
}
