// SPDX-License-Identifier: BSD-2-Clause
#include "l2.h"

enum { P = 1, W = 2, U = 4, LARGE = 0x80, TIMER = 0x40 };

uint64_t den[DEN_PAGES][512] __attribute__((aligned(2 * 1024 * 1024)));
uint64_t cage[512] __attribute__((aligned(4096))), cage_pdpt[512] __attribute__((aligned(4096))),
    cage_pd[4][512] __attribute__((aligned(4096)));
uint64_t *const seen = den[DEN_DATA];

void l2_make(void)
{
    uint64_t(*t)[512] = &den[DEN_TABLES];
    t[0][0] = (uintptr_t)t[1] | P | W;
    cage[0] = (uintptr_t)cage_pdpt | P | W | U;
    for (uint64_t g = 0; g < 4; g++) {
        t[1][g] = (uintptr_t)t[2 + g] | P | W;
        cage_pdpt[g] = (uintptr_t)cage_pd[g] | P | W | U;
        for (uint64_t i = 0; i < 512; i++) {
            t[2 + g][i] = (g << 30 | i << 21) | P | W | LARGE;
            cage_pd[g][i] = (g << 30 | i << 21) | P | U | LARGE;
        }
    }
    uint64_t at = (uintptr_t)den;
    cage_pd[at >> 30][at >> 21 & 511] |= W;
    at = (uintptr_t)window;
    cage_pd[at >> 30][at >> 21 & 511] = (uintptr_t)nested_pt[0] | P | W | U;
    for (uint32_t i = 0; i < sizeof io_map; i++)
        io_map[i] = 0xFF;
    for (uint32_t i = 0; i < sizeof msr_map; i++)
        msr_map[i] = 0xFF;
    wrmsr(0x83E, 0xB); // divide by 1
    wrmsr(0x832, TIMER);
}

void l2_caged(void (*entry)(void))
{
    l2_make();
    for (uint64_t i = 0; i < 512; i++)
        nested_pt[0][i] = ((uintptr_t)window + i * PAGE) | P | U | (i < sizeof window / PAGE ? W : 0);
    l2_fresh(0, entry);
    struct pv_vmcb *v = &block[0];
    v->cr3 = (uintptr_t)den[DEN_TABLES];
    v->rsp = (uintptr_t)den[DEN_STACK + 4] - 8;
    v->nested_cr3 = (uintptr_t)cage;
    v->tlb_control = 1;
    v->exception_intercepts = 0xFFFFFFFF;
    v->intercepts3 |= I3_INTR | I3_IO | I3_MSR;
    v->v_intr = V_INTR_MASKING;
}

void l2_may_write(uint64_t at)
{
    bool small = (at ^ (uintptr_t)window) < 2 * 1024 * 1024;
    *(small ? &nested_pt[0][at >> 12 & 511] : &cage_pd[at >> 30 & 3][at >> 21 & 511]) |= W;
}

uint32_t patience = LONG;

uint64_t l2_run_at(uint64_t at)
{
    wrmsr(0x838, patience);
    uint32_t before = interrupts[0][TIMER];
    __asm__ volatile("push %%rbp; push %%rbx; clgi; sti; vmrun; cli; stgi; pop %%rbx; pop %%rbp"
                     : "+a"(at)
                     :
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                       "memory", "cc");
    uint32_t after = interrupts[0][TIMER];
    wrmsr(0x838, 0);
    interrupts_on();
    interrupts_off();
    want(after == before, "no interrupt while GIF is clear");
    if (at == (uintptr_t)&block[0])
        l1_look(interrupts[0][TIMER] != before);
    return (uint32_t)block[0].exit_code;
}

uint64_t l2_go(void)
{
    return l2_run_at((uintptr_t)&block[0]);
}

void l2_call(void)
{
    vmmcall();
}
void l2_read(void)
{
    seen[0] = *(volatile uint64_t *)(uintptr_t)seen[1];
    vmmcall();
}
void l2_write(void)
{
    *(volatile uint64_t *)(uintptr_t)seen[1] = seen[0];
    vmmcall();
}
