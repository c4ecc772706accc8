// SPDX-License-Identifier: BSD-2-Clause
#include "list.h"

#define PAGE_NUMBERS 0x10000000000000u // 2^52: page numbers of a 64-bit address
#define LOW_END_48   0x800000000u      // 2^35: end of the lower canonical half with 48-bit addresses
#define LOW_END_57   0x100000000000u   // 2^44: with 57-bit addresses

// Adds the canonical pages among first .. first+pages-1: they are one run, since the hole is longer than any run.
/*@ requires valid: \valid(ask);
    requires ok: ranges_ok(ask);
    requires width: gva_bits == 48 || gva_bits == 57;
    requires run: first < 4503599627370496 && 1 <= pages <= 536870912;
    assigns  *ask;
    ensures  ok: ranges_ok(ask);
    ensures  gv_can_1: \forall integer page;
               ranges_mean{Pre}(ask, page) || (canonical(gva_bits, page) && first <= page < first + pages) ==>
               ranges_mean(ask, page);
    ensures  gv_can_2: ask->overflow == 0 ==> \forall integer page; ranges_mean(ask, page) ==>
               ranges_mean{Pre}(ask, page) || (canonical(gva_bits, page) && first <= page < first + pages);
    ensures  gv_full_2: ask->count <= \old(ask->count) + 1 &&
               (ask->overflow != 0 ==> \old(ask->overflow) != 0 || \old(ask->count) == 16);
    ensures  kept: \old(ask->overflow) == 1 ==> ask->overflow == 1; */
static void push_canonical(struct pv_ranges *ask, uint64_t first, uint32_t pages, uint32_t gva_bits)
{
    const uint64_t low_end = gva_bits == 57 ? LOW_END_57 : LOW_END_48;
    const uint64_t high_start = PAGE_NUMBERS - low_end;
    const uint64_t limit = first < low_end ? low_end : PAGE_NUMBERS;
    const uint64_t start = low_end <= first && first < high_start ? high_start : first;
    const uint64_t stop = first + pages > limit ? limit : first + pages;

    //@ assert clip: start == clip_first(gva_bits, first) && stop == clip_end(gva_bits, first, pages);
    /*@ assert exact: \forall integer page;
          (canonical(gva_bits, page) && first <= page < first + pages) <==> start <= page < stop; */
    if (start < stop) {
        pv_ranges_push(ask, start, (uint32_t)(stop - start));
    }
}

/*@ requires valid: \valid(ask);
    requires ok: ranges_ok(ask);
    requires form: form <= 1;
    requires width: gva_bits == 48 || gva_bits == 57;
    assigns  *ask;
    ensures  ok: ranges_ok(ask);
    ensures  gv_names_1: \forall integer page;
               ranges_mean{Pre}(ask, page) || names(gva_bits, form, entry, page) ==> ranges_mean(ask, page);
    ensures  gv_names_2: ask->overflow == 0 ==> \forall integer page; ranges_mean(ask, page) ==>
               ranges_mean{Pre}(ask, page) || names(gva_bits, form, entry, page);
    ensures  gv_ext_3: entry_everything(form, entry) ==> ask->overflow == 1;
    ensures  gv_full_3: ask->count <= \old(ask->count) + 1 &&
               (ask->overflow != 0 ==> \old(ask->overflow) != 0 || \old(ask->count) == 16 || entry_everything(form, entry));
    ensures  kept: \old(ask->overflow) == 1 ==> ask->overflow == 1; */
static void push_entry(struct pv_ranges *ask, uint64_t entry, uint32_t form, uint32_t gva_bits)
{
    const bool large = form == 1 && entry / 0x800u % 2u == 1;
    const bool giant = entry / 0x1000u % 2u == 1;

    if (!large) {
        const uint32_t count = form == 1 ? (uint32_t)(entry % 0x800u) : (uint32_t)(entry % 0x1000u);
        //@ assert small: entry / 4096 == entry_first(form, entry) && count + 1 == entry_pages(form, entry);
        //@ assert expressible: !entry_everything(form, entry);
        push_canonical(ask, entry / 0x1000u, count + 1, gva_bits);
        return;
    }
    if (entry / 0x2000u % 256u != 0 || (giant && entry / 0x200000u % 512u != 0)) {
        //@ assert everything: entry_everything(form, entry);
        ask->overflow = 1;
        return;
    }
    const uint32_t unit = giant ? 0x40000u : 0x200u;
    const uint32_t count = (uint32_t)(entry % 0x800u);
    const uint64_t first = entry / 0x200000u * 0x200u;
    //@ assert bound: 1 <= count + 1 <= 2048 && (unit == 512 || unit == 262144);
    const uint32_t pages = (count + 1) * unit;
    //@ assert big: first == entry_first(form, entry) && pages == entry_pages(form, entry);
    //@ assert expressible: !entry_everything(form, entry);
    push_canonical(ask, first, pages, gva_bits);
}

void pv_list_collect(struct pv_ranges *ask, const uint64_t *list, uint32_t start, uint32_t stop, uint32_t form,
                     uint32_t gva_bits)
{
    pv_ranges_clear(ask);

    /*@ loop invariant start <= i <= stop;
        loop invariant ranges_ok(ask);
        loop invariant \forall integer page; list_names{Pre}(gva_bits, form, list, start, i, page) ==>
                         ranges_mean(ask, page);
        loop invariant list_everything{Pre}(form, list, start, i) ==> ask->overflow == 1;
        loop invariant ask->count <= i - start;
        loop invariant ask->overflow != 0 ==> list_everything{Pre}(form, list, start, i) || i - start > 16;
        loop invariant ask->overflow == 0 ==> \forall integer page; ranges_mean(ask, page) ==>
                         list_names{Pre}(gva_bits, form, list, start, i, page);
        loop assigns i, *ask;
        loop variant stop - i; */
    for (uint32_t i = start; i < stop; i++) {
        //@ assert kept: list[i] == \at(list[\at(i, Here)], Pre);
        push_entry(ask, list[i], form, gva_bits);
    }
}
