// SPDX-License-Identifier: BSD-2-Clause
// Nested faults at L2's own page tables, and what L1's mode makes of its nested table (APM vol. 2, 15.25.5 and 15.25.6).
#include "l1.h"

enum { P = 1, W = 2, U = 4, RSV = 8, A = 0x20, D = 0x40, LARGE = 0x80 };
#define NX    (1ull << 63)
#define FINAL (1ull << 32)
#define WALK  (1ull << 33)
#define HIGH  0xC0000000u
#define OTHER (2ull << 39) // linear addresses that go through a table in page 3 of `window`

static volatile uint64_t value, *where;

static void l2_stop(void)
{
    vmmcall();
}
static void l2_read(void)
{
    value = *where;
    vmmcall();
}
static void l2_write(void)
{
    *where = 0x77;
    vmmcall();
}

static bool faults(void (*entry)(void), uint64_t info1, uint64_t address)
{
    l2_watched(0, entry);
    block[0].tlb_control = 1;
    return l2_run(0) == EXIT_NPF && block[0].exit_info1 == info1 && block[0].exit_info2 == address;
}

static void step_walk(void)
{
    uint64_t *e = window_entry(0, 3), whole = *e, *table = (uint64_t *)(void *)(window + 3 * PAGE);
    for (uint32_t i = 0; i < 512; i++)
        table[i] = 0;
    table[4] = (uintptr_t)pd[0] | P | W | U;
    pml4[2] = (uintptr_t)table | P | W | U;
    where = (volatile uint64_t *)(OTHER + (4ull << 30) + (uintptr_t)window);
    *(uint64_t *)(void *)window = 0x1234;
    *e = 0;
    expect(faults(l2_read, WALK | 6, (uintptr_t)&table[4]),
           "a table of L2's in a page that is not there: a user's write, at the entry (NW-ACCESS-1)");
    *e = whole & ~(uint64_t)W;
    expect(faults(l2_read, WALK | 7, (uintptr_t)&table[4]), "a table of L2's in a page without W, L2 reads");
    *e = whole & ~(uint64_t)U;
    expect(faults(l2_read, WALK | 7, (uintptr_t)&table[4]), "a table of L2's in a page without U");
    *e = whole | NX;
    l2_watched(0, l2_read);
    block[0].tlb_control = 1;
    value = 0;
    expect(l2_run(0) == EXIT_VMMCALL && value == 0x1234, "a table of L2's in a page with NX: no fault");
    *e = whole & ~(uint64_t)(A | D);
    table[4] &= ~(uint64_t)A;
    l2_watched(0, l2_read);
    block[0].tlb_control = 1;
    expect(l2_run(0) == EXIT_VMMCALL && (*e & (A | D)) == (A | D) && (table[4] & A) != 0,
           "the walk marks L2's entry accessed, and the table's page dirty (NW-MARK-1)");
    *e = whole;
    table[5] = 0;
    where = (volatile uint64_t *)(OTHER + (5ull << 30));
    l2_watched(0, l2_read);
    block[0].tlb_control = 1;
    expect(l2_run(0) == EXIT_EXCEPTION + EXC_PF && block[0].exit_info1 == 0 &&
               block[0].exit_info2 == (uintptr_t)where,
           "an entry of L2's own that is not there is L2's fault");
    pml4[2] = 0;
}

// At HIGH, where nothing else is, L1's nested table leads to `window` by entries of each kind.
static void step_upper(void)
{
    uint64_t at = (uintptr_t)window, *g = &nested_pdpt[0][HIGH >> 30], *e = &nested_pd[0][HIGH >> 30][0];
    uint64_t all_g = *g, all_e = *e, last = (uintptr_t)nested_pt[1] | P | W | U;
    where = (volatile uint64_t *)(uintptr_t)(HIGH + PAGE);
    *e = last & ~(uint64_t)W;
    expect(faults(l2_write, FINAL | 7, HIGH + PAGE), "W clear in an upper entry, set in the last");
    *e = last & ~(uint64_t)P;
    expect(faults(l2_read, FINAL | 4, HIGH + PAGE), "an upper entry that is not there");
    *e = at | P | W | U | LARGE;
    *(uint64_t *)(void *)(window + PAGE) = 0x4321;
    l2_watched(0, l2_read);
    block[0].tlb_control = 1;
    value = 0;
    expect(l2_run(0) == EXIT_VMMCALL && value == 0x4321 && (*e & (A | D)) == A, "a page of 2 MiB, read");
    l2_watched(0, l2_write);
    expect(l2_run(0) == EXIT_VMMCALL && (*e & (A | D)) == (A | D) &&
               *(uint64_t *)(void *)(window + PAGE) == 0x77,
           "and written");
    *e = all_e;
    *g = P | W | U | LARGE;
    where = (volatile uint64_t *)(uintptr_t)(HIGH + at + PAGE);
    l2_watched(0, l2_read);
    block[0].tlb_control = 1;
    value = 0;
    expect(l2_run(0) == EXIT_VMMCALL && value == 0x77 && (*g & (A | D)) == A, "a page of 1 GiB");
    *g = all_g;
    l2_watched(0, l2_stop);
    block[0].tlb_control = 1;
    l2_run(0);
}

static void step_nxe(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    where = (volatile uint64_t *)(void *)(window + PAGE);
    *e = whole | NX;
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_NXE);
    l2_watched(0, l2_read);
    block[0].efer |= EFER_NXE;
    block[0].tlb_control = 1;
    l2_run(0);
    bool good = block[0].exit_code == EXIT_NPF && (block[0].exit_info1 & RSV) != 0;
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
    expect(good, "NX is reserved while L1's EFER.NXE is clear, whatever L2's");
    l2_watched(0, l2_read);
    block[0].efer &= ~EFER_NXE;
    expect(l2_run(0) == EXIT_VMMCALL, "and is not while it is set, without any flush (NR-KEY-1)");
    *e = whole;
}

void steps_tables(void)
{
    attempt("tables of L2's own in L1's nested table", step_walk);
    attempt("upper entries and large pages", step_upper);
    attempt("L1's EFER.NXE", step_nxe);
}
