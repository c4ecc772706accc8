// SPDX-License-Identifier: BSD-2-Clause
// The two MMU contexts of a nested VP, as the harness keeps them: which is in use, and what L1's flushes make the roots owe.
#include "check.h"
#include "../../harness/vm/contexts.c"

enum { BOTH = PV_SYNC_TABLES | PV_SYNC_TAG, PAE = 1 << CR4_PAE_BIT };
static const uint64_t LONG_MODE = 1u << EFER_LMA_BIT;

static struct pv_nested n;

// L2 number i runs on L1's table i, under L1's tag i. Says what its root owed, and pays.
static uint32_t visit(uint32_t i, uint32_t tlb_control, uint32_t npt_tlb)
{
    pv_nested_enter(&n, 1, i * 0x1000ull, PAE, LONG_MODE, i, tlb_control, npt_tlb);
    struct pv_root *root = pv_nested_root(&n);
    CHECK(root->pgd == i * 0x1000ull && root->vasid == i);
    const uint32_t owed = root->sync;
    root->sync = 0;
    pv_nested_leave(&n);
    return owed;
}

static void begin(void)
{
    pv_nested_reset(&n);
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 0), BOTH);
}

// The context in use follows guest mode on every way, and is L1's after each way out.
static void context_follows_mode(void)
{
    pv_nested_reset(&n);
    CHECK(pv_nested_current(&n) == PV_MMU_ROOT && pv_nested_flush_context(&n) == PV_CONTEXT_L1);
    for (uint32_t np = 0; np <= 1; np++) {
        pv_nested_enter(&n, np, 0x1000, PAE, LONG_MODE, 1, TLB_NOTHING, 0);
        CHECK(pv_nested_current(&n) == (np != 0 ? PV_MMU_GUEST : PV_MMU_ROOT));
        CHECK(pv_nested_flush_context(&n) == PV_CONTEXT_L2);
        pv_nested_leave(&n);
        CHECK(pv_nested_current(&n) == PV_MMU_ROOT && pv_nested_flush_context(&n) == PV_CONTEXT_L1);
    }
    pv_nested_enter(&n, 1, 0x1000, PAE, LONG_MODE, 1, TLB_NOTHING, 0);
    pv_nested_reset(&n);
    CHECK(pv_nested_current(&n) == PV_MMU_ROOT && pv_nested_flush_context(&n) == PV_CONTEXT_L1);
}

// The root of an L2 is marked as one, by its role, before the first use; L1's registers tell the format.
static void f38_roots_of_l2_are_marked(void)
{
    pv_nested_reset(&n);
    for (uint32_t np = 0; np <= 1; np++) {
        CHECK((pv_nested_role(np, PAE, LONG_MODE) & PV_ROLE_GUEST_MODE) != 0); // L1 still runs
        pv_nested_enter(&n, np, 0x1000, PAE, LONG_MODE, 1, TLB_NOTHING, 0);
        CHECK_EQ(pv_nested_root(&n)->role, pv_nested_role(np, PAE, LONG_MODE));
        CHECK(((pv_nested_root(&n)->role & PV_ROLE_DIRECT) != 0) == (np == 0));
        pv_nested_leave(&n);
    }
    pv_nested_reset(&n);
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        CHECK(n.mmu[PV_MMU_ROOT].root[i].role == 0 && n.mmu[PV_MMU_GUEST].root[i].role == 0);
}

// What L1's flush owes is owed still after any way out of L2, for that root and the others.
static void f40_no_way_out_pays(void)
{
    begin();
    pv_nested_enter(&n, 1, 0x1000, PAE, LONG_MODE, 1, TLB_ALL, 0);
    pv_nested_leave(&n); // before anything was paid
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 0), BOTH);
    pv_nested_enter(&n, 1, 0x1000, PAE, LONG_MODE, 1, TLB_NOTHING, 0);
    pv_nested_reset(&n);
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 0), BOTH);
}

// Each TLB_CONTROL and INVLPGA reach the roots that they name; values that mean nothing flush everything.
static void flushes_reach(void)
{
    static const uint32_t control[] = {TLB_ALL, TLB_ASID, TLB_ASID_NONGLOBAL, 2, 8};
    for (unsigned c = 0; c < sizeof control / sizeof *control; c++) {
        const bool one = control[c] == TLB_ASID || control[c] == TLB_ASID_NONGLOBAL;
        begin();
        CHECK_EQ(visit(2, control[c], 0), BOTH);
        for (uint32_t i = 1; i <= PV_ROOTS; i++)
            CHECK_EQ(visit(i, TLB_NOTHING, 0), i == 2 || one ? 0 : BOTH);
    }
    begin();
    pv_nested_invlpga(&n, 3);
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 0), i == 3 ? PV_SYNC_TAG : 0);
}

// With the enlightenment a flush of an ASID leaves what was made of L1's nested tables; the call for those takes it, of
// that table alone.
static void f44_nested_tables_have_a_flush_of_their_own(void)
{
    begin();
    CHECK_EQ(visit(2, TLB_ASID, 1), PV_SYNC_TAG);
    CHECK_EQ(visit(2, TLB_ALL, 1), PV_SYNC_TAG);
    CHECK_EQ(visit(1, TLB_NOTHING, 1), PV_SYNC_TAG);
    begin();
    pv_nested_forget_ncr3(&n, 0x2000);
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 1), i == 2 ? BOTH : 0);
    pv_nested_forget_tables(&n);
    for (uint32_t i = 1; i <= PV_ROOTS; i++)
        CHECK_EQ(visit(i, TLB_NOTHING, 1), BOTH);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"context follows mode", context_follows_mode},
        {"F38 roots of L2 are marked", f38_roots_of_l2_are_marked},
        {"F40 no way out pays", f40_no_way_out_pays},
        {"flushes reach", flushes_reach},
        {"F44 nested tables have a flush of their own", f44_nested_tables_have_a_flush_of_their_own},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
