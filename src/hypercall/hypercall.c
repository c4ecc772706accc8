// SPDX-License-Identifier: BSD-2-Clause
// The way of one hypercall: decode, look up, check, fetch, check, perform, encode.
#include "hypercall.h"

// The end of an instruction that is done: the result value in its register.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rdx;
    ensures  hc_res_3: ends_with{Pre, Here}(call, result); */
PV_HELPER void finish(struct pv_call *call, uint64_t result)
{
    if (call->long_mode != 0) {
        call->rax = result;
    } else {
        call->rax = result % 0x100000000u;
        call->rdx = result / 0x100000000u;
    }
}

// The end of an instruction that will be executed again: another control word.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rcx, call->rdx;
    ensures  hc_cont_4: goes_on_with{Pre, Here}(call, word); */
PV_HELPER void suspend(struct pv_call *call, uint64_t word)
{
    if (call->long_mode != 0) {
        call->rcx = word;
    } else {
        call->rax = word % 0x100000000u;
        call->rdx = word / 0x100000000u;
    }
}

// The registers of a call that is right: done, or to go on at element `stop`.
/*@ requires valid: \valid(call) && \valid_read(c) && \separated(call, c);
    requires range: stop <= c->rep_count < 4096;
    assigns  call->rax, call->rcx, call->rdx;
    ensures  hc_cont_6: stop < \old(c->rep_count) ==> goes_on_with{Pre, Here}(call, restart(\old(c->word), stop));
    ensures  hc_res_5: stop == \old(c->rep_count) ==> ends_with{Pre, Here}(call, result_value(0, \old(c->rep_count))); */
PV_HELPER void write_end(struct pv_call *call, const struct pv_control *c, uint32_t stop)
{
    if (stop < c->rep_count) {
        suspend(call, pv_control_restart(c->word, stop));
    } else {
        finish(call, pv_result_value(PV_STATUS_SUCCESS, c->rep_count));
    }
}

// From the verdict to the end of the instruction.
/*@ requires ok: vps_ok(p) && context < 2 && p->config.rep_budget >= 1 &&
                 (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid(call) && \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires apart: \separated(scratch, call, c, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires control: control_of(c, c->word) && c->rep_count < 4096;
    requires verdict: verdict == 65536 || verdict <= 6;
    requires right: verdict == 0 ==> call_right(c, row, scratch->operand + 0);
    requires blank: journal_told_nobody && pv_j_yields == 0;
    assigns  call->rax, call->rcx, call->rdx, scratch->targets, scratch->kicked,
             scratch->ask, pv_j_asked[0 .. 4095], pv_j_posted[0 .. 4095],
             pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_yields;
    ensures  hc_end_2: \result == outcome(verdict, \old(p->config.rep_budget), \old(c->word));
    ensures  hc_mode_2: \result == 2 ==> nothing_changed{Pre, Here}(call);
    ensures  hc_res_4: \result == 0 ==> ends_with{Pre, Here}(call, result_value(verdict, reps_done(verdict, \old(c->word))));
    ensures  hc_cont_5: \result == 1 ==>
               goes_on_with{Pre, Here}(call, restart(\old(c->word), stop_of(\old(p->config.rep_budget), \old(c->word))));
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  hc_none_2: verdict != 0 ==> journal_told_nobody && pv_j_yields == 0;
    ensures  fl_none_3: verdict == 0 ==> is_flush(\old(c->code)) ==> idle(\old(c->code), &scratch->ask) ==>
               journal_told_nobody;
    ensures  fl_told_4: verdict == 0 ==> is_flush(\old(c->code)) ==> !idle(\old(c->code), &scratch->ask) ==>
               all_told{Here, Here}(p, \old(c->code), scratch->operand + 0);
    ensures  fl_list_5: verdict == 0 ==> is_rep(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                 \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start),
                 stop_of(\old(p->config.rep_budget), \old(c->word)), &scratch->ask);
    ensures  ipi_told_4: verdict == 0 ==> is_ipi(\old(c->code)) ==>
               all_interrupted{Here, Here}(p, \old(c->code), scratch->operand + 0);
    ensures  hc_spin_3: verdict == 0 ==> !is_flush(\old(c->code)) ==> !is_ipi(\old(c->code)) ==> pv_j_yields == 1; */
