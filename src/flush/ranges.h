// SPDX-License-Identifier: BSD-2-Clause
// Page ranges: what a flush asks, and what a VP's queue holds.
#ifndef PV_RANGES_H
#define PV_RANGES_H

#include "../model.h"
#include "../types.h"

/*@ predicate range_at{L}(struct pv_ranges *r, integer i, integer page) =
      r->first[i] <= page < r->first[i] + r->pages[i];

    // Page is in one of the ranges below k.
    predicate ranges_below{L}(struct pv_ranges *r, integer k, integer page) =
      \exists integer i; 0 <= i < k && range_at(r, i, page);

    predicate ranges_has{L}(struct pv_ranges *r, integer page) = ranges_below(r, r->count, page);

    lemma below_step{L}: \forall struct pv_ranges *r, integer k, page; 0 <= k ==>
      (ranges_below(r, k + 1, page) <==> ranges_below(r, k, page) || range_at(r, k, page));

    // Page is flushed when these ranges are.
    predicate ranges_mean{L}(struct pv_ranges *r, integer page) = r->overflow != 0 || ranges_has(r, page);

    predicate ranges_ok{L}(struct pv_ranges *r) =
      r->count <= 16 && 0 <= r->overflow <= 1 &&
      (\forall integer i; 0 <= i < r->count ==>
        1 <= r->pages[i] <= 4294967295 && r->first[i] + r->pages[i] <= 4503599627370496);

    // Nothing of it changed between two moments, so it means the same.
    predicate ranges_kept{L1, L2}(struct pv_ranges *r) =
      \at(r->count, L1) == \at(r->count, L2) && \at(r->overflow, L1) == \at(r->overflow, L2) &&
      (\forall integer i; 0 <= i < \at(r->count, L1) ==>
        \at(r->first[i], L1) == \at(r->first[i], L2) && \at(r->pages[i], L1) == \at(r->pages[i], L2));

    lemma kept_at{L1, L2}: \forall struct pv_ranges *r, integer i, page; ranges_kept{L1, L2}(r) ==>
      0 <= i < \at(r->count, L1) ==> (range_at{L1}(r, i, page) <==> range_at{L2}(r, i, page));

    lemma kept_has_1{L1, L2}: \forall struct pv_ranges *r, integer page; ranges_kept{L1, L2}(r) ==>
      ranges_has{L1}(r, page) ==> ranges_has{L2}(r, page);

    lemma kept_has_2{L1, L2}: \forall struct pv_ranges *r, integer page; ranges_kept{L1, L2}(r) ==>
      ranges_has{L2}(r, page) ==> ranges_has{L1}(r, page);

    lemma kept_means{L1, L2}: \forall struct pv_ranges *r; ranges_kept{L1, L2}(r) ==>
      \forall integer page; ranges_mean{L1}(r, page) <==> ranges_mean{L2}(r, page);

    lemma kept_ok{L1, L2}: \forall struct pv_ranges *r; ranges_kept{L1, L2}(r) ==> (ranges_ok{L1}(r) <==> ranges_ok{L2}(r));

    // What a push of pages first .. first+pages-1 finds and does (push_case of the model).
    logic integer newest_first{L}(struct pv_ranges *r) = r->count == 0 ? 0 : r->first[r->count - 1];
    logic integer newest_pages{L}(struct pv_ranges *r) = r->count == 0 ? 0 : r->pages[r->count - 1];
    logic integer case_of{L}(struct pv_ranges *r, integer first, integer pages) =
      push_case(r->overflow, r->count, newest_first(r), newest_pages(r), first, pages); */

/*@ requires valid: \valid(r);
    assigns  r->count, r->overflow;
    ensures  fq_drain_1: r->count == 0 && r->overflow == 0;
    ensures  empty: \forall integer page; !ranges_mean(r, page);
    ensures  ok: ranges_ok(r); */
PV_INNER void pv_ranges_clear(struct pv_ranges *r);

// Adds pages first .. first+pages-1; pages may be 0. Too many ranges: overflow, everything is meant from then on.
/*@ requires valid: \valid(r);
    requires ok: ranges_ok(r);
    requires inside: first + pages <= 4503599627370496 && pages <= 4294967295;
    assigns  r->count, r->overflow, r->first[0 .. 15], r->pages[0 .. 15];
    ensures  ok: ranges_ok(r);
    ensures  fq_sup_1: \forall integer page; ranges_mean{Pre}(r, page) || first <= page < first + pages ==>
               ranges_mean(r, page);
    ensures  fq_eq_1: r->overflow == 0 ==> \forall integer page; ranges_mean(r, page) ==>
               ranges_mean{Pre}(r, page) || first <= page < first + pages;
    ensures  fq_none_1: case_of{Pre}(r, first, pages) == 0 ==> r->count == \old(r->count) && r->overflow == \old(r->overflow);
    ensures  fq_merge_1: case_of{Pre}(r, first, pages) == 1 ==>
               r->count == \old(r->count) && r->overflow == 0 &&
               newest_first(r) == merged_first(newest_first{Pre}(r), first) &&
               newest_pages(r) == merged_pages(newest_first{Pre}(r), newest_pages{Pre}(r), first, pages);
    ensures  fq_append_1: case_of{Pre}(r, first, pages) == 2 ==>
               r->count == \old(r->count) + 1 && r->overflow == 0 &&
               newest_first(r) == first && newest_pages(r) == pages;
    ensures  fq_cap_1: case_of{Pre}(r, first, pages) == 3 ==> r->count == \old(r->count) && r->overflow == 1;
    ensures  older: \forall integer i; 0 <= i < \old(r->count) ==>
               i < \old(r->count) - 1 || case_of{Pre}(r, first, pages) != 1 ==>
               r->first[i] == \old(r->first[i]) && r->pages[i] == \old(r->pages[i]); */
void pv_ranges_push(struct pv_ranges *r, uint64_t first, uint32_t pages);

// Makes *to mean what *from means.
/*@ requires valid: \valid(to) && \valid_read(from) && \separated(to, from);
    requires ok: ranges_ok(from);
    assigns  *to;
    ensures  ok: ranges_ok(to);
    ensures  count: to->count == \old(from->count) && to->overflow == \old(from->overflow);
    ensures  fq_copy_1: \forall integer i; 0 <= i < to->count ==>
               to->first[i] == \old(from->first[i]) && to->pages[i] == \old(from->pages[i]);
    ensures  fq_copy_2: \forall integer page; ranges_mean(to, page) <==> ranges_mean{Pre}(from, page); */
void pv_ranges_copy(struct pv_ranges *to, const struct pv_ranges *from);

// Adds everything that `asked` means (FQ-JOIN-1).
/*@ requires valid: \valid(r) && \valid_read(asked) && \separated(r, asked);
    requires ok: ranges_ok(r) && ranges_ok(asked);
    assigns  r->count, r->overflow, r->first[0 .. 15], r->pages[0 .. 15];
    ensures  ok: ranges_ok(r);
    ensures  fq_join_1: \forall integer page; ranges_mean{Pre}(r, page) || ranges_mean{Pre}(asked, page) ==>
               ranges_mean(r, page);
    ensures  fq_join_2: r->overflow == 0 ==> \forall integer page; ranges_mean(r, page) ==>
               ranges_mean{Pre}(r, page) || ranges_mean{Pre}(asked, page); */
void pv_ranges_join(struct pv_ranges *r, const struct pv_ranges *asked);

#endif
