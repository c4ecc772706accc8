// SPDX-License-Identifier: BSD-2-Clause
// The hypercall page is a page of ours in the partition's memory: read-only, for L2 as well, and it comes and goes.
#include "l2.h"

enum { P = 1, W = 2, U = 4 };
#define HYPERCALL_PAGE 0x40000001

// L1's page `n` of `window` is under the hypercall page, and L2 sees it at the page before.
static uint64_t cover(uint32_t n, bool on)
{
    uint64_t at = (uintptr_t)window + n * PAGE;
    if (rdmsr(0x40000000) == 0)
        wrmsr(0x40000000, 0x8100000601000000);
    wrmsr(HYPERCALL_PAGE, on ? at | 1 : 0);
    return at;
}

static void write_the_page(void)
{
    l2_caged(l2_write);
    uint64_t at = cover(2, true), code = *(volatile uint64_t *)at;
    nested_pt[0][1] = at | P | W | U;
    seen[1] = (uintptr_t)window + PAGE;
    seen[0] = ~code;
    want(l2_go() == EXIT_EXCEPTION + EXC_GP && *(volatile uint64_t *)at == code,
         "L2 writes the hypercall page");
    cover(2, false);
}
static void tables_in_the_page(void) // its entries would be marked as accessed
{
    l2_caged(l2_call);
    uint64_t at = cover(2, true), code = *(volatile uint64_t *)at;
    block[0].cr3 = at;
    uint64_t exit = l2_go();
    want(exit >= EXIT_EXCEPTION && exit < EXIT_EXCEPTION + 32 && *(volatile uint64_t *)at == code,
         "page tables of L2 in the hypercall page");
    cover(2, false);
}
static void page_comes_and_goes(void)
{
    for (uint32_t i = 0; i < 20; i++) {
        l2_caged(l2_read);
        block[0].tlb_control = i == 0;
        volatile uint64_t *at = (uint64_t *)cover(2, (i & 1) != 0);
        if ((i & 1) == 0)
            *at = i;
        seen[1] = (uintptr_t)at;
        want(l2_go() == EXIT_VMMCALL && seen[0] == *at, "L2 sees the page that L1 sees");
    }
    cover(2, false);
}
static void page_comes_and_goes_meanwhile(void)
{
    uint64_t at = cover(2, false);
    for (uint32_t i = 0; i < 200; i++) {
        l2_caged(l2_read);
        block[0].tlb_control = i == 0;
        seen[1] = at;
        __atomic_store_n(&race, RACE_OVERLAY, __ATOMIC_SEQ_CST);
        want(l2_go() == EXIT_VMMCALL, "a page that comes and goes");
        __atomic_store_n(&race, 0, __ATOMIC_SEQ_CST);
    }
    for (uint64_t start = rdtsc(); rdtsc() - start < 10000000;)
        pause(); // until the others see that it is over
    l2_caged(l2_read);
    block[0].tlb_control = 0;
    cover(2, false);
    *(volatile uint64_t *)at = 0x1234;
    seen[1] = at;
    want(l2_go() == EXIT_VMMCALL && seen[0] == 0x1234, "L2 sees what L1 sees in the end");
}

const struct attack attacks_overlay[] = {
    ATTACK(write_the_page, NOTHING),
    ATTACK(tables_in_the_page, NOTHING),
    ATTACK(page_comes_and_goes, NOTHING),
    ATTACK(page_comes_and_goes_meanwhile, NOTHING),
    {0, 0, 0},
};