PV_HELPER enum pv_outcome conclude(struct pv_partition *p, uint32_t context, struct pv_call *call,
                                   const struct pv_control *c, const struct pv_row *row, uint32_t verdict,
                                   struct pv_scratch *scratch)
{
    const uint32_t count = c->rep_count;

    if (verdict == PV_VERDICT_UD) {
        return PV_FAULT_UD;
    }
    if (verdict != PV_STATUS_SUCCESS) {
        finish(call, pv_result_value(verdict, 0));
        return PV_DONE;
    }
    // The registers first: what is performed cannot fail, and stops where it is known to stop.
    const uint32_t stop = pv_perform_stop(c, p->config.rep_budget);
    write_end(call, c, stop);
    //@ ghost Written:;
    //@ assert apart_rax: \separated(&call->rax, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert apart: \separated(call, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert ready: call_right(c, row, scratch->operand + 0);
    pv_perform(p, context, c, row, scratch);
    //@ assert same_rax: call->rax == \at(call->rax, Written);
    //@ assert same_rcx: call->rcx == \at(call->rcx, Written);
    //@ assert same_rdx: call->rdx == \at(call->rdx, Written);
    //@ assert same_rbx: call->rbx == \at(call->rbx, Written);
    //@ assert same_rsi: call->rsi == \at(call->rsi, Written);
    //@ assert same_rdi: call->rdi == \at(call->rdi, Written);
    //@ assert same_r8: call->r8 == \at(call->r8, Written);
    return stop < count ? PV_CONTINUE : PV_DONE;
}

// The answer to one call. `code` is that of the control word `word`: where it is a constant, so is the call's row of
// the table, and the compiler makes a function of its own for the call.
/*@ requires control: word == word_of(call) && code == code_of(word);
    requires ok: vps_ok(p) && context < 2 && p->config.rep_budget >= 1 &&
                 (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid(call) && \valid(scratch);
    requires apart: \separated(scratch, call, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(call, p) && \separated(call, p->vps + (0 .. p->vp_count - 1));
    requires blank: journal_blank;
    assigns  call->rax, call->rcx, call->rdx, scratch->operand[0 .. 511], scratch->targets, scratch->kicked,
             scratch->ask, pv_j_reads, pv_j_readable, pv_j_asked[0 .. 4095], pv_j_posted[0 .. 4095],
             pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_yields;
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
               all_told{Here, Here}(p, code_of(\old(word_of(call))), scratch->operand + 0);
    ensures  fl_list_4: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_rep(code_of(\old(word_of(call)))) ==>
               asks_list{Here, Here}(p->config.gva_bits, list_form(scratch->operand[1]),
                 scratch->operand + (fixed_qwords(code_of(\old(word_of(call)))) + var_of(\old(word_of(call)))),
                 rep_start_of(\old(word_of(call))), stop_of(\old(p->config.rep_budget), \old(word_of(call))),
                 &scratch->ask);
    ensures  ipi_told_3: verdict_of{Pre, Here}(p, call, scratch->operand + 0) == 0 ==>
               is_ipi(code_of(\old(word_of(call)))) ==>
               all_interrupted{Here, Here}(p, code_of(\old(word_of(call))), scratch->operand + 0); */
