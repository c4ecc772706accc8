// SPDX-License-Identifier: BSD-2-Clause
// Two VPs: one interrupts the other's L2, changes its nested table, and runs an L2 of its own beside it.
#include "l1.h"

enum { VECTOR = 0x66, RUNS = 300, NMI = 4 << 8, NOTHING = 0, INTERRUPT, SEND_NMI, MOVE, RUN };

static volatile uint32_t asked, running, beside, good_beside;
static volatile uint64_t value[2];

static void l2_spins(void)
{
    for (running = 1;; pause())
        ;
}
static void l2_halts(void)
{
    running = 1;
    __asm__ volatile("sti; hlt");
    vmmcall();
}
static void l2_reads(void)
{
    running = 1;
    while (*(volatile uint64_t *)(void *)(window + PAGE) == 0xA)
        pause();
    vmmcall();
}
static void l2_first(void)
{
    value[0]++;
    vmmcall();
}
static void l2_second(void)
{
    value[1] += 3;
    cpuid(0, 0);
    vmmcall();
}

static void wait_a_little(void)
{
    for (uint64_t end = rdtsc() + 2000000; rdtsc() < end;)
        pause();
}

// VP 1: does what VP 0 asks for, once VP 0 is in its L2.
void others_start(uint32_t vp)
{
    static uint8_t save_area[PAGE] __attribute__((aligned(4096)));
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)save_area);
    while (vp == 1) {
        while (asked == NOTHING || running == 0)
            pause();
        wait_a_little();
        uint32_t what = asked;
        asked = NOTHING;
        running = 0;
        if (what == MOVE)
            *window_entry(0, 1) = ((uintptr_t)window + 2 * PAGE) | 7;
        if (what == RUN) {
            uint32_t good = 0;
            for (uint32_t i = 0; i < RUNS; i++) {
                l2_watched(1, l2_second);
                good += l2_run(1) == EXIT_VMMCALL;
            }
            good_beside = good;
            beside = 1;
        } else {
            ipi(apic_ids[0], what == SEND_NMI ? NMI : VECTOR);
        }
    }
}

static void start(void (*entry)(void), uint32_t what)
{
    l2_watched(0, entry);
    l2_gates(0);
    block[0].v_intr = V_INTR_MASKING;
    block[0].intercepts3 |= I3_INTR;
    keep_gif = true;
    __asm__ volatile("clgi; sti");
    running = 0;
    asked = what;
}

static bool taken(uint32_t vector, uint32_t before)
{
    __asm__ volatile("stgi; nop; cli" : : : "memory");
    return came(vector) == before + 1;
}

static void step_interrupt(void)
{
    void (*const entries[])(void) = {l2_spins, l2_halts};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t before = came(VECTOR);
        start(entries[i], INTERRUPT);
        bool good = l2_run(0) == EXIT_INTR;
        expect(taken(VECTOR, before) && good,
               i == 0 ? "another VP's interrupt ends an L2 that spins" : "and one that halts");
        before = came(EXC_NMI);
        start(entries[i], SEND_NMI);
        block[0].intercepts3 |= I3_NMI;
        good = l2_run(0) == EXIT_NMI;
        expect(taken(EXC_NMI, before) && good, "so does its NMI");
        start(entries[i], SEND_NMI);
        l2_run(0);
        const struct l2_frame *f = l2_frame(0);
        good = f != 0 && f->vector == EXC_NMI;
        expect(good, "which is L2's own if L1 does not intercept it");
        block[0].rip += 3; // its IRET lets NMIs in again; then it is ended
        asked = INTERRUPT;
        running = 1;
        before = came(VECTOR);
        l2_run(0);
        __asm__ volatile("stgi" : : : "memory");
        while (came(VECTOR) == before)
            pause();
        interrupts_off();
    }
}

static void step_move(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    *(uint64_t *)(void *)(window + PAGE) = 0xA;
    *(uint64_t *)(void *)(window + 2 * PAGE) = 0xB;
    uint32_t before = came(VECTOR);
    start(l2_reads, MOVE);
    block[0].tlb_control = 1;
    bool good = l2_run(0) == EXIT_INTR || block[0].exit_code == EXIT_VMMCALL; // it may see the change before
    good = taken(VECTOR, before) && good;
    keep_gif = false;
    block[0].tlb_control = 3;
    expect((block[0].exit_code == EXIT_VMMCALL || l2_run(0) == EXIT_VMMCALL) && good,
           "another VP changes the nested table, and this one flushes when interrupted");
    *e = whole;
}

static void step_beside(void)
{
    value[0] = value[1] = 0;
    beside = 0;
    running = 1;
    asked = RUN;
    uint32_t good = 0, runs = 0;
    keep_gif = false;
    while (beside == 0 || runs < RUNS) {
        l2_watched(0, l2_first);
        good += l2_run(0) == EXIT_VMMCALL;
        runs++;
    }
    check(good == runs && good_beside == RUNS && value[0] == runs && value[1] == 3 * RUNS,
          "two VPs run L2s at the same time");
}

void steps_others(void)
{
    if (vp_total < 2) {
        skip("other VPs", "there is one only");
        return;
    }
    start_others(2);
    attempt("interrupts by another VP", step_interrupt);
    attempt("a nested table changed by another VP", step_move);
    attempt("another VP's L2", step_beside);
}
