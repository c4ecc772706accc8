// SPDX-License-Identifier: BSD-2-Clause
// Events that L1 gives to L2, and those whose delivery comes to an exit (APM vol. 2, 15.20).
#include "l1.h"

enum { SHORT_LIMIT = 32 * 16 - 1, VECTOR = 0x41 };

static void l2_stop(void)
{
    vmmcall();
}
static void l2_ud(void)
{
    __asm__ volatile("ud2");
}
static void l2_int(void)
{
    __asm__ volatile("int $0x80");
}

static void start(void (*entry)(void), uint64_t event)
{
    l2_watched(0, entry); // what is injected is no intercept's matter
    l2_gates(0);
    block[0].event_inject = event;
}

// L2 was ended by the gate of `vector`, entered from `entry` itself, with this error code.
static bool told(uint32_t vector, void (*entry)(void), uint64_t error)
{
    const struct l2_frame *f = l2_frame(0);
    return f != 0 && f->vector == vector && f->rip == (uintptr_t)entry && f->error == error;
}

static void given(uint64_t event, uint64_t error, const char *what)
{
    start(l2_stop, EVENT_VALID | event | error << 32);
    l2_run(0);
    bool good = told((uint32_t)event & 0xFF, l2_stop, error) && (block[0].event_inject & EVENT_VALID) == 0 &&
                (block[0].exit_int_info & EVENT_VALID) == 0;
    block[0].rip += 3;
    expect(good && l2_run(0) == EXIT_VMMCALL && l2_frame(0) == 0, what);
}

static void step_inject(void)
{
    given(EVENT_INTR | VECTOR, 0, "an interrupt, with L2's IF clear: delivered once (NV-EVENT-1)");
    given(EVENT_EXCEPTION | EVENT_CODE | EXC_GP, 0x1234, "#GP with its error code, though L1 intercepts #GP");
    given(EVENT_EXCEPTION | EVENT_CODE | EXC_DF, 0, "#DF");
    given(EVENT_EXCEPTION | EXC_UD, 0, "#UD, which has no error code");
    given(EVENT_TYPE_NMI | EXC_NMI, 0, "NMI");
    given(EVENT_SOFTWARE | 0x80, 0, "INT 0x80");
    start(l2_stop, EVENT_VALID | EVENT_EXCEPTION | EVENT_CODE | EXC_PF | 6ull << 32);
    block[0].cr2 = 0x12345000;
    l2_run(0);
    expect(told(EXC_PF, l2_stop, 6) && block[0].cr2 == 0x12345000, "#PF; CR2 is what L1 wrote");
    start(l2_stop, EVENT_INTR | VECTOR);
    expect(l2_run(0) == EXIT_VMMCALL && l2_frame(0) == 0, "an event that is not valid is not given");
}

static void step_table_too_short(void)
{
    start(l2_stop, EVENT_VALID | EVENT_INTR | VECTOR);
    block[0].idtr.limit = SHORT_LIMIT;
    expect(l2_run(0) == EXIT_EXCEPTION + EXC_GP && block[0].exit_int_info == (EVENT_VALID | VECTOR),
           "#GP while an interrupt is delivered: EXITINTINFO names the interrupt (NV-EXIT-1)");
    start(l2_stop, EVENT_VALID | EVENT_TYPE_NMI | EXC_NMI);
    block[0].idtr.limit = 15;
    expect(l2_run(0) == EXIT_EXCEPTION + EXC_GP &&
               block[0].exit_int_info == (EVENT_VALID | EVENT_TYPE_NMI | EXC_NMI),
           "the same of an NMI");
}

// The stack page is missing in L1's nested table: the exit names the event, and L1 gives it again.
static void faulted(void (*entry)(void), uint64_t event, uint64_t told_event, uint32_t vector,
                    const char *what)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    start(entry, event);
    block[0].rsp = (uintptr_t)window + 2 * PAGE - 64;
    block[0].tlb_control = 1;
    *e = 0;
    bool good = l2_run(0) == EXIT_NPF && block[0].exit_int_info == told_event &&
                block[0].exit_info2 / PAGE == (uintptr_t)window / PAGE + 1 &&
                block[0].rip == (uintptr_t)entry;
    *e = whole;
    block[0].tlb_control = 3;
    // An instruction that raises its event executes again; any other event is L1's to give again.
    bool again = (told_event & EVENT_TYPE_MASK) != EVENT_SOFTWARE;
    block[0].event_inject = again ? block[0].exit_int_info : 0;
    expect(good, what);
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    expect(f != 0 && f->vector == vector && f->rip == (uintptr_t)entry + (again ? 0 : 2),
           "  and it comes once L1 has mended its table");
}

static void step_page_missing(void)
{
    faulted(l2_stop, EVENT_VALID | VECTOR, EVENT_VALID | VECTOR, VECTOR,
            "a nested fault while an interrupt is delivered");
    uint64_t gp = EVENT_VALID | EVENT_EXCEPTION | EVENT_CODE | EXC_GP | 0x18ull << 32;
    faulted(l2_stop, gp, gp, EXC_GP, "the same of an exception, error code included");
    faulted(l2_int, 0, EVENT_VALID | EVENT_SOFTWARE | 0x80, 0x80, "the same of INT 0x80");
}

static void step_raised(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    start(l2_ud, 0);
    block[0].exception_intercepts = 0;
    block[0].rsp = (uintptr_t)window + 2 * PAGE - 64;
    block[0].tlb_control = 1;
    *e = 0;
    expect(l2_run(0) == EXIT_NPF && block[0].exit_int_info == (EVENT_VALID | EVENT_EXCEPTION | EXC_UD),
           "a nested fault while an exception of L2's own is delivered");
    *e = whole;
    start(l2_ud, 0);
    block[0].exception_intercepts = 0;
    block[0].tlb_control = 1;
    l2_run(0);
    expect(told(EXC_UD, l2_ud, 0), "an exception that L1 does not intercept is L2's own");
}

void steps_events(void)
{
    attempt("events that L1 injects", step_inject);
    attempt("delivery that meets a short interrupt table", step_table_too_short);
    attempt("delivery that meets a missing page", step_page_missing);
    attempt("exceptions of L2's own", step_raised);
}
