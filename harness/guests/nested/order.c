// SPDX-License-Identifier: BSD-2-Clause
// What comes first when several events wait, and what GIF holds back (APM vol. 2, 15.13, 15.17, 15.20, 15.21).
#include "interrupts.h"

static void l2_stop(void)
{
    vmmcall();
}
static void l2_opens(void)
{
    __asm__ volatile("sti; nop");
    vmmcall();
}

static void event_first(uint64_t event, const char *what)
{
    uint32_t before = came(VECTOR);
    prepare(l2_stop, INTERCEPT | MASKING | OPEN);
    self_ipi(VECTOR);
    block[0].event_inject = EVENT_VALID | event;
    uint64_t stack = block[0].rsp;
    bool good = l2_run(0) == EXIT_INTR && (block[0].exit_int_info & EVENT_VALID) == 0 &&
                block[0].rsp < stack && block[0].rip != (uintptr_t)l2_stop;
    good = comes_after_stgi(VECTOR, before) && good;
    block[0].event_inject = 0;
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    expect(good && f != 0 && f->vector == (event & 0xFF) && f->rip == (uintptr_t)l2_stop, what);
}

// Both wait for L2's IF: the one of V_IRQ, and one for L1.
static void both(uint32_t how, const char *what)
{
    uint32_t before = came(VECTOR);
    prepare(l2_opens, how);
    self_ipi(VECTOR);
    block[0].v_intr |= V_IRQ | V_IGN_TPR | 0x45ull << V_VECTOR_SHIFT;
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    bool first = (how & INTERCEPT) != 0 ? block[0].exit_code == EXIT_INTR : f != 0 && f->vector == VECTOR;
    bool waits = (block[0].v_intr & V_IRQ) != 0;
    if ((how & INTERCEPT) == 0) {
        apic_write(EOI, 0);
        block[0].rip += 3;
    }
    stgi();
    interrupts_on();
    interrupts_off();
    bool good = came(VECTOR) == before + ((how & INTERCEPT) != 0 ? 1 : 0);
    block[0].rflags |= FLAG_IF;
    l2_run(0);
    f = l2_frame(0);
    expect(good && first && waits && f != 0 && f->vector == 0x45, what);
}

static void step_both(void)
{
    both(INTERCEPT, "L1's interrupt ends L2 first, then V_IRQ is taken");
    both(0, "L2 takes L1's interrupt first, then V_IRQ's");
}

static void step_event_first(void)
{
    event_first(EVENT_EXCEPTION | EVENT_CODE | EXC_GP | 0x18ull << 32,
                "an injected exception is delivered before an interrupt ends L2");
    event_first(EVENT_INTR | 0x44, "so is an injected interrupt");
}

static void step_gif(void)
{
    uint32_t before = came(VECTOR), nmis = came(EXC_NMI);
    clgi();
    interrupts_on();
    self_ipi(VECTOR);
    expect(comes_after_stgi(VECTOR, before), "with GIF = 0 an interrupt waits for STGI");
    clgi();
    self_nmi();
    expect(comes_after_stgi(EXC_NMI, nmis), "so does an NMI");
}

static void step_nmi(void)
{
    uint32_t before = came(EXC_NMI);
    prepare(l2_stop, 0);
    block[0].intercepts3 |= I3_NMI;
    self_nmi();
    bool good = l2_run(0) == EXIT_NMI && block[0].rip == (uintptr_t)l2_stop;
    expect(comes_after_stgi(EXC_NMI, before) && good,
           "an NMI that L1 intercepts ends L2; L1 takes it after STGI");
    before = came(EXC_NMI);
    prepare(l2_stop, 0);
    self_nmi();
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    good = f != 0 && f->vector == EXC_NMI && f->rip == (uintptr_t)l2_stop;
    block[0].rip += 3;
    l2_run(0); // its IRET lets NMIs in again
    stgi();
    expect(good && l2_frame(0) == 0 && came(EXC_NMI) == before, "one that it does not intercept is L2's");
    prepare(l2_stop, 0);
    self_nmi();
    l2_run(0);
    f = l2_frame(0);
    expect(f != 0 && f->vector == EXC_NMI, "and so is the next one");
    before = came(EXC_NMI);
    self_nmi();
    self_ipi(VECTOR);
    stgi();
    good = came(EXC_NMI) == before; // blocked, as L2 is in its handler...
    interrupts_on();
    interrupts_off();
    cpuid(0, 0); // that the IRET is done is seen at the next exit
    expect(good && came(EXC_NMI) == before + 1,
           "while L2 is in its handler NMIs are blocked, till an IRET of L1's");
}

void steps_order(void)
{
    attempt("a virtual interrupt and one of L1's", step_both);
    attempt("an event and an interrupt at once", step_event_first);
    attempt("GIF", step_gif);
    attempt("NMI", step_nmi);
}
