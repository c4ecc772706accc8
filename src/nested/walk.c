// SPDX-License-Identifier: BSD-2-Clause
#include "walk.h"

enum { ABSENT = 1, RESERVED = 2, DENIED = 3, ON = 4 }; // as in the model; 0: the walk is at its end, and all is well
enum { PTE_A = 0x20, PTE_D = 0x40 };

/*@ assigns  \nothing;
    ensures  nw_right_1: \result == both_ones(a, b) && \result <= 1; */
static uint32_t both_ones_of(uint32_t a, uint32_t b)
{
    return a != 0 && b != 0 ? 1 : 0;
}

/*@ assigns  \nothing;
    ensures  nw_span_1: \result <==> beyond(f, gpa); */
static bool is_beyond(uint32_t f, uint64_t gpa)
{
    return gpa >= (f == 4 ? 0x1000000000000ull : 0x100000000ull);
}

/*@ requires valid: \valid_read(a) && \valid(fault) && \separated(a, fault);
    requires bits: a->write <= 1 && a->fetch <= 1 && a->tables <= 1;
    assigns  *fault;
    ensures  is: \result == PV_WALK_FAULT && fault->info2 == a->gpa;
    ensures  nw_fault_1: fault->info1 == fault_info(verdict, a->write, a->fetch, a->tables); */
static enum pv_walk fail(const struct pv_access *a, uint32_t verdict, struct pv_nested_fault *fault)
{
    const uint64_t why = verdict == ABSENT ? 0 : verdict == RESERVED ? 9 : 1; // P and RSV
    fault->info1 = why + 2 * (uint64_t)a->write + 4 + 16 * (uint64_t)a->fetch +
                   (a->tables != 0 ? 0x200000000ull : 0x100000000ull);
    fault->info2 = a->gpa;
    return PV_WALK_FAULT;
}

// How it stands with the walk at entry `e` (NW-END-1). The rights count the entry.
/*@ requires level: 1 <= n <= levels(role) && 32 <= width <= 52;
    assigns  \nothing;
    ensures  nw_end_1: \result == at_entry(role, width, n, e, user, writes, runs, write, fetch);
    ensures  last: n == 1 ==> \result != 4;
    ensures  page: \result == 0 || \result == 4 ==> present(e);
    ensures  level: \result == 0 ==> is_page(role, n, e) && n < 4;
    ensures  may: \result == 0 ==> (write != 0 ==> writes != 0) && (fetch != 0 ==> runs != 0);
    ensures  range: \result <= 4; */
static uint32_t look_at(uint32_t role, uint32_t width, uint32_t n, uint64_t e, uint32_t user, uint32_t writes,
                        uint32_t runs, uint32_t write, uint32_t fetch)
{
    if (e % 2 == 0)
        return ABSENT;
    if (pv_entry_reserved(role, width, n, e))
        return RESERVED;
    if (!pv_entry_is_page(role, n, e))
        return ON;
    if (user == 0 || (write != 0 && writes == 0) || (fetch != 0 && runs == 0))
        return DENIED;
    return 0;
}

// The accessed and dirty bits that the processor sets at this entry, set in L1's table (NW-MARK-1). False: the entry has changed.
/*@ requires entry: at % (bytes == 4 ? 4 : 8) == 0 && (bytes == 4 || bytes == 8) && page <= 1 && write <= 1;
    requires read: e == table_word(pv_j_table_reads, at) && present(e);
    assigns  pv_j_marked;
    ensures  nw_mark_1: \result ==> unmarked(page, e, write) ==> pv_j_marked == (page != 0 && write != 0 ? 96 : 32);
    ensures  marked: !unmarked(page, e, write) ==> \result && pv_j_marked == \old(pv_j_marked); */
static bool mark_entry(const struct pv_partition *p, uint64_t at, uint32_t bytes, uint64_t e, uint32_t page,
                       uint32_t write)
{
    const bool dirty = page != 0 && write != 0;
    if (e / PTE_A % 2 == 1 && (!dirty || e / PTE_D % 2 == 1))
        return true;
    return pv_platform_table_set(p, at, bytes, e, dirty ? PTE_A + PTE_D : PTE_A);
}

/*@ requires valid: \valid(to) && 1 <= n <= f && 2 <= f <= 4 && n < 4;
    requires bits: writes <= 1 && runs <= 1 && marked <= 1;
    assigns  *to;
    ensures  nw_next_1: to->gpa == target_of(f, n, e, gpa);
    ensures  nw_dirty_1: to->rights == leaf_rights(e, writes, runs, marked) && to->rights <= 7;
    ensures  size: to->shift == covers_shift(f, n) && 12 <= to->shift <= 30;
    ensures  may: (writes != 0 && marked != 0 ==> may_write(to->rights)) && (runs != 0 ==> may_run(to->rights)); */
static void arrive(uint32_t f, uint32_t n, uint64_t e, uint64_t gpa, uint32_t writes, uint32_t runs, uint32_t marked,
                   struct pv_translation *to)
{
    to->gpa = pv_entry_target(f, n, e, gpa);
    to->shift = pv_entry_shift(f, n);
    to->rights = 1 + (writes != 0 && (marked != 0 || e / PTE_D % 2 == 1) ? 2u : 0u) + (runs != 0 ? 4u : 0u);
}

// Where a walk has ended: the level, its entry, and what the way allows, each 0 or 1.
struct end {
    uint64_t entry;
    uint32_t level;
    uint32_t writes;
    uint32_t runs;
};

