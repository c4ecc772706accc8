// SPDX-License-Identifier: BSD-2-Clause
// Nested entries that lead to what is not L1's memory.
#include "l2.h"

enum { P = 1, W = 2, U = 4, LARGE = 0x80 };

extern uint32_t guest_memory_kib; // above 1 MiB
enum { IMAGE_END = 0x2000000 };   // this guest is below

// L2 sees at each address what L1 sees there, and nothing else: no memory of the harness.
static void look_at(uint64_t at, bool giant)
{
    uint64_t end = 0x100000 + (uint64_t)guest_memory_kib * 1024, target = giant ? at & ~0x1FFFFFull : at;
    volatile uint64_t *here = (uint64_t *)(uintptr_t)target;
    l2_caged(l2_read);
    uint64_t *page = den[32], *table = den[33];
    cage_pdpt[4] = (giant ? at & ~0x3FFFFFFFull : (uintptr_t)page) | P | W | U | (giant ? LARGE : 0);
    page[0] = (uintptr_t)table | P | W | U;
    table[0] = at | P | W | U;
    den[DEN_TABLES][1] = (uintptr_t)den[34] | P | W;
    den[34][0] = (uintptr_t)den[35] | P | W;
    den[35][0] = 0x100000000 | (giant ? at & 0x3FE00000 : 0) | P | W | LARGE;
    seen[1] = (uint64_t)1 << 39; // the second entry of L2's own root leads to what is scanned
    seen[0] = 0x5A;
    if (target >= IMAGE_END && target < end)
        *here = target ^ 0x5A5A5A5A5A5A5A5A;
    uint64_t exit = l2_go(), ours = target < 0x100000000 ? *here : ~0ull;
    want(exit == EXIT_VMMCALL && (target < IMAGE_END || seen[0] == ours),
         "what stands at an address of L1's");
    want(target < end || seen[0] == ~0ull, "where no memory is all bits are ones");
}
static void scan(bool giant)
{
    uint64_t end = 0x100000 + (uint64_t)guest_memory_kib * 1024;
    for (uint64_t at = 0; at < 0x200000000; at += giant ? 0x10000000 : 0x1000000 + 0x1000)
        if (at >> 24 != 0xFE) // the APICs
            look_at(at, giant);
    for (uint64_t size = PAGE; size <= 0x1000000; size *= 2) {
        look_at(end - size, giant);
        look_at(end + size - PAGE, giant);
    }
}
static void scan_for_the_harness(void)
{
    scan(false);
}
static void scan_by_giant_pages(void)
{
    scan(true);
}
static void write_outside_memory(void)
{
    static const uint64_t places[] = {0x80000000,  0xC8000000,   0xF0000000,
                                      0x100000000, 0x4000000000, 0xFFFFFFF000};
    for (uint32_t i = 0; i < 6; i++) {
        l2_caged(l2_write);
        nested_pt[0][1] = places[i] | P | W | U;
        seen[1] = (uintptr_t)window + PAGE;
        seen[0] = ~0ull;
        want(l2_go() == EXIT_VMMCALL, "what is written to no memory is lost");
    }
}
static void execute_outside_memory(void)
{
    l2_caged(l2_call);
    nested_pt[0][1] = 0xC8000000 | P | W | U;
    block[0].rip = (uintptr_t)window + PAGE;
    want(l2_go() == EXIT_EXCEPTION + EXC_GP, "code where no memory is");
}
static void write_where_it_may_not(void)
{
    l2_caged(l2_write);
    seen[1] = (uintptr_t)cage;
    seen[0] = 0;
    want(l2_go() == EXIT_NPF && cage[0] != 0, "L2 writes its nested table");
}
const struct attack attacks_frames[] = {
    ATTACK(scan_for_the_harness, NOTHING),   ATTACK(scan_by_giant_pages, NOTHING),
    ATTACK(write_outside_memory, NOTHING),   ATTACK(execute_outside_memory, NOTHING),
    ATTACK(write_where_it_may_not, NOTHING), {0, 0, 0},
};
