// SPDX-License-Identifier: BSD-2-Clause
// CR8 and the task priority, of L1 and of L2, and interrupts of L1 that L2 holds back (APM vol. 2, 15.17 and 15.21).
#include "l1.h"

enum { VECTOR = 0x65, TPR = 8 };

static volatile uint64_t seen;

static void l2_stop(void)
{
    vmmcall();
}
static void l2_reads_and_writes(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr8, %0" : "=r"(v));
    seen = v;
    __asm__ volatile("mov %0, %%cr8" : : "r"(7ull));
    vmmcall();
}

static void l2_masks(void)
{
    __asm__ volatile("mov %0, %%cr8" : : "r"(15ull));
    self_ipi(VECTOR);
    __asm__ volatile("nop; nop");
    vmmcall();
}
static void l2_clears_gif(void)
{
    __asm__ volatile("clgi");
    self_ipi(VECTOR);
    __asm__ volatile("nop; nop");
    seen = 1;
    __asm__ volatile("stgi; nop");
    vmmcall();
}

static uint64_t read_cr8(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr8, %0" : "=r"(v));
    return v;
}

// L1 itself: CR8 is written while an interrupt waits for IF, then while it waits for CR8.
static void step_cr8(void)
{
    uint32_t before = came(VECTOR);
    self_ipi(VECTOR);
    __asm__ volatile("mov %0, %%cr8" : : "r"(2ull));
    __asm__ volatile("mov %0, %%cr8" : : "r"((uint64_t)VECTOR >> 4));
    interrupts_on();
    bool held = came(VECTOR) == before;
    uint64_t cr8;
    __asm__ volatile("mov %%cr8, %0" : "=r"(cr8));
    __asm__ volatile("mov %0, %%cr8; nop" : : "r"(0ull));
    bool taken = came(VECTOR) == before + 1;
    interrupts_off();
    check(held && taken && cr8 == VECTOR >> 4, "CR8 of L1 holds an interrupt of its own back");
}

static void step_tpr(void)
{
    uint64_t before = read_cr8();
    l2_watched(0, l2_reads_and_writes);
    block[0].v_intr = V_INTR_MASKING | 3;
    l2_run(0);
    expect(seen == 3 && (block[0].v_intr & 15) == 7 && read_cr8() == before,
           "L2's CR8 is V_TPR, not L1's priority");
    l2_watched(0, l2_reads_and_writes);
    l2_run(0);
    expect(seen == before && read_cr8() == 7, "without V_INTR_MASKING it is L1's");
    apic_write(TPR, 0x35);
    l2_watched(0, l2_stop);
    l2_run(0);
    expect(apic_read(TPR) == 0x35, "L1's task priority outlives an L2, its low bits too");
    __asm__ volatile("mov %0, %%cr8" : : "r"(before));
}

// L2 sends an interrupt to L1 that something holds back: no exit until then.
static bool held(void (*entry)(void))
{
    l2_watched(0, entry);
    block[0].intercepts3 |= I3_INTR;
    block[0].rflags |= FLAG_IF;
    seen = 0;
    keep_gif = true;
    l2_run(0);
    return l2_frame(0) == 0;
}

static void step_masked(void)
{
    uint32_t before = came(VECTOR);
    bool good = held(l2_masks) && block[0].exit_code == EXIT_VMMCALL;
    __asm__ volatile("stgi; sti; nop");
    good = good && came(VECTOR) == before;
    __asm__ volatile("mov %0, %%cr8; nop; cli" : : "r"(0ull));
    expect(good && came(VECTOR) == before + 1, "without V_INTR_MASKING L2's CR8 holds L1's interrupts back");

    before = came(VECTOR);
    good = held(l2_clears_gif) && block[0].exit_code == EXIT_INTR && seen == 1;
    __asm__ volatile("stgi; sti; nop; cli");
    expect(good && came(VECTOR) == before + 1, "CLGI of L2, not intercepted, holds them back until its STGI");
    l2_watched(0, l2_stop);
    l2_run(0);
}

void steps_priority(void)
{
    attempt("CR8 of L1", step_cr8);
    attempt("V_TPR and CR8", step_tpr);
    attempt("interrupts that L2 holds back", step_masked);
}
