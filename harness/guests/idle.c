// SPDX-License-Identifier: BSD-2-Clause
// Hyper-V's guest-idle register inside an interrupt handler, before the end of interrupt is told and with interrupts off:
// so Linux waits for a lock. The interrupt that calls the VP may not be taken yet, of the same priority class as the one
// in service, or of a lower one; idling must end all the same.
#include "lib.h"

enum {
    FIRST = 0xFB,
    SAME_CLASS = 0xF7,
    LOWER_CLASS = 0x41,
    GUEST_IDLE = 0x400000F0,
    ROUNDS = 50,
    PATIENCE = 20000000
};

static uint32_t idling, done; // rounds

static void idle_in_handler(uint32_t vector)
{
    if (vector != FIRST)
        return;
    __atomic_fetch_add(&idling, 1u, __ATOMIC_SEQ_CST);
    rdmsr(GUEST_IDLE);
    __atomic_fetch_add(&done, 1u, __ATOMIC_SEQ_CST);
}

static bool comes(const uint32_t *what, uint32_t value)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        if (__atomic_load_n(what, __ATOMIC_SEQ_CST) == value)
            return true;
        pause();
    }
    return false;
}

void guest_main(void)
{
    on_interrupt = idle_in_handler;
    hyperv_on();
    start_others(2);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        ipi(1, 0x4000 | FIRST);
        if (!comes(&idling, i))
            failure(2);
        for (uint32_t wait = 0; wait < i % 8 * 100; wait++) // it may be on its way to idle, or idle
            pause();
        ipi(1, 0x4000 | (i % 2 == 0 ? SAME_CLASS : LOWER_CLASS));
        if (!comes(&done, i)) {
            put("round %u: still idle\n", i);
            failure(3);
        }
        for (uint32_t n = 0; n < PATIENCE && interrupts[1][LOWER_CLASS] + interrupts[1][SAME_CLASS] < i; n++)
            pause();
    }
    check(true, "a VP that idles in a handler is called");
    check(interrupts[1][FIRST] == ROUNDS && interrupts[1][SAME_CLASS] == ROUNDS / 2 &&
              interrupts[1][LOWER_CLASS] == ROUNDS / 2,
          "each interrupt came once");
}

void guest_ap(uint32_t vp)
{
    (void)vp;
    for (;;)
        __asm__ volatile("sti; hlt" : : : "memory");
}
