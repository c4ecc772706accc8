// SPDX-License-Identifier: BSD-2-Clause
// The roots that an MMU context remembers: who is found again, who goes, and what is owed.
#include "check.h"
#include "nested/roots.h"

enum {
    ROLE = PV_ROLE_VALID | PV_ROLE_GUEST_MODE | PV_ROLE_LONG,
    OTHER = ROLE | PV_ROLE_NX,
    BOTH = PV_SYNC_TABLES | PV_SYNC_TAG
};

static struct pv_mmu m;

static struct pv_root *use(uint64_t pgd, uint32_t role, uint32_t vasid, bool known)
{
    CHECK(pv_roots_use(&m, pgd, role, vasid) == known);
    return &m.root[m.current];
}

static void pay(void)
{
    for (unsigned i = 0; i < PV_ROOTS; i++)
        m.root[i].sync = 0;
}

static void begin(void)
{
    pv_roots_clear(&m);
    for (unsigned i = 0; i < PV_ROOTS; i++)
        use((i + 1) * 0x1000, ROLE, i + 1, false);
    pay();
}

// NR-KEY-1, NR-UNIQUE-1: table and role, all of both.
static void key_is_whole(void)
{
    begin();
    uint32_t slot = m.current;
    CHECK(use(PV_ROOTS * 0x1000, ROLE, PV_ROOTS, true)->sync == 0 && m.current == slot);
    CHECK(use(PV_ROOTS * 0x1000, OTHER, PV_ROOTS, false)->sync == BOTH);
    CHECK(use(PV_ROOTS * 0x1000 + 0x18, ROLE, PV_ROOTS, false)->sync == BOTH);
}

// NR-LRU-1, NR-MISS-1: the one used longest ago goes, and what takes its slot owes everything.
static void oldest_goes(void)
{
    begin();
    use(0x1000, ROLE, 1, true);
    use(0x9000, ROLE, 9, false);
    CHECK(m.root[m.current].sync == BOTH);
    use(0x1000, ROLE, 1, true);
    use(0x2000, ROLE, 2, false);
}

// NR-ASID-1: known, but not under this tag of L1's.
static void other_tag_owes(void)
{
    begin();
    CHECK(use(0x2000, ROLE, 7, true)->sync == BOTH);
    pay();
    CHECK(use(0x2000, ROLE, 7, true)->sync == 0);
}

// NR-OWE-1, and F37: what is owed reaches every root that is meant, current or not, and stays until it is paid.
static void owed_reaches_all(void)
{
    begin();
    pv_roots_owe(&m, BOTH);
    for (unsigned i = 0; i < PV_ROOTS; i++)
        CHECK(use((i + 1) * 0x1000, ROLE, i + 1, true)->sync == BOTH);
    begin();
    pv_roots_owe_vasid(&m, 2, PV_SYNC_TAG);
    CHECK(use(0x2000, ROLE, 2, true)->sync == PV_SYNC_TAG && use(0x1000, ROLE, 1, true)->sync == 0);
    begin();
    pv_roots_owe_pgd(&m, 0x3000, BOTH);
    CHECK(use(0x3000, ROLE, 3, true)->sync == BOTH && use(0x1000, ROLE, 1, true)->sync == 0);
}

// NR-UNIQUE-1: 10^5 uses of 10 keys leave no two slots with one key.
static void keys_stay_unique(void)
{
    begin();
    for (uint32_t i = 0, x = 1; i < 100000; i++) {
        x = x * 1103515245 + 12345;
        pv_roots_use(&m, (x >> 16) % 10 * 0x1000, ROLE, 1);
        for (unsigned a = 0; a < PV_ROOTS; a++)
            for (unsigned b = 0; b < a; b++)
                if (m.root[a].role != 0 && m.root[a].role == m.root[b].role && m.root[a].pgd == m.root[b].pgd)
                    CHECK(false);
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"NR-KEY-1, NR-UNIQUE-1 key is whole", key_is_whole},
        {"NR-LRU-1, NR-MISS-1 oldest goes", oldest_goes},
        {"NR-ASID-1 other tag owes", other_tag_owes},
        {"NR-OWE-1, and F37 owed reaches all", owed_reaches_all},
        {"NR-UNIQUE-1 keys stay unique", keys_stay_unique},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
