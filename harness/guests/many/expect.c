// SPDX-License-Identifier: BSD-2-Clause
// What must have come of the requests, against the counters of the VPs and of the harness.
#include "many.h"
#include "../../svm/vmcb.h"

enum { RANGES_OF_A_QUEUE = 16, LOOKS = 4096 };
enum pending { FULL = 1, ALL_BUT_GLOBAL = 2, LIST = 4 };

// What is compared. The first part are the harness's events, then exits, which nobody else can have caused.
static const struct {
    uint16_t port;
    const char *name;
} rows[] = {
    {COUNT_PORT_EVENTS + EV_FLUSH_FULL, "full flushes taken"},
    {COUNT_PORT_EVENTS + EV_FLUSH_NONGLOBAL, "non-global flushes taken"},
    {COUNT_PORT_EVENTS + EV_FLUSH_RANGES, "flushes of pages taken"},
    {COUNT_PORT_EVENTS + EV_FLUSH_DEFERRED, "flushes taken at the first entry"},
    {COUNT_PORT_EVENTS + EV_KICK, "kicks"},
    {COUNT_PORT_EVENTS + EV_WAIT, "waits"},
    {COUNT_PORT_EVENTS + EV_WAKE, "wakes"},
    {COUNT_PORT_EVENTS + EV_HALT, "times asleep"},
    {COUNT_PORT_EVENTS + EV_IPI_HYPERCALL, "vectors by hypercall"},
    {COUNT_PORT_EVENTS + EV_IPI_X2APIC, "interrupt commands"},
    {COUNT_PORT_EVENTS + EV_INJECT, "interrupts given"},
    {COUNT_PORT_EXITS + EXIT_VMMCALL, "exits by hypercall"},
    {COUNT_PORT_EXITS + EXIT_HLT, "exits by HLT"},
    {COUNT_PORT_EXITS + EXIT_MSR, "exits by MSR"},
};
enum row {
    R_FULL,
    R_NONGLOBAL,
    R_RANGES,
    R_DEFERRED,
    R_KICK,
    R_WAIT,
    R_WAKE,
    R_HALT,
    R_VECTOR,
    R_COMMAND,
    R_GIVEN,
    R_CALL,
    R_HLT,
    R_MSR,
    ROWS
};

static uint32_t want[ROWS], switches;
static uint32_t *interrupts_wanted; // by VP
static uint8_t *pending;
static uint32_t flushes_asked, interrupts_asked;

static uint32_t counted_event(enum count_event e)
{
    return counted((uint16_t)(COUNT_PORT_EVENTS + e));
}

static uint32_t came(uint32_t number)
{
    return __atomic_load_n(&interrupts[number][CALL], __ATOMIC_ACQUIRE);
}

void expect_from_now(void)
{
    interrupts_wanted = allocate(vp_total * sizeof *interrupts_wanted);
    pending = allocate(vp_total);
    for (uint32_t i = 0; i < ROWS; i++)
        want[i] = counted(rows[i].port);
    switches = counted_event(EV_SWITCH);
}

void expect_call(const struct ask *ask)
{
    want[ask->by_apic ? R_COMMAND : R_CALL]++;
    if (ask->by_apic)
        want[R_MSR]++;
}

// An entry after which the VP is rid of what was pending for it.
static void expect_entry(uint32_t number)
{
    uint8_t what = pending[number];
    if ((what & FULL) != 0)
        want[R_FULL]++;
    else if ((what & ALL_BUT_GLOBAL) != 0)
        want[R_NONGLOBAL]++;
    if ((what & LIST) != 0)
        want[R_RANGES]++;
    if (what != 0 && number != 0) // VP 0 has not slept
        want[R_DEFERRED]++;
    pending[number] = 0;
}

void expect(uint32_t number, const struct ask *ask)
{
    if (ask->interrupt) {
        interrupts_asked++;
        interrupts_wanted[number]++;
        want[R_GIVEN]++;
        if (!ask->by_apic)
            want[R_VECTOR]++;
        want[R_MSR]++; // end of interrupt
        if (number != 0) {
            want[R_WAKE]++;
            want[R_HALT]++;
            want[R_HLT]++;
        }
    } else {
        flushes_asked++;
        pending[number] |= ask->list ? LIST | (ask->pages > RANGES_OF_A_QUEUE ? FULL : 0)
                           : (ask->flags & NON_GLOBAL) != 0 ? ALL_BUT_GLOBAL
                                                            : FULL;
    }
    if (ask->interrupt || number == 0) // VP 0 enters when the call has returned
        expect_entry(number);
}

bool all_asleep(void)
{
    // Each time that a VP is woken is counted before, each time that it sleeps after the fact; only VP 0 wakes.
    return counted_event(EV_HALT) == counted_event(EV_WAKE);
}

void wait_for(uint32_t number)
{
    for (uint32_t looks = 1; came(number) < interrupts_wanted[number]; looks++) {
        pause();
        if (looks % LOOKS == 0 && all_asleep() && came(number) < interrupts_wanted[number]) {
            put("VP %u: %u interrupts and asleep, must be %u\n", number, came(number),
                interrupts_wanted[number]);
            failure(3);
        }
    }
}

static bool counters_agree(void)
{
    bool good = true;
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t is = counted(rows[i].port);
        if (is != want[i]) {
            put("%s: %u, must be %u\n", rows[i].name, is, want[i]);
            good = false;
        }
    }
    return good;
}

void nothing_ran(const char *what)
{
    bool good = counters_agree();
    check(good && counted_event(EV_SWITCH) == switches, what);
}

void settle(const char *what)
{
    bool good = true;
    for (uint32_t i = 0; i < vp_total; i++)
        wait_for(i);
    while ((int32_t)(counted_event(EV_HALT) - want[R_HALT]) < 0)
        pause();
    for (uint32_t i = 0; i < vp_total; i++)
        if (came(i) != interrupts_wanted[i]) {
            put("VP %u: %u interrupts, must be %u\n", i, came(i), interrupts_wanted[i]);
            good = false;
        }
    good = counters_agree() && good;
    check(good, what);
    switches = counted_event(EV_SWITCH);
}

void totals(void)
{
    put("%u interrupts and %u flushes asked of %u VPs\n", interrupts_asked, flushes_asked, vp_total);
}
