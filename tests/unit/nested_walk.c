// SPDX-License-Identifier: BSD-2-Clause
// The walk of L1's nested table, in each of its formats, and what L1 gets told.
#include "check.h"
#include "machine.h"
#include "nested/fault.h"

enum { P = 1, W = 2, U = 4, A = 0x20, D = 0x40, PS = 0x80, TABLE = P | W | U };
enum {
    LONG = PV_ROLE_VALID | PV_ROLE_GUEST_MODE | PV_ROLE_LONG | PV_ROLE_PAE | PV_ROLE_NX,
    PAE = PV_ROLE_VALID | PV_ROLE_GUEST_MODE | PV_ROLE_PAE | PV_ROLE_NX,
    SMALL = PV_ROLE_VALID | PV_ROLE_GUEST_MODE | PV_ROLE_PSE
};
#define NX       0x8000000000000000ull
#define FINAL    0x100000000ull
#define PAGE_WAY 0x200000000ull
#define GPA      0x8040201ABCull // index 1 at every level of four

static struct pv_translation to;
static struct pv_nested_fault fault;

static enum pv_walk walk(uint64_t ncr3, uint32_t role, struct pv_access a, bool mark)
{
    fault = (struct pv_nested_fault){0, 0};
    return pv_nested_walk(&machine.partition, ncr3, role, 40, &a, mark, &to, &fault);
}

static enum pv_walk reads(uint64_t gpa)
{
    return walk(0x1000, LONG, (struct pv_access){.gpa = gpa}, false);
}

// Tables at 0x1000, 0x2000, 0x3000, 0x4000, entry 1 of each; the page is 0x9000.
static void long_tables(void)
{
    machine_simple(1);
    machine_put(0x1008, 0x2000 | TABLE);
    machine_put(0x2008, 0x3000 | TABLE);
    machine_put(0x3008, 0x4000 | TABLE);
    machine_put(0x4008, 0x9000 | TABLE);
}

static uint64_t entry(uint64_t gpa)
{
    return machine.memory[gpa / 8];
}

// NW-FORM-1, NW-INDEX-1, NW-ROOT-1, NW-NEXT-1, NW-PAGE-1.
static void four_levels(void)
{
    long_tables();
    CHECK_EQ(reads(GPA), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x9ABC);
    CHECK_EQ(to.shift, 12);
    CHECK_EQ(to.rights, PV_RIGHT_READ | PV_RIGHT_EXECUTE); // not dirty
    CHECK_EQ(walk(0x1FFF, LONG, (struct pv_access){.gpa = GPA}, false), PV_WALK_OK);
    machine_put(0x3008, 0x40200000 | TABLE | PS);
    CHECK_EQ(reads(GPA), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x40200000 + 0x1ABC);
    CHECK_EQ(to.shift, 21);
    machine_put(0x2008, 0x80000000 | TABLE | PS | D);
    CHECK_EQ(reads(GPA), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x80000000 + 0x201ABC);
    CHECK_EQ(to.shift, 30);
    CHECK_EQ(to.rights, PV_RIGHT_ALL);
}

