// SPDX-License-Identifier: BSD-2-Clause
// The tables that L2 runs on: how they are filled and dropped, and what becomes of a nested page fault.
#include "check.h"
#include "machine.h"
#include "nested/fault.h"

enum { P = 1, W = 2, U = 4, D = 0x40, PS = 0x80, TABLE = P | W | U, PAGES = PV_ROOTS + 12 };
enum { ROLE = PV_ROLE_VALID | PV_ROLE_GUEST_MODE | PV_ROLE_LONG | PV_ROLE_PAE | PV_ROLE_NX };
#define NX    0x8000000000000000ull
#define FINAL 0x100000000ull
#define GPA   0x8040201ABCull // index 1 at every level
#define BASE  0x700000000ull

static uint64_t words[PAGES * 512];
static struct pv_pool pool;
static struct pv_nested nested;
static struct pv_nested_fault fault;

static void begin(void)
{
    machine_simple(1);
    memset(words, 0xA5, sizeof words);
    memset(&pool, 0xA5, sizeof pool);
    pool.word = words;
    pool.base = BASE;
    pool.count = PAGES;
    pv_pool_init(&pool);
    pv_roots_clear(&nested.mmu[PV_MMU_GUEST]);
    pv_roots_use(&nested.mmu[PV_MMU_GUEST], 0x1000, ROLE, 1);
    for (unsigned i = 0; i < PV_ROOTS; i++)
        nested.mmu[PV_MMU_GUEST].root[i].sync = 0;
    machine_put(0x1008, 0x2000 | TABLE);
    machine_put(0x2008, 0x3000 | TABLE);
    machine_put(0x3008, 0x4000 | TABLE);
    machine_put(0x4008, 0x9000 | TABLE);
}

static enum pv_npf take(uint64_t info1, uint64_t gpa)
{
    fault = (struct pv_nested_fault){0, 0};
    return pv_nested_page_fault(&machine.partition, &nested, &pool, 40, info1, gpa, &fault);
}

static unsigned free_pages(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < PAGES; i++)
        n += pool.owner[i] == PV_NO_OWNER;
    return n;
}

// What the processor would find: the leaf, 0 if there is none.
static uint64_t found(uint32_t root, uint64_t gpa)
{
    uint64_t page = root;
    for (unsigned n = 4; n > 0; n--) {
        const uint64_t e = words[page * 512 + (gpa >> (12 + 9 * (n - 1)) & 511)];
        if (n == 1 || (e & P) == 0 || (e & PS) != 0)
            return e;
        CHECK_EQ(e & (TABLE | NX), TABLE); // NW-LINK-1
        CHECK((e & 0xFFFFFFFFFF000) >= BASE);
        page = ((e & 0xFFFFFFFFFF000) - BASE) >> 12;
        CHECK(page < PAGES && pool.owner[page] == root && pool.level[page] == n - 1);
    }
    return 0;
}

static uint32_t frame(void)
{
    return nested.mmu[PV_MMU_GUEST].current;
}

// What is reached from every root: pages of the same owner, one level down, and frames of guest memory (NW-ISO-1, NW-LINK-2).
static void sound(void)
{
    for (unsigned i = 0; i < PAGES; i++) {
        if (pool.owner[i] == PV_NO_OWNER)
            continue;
        for (unsigned k = 0; k < 512; k++) {
            const uint64_t e = words[i * 512 + k], to = e & 0xFFFFFFFFFF000;
            if ((e & P) == 0)
                continue;
            if (pool.level[i] == 1 || (pool.level[i] == 2 && (e & PS) != 0)) {
                CHECK(to >= 0x40000000 && to < 0x40000000 + MACHINE_BYTES);
            } else {
                CHECK(to >= BASE && to < BASE + PAGES * 4096);
                CHECK_EQ(pool.owner[(to - BASE) / 4096], pool.owner[i]);
                CHECK_EQ(pool.level[(to - BASE) / 4096], pool.level[i] - 1);
            }
        }
    }
}

// NW-LEAF-1, NW-AND-1, NW-DIRTY-1: a page is there after the first touch, for writing after the first write.
static void filling(void)
{
    begin();
    CHECK_EQ(take(FINAL | U, GPA), PV_NPF_RETRY);
    CHECK_EQ(found(frame(), GPA), 0x40009000 | P | U | 0x20);
    CHECK_EQ(take(FINAL | U | W | P, GPA), PV_NPF_RETRY);
    CHECK_EQ(found(frame(), GPA), 0x40009000 | P | W | U | 0x60);
    machine_put(0x4008, 0xA000 | P | U | D | NX);
    CHECK_EQ(take(FINAL | U, GPA), PV_NPF_RETRY);
    CHECK_EQ(found(frame(), GPA), 0x4000A000 | P | U | 0x20 | NX);
    CHECK_EQ(free_pages(), 9);
    sound();
}

// NW-FAULT-1, NW-DEVICE-1, NW-ACCESS-1: whose fault it is.
static void whose_fault(void)
{
    begin();
    machine_put(0x4008, 0);
    CHECK_EQ(take(FINAL | U | W, GPA), PV_NPF_REFLECT);
    CHECK_EQ(fault.info1, FINAL | U | W);
    CHECK_EQ(fault.info2, GPA);
    machine_put(0x4008, 0x9000 | P | U);
    CHECK_EQ(take(2 * FINAL | U, GPA), PV_NPF_REFLECT); // a page table of L2's must be writable
    CHECK_EQ(fault.info1, 2 * FINAL | 7);
    machine_put(0x4008, 0xFEE00000 | TABLE);
    CHECK_EQ(take(FINAL | U | W, GPA), PV_NPF_DEVICE);
    CHECK_EQ(fault.info2, 0xFEE00ABC);
    CHECK_EQ(free_pages(), PAGES - PV_ROOTS);
    uint64_t l1 = 0;
    CHECK(pv_nested_address(&machine.partition, &nested, 40, GPA, &l1));
    CHECK_EQ(l1, 0xFEE00ABC);
    CHECK(!pv_nested_address(&machine.partition, &nested, 40, GPA + 0x1000, &l1));
}