enum { AGAIN = 5 };

/*@ requires width: 32 <= width <= 52 && write <= 1;
    requires valid: \valid(end);
    assigns  *end, pv_j_table_reads, pv_j_marked;
    ensures  range: \result <= 5 && \result != 4 && 1 <= end->level <= levels(role) && (\result == 0 ==> end->level < 4);
    ensures  nw_end_1: \result != 5 ==> end->level == walk_end(role, width, ncr3, gpa, \old(pv_j_table_reads), write, fetch) &&
               \result == walk_at(role, width, ncr3, gpa, \old(pv_j_table_reads), end->level, write, fetch);
    ensures  nw_index_1: \result == 0 ==> end->entry == walk_entry(levels(role), ncr3, gpa, \old(pv_j_table_reads), end->level);
    ensures  nw_right_1: \result == 0 ==>
               end->writes == walk_writes(levels(role), ncr3, gpa, \old(pv_j_table_reads), end->level) &&
               end->runs == walk_runs(role, ncr3, gpa, \old(pv_j_table_reads), end->level);
    ensures  bits: \result == 0 ==> end->writes <= 1 && end->runs <= 1;
    ensures  may: \result == 0 ==> (write != 0 ==> end->writes != 0) && (fetch != 0 ==> end->runs != 0); */
static uint32_t go(const struct pv_partition *p, uint64_t ncr3, uint32_t role, uint32_t width, uint64_t gpa,
                   uint32_t write, uint32_t fetch, bool mark, struct end *end)
{
    const uint32_t f = pv_table_levels(role);
    const uint32_t bytes = f == 2 ? 4 : 8;
    uint64_t start = pv_table_root(f, ncr3);
    uint32_t user = 1, writes = 1, runs = 1, n = f;
    /*@ loop invariant level: 1 <= n <= f;
        loop invariant reads: pv_j_table_reads == \at(pv_j_table_reads, Pre) + f - n;
        loop invariant table: start == walk_table(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n);
        loop invariant place: start % 32 == 0 && start < 4503599627370496;
        loop invariant bits: user <= 1 && writes <= 1 && runs <= 1;
        loop invariant user: user == walk_user(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n + 1);
        loop invariant writes: writes == walk_writes(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n + 1);
        loop invariant runs: runs == walk_runs(role, ncr3, gpa, \at(pv_j_table_reads, Pre), n + 1);
        loop invariant end: walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), f, write, fetch) == walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch);
        loop assigns n, start, user, writes, runs, pv_j_table_reads, pv_j_marked, *end;
        loop variant n; */
    for (;;) {
        const uint64_t at = pv_entry_at(f, n, start, gpa);
        uint64_t e;
        const bool there = pv_platform_table_read(p, at, bytes, &e);
        end->level = n;
        if (!there) {
            //@ assert end: walk_at(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch) == 1;
            //@ assert last: walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch) == n;
            return ABSENT;
        }
        //@ assert entry: e == walk_entry(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n);
        user = both_ones_of(user, pv_entry_user(f, n, e));
        writes = both_ones_of(writes, pv_entry_writes(f, n, e));
        runs = both_ones_of(runs, pv_entry_runs(role, n, e));
        //@ assert user: user == walk_user(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n);
        //@ assert writes: writes == walk_writes(f, ncr3, gpa, \at(pv_j_table_reads, Pre), n);
        //@ assert runs: runs == walk_runs(role, ncr3, gpa, \at(pv_j_table_reads, Pre), n);
        const uint32_t verdict = look_at(role, width, n, e, user, writes, runs, write, fetch);
        //@ assert here: verdict == walk_at(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch);
        //@ assert last: verdict != 4 ==> walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch) == n;
        end->entry = e;
        end->writes = writes;
        end->runs = runs;
        if (verdict != 0 && verdict != ON)
            return verdict;
        if (mark && !(f == 3 && n == 3) && !mark_entry(p, at, bytes, e, verdict == 0 ? 1 : 0, write))
            return AGAIN;
        if (verdict == 0)
            return 0;
        start = pv_entry_table(f, e);
        //@ assert next: walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n, write, fetch) == walk_last(role, width, ncr3, gpa, \at(pv_j_table_reads, Pre), n - 1, write, fetch);
        n--; // level 1 is always a page
    }
}

enum pv_walk pv_nested_walk(const struct pv_partition *p, uint64_t ncr3, uint32_t role, uint32_t address_bits,
                            const struct pv_access *access, bool mark, struct pv_translation *to,
                            struct pv_nested_fault *fault)
{
    const uint32_t f = pv_table_levels(role);
    struct end end;
    if (is_beyond(f, access->gpa))
        return fail(access, ABSENT, fault);
    const uint32_t verdict = go(p, ncr3, role, address_bits, access->gpa, access->write, access->fetch, mark, &end);
    /*@ assert at: verdict != 5 ==> verdict == walk_at(role, address_bits, ncr3, access->gpa, \at(pv_j_table_reads, Pre),
          walk_end(role, address_bits, ncr3, access->gpa, \at(pv_j_table_reads, Pre), access->write, access->fetch),
          access->write, access->fetch); */
    if (verdict == AGAIN)
        return PV_WALK_AGAIN;
    if (verdict != 0)
        return fail(access, verdict, fault);
    arrive(f, end.level, end.entry, access->gpa, end.writes, end.runs, mark && access->write != 0 ? 1 : 0, to);
    return PV_WALK_OK;
}