// NW-FORM-1: three levels, of which the root holds no rights, and two.
static void other_formats(void)
{
    machine_simple(1);
    machine_put(0x1028, 0x3000 | P); // the root may stand at any 32 bytes; entry 1
    machine_put(0x3008, 0x4000 | TABLE);
    machine_put(0x4008, 0x123459000 | TABLE | D);
    CHECK_EQ(walk(0x1020, PAE, (struct pv_access){.gpa = 0x40201ABC, .write = 1}, false), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x123459ABC);
    CHECK_EQ(walk(0x1020, PAE, (struct pv_access){.gpa = 0x40201ABC}, true), PV_WALK_OK);
    CHECK_EQ(entry(0x1028), 0x3000 | P); // no mark there
    CHECK_EQ(entry(0x3008), 0x4000 | TABLE | A);
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t one = 1ull << bit;
        const bool bad = bit == 1 || bit == 2 || (bit >= 5 && bit <= 8) || bit >= 40;
        machine_put(0x1028, 0x3000 | P | one);
        if (bit == 12 || bit == 13 || bit == 0)
            continue;
        const enum pv_walk got = walk(0x1020, PAE, (struct pv_access){.gpa = 0x40201ABC}, false);
        CHECK_EQ((fault.info1 & 8) != 0, bad);
        CHECK(bad || got == PV_WALK_OK || bit >= 14);
    }
    machine_put(0x1028, 0x3000 | P);
    machine_put(0x3008, 0x4000 | TABLE | 1ull << 62);
    CHECK_EQ(walk(0x1020, PAE, (struct pv_access){.gpa = 0x40201ABC}, false), PV_WALK_FAULT);
    CHECK_EQ(fault.info1, FINAL | 0xD);
    CHECK_EQ(walk(0x1020, PAE, (struct pv_access){.gpa = 0x100000000}, false), PV_WALK_FAULT); // NW-SPAN-1
    CHECK_EQ(fault.info1, FINAL | 4);

    machine_put(0x1000, (uint64_t)(0x5000 | TABLE) << 32); // 32-bit entry 1
    machine_put(0x5000, (uint64_t)(0x9000 | TABLE | D) << 32);
    CHECK_EQ(walk(0x1000, SMALL, (struct pv_access){.gpa = 0x401ABC, .fetch = 1}, false), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x9ABC);
    CHECK_EQ(to.rights, PV_RIGHT_ALL);
    machine_put(0x1000, (0x00C00000ull | 5 << 13 | TABLE | PS) << 32);
    CHECK_EQ(walk(0x1000, SMALL, (struct pv_access){.gpa = 0x501ABC}, false), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x500C00000 + 0x101ABC);
    CHECK_EQ(to.shift, 22);
    machine_put(0x1000, (0x00E00000ull | TABLE | PS) << 32); // bit 21
    CHECK_EQ(walk(0x1000, SMALL, (struct pv_access){.gpa = 0x501ABC}, false), PV_WALK_FAULT);
    CHECK_EQ(fault.info1, FINAL | 0xD);
    machine_put(0x1000, (uint64_t)(0x5000 | TABLE | PS) << 32); // without PSE bit 7 means nothing
    CHECK_EQ(walk(0x1000, SMALL & ~PV_ROLE_PSE, (struct pv_access){.gpa = 0x401ABC}, false), PV_WALK_OK);
}

// NW-END-1, NW-FAULT-1, NW-RSVD-1: each kind of fault at each level.
static void faults(void)
{
    static const uint64_t at[5] = {0, 0x4008, 0x3008, 0x2008, 0x1008};
    for (unsigned n = 1; n <= 4; n++) {
        long_tables();
        const uint64_t good = entry(at[n]);
        for (unsigned kind = 0; kind < 8; kind++) {
            const struct pv_access a = {GPA, kind & 1, kind >> 1 & 1, kind >> 2};
            const uint64_t of = (a.tables ? PAGE_WAY : FINAL) + 4 + 2 * a.write + 16 * a.fetch;
            machine_put(at[n], good & ~(uint64_t)P);
            CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_FAULT);
            CHECK_EQ(fault.info1, of);
            CHECK_EQ(fault.info2, GPA);
            machine_put(at[n], good & ~(uint64_t)U);
            CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_FAULT);
            CHECK_EQ(fault.info1, of | P);
            machine_put(at[n], good & ~(uint64_t)W);
            CHECK_EQ(walk(0x1000, LONG, a, false), a.write ? PV_WALK_FAULT : PV_WALK_OK);
            CHECK_EQ(fault.info1, a.write ? of | P : 0);
            machine_put(at[n], good | NX);
            CHECK_EQ(walk(0x1000, LONG, a, false), a.fetch ? PV_WALK_FAULT : PV_WALK_OK);
            CHECK_EQ(fault.info1, a.fetch ? of | P : 0);
            CHECK_EQ(walk(0x1000, LONG & ~PV_ROLE_NX, a, false), PV_WALK_FAULT);
            CHECK_EQ(fault.info1, of | P | 8);
            machine_put(at[n], good | 1ull << 40); // beyond the width
            CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_FAULT);
            CHECK_EQ(fault.info1, of | P | 8);
            machine_put(at[n], good | 1ull << 52); // software's own
            CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_OK);
            if (n == 4) {
                machine_put(at[n], good | PS);
                CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_FAULT);
                CHECK_EQ(fault.info1, of | P | 8);
            }
            if (n == 2 || n == 3) { // between the large page's address and bit 12
                machine_put(at[n], 0x40000000 | TABLE | PS | 1ull << 20);
                CHECK_EQ(walk(0x1000, LONG, a, false), PV_WALK_FAULT);
                CHECK_EQ(fault.info1, of | P | 8);
            }
            machine_put(at[n], good);
        }
    }
    // An absent entry comes before a right that is missing above it.
    machine_put(0x1008, (0x2000 | TABLE) & ~W);
    machine_put(0x4008, 0);
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){GPA, 1, 0, 0}, false), PV_WALK_FAULT);
    CHECK_EQ(fault.info1, FINAL | 6);
}

