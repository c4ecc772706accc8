// SPDX-License-Identifier: BSD-2-Clause
// Interrupts of L1 while L2 runs (APM vol. 2, 15.13, 15.21).
#include "interrupts.h"

enum { TIMER = 0x62, LVT_TIMER = 0x32, COUNT = 0x38, DIVIDE = 0x3E, BY_1 = 11 };

static void l2_stop(void)
{
    vmmcall();
}
static void l2_opens(void)
{
    __asm__ volatile("sti; nop");
    vmmcall();
}
static void l2_sends(void)
{
    self_ipi(VECTOR);
    for (uint32_t i = 0; i < 1000; i++)
        pause();
    vmmcall();
}
static void l2_spins(void)
{
    for (;;)
        pause();
}
static void l2_halts(void)
{
    __asm__ volatile("sti; hlt");
    vmmcall();
}

void prepare(void (*entry)(void), uint32_t how)
{
    l2_watched(0, entry);
    l2_gates(0);
    block[0].v_intr = (how & MASKING) != 0 ? V_INTR_MASKING : 0;
    block[0].intercepts3 |= (how & INTERCEPT) != 0 ? (uint32_t)I3_INTR : 0;
    block[0].rflags |= (how & L2_OPEN) != 0 ? (uint64_t)FLAG_IF : 0;
    keep_gif = true;
    clgi();
    if ((how & OPEN) != 0)
        interrupts_on(); // none comes before STGI
}

bool comes_after_stgi(uint32_t vector, uint32_t before)
{
    bool held = came(vector) == before;
    stgi();
    interrupts_on();
    interrupts_off();
    return held && came(vector) == before + 1;
}

static void ends(void (*entry)(void), uint32_t how, uint64_t code, const char *what)
{
    uint32_t before = came(VECTOR);
    prepare(entry, how);
    if (entry != l2_sends)
        self_ipi(VECTOR);
    l2_run(0);
    bool good = block[0].exit_code == code && l2_frame(0) == 0 &&
                (block[0].exit_int_info & EVENT_VALID) == 0 &&
                (entry != l2_stop || block[0].rip == (uintptr_t)entry);
    expect(comes_after_stgi(VECTOR, before) && good, what);
}

static void step_intercepted(void)
{
    ends(l2_stop, INTERCEPT | L2_OPEN, EXIT_INTR, "L2's IF lets it in: INTR, and L1 takes it after STGI");
    ends(l2_stop, INTERCEPT, EXIT_VMMCALL, "L2's IF is clear: no exit");
    ends(l2_stop, INTERCEPT | OPEN, EXIT_VMMCALL, "L1's IF does not count without V_INTR_MASKING");
    ends(l2_opens, INTERCEPT, EXIT_INTR, "L2 sets IF: INTR then");
    ends(l2_stop, INTERCEPT | MASKING | OPEN, EXIT_INTR, "V_INTR_MASKING, L1's IF set, L2's clear: INTR");
    ends(l2_stop, INTERCEPT | MASKING | L2_OPEN, EXIT_VMMCALL,
         "V_INTR_MASKING, L1's IF clear, L2's set: no exit");
    ends(l2_sends, INTERCEPT | MASKING | OPEN, EXIT_INTR, "L2 sends it: INTR");
}

static void takes(uint32_t how, const char *what)
{
    uint32_t before = came(VECTOR);
    prepare(l2_stop, how);
    self_ipi(VECTOR);
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    bool good = f != 0 && f->vector == VECTOR && f->rip == (uintptr_t)l2_stop;
    apic_write(EOI, 0);
    stgi();
    interrupts_on();
    interrupts_off();
    expect(good && came(VECTOR) == before, what);
}

static void step_not_intercepted(void)
{
    takes(L2_OPEN, "no intercept, L2's IF set: L2 takes it itself");
    takes(MASKING | OPEN, "no intercept, V_INTR_MASKING and L1's IF set: the same, whatever L2's IF");
}

static void timer(void (*entry)(void), const char *what)
{
    uint32_t before = came(TIMER);
    prepare(entry, INTERCEPT | MASKING | OPEN);
    apic_write(DIVIDE, BY_1);
    apic_write(LVT_TIMER, TIMER);
    apic_write(COUNT, 3000000);
    bool good = l2_run(0) == EXIT_INTR;
    expect(comes_after_stgi(TIMER, before) && good, what);
}

static void step_timer(void)
{
    timer(l2_spins, "L1's timer ends an L2 that spins");
    timer(l2_halts, "and one that halts, unintercepted");
}

void steps_interrupts(void)
{
    attempt("interrupts that L1 intercepts", step_intercepted);
    attempt("interrupts that L1 does not intercept", step_not_intercepted);
    attempt("L1's timer", step_timer);
}
