// SPDX-License-Identifier: BSD-2-Clause
// What L1's flushes reach: L2's own translations, L1's own, and nested roots of more L2s than are remembered. QEMU drops its TLB at
// each VMRUN, so that of the first two only a wrong answer can be seen, not a flush that is missing.
#include "l1.h"

enum { P = 1, W = 2, U = 4, ROOTS = 6 };

static volatile uint64_t value, *where;

static void l2_read(void)
{
    value = *where;
    vmmcall();
}
static void l2_changes(void)
{
    uint64_t *e = linear_entry(1), first = *where;
    *e = *linear_entry(2);
    invlpg(LINEAR + PAGE);
    value = first << 32 | *where;
    vmmcall();
}

static void invlpga(uint64_t at, uint32_t asid)
{
    __asm__ volatile("invlpga %0, %1" : : "a"(at), "c"(asid) : "memory");
}

static uint64_t read(uint32_t asid, uint8_t tlb_control, bool nested)
{
    l2_watched(0, l2_read);
    block[0].asid = asid;
    block[0].tlb_control = tlb_control;
    block[0].nested_control = nested ? 1 : 0;
    value = 0;
    return l2_run(0) == EXIT_VMMCALL ? value : ~0ull;
}

// L2's linear page 1 leads to page 1 or 2 of the window in turn; each change is flushed in one way.
static void own(bool nested)
{
    uint64_t *e = linear_entry(1), one = *e, two = *linear_entry(2);
    where = (volatile uint64_t *)(LINEAR + PAGE);
    expect(read(1, 1, nested) == 0xA, "L2's own table");
    *e = two;
    invlpga(LINEAR + PAGE, 1);
    expect(read(1, 0, nested) == 0xB, "changed, and flushed by INVLPGA of its ASID (NR-OWE-1)");
    *e = one;
    expect(read(1, 3, nested) == 0xA, "changed, and flushed by TLB_CONTROL 3");
    *e = two;
    expect(read(1, 7, nested) == 0xB, "by TLB_CONTROL 7");
    *e = one;
    expect(read(1, 1, nested) == 0xA, "by TLB_CONTROL 1");
    *e = two;
    expect(read(11, 0, nested) == 0xB, "under an ASID not used before");
    *e = one;
    expect(read(1, 1, nested) == 0xA, "back to the first ASID");
    l2_watched(0, l2_changes);
    block[0].nested_control = nested ? 1 : 0;
    expect(l2_run(0) == EXIT_VMMCALL && value == (0xAull << 32 | 0xB), "L2 changes it and executes INVLPG");
    *e = one;
    invlpga(LINEAR + PAGE, 0);
    check(*where == 0xA, "L1's own translation, flushed by INVLPGA of ASID 0");
    read(1, 1, nested);
}

static void step_own(void)
{
    *(uint64_t *)(void *)(window + PAGE) = 0xA;
    *(uint64_t *)(void *)(window + 2 * PAGE) = 0xB;
    put("   without a nested table\n");
    own(false);
    put("   with a nested table\n");
    own(true);
}

// Each root is a table of its own above the same middle, except for the page that L2 reads.
static void step_roots(void)
{
    static uint64_t root[ROOTS][512] __attribute__((aligned(4096))),
        pdpts[ROOTS][512] __attribute__((aligned(4096))), pds[ROOTS][512] __attribute__((aligned(4096))),
        pts[ROOTS][512] __attribute__((aligned(4096)));
    uint64_t at = (uintptr_t)window + PAGE;
    where = (volatile uint64_t *)at;
    for (uint32_t r = 0; r < ROOTS; r++) {
        root[r][0] = (uintptr_t)pdpts[r] | P | W | U;
        for (uint32_t i = 0; i < 512; i++) {
            pdpts[r][i] = nested_pdpt[0][i];
            pds[r][i] = nested_pd[0][0][i];
            pts[r][i] = nested_pt[0][i];
        }
        pdpts[r][0] = (uintptr_t)pds[r] | P | W | U;
        pds[r][at >> 21 & 511] = (uintptr_t)pts[r] | P | W | U;
        pts[r][1] = ((uintptr_t)window + (r % 2 == 0 ? 0u : 3u) * PAGE) | P | W | U;
    }
    *(uint64_t *)(void *)window = 0x10;
    *(uint64_t *)(void *)(window + 3 * PAGE) = 0x13;
    bool good = true;
    for (uint32_t i = 0; i < 10 * ROOTS + 3; i++) {
        uint32_t r = i * 5 % ROOTS, asid = i < 4 * ROOTS ? 1 + r : 1; // own ASIDs, then one for all, flushed
        l2_watched(0, l2_read);
        block[0].nested_cr3 = (uintptr_t)root[r];
        block[0].asid = asid;
        block[0].tlb_control = i < 4 * ROOTS ? 0 : 3;
        value = 0;
        good = good && l2_run(0) == EXIT_VMMCALL && value == (r % 2 == 0 ? 0x10 : 0x13);
    }
    expect(good,
           "six nested roots in turn, more than are remembered, with own ASIDs and with one (NR-KEY-1)");
    for (uint32_t r = 0; r < ROOTS; r++)
        pts[r][1] = ((uintptr_t)window + (r % 2 == 0 ? 3u : 0u) * PAGE) | P | W | U;
    good = true;
    for (uint32_t r = 0; r < ROOTS; r++) {
        l2_watched(0, l2_read);
        block[0].nested_cr3 = (uintptr_t)root[r];
        block[0].tlb_control = r == 0 ? 1 : 0;
        block[0].asid = 1 + r;
        good = good && l2_run(0) == EXIT_VMMCALL && value == (r % 2 == 0 ? 0x13 : 0x10);
    }
    expect(good, "all of them changed, and one TLB_CONTROL 1");
}

void steps_flushes(void)
{
    attempt("translations of L2's own", step_own);
    attempt("many nested roots", step_roots);
}
