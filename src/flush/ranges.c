// SPDX-License-Identifier: BSD-2-Clause
#include "ranges.h"

void pv_ranges_clear(struct pv_ranges *r)
{
    r->count = 0;
    r->overflow = 0;
}

// Makes the newest range, which touches first .. first+pages-1, cover both, if one range can hold them.
/*@ requires valid: \valid(r);
    requires ok: ranges_ok(r) && r->count > 0 && pages > 0;
    requires inside: first + pages <= 4503599627370496;
    assigns  r->first[r->count - 1], r->pages[r->count - 1];
    ensures  ok: ranges_ok(r);
    ensures  fq_merge_2: \result != 0 <==> mergeable(newest_first{Pre}(r), newest_pages{Pre}(r), first, pages);
    ensures  fq_merge_3: \result != 0 ==>
               newest_first(r) == merged_first(newest_first{Pre}(r), first) &&
               newest_pages(r) == merged_pages(newest_first{Pre}(r), newest_pages{Pre}(r), first, pages);
    ensures  fq_merge_4: \result != 0 ==> \forall integer page;
               (ranges_has(r, page) <==> ranges_has{Pre}(r, page) || first <= page < first + pages);
    ensures  kept: \result == 0 ==> newest_first(r) == newest_first{Pre}(r) && newest_pages(r) == newest_pages{Pre}(r);
    ensures  same: \result == 0 ==> \forall integer page; (ranges_has(r, page) <==> ranges_has{Pre}(r, page)); */
static bool grow_newest(struct pv_ranges *r, uint64_t first, uint32_t pages)
{
    const uint32_t last = r->count - 1;
    const uint64_t old_first = r->first[last];
    const uint64_t old_end = old_first + r->pages[last];
    const uint64_t end = first + pages;

    if (old_first > end || first > old_end) {
        return false;
    }
    const uint64_t low = old_first <= first ? old_first : first;
    const uint64_t high = old_end >= end ? old_end : end;
    if (high - low > UINT32_MAX) {
        return false;
    }
    r->first[last] = low;
    r->pages[last] = (uint32_t)(high - low);
    /*@ assert each: \forall integer i, page; 0 <= i < last ==>
          (range_at(r, i, page) <==> range_at{Pre}(r, i, page)); */
    /*@ assert older: \forall integer page; ranges_below(r, last, page) <==>
          ranges_below{Pre}(r, \at(last, Here), page); */
    /*@ assert newest: \forall integer page; range_at(r, last, page) <==>
          range_at{Pre}(r, \at(last, Here), page) || first <= page < first + pages; */
    /*@ assert all: \forall integer page;
          (ranges_has(r, page) <==> ranges_below(r, last, page) || range_at(r, last, page)) &&
          (ranges_has{Pre}(r, page) <==>
           ranges_below{Pre}(r, \at(last, Here), page) || range_at{Pre}(r, \at(last, Here), page)); */
    return true;
}

// A new range behind the others.
/*@ requires valid: \valid(r);
    requires ok: ranges_ok(r) && r->count < 16 && pages > 0;
    requires inside: first + pages <= 4503599627370496;
    assigns  r->count, r->first[r->count], r->pages[r->count];
    ensures  ok: ranges_ok(r);
    ensures  fq_append_2: r->count == \old(r->count) + 1 && newest_first(r) == first && newest_pages(r) == pages;
    ensures  fq_append_3: \forall integer page;
               (ranges_has(r, page) <==> ranges_has{Pre}(r, page) || first <= page < first + pages); */
static void append_range(struct pv_ranges *r, uint64_t first, uint32_t pages)
{
    const uint32_t place = r->count;
    r->first[place] = first;
    r->pages[place] = pages;
    r->count = place + 1;
    /*@ assert each: \forall integer i, page; 0 <= i < place ==>
          (range_at(r, i, page) <==> range_at{Pre}(r, i, page)); */
    /*@ assert older: \forall integer page; ranges_below(r, place, page) <==>
          ranges_below{Pre}(r, \at(place, Here), page); */
    //@ assert newest: \forall integer page; range_at(r, place, page) <==> first <= page < first + pages;
    /*@ assert all: \forall integer page;
          (ranges_has(r, page) <==> ranges_below(r, place, page) || range_at(r, place, page)); */
}

void pv_ranges_push(struct pv_ranges *r, uint64_t first, uint32_t pages)
{
    if (pages == 0 || r->overflow != 0) {
        return;
    }
    if (r->count > 0 && grow_newest(r, first, pages)) {
        return;
    }
    if (r->count >= PV_QUEUE_RANGES) {
        r->overflow = 1;
        return;
    }
    append_range(r, first, pages);
}

void pv_ranges_copy(struct pv_ranges *to, const struct pv_ranges *from)
{
    /*@ loop invariant 0 <= i <= from->count;
        loop invariant \forall integer j; 0 <= j < i ==>
                         to->first[j] == \at(from->first[j], Pre) && to->pages[j] == \at(from->pages[j], Pre);
        loop assigns i, to->first[0 .. 15], to->pages[0 .. 15];
        loop variant from->count - i; */
    for (uint32_t i = 0; i < from->count; i++) {
        to->first[i] = from->first[i];
        to->pages[i] = from->pages[i];
    }
    to->count = from->count;
    to->overflow = from->overflow;
    //@ assert each: \forall integer i, page; 0 <= i < to->count ==> (range_at(to, i, page) <==> range_at{Pre}(from, i, page));
}

void pv_ranges_join(struct pv_ranges *r, const struct pv_ranges *asked)
{
    if (asked->overflow != 0) {
        r->overflow = 1;
        return;
    }
    /*@ loop invariant 0 <= i <= asked->count;
        loop invariant ranges_ok(r);
        loop invariant \forall integer page; ranges_mean{Pre}(r, page) || ranges_below{Pre}(asked, i, page) ==>
                         ranges_mean(r, page);
        loop invariant r->overflow == 0 ==> \forall integer page; ranges_mean(r, page) ==>
                         ranges_mean{Pre}(r, page) || ranges_below{Pre}(asked, i, page);
        loop assigns i, r->count, r->overflow, r->first[0 .. 15], r->pages[0 .. 15];
        loop variant asked->count - i; */
    for (uint32_t i = 0; i < asked->count; i++) {
        /*@ assert step: \forall integer page; ranges_below{Pre}(asked, i + 1, page) <==>
              ranges_below{Pre}(asked, \at(i, Here), page) ||
              asked->first[i] <= page < asked->first[i] + asked->pages[i]; */
        pv_ranges_push(r, asked->first[i], asked->pages[i]);
    }
}
