// SPDX-License-Identifier: BSD-2-Clause
// Nested tables that no hypervisor would make.
#include "l2.h"

enum { P = 1, W = 2, U = 4, LARGE = 0x80 };
static uint64_t evil[512] __attribute__((aligned(4096)));

static void root_is_itself(void)
{
    for (uint32_t i = 0; i < 512; i++)
        evil[i] = (uintptr_t)evil | P | W | U;
    l2_caged(l2_call);
    block[0].nested_cr3 = (uintptr_t)evil;
    l2_go();
}
static void root_loops(void)
{
    l2_caged(l2_call);
    evil[0] = (uintptr_t)evil | P | W | U;
    for (uint32_t i = 1; i < 512; i++)
        evil[i] = 0;
    block[0].nested_cr3 = (uintptr_t)evil;
    want(l2_go() == EXIT_NPF, "a table that is its own");
}
static void root_outside_memory(void)
{
    static const uint64_t roots[] = {0xC8000000, 0xFEE00000, 0xFEC00000, 0xFFFFFFF000, 0xFFF};
    for (uint32_t i = 0; i < 5; i++) {
        l2_caged(l2_call);
        block[0].nested_cr3 = roots[i];
        want(l2_go() == EXIT_NPF, "a root where no memory is");
    }
    l2_caged(l2_call);
    block[0].nested_cr3 = ~0ull;
    want(l2_go() == EXIT_INVALID, "a root at no physical address");
}
static void tables_outside_memory(void)
{
    for (uint32_t level = 0; level < 3; level++) {
        l2_caged(l2_call);
        uint64_t *e = level == 0 ? &cage[0] : level == 1 ? &cage_pdpt[0] : &cage_pd[0][0];
        *e = 0xC8000000 | P | W | U;
        want(l2_go() == EXIT_NPF, "a table where no memory is");
    }
}
static void reserved_bits(void)
{
    for (uint64_t bit = 52; bit > 40; bit--) {
        l2_caged(l2_call);
        cage_pd[0][0] |= 1ull << (bit - 1);
        want(l2_go() == EXIT_NPF, "an address above all that are physical");
    }
    l2_caged(l2_call);
    cage[0] |= LARGE;
    want(l2_go() == EXIT_NPF && (block[0].exit_info1 & 8) != 0, "a large page at the top level");
}
// More pages than the pool has: each 2 MiB needs a table page of its own.
static void l2_touch_all(void)
{
    uint64_t sum = 0;
    for (uint64_t at = 0x4000000; at < 0x100000000; at += 0x200000)
        sum += *(volatile uint64_t *)(uintptr_t)(at + (at >> 9 & 0x3000));
    seen[0] = sum;
    vmmcall();
}
static void pool_exhausted(void)
{
    l2_caged(l2_touch_all);
    for (uint64_t i = 0; i < 512; i++)
        evil[i] = ((uintptr_t)window + i % 4 * PAGE) | P | W | U;
    for (uint32_t i = 0; i < 4; i++)
        *(uint64_t *)(void *)(window + i * PAGE) = 1;
    for (uint64_t i = 32; i < 2048; i++)
        cage_pd[i >> 9][i & 511] = (uintptr_t)evil | P | W | U;
    want(l2_go() == EXIT_VMMCALL && seen[0] == 2016, "more table pages than there are");
}
static void many_roots(void)
{
    static uint64_t roots[64][512] __attribute__((aligned(4096)));
    for (uint32_t i = 0; i < 640; i++) {
        l2_caged(l2_read);
        roots[i % 64][0] = cage[0];
        block[0].nested_cr3 = (uintptr_t)roots[i % 64];
        block[0].asid = 1 + i % 63;
        block[0].tlb_control = 0;
        seen[1] = (uintptr_t)window;
        *(uint64_t *)(void *)window = i;
        want(l2_go() == EXIT_VMMCALL && seen[0] == i, "64 roots in turn");
    }
}
static void changed_meanwhile(void)
{
    for (uint32_t i = 0; i < 300; i++) {
        l2_caged(l2_read);
        seen[1] = (uintptr_t)window + (i & 3) * PAGE;
        __atomic_store_n(&race, RACE_ENTRIES, __ATOMIC_SEQ_CST);
        l2_go();
        __atomic_store_n(&race, 0, __ATOMIC_SEQ_CST);
    }
}

const struct attack attacks_tables[] = {
    ATTACK(root_is_itself, NOTHING),
    ATTACK(root_loops, NOTHING),
    ATTACK(root_outside_memory, NOTHING),
    ATTACK(tables_outside_memory, NOTHING),
    ATTACK(reserved_bits, NOTHING),
    ATTACK(pool_exhausted, NOTHING),
    ATTACK(many_roots, NOTHING),
    ATTACK(changed_meanwhile, NOTHING),
    {0, 0, 0},
};
