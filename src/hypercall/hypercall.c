// SPDX-License-Identifier: BSD-2-Clause
// The way of one hypercall: decode, look up, check, fetch, check, perform, encode.
#include "hypercall.h"

// The registers of a call that is right: done, or to go on at element `stop`.
/*@ requires valid: \valid(call) && \valid_read(c) && \separated(call, c);
    requires range: stop <= c->rep_count < 4096;
    assigns  call->rax, call->rcx, call->rdx;
    ensures  hc_cont_6: stop < \old(c->rep_count) ==> goes_on_with{Pre, Here}(call, restart(\old(c->word), stop));
    ensures  hc_res_5: stop == \old(c->rep_count) ==> ends_with{Pre, Here}(call, result_value(0, \old(c->rep_count))); */
PV_HELPER void write_end(struct pv_call *call, const struct pv_control *c, uint32_t stop)
{
    if (stop < c->rep_count) {
        pv_registers_suspend(call, pv_control_restart(c->word, stop));
    } else {
        pv_registers_finish(call, pv_result_value(PV_STATUS_SUCCESS, c->rep_count));
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
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_held, pv_j_under[0 .. 4095],
             pv_j_yields;
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
               all_told{Here, Here}(p, \old(c->code), scratch->operand + 0, context);
    ensures  fl_cover_8: verdict == 0 ==> is_list(\old(c->code)) ==> !idle(\old(c->code), &scratch->ask) ==>
               all_listed{Here, Here}(p, \old(c->code), scratch->operand + 0, &scratch->ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_list_5: verdict == 0 ==> is_list(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                 \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start),
                 stop_of(\old(p->config.rep_budget), \old(c->word)), &scratch->ask);
    ensures  ipi_told_4: verdict == 0 ==> is_ipi(\old(c->code)) ==>
               all_interrupted{Here, Here}(p, \old(c->code), scratch->operand + 0);
    ensures  hc_spin_3: verdict == 0 ==> !is_flush(\old(c->code)) ==> !is_ipi(\old(c->code)) ==>
               !is_gpa(\old(c->code)) ==>
               pv_j_yields == 1 && journal_told_nobody;
    ensures  hc_spin_6: verdict == 0 ==> is_flush(\old(c->code)) || is_ipi(\old(c->code)) || is_gpa(\old(c->code)) ==>
               pv_j_yields == 0;
    ensures  ne_sync_1: verdict == 0 ==> is_gpa(\old(c->code)) ==> all_renewed{Here, Here}(p); */
PV_HELPER enum pv_outcome conclude(struct pv_partition *p, uint32_t context, struct pv_call *call,
                                   const struct pv_control *c, const struct pv_row *row, uint32_t verdict,
                                   struct pv_scratch *scratch)
{
    const uint32_t count = c->rep_count;

    if (verdict == PV_VERDICT_UD) {
        return PV_FAULT_UD;
    }
    if (verdict != PV_STATUS_SUCCESS) {
        pv_registers_finish(call, pv_result_value(verdict, 0));
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
PV_CLONED enum pv_outcome answer(struct pv_partition *p, uint32_t context, struct pv_call *call, uint64_t word,
                                 uint32_t code, struct pv_scratch *scratch)
{
    struct pv_control c;
    struct pv_row row;
    pv_control_decode(word, &c);
    const bool found = pv_table_row(code, &row);
    //@ assert decoded: control_of(&c, word);
    //@ assert kept_count: p->vp_count == \at(p->vp_count, Pre) && p->vps == \at(p->vps, Pre);
    //@ assert kept_banks: p->present.banks == \at(p->present.banks, Pre);
    //@ assert kept_words: \forall integer b; 0 <= b < 64 ==> p->present.word[b] == \at(p->present.word[b], Pre);
    //@ assert kept_places: \forall integer v; 0 <= v < 4096 ==> p->position[v] == \at(p->position[v], Pre);
    //@ assert kept_indices: \forall integer i; 0 <= i < p->vp_count ==> p->vps[i].vp_index == \at(p->vps[i].vp_index, Pre);
    //@ assert kept_1: vps_kept{Pre, Here}(p);
    //@ assert kept_2: nothing_changed{Pre, Here}(call) && call->long_mode == \at(call->long_mode, Pre);
    //@ assert same_mode: call->cpl == \at(call->cpl, Pre) && call->protected_mode == \at(call->protected_mode, Pre);
    //@ assert same_offers: p->config.offers == \at(p->config.offers, Pre) && p->guest_os_id == \at(p->guest_os_id, Pre);
    //@ assert same_xmm: \forall integer i; call->xmm[i] == \at(call->xmm[i], Pre);
    //@ assert same_operands: \forall integer i; operand_word(call, word, i) == operand_word{Pre}(call, word, i);
    //@ assert same_word: word_of(call) == word_of{Pre}(call) && input_of(call) == input_of{Pre}(call);
    //@ ghost Decoded:;
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
    //@ assert same_had: operands_had{Pre, Here}(p, call) ==> operands_had{Decoded, Here}(p, call);
    //@ assert fits: operands_had{Pre, Here}(p, call) ==> block_qwords(word) <= 512;
    /*@ assert read: operands_had{Pre, Here}(p, call) ==>
          operands_of{Decoded, Here}(call, word, scratch->operand + 0); */
    /*@ assert room: operands_had{Pre, Here}(p, call) ==>
          operands_of{Pre, Here}(call, word, scratch->operand + 0) && block_qwords(word) <= 512; */
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
          all_told{Here, Here}(p, code_of(word), scratch->operand + 0, context); */
    /*@ assert listed: verdict == 0 ==> is_list(code_of(word)) ==> !idle(code_of(word), &scratch->ask) ==>
          all_listed{Here, Here}(p, code_of(word), scratch->operand + 0, &scratch->ask); */
    //@ assert all_words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Checked);
    //@ assert still_had: operands_had{Pre, Here}(p, call) ==> operands_had{Pre, Checked}(p, call);
    /*@ assert had: operands_had{Pre, Here}(p, call) ==> \forall integer i; 0 <= i < block_qwords(word) ==>
          scratch->operand[i] == \at(scratch->operand[i], Checked); */
    /*@ assert tied: operands_had{Pre, Here}(p, call) ==> \forall integer i; 0 <= i < block_qwords(word) ==>
          scratch->operand[i] == operand_word{Pre}(call, word, i); */
    //@ assert operands: operands_had{Pre, Here}(p, call) ==> operands_of{Pre, Here}(call, word, scratch->operand + 0);
    /*@ assert interrupted: verdict == 0 ==> is_ipi(code_of(word)) ==>
          all_interrupted{Here, Here}(p, code_of(word), scratch->operand + 0); */
    //@ assert width: p->config.gva_bits == \at(p->config.gva_bits, Pre);
    /*@ assert asked_0: verdict == 0 ==> is_list(code_of(word)) ==>
          asks_list{Here, Here}(\at(p->config.gva_bits, Pre), list_form(flags), list, rep_start_of(word),
            stop_of(\at(p->config.rep_budget, Pre), word), &scratch->ask); */
    //@ assert flags: flags == scratch->operand[1];
    /*@ assert asked: verdict == 0 ==> is_list(code_of(word)) ==>
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
