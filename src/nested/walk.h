// SPDX-License-Identifier: BSD-2-Clause
// The walk of L1's nested table, as the processor would do it (APM vol. 2, 15.25): L2's physical addresses to L1's.
#ifndef PV_NESTED_WALK_H
#define PV_NESTED_WALK_H

#include "../platform.h"
#include "entry.h"

// One access of L2, as a nested page fault tells it. The last three are 0 or 1.
struct pv_access {
    uint64_t gpa;   // L2's physical address
    uint32_t write; // an access to a page table of L2's counts as a write
    uint32_t fetch;
    uint32_t tables; // to a page table of L2's: bit 33 of EXITINFO1, else bit 32
};

// Where it leads.
struct pv_translation {
    uint64_t gpa;    // L1's physical address
    uint32_t shift;  // of the page of L1's table: 12, 21, 22 or 30
    uint32_t rights; // PV_RIGHT_*; writing only if the page is marked dirty by now
};

enum pv_walk {
    PV_WALK_OK = 0,
    PV_WALK_FAULT = 1, // *fault is L1's to see
    PV_WALK_AGAIN = 2  // another VP has changed the table meanwhile: let the access be done again
};

/*@ // The table of level n on the way of `gpa`, if the entry of the top level is read k + 1 st of all, the one below next; and its
    // entry. Levels go down from that of the root.
    logic integer walk_table(integer f, integer ncr3, integer gpa, integer k, integer n) =
      n >= f ? root_table(f, ncr3)
             : table_of(f, table_word(k + f - n, entry_at(f, n + 1, walk_table(f, ncr3, gpa, k, n + 1), gpa)));
    logic integer walk_entry(integer f, integer ncr3, integer gpa, integer k, integer n) =
      table_word(k + f - n + 1, entry_at(f, n, walk_table(f, ncr3, gpa, k, n), gpa));

    // NW-RIGHT-1: what all entries from the root's down to level n allow.
    logic integer walk_user(integer f, integer ncr3, integer gpa, integer k, integer n) =
      n > f ? 1 : both_ones(walk_user(f, ncr3, gpa, k, n + 1), entry_user(f, n, walk_entry(f, ncr3, gpa, k, n)));
    logic integer walk_writes(integer f, integer ncr3, integer gpa, integer k, integer n) =
      n > f ? 1 : both_ones(walk_writes(f, ncr3, gpa, k, n + 1), entry_writes(f, n, walk_entry(f, ncr3, gpa, k, n)));
    logic integer walk_runs(integer role, integer ncr3, integer gpa, integer k, integer n) =
      n > levels(role) ? 1 : both_ones(walk_runs(role, ncr3, gpa, k, n + 1),
                                        entry_runs(role, n, walk_entry(levels(role), ncr3, gpa, k, n)));

    // NW-END-1: how it stands with the walk at level n, and how it ends from there.
    logic integer walk_at(integer role, integer width, integer ncr3, integer gpa, integer k, integer n,
                          integer write, integer fetch) =
      at_place(table_found(k + levels(role) - n + 1),
               at_entry(role, width, n, walk_entry(levels(role), ncr3, gpa, k, n),
               walk_user(levels(role), ncr3, gpa, k, n), walk_writes(levels(role), ncr3, gpa, k, n),
               walk_runs(role, ncr3, gpa, k, n), write, fetch));
    logic integer walk_last(integer role, integer width, integer ncr3, integer gpa, integer k, integer n,
                            integer write, integer fetch) =
      n <= 1 || walk_at(role, width, ncr3, gpa, k, n, write, fetch) != 4 ? n
        : walk_last(role, width, ncr3, gpa, k, n - 1, write, fetch);
    logic integer walk_end(integer role, integer width, integer ncr3, integer gpa, integer k, integer write,
                           integer fetch) =
      walk_last(role, width, ncr3, gpa, k, levels(role), write, fetch);
    predicate walk_fine(integer role, integer width, integer ncr3, integer gpa, integer k, integer write, integer fetch) =
      !beyond(levels(role), gpa) &&
      walk_at(role, width, ncr3, gpa, k, walk_end(role, width, ncr3, gpa, k, write, fetch), write, fetch) == 0;

    // NW-NEXT-1: where it leads then.
    logic integer walk_target(integer role, integer width, integer ncr3, integer gpa, integer k, integer write,
                              integer fetch) =
      target_of(levels(role), walk_end(role, width, ncr3, gpa, k, write, fetch),
                walk_entry(levels(role), ncr3, gpa, k, walk_end(role, width, ncr3, gpa, k, write, fetch)), gpa);

    // NW-FAULT-1: the fault at the walk's end has this word.
    predicate walk_faults(integer role, integer width, integer ncr3, integer gpa, integer k, integer write, integer fetch,
                          integer tables, integer info1) =
      (beyond(levels(role), gpa) ==> info1 == fault_info(1, write, fetch, tables)) &&
      (!beyond(levels(role), gpa) ==> info1 == fault_info(
         walk_at(role, width, ncr3, gpa, k, walk_end(role, width, ncr3, gpa, k, write, fetch), write, fetch),
         write, fetch, tables)); */