// NW-SIZE-1, NW-FRAME-1: every pair of sizes.
static void sizes(void)
{
    static const uint32_t of_l1[4] = {12, 21, 22, 30}, of_l0[3] = {12, 21, 30};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 3; j++)
            for (unsigned rights = 0; rights < 64; rights++) {
                const struct pv_translation to = {0x87654321ABC, of_l1[i], 1 | (rights & 6)};
                const struct pv_frame f = {0x12340000000ull & ~((1ull << of_l0[j]) - 1), of_l0[j],
                                           1 | (rights >> 3 & 6)};
                struct pv_leaf leaf;
                pv_compose(&to, &f, &leaf);
                CHECK_EQ(leaf.shift, of_l1[i] >= 21 && of_l0[j] >= 21 ? 21 : 12);
                CHECK_EQ(leaf.rights, to.rights & f.rights);
                const uint64_t low = (1ull << leaf.shift) - 1;
                CHECK_EQ(leaf.hpa + (to.gpa & low), f.hpa + (to.gpa & ((1ull << of_l0[j]) - 1)));
                CHECK_EQ(leaf.hpa & low, 0);
            }
}

// NW-POOL-1..3: a full pool is emptied, and the tags that may know its pages are owed; pages are conserved over 10^5 rewrites
// of L1's tables; a dropped root takes its own pages along and no other's.
static void pages_come_back(void)
{
    begin();
    uint64_t seed = 1;
    unsigned emptied = 0;
    for (unsigned i = 0; i < 100000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const unsigned k = seed >> 33 & 15, n = seed >> 40 & 3;
        // The same table serves at levels 2 and 1, so that an address is now a page of either size, now nothing.
        machine_put(0x3000 + 8 * k, n == 0 ? 0x8000 | TABLE | PS : n == 1 ? 0 : 0x4000 | TABLE);
        machine_put(0x4000 + 8 * k, (seed >> 44 & 7) * 0x1000 | TABLE | (seed >> 50 & 1) * NX);
        const uint64_t gpa = 0x8040000000 + 0x200000ull * k + 0x1000 * (seed >> 52 & 15);
        const uint64_t had = free_pages();
        (void)take(FINAL | U | (seed >> 60 & 2), gpa);
        if (free_pages() > had) {
            emptied++;
            CHECK_EQ(free_pages(), PAGES - PV_ROOTS);
            for (unsigned r = 0; r < PV_ROOTS; r++) {
                CHECK_EQ(nested.mmu[PV_MMU_GUEST].root[r].sync, PV_SYNC_TAG);
                nested.mmu[PV_MMU_GUEST].root[r].sync = 0;
            }
        }
        if (i % 5000 == 0)
            sound();
    }
    CHECK(emptied > 0);
    sound();
    for (unsigned r = 0; r < PV_ROOTS; r++)
        pv_pool_drop(&pool, r);
    CHECK_EQ(free_pages(), PAGES - PV_ROOTS);

    const struct pv_leaf leaf = {0x40001000, 12, PV_RIGHT_ALL};
    CHECK(pv_pool_map(&pool, 0, GPA, &leaf));
    CHECK(pv_pool_map(&pool, 1, GPA, &leaf));
    CHECK_EQ(free_pages(), PAGES - PV_ROOTS - 6);
    pv_pool_drop(&pool, 0);
    CHECK_EQ(free_pages(), PAGES - PV_ROOTS - 3);
    CHECK_EQ(found(0, GPA), 0);
    CHECK(found(1, GPA) != 0);
    sound();
}

// A large page was touched; L1 changes the entry to a table, and back; another page of the area is touched each time. The new
// leaf hangs below a page that is for this address, and no page that was dropped is ever reached.
static void f36_reused_shadow_page(void)
{
    begin();
    for (unsigned i = 0; i < 40; i++) {
        machine_put(0x3008, i % 2 == 0 ? 0x4000 | TABLE : 0x0 | TABLE | PS);
        machine_put(0x4010, 0xB000 | TABLE | D);
        const uint64_t gpa = 0x8040202000 + (i % 2 == 0 ? 0 : 0x1000 * (i % 8));
        CHECK_EQ(take(FINAL | U, gpa), PV_NPF_RETRY);
        if (found(frame(), gpa) == 0) // the pool had to be emptied
            CHECK_EQ(take(FINAL | U, gpa), PV_NPF_RETRY);
        CHECK_EQ(found(frame(), gpa) & 0xFFFFFFFFFF000, 0x40000000 + (i % 2 == 0 ? 0xB000 : gpa % 0x200000));
        sound();
    }
    pv_pool_drop(&pool, frame());
    CHECK_EQ(found(frame(), GPA), 0);
    CHECK_EQ(free_pages(), PAGES - PV_ROOTS);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"filling", filling},
        {"whose fault it is", whose_fault},
        {"sizes and rights of both tables", sizes},
        {"pages come back", pages_come_back},
        {"F36 reused shadow page", f36_reused_shadow_page},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
