// SPDX-License-Identifier: BSD-2-Clause
// L2's memory: nested page faults, tables that change, two L2s in turn.
#include "l1.h"

enum { P = 1, W = 2, U = 4, A = 0x20, D = 0x40 };
#define NX    (1ull << 63)
#define FINAL (1ull << 32)

static volatile uint64_t value;
static volatile uint64_t *where;

static void l2_read(void)
{
    value = *where;
    vmmcall();
}
static void l2_write(void)
{
    *where = 0x5A5A;
    vmmcall();
}
static void l2_call(void)
{
    ((void (*)(void))(uintptr_t)where)();
    vmmcall();
}

static uint64_t *page(uint32_t n)
{
    return (uint64_t *)(void *)(window + n * PAGE);
}

static bool faults(void (*entry)(void), uint64_t info1)
{
    l2_fresh(0, entry);
    block[0].tlb_control = 1;
    bool good =
        l2_run(0) == EXIT_NPF && block[0].exit_info1 == info1 && block[0].exit_info2 == (uintptr_t)where;
    if (!good)
        put("   exit %lx info1 %lx info2 %lx\n", block[0].exit_code, block[0].exit_info1,
            block[0].exit_info2);
    return good;
}

static void step_faults(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    where = page(1) + 3;
    *e = whole & ~(uint64_t)P;
    check(faults(l2_read, FINAL | 4), "read of a page that is not there (NW-FAULT-1)");
    check(faults(l2_write, FINAL | 6), "write to it");
    check(faults(l2_call, FINAL | 0x14), "fetch from it");
    *e = whole & ~(uint64_t)U;
    check(faults(l2_read, FINAL | 5), "a page without U");
    *e = whole & ~(uint64_t)W;
    check(faults(l2_write, FINAL | 7), "write to a page without W");
    l2_fresh(0, l2_read);
    block[0].tlb_control = 1;
    check(l2_run(0) == EXIT_VMMCALL, "read of a page without W");
    *e = whole | NX;
    check(faults(l2_call, FINAL | 0x15), "fetch from a page with NX");
    *e = whole;
    page(1)[3] = 0xC3; // RET
    l2_fresh(0, l2_call);
    block[0].tlb_control = 1;
    check(l2_run(0) == EXIT_VMMCALL, "fetch from a page that may be executed");

    *e = whole;
    l2_fresh(0, l2_read);
    block[0].tlb_control = 1;
    l2_run(0);
    check((*e & (A | D)) == A, "a read marks the nested entry as accessed (NW-MARK-1)");
    l2_fresh(0, l2_write);
    l2_run(0);
    check((*e & (A | D)) == (A | D) && page(1)[3] == 0x5A5A, "a write marks it dirty");
    *e = whole;
}

// L2's read of the page at `where` after the entry was changed.
static uint64_t read_with(uint32_t n, uint32_t asid, uint8_t tlb_control)
{
    l2_fresh(n, l2_read);
    block[n].asid = asid;
    block[n].tlb_control = tlb_control;
    value = 0;
    return l2_run(n) == EXIT_VMMCALL ? value : ~0ull;
}

static void step_changes(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    page(1)[0] = 0xA;
    page(2)[0] = 0xB;
    where = page(1);
    check(read_with(0, 1, 1) == 0xA, "L2 sees the page that the nested table names");
    *e = (uintptr_t)page(2) | P | W | U;
    check(read_with(0, 1, 3) == 0xB, "changed, and flushed by TLB_CONTROL 3 (NR-OWE-1)");
    *e = whole;
    check(read_with(0, 1, 7) == 0xA, "changed back, and flushed by TLB_CONTROL 7");
    *e = (uintptr_t)page(2) | P | W | U;
    check(read_with(0, 1, 1) == 0xB, "changed, and flushed by TLB_CONTROL 1");
    *e = whole;
    check(read_with(0, 9, 0) == 0xA, "changed, under an ASID not used before (NR-ASID-1)");
    *e = (uintptr_t)page(2) | P | W | U;
    check(read_with(0, 1, 0) == 0xB || on_proviso, "changed, under an ASID used long ago");
    *e = whole;
    read_with(0, 1, 1);
}

static void step_two(void)
{
    uint64_t *e0 = window_entry(0, 1), *e1 = window_entry(1, 1), whole = *e0;
    page(1)[0] = 0x11;
    page(2)[0] = 0x22;
    where = page(1);
    *e1 = (uintptr_t)page(2) | P | W | U;
    bool good = read_with(0, 1, 1) == 0x11 && read_with(1, 2, 0) == 0x22;
    for (uint32_t i = 0; i < 100; i++)
        good = good && read_with(0, 1, 0) == 0x11 && read_with(1, 2, 0) == 0x22;
    check(good, "two L2s in turn, each with its own nested table (NR-KEY-1)");
    *e0 = *e1;
    good = read_with(1, 2, 0) == 0x22 && read_with(0, 1, 3) == 0x22;
    check(good, "the table of one changed and flushed while the other ran");
    *e0 = *e1 = whole;
    good = read_with(0, 1, 1) == 0x11 && read_with(1, 2, 0) == 0x11;
    check(good, "both changed, and TLB_CONTROL 1 by one of them (NR-OWE-1)");
}

static void step_shadow_paging(void)
{
    where = page(1);
    page(1)[0] = 0x33;
    l2_fresh(0, l2_read);
    block[0].nested_control = 0;
    block[0].nested_cr3 = 0;
    check(l2_run(0) == EXIT_VMMCALL && value == 0x33, "an L2 without nested paging");
}

void steps_memory(void)
{
    step_faults();
    step_changes();
    step_two();
    step_shadow_paging();
}
