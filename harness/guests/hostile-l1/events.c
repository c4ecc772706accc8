// SPDX-License-Identifier: BSD-2-Clause
// Events that L1 gives to L2: those that it cannot take, and those that it must take whatever lies in the way.
#include "l2.h"

enum { L2_IDT = 2 }; // page of L2's data

static void every_event(void) // all kinds, vectors, with and without error code
{
    for (uint32_t i = 0; i < 4096; i++) {
        l2_caged(l2_call);
        block[0].idtr.limit = 0;
        block[0].exception_intercepts = 0;
        block[0].event_inject = EVENT_VALID | i | (uint64_t)i << 32;
        uint64_t exit = l2_go();
        want(exit == EXIT_SHUTDOWN || exit == EXIT_INVALID, "an event that L2 cannot take");
    }
}

static void landed(void)
{
    vmmcall();
}
static void missed(void)
{
    for (;;)
        pause();
}

static void make_idt(void)
{
    uint64_t *gate = den[DEN_DATA + L2_IDT], to = (uintptr_t)landed;
    for (uint32_t i = 0; i < 512; i += 2) {
        gate[i] = (to & 0xFFFF) | 0x08 << 16 | 0x8Eull << 40 | (to >> 16 & 0xFFFF) << 48;
        gate[i + 1] = to >> 32;
    }
    block[0].idtr.base = (uintptr_t)gate;
    block[0].idtr.limit = 4095;
}

static bool has_landed(uint64_t exit)
{
    return exit == EXIT_VMMCALL && block[0].rip >= (uintptr_t)landed &&
           block[0].rip < (uintptr_t)landed + 16 && block[0].exit_int_info == 0;
}

// QEMU 7.2 takes no exception 31. No table of L2 is in the shadow yet, so each event meets nested page faults, which L1 knows nothing of, on its way.
static void each_event_lands(void)
{
    for (uint32_t kind = 0; kind < 5; kind++)
        for (uint32_t vector = 0; vector < 256; vector++) {
            if (kind == 1 || (kind == 0 && vector < 32) || (kind == 2 && vector != EXC_NMI) ||
                (kind == 3 && (vector > 30 || vector == EXC_NMI)))
                continue;
            l2_caged(missed);
            make_idt();
            block[0].event_inject = EVENT_VALID | kind << 8 | vector;
            want(has_landed(l2_go()), "an event that L2 takes");
        }
}

// A virtual interrupt waits while L2 has GIF clear.
static void virtual_body(void)
{
    __asm__ volatile("clgi; sti; nop; nop");
    seen[2] = 1;
    __asm__ volatile("stgi; nop");
    for (;;)
        pause();
}
static void virtual_interrupt_without_gif(void)
{
    l2_caged(virtual_body);
    make_idt();
    seen[2] = 0;
    block[0].v_intr |= V_IRQ | V_IGN_TPR | 15ull << V_PRIO_SHIFT | 0x55ull << V_VECTOR_SHIFT;
    want(has_landed(l2_go()) && seen[2] == 1, "a virtual interrupt waits for STGI of L2");
}

// One that it cannot take is no way out either.
static void virtual_interrupt_to_nowhere(void)
{
    l2_caged(missed);
    block[0].idtr.base = 0xC8000000;
    block[0].rflags |= FLAG_IF;
    block[0].exception_intercepts = 0;
    block[0].v_intr |= V_IRQ | V_IGN_TPR | 15ull << V_PRIO_SHIFT | 0x55ull << V_VECTOR_SHIFT;
    want(l2_go() == EXIT_SHUTDOWN, "a virtual interrupt that L2 cannot take");
}

// L1's own NMI and interrupt come to L2 by L2's table if L1 does not intercept them, and end it if it does.
static void own_nmi(bool intercepted)
{
    uint32_t before = interrupts[0][EXC_NMI];
    l2_caged(missed);
    make_idt();
    block[0].intercepts3 |= intercepted ? I3_NMI : 0;
    __asm__ volatile("clgi");
    ipi(my_id(), 0x400);
    uint64_t exit = l2_go();
    uint32_t came = interrupts[0][EXC_NMI] - before;
    want(intercepted ? exit == EXIT_NMI && came == 1 : has_landed(exit) && came == 0, "an NMI of L1");
}
static void own_nmis(void)
{
    own_nmi(true);
    own_nmi(false);
    __asm__ volatile("stgi");
    interrupts_on(); // IRET of anything opens NMIs again
    ipi(my_id(), 0x50);
    interrupts_off();
    own_nmi(true);
}
static void own_interrupt_for_l2(void)
{
    l2_caged(missed);
    make_idt();
    block[0].intercepts3 &= ~(uint32_t)I3_INTR;
    block[0].rflags |= FLAG_IF;
    __asm__ volatile("clgi");
    ipi(my_id(), 0x50);
    want(has_landed(l2_go()), "an interrupt of L1 that L2 takes");
    eoi();
}

const struct attack attacks_events[] = {
    ATTACK(every_event, NOTHING),
    ATTACK(each_event_lands, NOTHING),
    ATTACK(virtual_interrupt_without_gif, NOTHING),
    ATTACK(virtual_interrupt_to_nowhere, NOTHING),
    ATTACK(own_nmis, NOTHING),
    ATTACK(own_interrupt_for_l2, NOTHING),
    {0, 0, 0},
};
