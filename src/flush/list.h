// SPDX-License-Identifier: BSD-2-Clause
// From the list of a flush call to page ranges.
#ifndef PV_LIST_H
#define PV_LIST_H

#include "ranges.h"

/*@ // One of the elements start .. stop-1 of the list names the page.
    predicate list_names{L}(integer gva_bits, integer form, uint64_t *list, integer start, integer stop, integer page) =
      \exists integer i; start <= i < stop && names(gva_bits, form, list[i], page);

    // One of them means every page.
    predicate list_everything{L}(integer form, uint64_t *list, integer start, integer stop) =
      \exists integer i; start <= i < stop && entry_everything(form, list[i]);

    lemma same_names{K, L}: \forall integer g, f, uint64_t *list, integer start, stop, page;
      (\forall integer i; start <= i < stop ==> \at(list[i], K) == \at(list[i], L)) ==>
      list_names{K}(g, f, list, start, stop, page) ==> list_names{L}(g, f, list, start, stop, page);

    lemma same_everything{K, L}: \forall integer f, uint64_t *list, integer start, stop;
      (\forall integer i; start <= i < stop ==> \at(list[i], K) == \at(list[i], L)) ==>
      list_everything{K}(f, list, start, stop) ==> list_everything{L}(f, list, start, stop); */

// Collects elements start .. stop-1 into `ask`, in order. form: 1 for extended entries, 0 for plain ones.
/*@ requires valid: \valid(ask) && \valid_read(list + (start .. stop - 1));
    requires apart: \separated(ask, list + (start .. stop - 1));
    requires order: start <= stop;
    requires form: form <= 1;
    requires width: gva_bits == 48 || gva_bits == 57;
    assigns  *ask;
    ensures  ok: ranges_ok(ask);
    ensures  gv_plain_1: \forall integer page; list_names{Pre}(gva_bits, form, list, start, stop, page) ==>
               ranges_mean(ask, page);
    ensures  gv_ext_3: list_everything{Pre}(form, list, start, stop) ==> ask->overflow == 1;
    ensures  gv_full_1: ask->overflow != 0 ==> list_everything{Pre}(form, list, start, stop) || stop - start > 16;
    ensures  gv_skip_1: ask->overflow == 0 ==> \forall integer page; ranges_mean(ask, page) ==>
               list_names{Pre}(gva_bits, form, list, start, stop, page); */
void pv_list_collect(struct pv_ranges *ask, const uint64_t *list, uint32_t start, uint32_t stop, uint32_t form,
                     uint32_t gva_bits);

#endif
