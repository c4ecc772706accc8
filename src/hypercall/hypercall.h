// SPDX-License-Identifier: BSD-2-Clause
// What pv_hypercall does, in the model's words.
#ifndef PV_HYPERCALL_H
#define PV_HYPERCALL_H

#include "../proviso.h"
#include "operands.h"
#include "perform.h"
#include "registers.h"
#include "verdict.h"

/*@ lemma outcome_ud:   \forall integer b, w; 0 <= w ==> 1 <= b ==> outcome(65536, b, w) == 2;
    lemma outcome_err:  \forall integer v, b, w; 0 <= w ==> 1 <= b ==> v != 0 ==> v != 65536 ==> outcome(v, b, w) == 0;
    lemma outcome_more: \forall integer b, w; 0 <= w ==> 1 <= b ==> is_rep(code_of(w)) ==>
      stop_of(b, w) < rep_count_of(w) ==> outcome(0, b, w) == 1;
    lemma outcome_all:  \forall integer b, w; 0 <= w ==> 1 <= b ==>
      (!is_rep(code_of(w)) || stop_of(b, w) >= rep_count_of(w)) ==> outcome(0, b, w) == 0;
    lemma reps_none:    \forall integer v, w; 0 <= w ==> (v != 0 || !is_rep(code_of(w))) ==> reps_done(v, w) == 0;
    lemma reps_all:     \forall integer w; 0 <= w ==> is_rep(code_of(w)) ==> reps_done(0, w) == rep_count_of(w); */

/*@ requires ok: vps_ok(p) && context < 2 && p->config.rep_budget >= 1 &&
                 (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid(call) && \valid(scratch);
    requires apart: \separated(scratch, call, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(call, p) && \separated(call, p->vps + (0 .. p->vp_count - 1));
    requires blank: journal_blank;
    assigns  call->rax, call->rcx, call->rdx, scratch->operand[0 .. 511], scratch->targets, scratch->kicked,
             scratch->ask, pv_j_reads, pv_j_readable, pv_j_asked[0 .. 4095], pv_j_posted[0 .. 4095],
             pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_held, pv_j_under[0 .. 4095],
             pv_j_yields;
    ensures  hc_end_1: \result == outcome(verdict_of{Pre, Here}(p, call, scratch->operand + 0),
                                          \old(p->config.rep_budget), \old(word_of(call)));
    ensures  hc_ud_2: \result == 2 ==> nothing_changed{Pre, Here}(call);
    ensures  hc_res_2: \result == 0 ==> ends_with{Pre, Here}(call,
               result_value(verdict_of{Pre, Here}(p, call, scratch->operand + 0),
                            reps_done(verdict_of{Pre, Here}(p, call, scratch->operand + 0), \old(word_of(call)))));
    ensures  hc_cont_3: \result == 1 ==> goes_on_with{Pre, Here}(call,
               restart(\old(word_of(call)), stop_of(\old(p->config.rep_budget), \old(word_of(call)))));
    ensures  hc_copy_2: pv_j_reads <= 1;
    ensures  ipi_none_1: verdict_of{Pre, Here}(p, call, scratch->operand + 0) != 0 ==>
               \forall integer v; 0 <= v < 4096 ==> pv_j_posted[v] == 0;
    ensures  hc_err_1: verdict_of{Pre, Here}(p, call, scratch->operand + 0) != 0 ==>
               journal_told_nobody && pv_j_yields == 0;
    ensures  fl_none_1: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_flush(code_of(\old(word_of(call)))) ==> idle(code_of(\old(word_of(call))), &scratch->ask) ==>
               journal_told_nobody;
    ensures  fl_told_3: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_flush(code_of(\old(word_of(call)))) ==> !idle(code_of(\old(word_of(call))), &scratch->ask) ==>
               all_told{Here, Here}(p, code_of(\old(word_of(call))), scratch->operand + 0, context);
    ensures  fl_cover_9: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_list(code_of(\old(word_of(call)))) ==> !idle(code_of(\old(word_of(call))), &scratch->ask) ==>
               all_listed{Here, Here}(p, code_of(\old(word_of(call))), scratch->operand + 0, &scratch->ask);
    ensures  free: pv_j_held == 0;
    ensures  hc_mem_4: operands_had{Pre, Here}(p, call) ==>
               operands_of{Pre, Here}(call, \old(word_of(call)), scratch->operand + 0);
    ensures  hc_spin_4: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               !is_flush(code_of(\old(word_of(call)))) ==> !is_ipi(code_of(\old(word_of(call)))) ==>
               !is_gpa(code_of(\old(word_of(call)))) ==>
               pv_j_yields == 1 && journal_told_nobody;
    ensures  hc_spin_5: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_flush(code_of(\old(word_of(call)))) || is_ipi(code_of(\old(word_of(call)))) ||
               is_gpa(code_of(\old(word_of(call)))) ==> pv_j_yields == 0;
    ensures  ne_all_1: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_gpa(code_of(\old(word_of(call)))) ==> all_renewed{Here, Here}(p);
    ensures  fl_list_4: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_list(code_of(\old(word_of(call)))) ==>
               asks_list{Here, Here}(p->config.gva_bits, list_form(scratch->operand[1]),
                 scratch->operand + (fixed_qwords(code_of(\old(word_of(call)))) + var_of(\old(word_of(call)))),
                 rep_start_of(\old(word_of(call))), stop_of(\old(p->config.rep_budget), \old(word_of(call))),
                 &scratch->ask);
    ensures  ipi_told_3: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_ipi(code_of(\old(word_of(call)))) ==>
               all_interrupted{Here, Here}(p, code_of(\old(word_of(call))), scratch->operand + 0); */
enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch);

#endif