// The access by L1's table at `ncr3`, whose entries are read as `role` says. `address_bits`: width of a physical address,
// 32..52. With `mark` the walk sets the accessed and dirty bits that the processor sets; without it, it changes nothing, and rights
// say what it would find. Every address that it reads is one of L1's (pv_platform_table_read). A walk ends at the first entry that
// is no table, and tells what is wrong with it, or where it leads.
/*@ requires width: 32 <= address_bits <= 52;
    requires valid: \valid_read(access) && \valid(to) && \valid(fault);
    requires apart: \separated(access, to) && \separated(access, fault) && \separated(to, fault);
    requires bits: access->write <= 1 && access->fetch <= 1 && access->tables <= 1;
    assigns  *to, *fault, pv_j_table_reads, pv_j_marked;
    ensures  nw_span_1: beyond(levels(role), access->gpa) ==> \result == PV_WALK_FAULT && fault->info2 == access->gpa &&
               fault->info1 == fault_info(1, access->write, access->fetch, access->tables);
    ensures  nw_end_1_fault: !beyond(levels(role), access->gpa) ==> \result == PV_WALK_FAULT ==>
               1 <= walk_at(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads),
                       walk_end(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch),
                       access->write, access->fetch) <= 3;
    ensures  nw_end_1_kinds: \result == PV_WALK_OK || \result == PV_WALK_FAULT || \result == PV_WALK_AGAIN;
    ensures  nw_end_1: \result == PV_WALK_OK ==>
               walk_fine(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch);
    ensures  nw_fault_1: \result == PV_WALK_FAULT ==> fault->info2 == access->gpa &&
               walk_faults(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch,
                 access->tables, fault->info1);
    ensures  nw_next_1: \result == PV_WALK_OK ==> to->gpa ==
               walk_target(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch);
    ensures  nw_dirty_1: \result == PV_WALK_OK ==> to->rights == leaf_rights(
               walk_entry(levels(role), ncr3, access->gpa, \old(pv_j_table_reads),
                 walk_end(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch)),
               walk_writes(levels(role), ncr3, access->gpa, \old(pv_j_table_reads),
                 walk_end(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch)),
               walk_runs(role, ncr3, access->gpa, \old(pv_j_table_reads),
                 walk_end(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch)),
               mark && access->write != 0 ? 1 : 0);
    ensures  size: \result == PV_WALK_OK ==> to->shift == covers_shift(levels(role),
               walk_end(role, address_bits, ncr3, access->gpa, \old(pv_j_table_reads), access->write, access->fetch));
    ensures  range: \result == PV_WALK_OK ==> 12 <= to->shift <= 30 && to->rights <= 7;
    ensures  may: \result == PV_WALK_OK ==> (mark ==> access->write != 0 ==> may_write(to->rights)) &&
               (access->fetch != 0 ==> may_run(to->rights)); */
enum pv_walk pv_nested_walk(const struct pv_partition *p, uint64_t ncr3, uint32_t role, uint32_t address_bits,
                            const struct pv_access *access, bool mark, struct pv_translation *to,
                            struct pv_nested_fault *fault);

#endif
