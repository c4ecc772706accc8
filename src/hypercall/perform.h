// SPDX-License-Identifier: BSD-2-Clause
// Carrying out a call that was found right. Nothing here can fail.
#ifndef PV_PERFORM_H
#define PV_PERFORM_H

#include "../flush/flush.h"
#include "../flush/list.h"
#include "../ipi/ipi.h"
#include "control.h"
#include "meaning.h"
#include "targets.h"
#include "verdict.h"

/*@ // The elements of the list, as far as this entry serves them.
    logic uint64_t *list_of{L}(struct pv_control *c, struct pv_row *row, uint64_t *operand) =
      operand + (row->fixed_qwords + c->var_qwords);

    // FL-NONE-1: a list without a page to flush.
    predicate idle{L}(integer code, struct pv_ranges *ask) =
      is_rep(code) && \at(ask->count, L) == 0 && \at(ask->overflow, L) == 0;

    // NE-COVER-1, NE-ALL-1: every VP was asked to give up what it knows of its L2, shadows of nested tables too.
    predicate all_renewed{K, L}(struct pv_partition *p) =
      \forall integer v; 0 <= v < 4096 ==>
        (\at(set_has(&p->present, v), K) ==> flush_told{L}(v, asked_as(ask_nested, 1))) &&
        (!\at(set_has(&p->present, v), K) ==> untold{L}(v));

    // FL-SYNC-1, FL-ONLY-1: who exists and is meant was asked the flush that the call asks; nobody else was told.
    predicate all_told{K, L}(struct pv_partition *p, integer code, uint64_t *operand, integer context) =
      \forall integer v; 0 <= v < 4096 ==>
        (\at(set_has(&p->present, v), K) && means{K}(code, operand, v) ==>
           flush_told{L}(v, asked_as(ask_kind(code, \at(operand[1], K)), context))) &&
        (!(\at(set_has(&p->present, v), K) && means{K}(code, operand, v)) ==> untold{L}(v));

    // FL-COVER-1: the pages that each of them was asked for are those of `ask`.
    predicate all_listed{K, L}(struct pv_partition *p, integer code, uint64_t *operand, struct pv_ranges *ask) =
      \forall integer v; 0 <= v < 4096 ==> \at(set_has(&p->present, v), K) ==> means{K}(code, operand, v) ==>
        pages_asked{L}(v, ask);

    // IPI-ALL-1, IPI-ONLY-1: the same for an interrupt.
    predicate all_interrupted{K, L}(struct pv_partition *p, integer code, uint64_t *operand) =
      \forall integer v; 0 <= v < 4096 ==>
        (\at(set_has(&p->present, v), K) && means{K}(code, operand, v) ==> ipi_told{L}(v, \at(operand[0], K))) &&
        (!(\at(set_has(&p->present, v), K) && means{K}(code, operand, v)) ==> untold{L}(v));

    // The pages asked (at L) are those that the list, as it stood at K, names before `stop`.
    predicate asks_list{K, L}(integer gva_bits, integer form, uint64_t *list, integer start, integer stop,
                              struct pv_ranges *ask) =
      (\forall integer page; list_names{K}(gva_bits, form, list, start, stop, page) ==> ranges_mean{L}(ask, page)) &&
      (list_everything{K}(form, list, start, stop) ==> \at(ask->overflow, L) == 1) &&
      (\at(ask->overflow, L) != 0 ==> list_everything{K}(form, list, start, stop) || stop - start > 16) &&
      (\at(ask->overflow, L) == 0 ==> \forall integer page; ranges_mean{L}(ask, page) ==>
        list_names{K}(gva_bits, form, list, start, stop, page));

    lemma nested_is: ask_nested == 9;
    lemma calls_apart: \forall integer code; known(code) ==>
      (is_flush(code) ==> !is_ipi(code) && !is_gpa(code)) && (is_ipi(code) ==> !is_gpa(code) && !is_rep(code)) &&
      (is_list(code) <==> is_rep(code) && is_flush(code)); */

// Collects the pages that a call asks for; none if it has no list.
/*@ requires valid: \valid_read(p) && \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires width: p->config.gva_bits == 48 || p->config.gva_bits == 57;
    requires apart: \separated(scratch, c, row, p);
    requires right: call_right(c, row, scratch->operand + 0);
    requires stop: c->rep_start <= stop <= c->rep_count;
    assigns  scratch->ask;
    ensures  ok: ranges_ok(&scratch->ask);
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  fl_list_2: is_rep(\old(c->code)) ==> asks_list{Here, Here}(\old(p->config.gva_bits),
               list_form(\old(scratch->operand[1])), \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start), stop,
               &scratch->ask); */
PV_INNER void pv_collect(const struct pv_partition *p, const struct pv_control *c, const struct pv_row *row,
                         struct pv_scratch *scratch, uint32_t stop);

// Carries out the call, or as much of its list as the budget allows, and says where it stopped in the list: the rep
// count when it is done (0 for a simple call).
/*@ requires ok: vps_ok(p) && context < 2 && p->config.rep_budget >= 1 &&
                 (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires apart: \separated(scratch, c, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires right: call_right(c, row, scratch->operand + 0);
    requires blank: journal_told_nobody && pv_j_yields == 0;
    assigns  scratch->targets, scratch->kicked, scratch->ask, pv_j_asked[0 .. 4095], pv_j_posted[0 .. 4095],
             pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_held, pv_j_under[0 .. 4095],
             pv_j_yields;
    ensures  hc_cont_1: \result == stop_of(\old(p->config.rep_budget), \old(c->word));
    ensures  progress: \result <= \old(c->rep_count) && (\old(c->rep_count) != 0 ==> \result > \old(c->rep_start));
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  fl_none_1: is_flush(\old(c->code)) ==> idle(\old(c->code), &scratch->ask) ==> journal_told_nobody;
    ensures  fl_told_1: is_flush(\old(c->code)) ==> !idle(\old(c->code), &scratch->ask) ==>
               all_told{Here, Here}(p, \old(c->code), scratch->operand + 0, context);
    ensures  fl_cover_5: is_list(\old(c->code)) ==> !idle(\old(c->code), &scratch->ask) ==>
               all_listed{Here, Here}(p, \old(c->code), scratch->operand + 0, &scratch->ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_list_1: is_list(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                                     \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start), \result,
                                     &scratch->ask);
    ensures  ipi_told_1: is_ipi(\old(c->code)) ==> all_interrupted{Here, Here}(p, \old(c->code), scratch->operand + 0);
    ensures  ne_cover_1: is_gpa(\old(c->code)) ==> all_renewed{Here, Here}(p);
    ensures  hc_spin_1: !is_flush(\old(c->code)) ==> !is_ipi(\old(c->code)) ==> !is_gpa(\old(c->code)) ==>
               pv_j_yields == 1 && journal_told_nobody;
    ensures  hc_spin_2: is_flush(\old(c->code)) || is_ipi(\old(c->code)) || is_gpa(\old(c->code)) ==> pv_j_yields == 0; */
PV_INNER uint32_t pv_perform(struct pv_partition *p, uint32_t context, const struct pv_control *c,
                             const struct pv_row *row, struct pv_scratch *scratch);

#endif