PV_CLONED enum pv_outcome answer(struct pv_partition *p, uint32_t context, struct pv_call *call, uint64_t word,
                                 uint32_t code, struct pv_scratch *scratch)
{
    struct pv_control c;
    struct pv_row row;
    pv_control_decode(word, &c);
    const bool found = pv_table_row(code, &row);
    //@ assert decoded: control_of(&c, word);
    //@ assert kept_1: vps_kept{Pre, Here}(p);
    //@ assert kept_2: nothing_changed{Pre, Here}(call) && call->long_mode == \at(call->long_mode, Pre);
    const uint32_t verdict = pv_verdict(p, call, &c, found, &row, scratch->operand);
    //@ assert kept_3: vps_kept{Pre, Here}(p);
    //@ assert same_rax: call->rax == \at(call->rax, Pre);
    //@ assert same_rcx: call->rcx == \at(call->rcx, Pre);
    //@ assert same_rdx: call->rdx == \at(call->rdx, Pre);
    //@ assert same_rbx: call->rbx == \at(call->rbx, Pre);
    //@ assert same_rsi: call->rsi == \at(call->rsi, Pre);
    //@ assert same_rdi: call->rdi == \at(call->rdi, Pre);
    //@ assert same_r8: call->r8 == \at(call->r8, Pre);
    //@ assert same_long_mode: call->long_mode == \at(call->long_mode, Pre);
    //@ assert verdict: verdict == verdict_of{Pre, Here}(p, call, scratch->operand + 0);
    //@ ghost Checked:;
    //@ assert code: c.code == code_of(word) && c.word == word && word == word_of{Pre}(call) && c.rep_start == rep_start_of(word);
    //@ assert config: p->config.gva_bits == \at(p->config.gva_bits, Pre) && p->config.rep_budget == \at(p->config.rep_budget, Pre);
    //@ assert part: verdict == 0 ==> row.fixed_qwords == fixed_qwords(code_of(word)) && c.var_qwords == var_of(word);
    //@ assert list: verdict == 0 ==> list_of(&c, &row, scratch->operand + 0) == scratch->operand + (fixed_qwords(code_of(word)) + var_of(word));
    //@ ghost const uint64_t *list = scratch->operand + (row.fixed_qwords + c.var_qwords);
    //@ ghost uint64_t flags = scratch->operand[1];
    //@ assert at: verdict == 0 ==> list == scratch->operand + (fixed_qwords(code_of(word)) + var_of(word));
    const enum pv_outcome end = conclude(p, context, call, &c, &row, verdict, scratch);
    //@ assert word_0: scratch->operand[0] == \at(scratch->operand[0], Checked);
    //@ assert word_1: scratch->operand[1] == \at(scratch->operand[1], Checked);
    //@ assert word_2: scratch->operand[2] == \at(scratch->operand[2], Checked);
    //@ assert word_3: scratch->operand[3] == \at(scratch->operand[3], Checked);
    /*@ assert told: verdict == 0 ==> is_flush(code_of(word)) ==> !idle(code_of(word), &scratch->ask) ==>
          all_told{Here, Here}(p, code_of(word), scratch->operand + 0); */
    /*@ assert interrupted: verdict == 0 ==> is_ipi(code_of(word)) ==>
          all_interrupted{Here, Here}(p, code_of(word), scratch->operand + 0); */
    //@ assert width: p->config.gva_bits == \at(p->config.gva_bits, Pre);
    /*@ assert asked_0: verdict == 0 ==> is_rep(code_of(word)) ==>
          asks_list{Here, Here}(\at(p->config.gva_bits, Pre), list_form(flags), list, rep_start_of(word),
            stop_of(\at(p->config.rep_budget, Pre), word), &scratch->ask); */
    //@ assert flags: flags == scratch->operand[1];
    /*@ assert asked: verdict == 0 ==> is_rep(code_of(word)) ==>
          asks_list{Here, Here}(p->config.gva_bits, list_form(scratch->operand[1]),
            scratch->operand + (fixed_qwords(code_of(word)) + var_of(word)), rep_start_of(word),
            stop_of(\at(p->config.rep_budget, Pre), word), &scratch->ask); */
    //@ assert judged: verdict == verdict_of{Pre, Here}(p, call, scratch->operand + 0);
    return end;
}

enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch)
{
    const uint64_t word = pv_control_register(call);
    //@ assert word: word == word_of(call);
    const uint32_t code = (uint32_t)(word % 0x10000u);
    //@ assert code: code == code_of(word);
    enum pv_outcome end;

    switch (code) {
    case 0x0002:
        end = answer(p, context, call, word, 0x0002, scratch);
        break;
    case 0x0003:
        end = answer(p, context, call, word, 0x0003, scratch);
        break;
    case 0x0008:
        end = answer(p, context, call, word, 0x0008, scratch);
        break;
    case 0x000B:
        end = answer(p, context, call, word, 0x000B, scratch);
        break;
    case 0x0013:
        end = answer(p, context, call, word, 0x0013, scratch);
        break;
    case 0x0014:
        end = answer(p, context, call, word, 0x0014, scratch);
        break;
    case 0x0015:
        end = answer(p, context, call, word, 0x0015, scratch);
        break;
    default:
        end = answer(p, context, call, word, code, scratch);
        break;
    }
    return end;
}