// Every address that L1 writes is looked up in L1's memory: outside it there is nothing. A table that leads to itself ends.
static void hostile_tables(void)
{
    long_tables();
    CHECK_EQ(walk(0xFFFFFFFFF000, LONG, (struct pv_access){.gpa = GPA}, true), PV_WALK_FAULT);
    CHECK_EQ(fault.info1, FINAL | 4);
    for (unsigned n = 0; n < 3; n++) {
        long_tables();
        machine_put(0x1008 + 0x1000 * n, 0x7FFFFFF000 | TABLE);
        CHECK_EQ(walk(0x1000, LONG, (struct pv_access){.gpa = GPA}, true), PV_WALK_FAULT);
        CHECK_EQ(fault.info1, FINAL | 4);
    }
    machine_simple(1);
    machine_put(0x1008, 0x1000 | TABLE);
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){.gpa = GPA, .write = 1}, true), PV_WALK_OK);
    CHECK_EQ(to.gpa, 0x1ABC);
    CHECK_EQ(reads(1ull << 48), PV_WALK_FAULT); // NW-SPAN-1
    CHECK_EQ(fault.info1, FINAL | 4);
}

// NW-MARK-1, NW-DIRTY-1: as the processor would; a walk that only looks changes nothing.
static void marks(void)
{
    long_tables();
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){GPA, 1, 0, 0}, false), PV_WALK_OK);
    CHECK_EQ(entry(0x4008), 0x9000 | TABLE);
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){.gpa = GPA}, true), PV_WALK_OK);
    CHECK_EQ(to.rights, PV_RIGHT_READ | PV_RIGHT_EXECUTE);
    CHECK_EQ(entry(0x1008), 0x2000 | TABLE | A);
    CHECK_EQ(entry(0x3008), 0x4000 | TABLE | A);
    CHECK_EQ(entry(0x4008), 0x9000 | TABLE | A);
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){GPA, 1, 0, 1}, true), PV_WALK_OK);
    CHECK_EQ(to.rights, PV_RIGHT_ALL);
    CHECK_EQ(entry(0x3008), 0x4000 | TABLE | A);
    CHECK_EQ(entry(0x4008), 0x9000 | TABLE | A | D);
    long_tables(); // a page that may not be written is not marked, the tables on the way are
    machine_put(0x4008, (0x9000 | TABLE) & ~W);
    CHECK_EQ(walk(0x1000, LONG, (struct pv_access){GPA, 1, 0, 0}, true), PV_WALK_FAULT);
    CHECK_EQ(entry(0x4008), (0x9000 | TABLE) & ~W);
    CHECK_EQ(entry(0x3008), 0x4000 | TABLE | A);
}

// NW-RIGHT-1: what each entry takes away, at whatever level.
static void rights_of_the_way(void)
{
    static const uint64_t at[4] = {0x4008, 0x3008, 0x2008, 0x1008};
    for (unsigned mask = 0; mask < 256; mask++) {
        long_tables();
        machine_put(0x4008, 0x9000 | TABLE | D);
        for (unsigned n = 0; n < 4; n++) {
            uint64_t e = entry(at[n]);
            if ((mask >> n & 1) != 0)
                e &= ~(uint64_t)W;
            if ((mask >> (n + 4) & 1) != 0)
                e |= NX;
            machine_put(at[n], e);
        }
        CHECK_EQ(reads(GPA), PV_WALK_OK);
        CHECK_EQ(to.rights,
                 PV_RIGHT_READ | (mask & 15 ? 0 : PV_RIGHT_WRITE) | (mask >> 4 ? 0 : PV_RIGHT_EXECUTE));
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"four levels", four_levels},       {"PAE and 32-bit tables", other_formats},
        {"faults, kind by kind", faults},   {"hostile tables", hostile_tables},
        {"accessed and dirty bits", marks}, {"rights of the way", rights_of_the_way},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
