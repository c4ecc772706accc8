// SPDX-License-Identifier: BSD-2-Clause
#include "direct.h"
#include "../base/bits.h"
#include "loaded.h"
#include "l2verdict.h"

bool pv_direct_load(struct pv_vp *vp, const struct pv_enlightened *e)
{
    const uint32_t named = e->controls % 2u;

    if (vp->l2_named == named && (named == 0 || (vp->l2_vm == e->vm_id && vp->l2_vp == e->vp_id))) {
        return false;
    }
    pv_shared_say_l2(vp, named, e->vm_id, e->vp_id);
    return named != 0;
}

bool pv_direct_address(const struct pv_call *call, uint64_t *gpa)
{
    struct pv_control c;

    pv_control_decode(pv_control_register(call), &c);
    *gpa = pv_input_register(call);
    return c.fast == 0;
}

// The targets are asked, and waited for.
/*@ requires ok: vps_ok(p) && ranges_ok(&scratch->ask);
    requires valid: \valid_read(row) && \valid(scratch) && row_of(row, row->code) && known(row->code);
    requires apart: \separated(scratch, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires kind: kind == 1 || kind == 2 || kind == 4;
    requires blank: journal_told_nobody;
    assigns  scratch->targets, scratch->kicked, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock,
             pv_j_held, pv_j_under[0 .. 4095], pv_j_fenced, pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ne_target_8: \forall integer v; 0 <= v < 4096 ==>
               (target(p, \old(row->code), scratch->operand + 0, v) ==> flush_told(v, asked_as(kind, 1))) &&
               (!target(p, \old(row->code), scratch->operand + 0, v) ==> untold(v));
    ensures  free: pv_j_held == 0;
    ensures  kept: ranges_kept{Pre, Here}(&scratch->ask); */
PV_RARE void tell_loaded(struct pv_partition *p, uint64_t vm_id, const struct pv_row *row, uint32_t kind,
                         struct pv_scratch *scratch)
{
    //@ ghost uint32_t code = row->code;
    pv_loaded_targets(p, vm_id, row, scratch);
    //@ assert words_1: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert same: vps_kept{Pre, Here}(p) && ranges_kept{Pre, Here}(&scratch->ask);
    //@ assert exist: \forall integer v; set_has(&scratch->targets, v) ==> set_has(&p->present, v);
    //@ ghost Chosen:;
    pv_flush_perform(p, &scratch->targets, PV_CONTEXT_L2, kind, &scratch->ask, &scratch->kicked);
    //@ assert still: ranges_kept{Pre, Here}(&scratch->ask);
    //@ assert words_2: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert present: vps_kept{Chosen, Here}(p);
    /*@ assert means: \forall integer id; 0 <= id ==>
          (means_id{Chosen}(code, scratch->operand + 0, id) <==> means_id(code, scratch->operand + 0, id)); */
    /*@ assert same_targets: \forall integer v; 0 <= v < 4096 ==>
          (target{Chosen}(p, code, scratch->operand + 0, v) <==> target(p, code, scratch->operand + 0, v)); */
}

/*@ requires ok: vps_ok(p) && (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires apart: \separated(scratch, c, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires right: call_right(c, row, scratch->operand + 0) && is_flush(c->code);
    requires stop: c->rep_start <= stop <= c->rep_count;
    requires blank: journal_told_nobody;
    assigns  scratch->targets, scratch->kicked, scratch->ask, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock,
             pv_j_held, pv_j_under[0 .. 4095], pv_j_fenced, pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ne_none_3: idle(\old(c->code), &scratch->ask) ==> journal_told_nobody;
    ensures  ne_target_3: !idle(\old(c->code), &scratch->ask) ==>
               direct_told(p, \old(c->code), scratch->operand + 0);
    ensures  free: pv_j_held == 0;
    ensures  ne_ask_2: is_list(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                                     \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start), stop,
                                     &scratch->ask); */
PV_RARE void perform(struct pv_partition *p, uint64_t vm_id, const struct pv_control *c, const struct pv_row *row,
                     uint32_t stop, struct pv_scratch *scratch)
{
    //@ ghost const uint64_t *list = scratch->operand + (row->fixed_qwords + c->var_qwords);
    //@ ghost uint32_t code = c->code;
    pv_collect(p, c, row, scratch, stop);
    //@ assert words_1: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    if (row->rep != 0 && scratch->ask.count == 0 && scratch->ask.overflow == 0) {
        return; // no page that could have a translation
    }
    //@ ghost Collected:;
    //@ assert same: vps_kept{Pre, Here}(p);
    const uint32_t kind = pv_flush_kind(row, scratch->operand[1]);
    //@ assert kind: kind == ask_kind(code, scratch->operand[1]);
    tell_loaded(p, vm_id, row, kind, scratch);
    //@ assert words_2: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert list: \forall integer i; c->rep_start <= i < stop ==> list[i] == \at(list[i], Collected);
    /*@ assert names_1: \forall integer page;
          list_names{Collected}(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                                \at(c->rep_start, Pre), stop, page) ==>
          list_names(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                     \at(c->rep_start, Pre), stop, page); */
    /*@ assert names_2: \forall integer page;
          list_names(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                     \at(c->rep_start, Pre), stop, page) ==>
          list_names{Collected}(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                                \at(c->rep_start, Pre), stop, page); */
    /*@ assert every_1: list_everything{Collected}(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop) ==>
          list_everything(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop); */
    /*@ assert every_2: list_everything(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop) ==>
          list_everything{Collected}(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop); */
    //@ assert ask: ranges_kept{Collected, Here}(&scratch->ask);
}

// The registers of a call that is right: done, or to go on at element `stop`.
/*@ requires valid: \valid(call) && \valid_read(c) && \separated(call, c);
    requires range: stop <= c->rep_count < 4096;
    assigns  call->rax, call->rcx, call->rdx;
    ensures  ne_cont_2: stop < \old(c->rep_count) ==> \result == 1 &&
               goes_on_with{Pre, Here}(call, restart(\old(c->word), stop));
    ensures  ne_res_3: stop == \old(c->rep_count) ==> \result == 3 &&
               ends_with{Pre, Here}(call, result_value(0, \old(c->rep_count))); */
static enum pv_direct_outcome l2_end(struct pv_call *call, const struct pv_control *c, uint32_t stop)
{
    if (stop < c->rep_count) {
        pv_registers_suspend(call, pv_control_restart(c->word, stop));
        return PV_DIRECT_CONTINUE;
    }
    pv_registers_finish(call, pv_result_value(PV_STATUS_SUCCESS, c->rep_count));
    return PV_DIRECT_FLUSHED;
}

// From the verdict to the end of the instruction.
/*@ requires ok: vps_ok(p) && p->config.rep_budget >= 1 && (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid(call) && \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires apart: \separated(scratch, call, c, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(call, p->vps + (0 .. p->vp_count - 1));
    requires control: control_of(c, c->word) && c->rep_count < 4096;
    requires verdict: verdict == 65536 || verdict <= 6;
    requires right: verdict == 0 ==> call_right(c, row, scratch->operand + 0) && is_flush(c->code);
    requires blank: journal_told_nobody;
    assigns  call->rax, call->rcx, call->rdx, scratch->targets, scratch->kicked, scratch->ask, pv_j_asked[0 .. 4095],
             pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting,
             pv_j_lock, pv_j_held, pv_j_under[0 .. 4095], pv_j_fenced, pv_j_l2_loaded[0 .. 4095],
             pv_j_l2_vp[0 .. 4095];
    ensures  ne_end_2: \result == direct_outcome(verdict, \old(p->config.rep_budget), \old(c->word));
    ensures  ne_ud_2: \result == 2 ==> nothing_changed{Pre, Here}(call);
    ensures  ne_res_4: \result == 0 ==> ends_with{Pre, Here}(call, result_value(verdict, 0));
    ensures  ne_res_5: \result == 3 ==> ends_with{Pre, Here}(call, result_value(0, \old(c->rep_count)));
    ensures  ne_cont_3: \result == 1 ==>
               goes_on_with{Pre, Here}(call, restart(\old(c->word), stop_of(\old(p->config.rep_budget), \old(c->word))));
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ne_none_4: verdict != 0 ==> journal_told_nobody;
    ensures  ne_none_5: verdict == 0 ==> idle(\old(c->code), &scratch->ask) ==> journal_told_nobody;
    ensures  ne_target_7: verdict == 0 ==> !idle(\old(c->code), &scratch->ask) ==>
               direct_told(p, \old(c->code), scratch->operand + 0);
    ensures  ne_ask_3: verdict == 0 ==> is_list(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                 \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start),
                 stop_of(\old(p->config.rep_budget), \old(c->word)), &scratch->ask);
    ensures  free: pv_j_held == 0; */
PV_RARE enum pv_direct_outcome l2_conclude(struct pv_partition *p, uint64_t vm_id, struct pv_call *call,
                                           const struct pv_control *c, const struct pv_row *row, uint32_t verdict,
                                           struct pv_scratch *scratch)
{
    if (verdict == PV_VERDICT_UD) {
        return PV_DIRECT_FAULT_UD;
    }
    if (verdict != PV_STATUS_SUCCESS) {
        pv_registers_finish(call, pv_result_value(verdict, 0));
        return PV_DIRECT_DONE;
    }
    // The registers first: what is performed cannot fail, and stops where it is known to stop.
    const uint32_t stop = pv_perform_stop(c, p->config.rep_budget);
    const enum pv_direct_outcome end = l2_end(call, c, stop);
    //@ ghost Written:;
    //@ assert apart_rax: \separated(&call->rax, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert apart_rcx: \separated(&call->rcx, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert apart_rdx: \separated(&call->rdx, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert apart: \separated(call, &scratch->targets, &scratch->kicked, &scratch->ask);
    //@ assert ready: call_right(c, row, scratch->operand + 0);
    //@ assert same: vps_kept{Pre, Here}(p);
    perform(p, vm_id, c, row, stop, scratch);
    //@ assert same_rax: call->rax == \at(call->rax, Written);
    //@ assert same_rcx: call->rcx == \at(call->rcx, Written);
    //@ assert same_rdx: call->rdx == \at(call->rdx, Written);
    //@ assert same_rbx: call->rbx == \at(call->rbx, Written);
    //@ assert same_rsi: call->rsi == \at(call->rsi, Written);
    //@ assert same_rdi: call->rdi == \at(call->rdi, Written);
    //@ assert same_r8: call->r8 == \at(call->r8, Written);
    return end;
}

enum pv_direct_outcome pv_direct_flush(struct pv_partition *p, const struct pv_enlightened *e, struct pv_call *call,
                                       bool mapped, uint64_t page, struct pv_scratch *scratch)
{
    const uint64_t word = pv_control_register(call);
    //@ assert word: word == word_of(call);
    const uint64_t vm_id = e->vm_id;
    struct pv_control c;
    struct pv_row row;

    pv_control_decode(word, &c);
    const bool found = pv_table_row(c.code, &row);
    //@ assert decoded: control_of(&c, word);
    //@ assert kept_1: vps_kept{Pre, Here}(p);
    //@ assert kept_2: nothing_changed{Pre, Here}(call) && call->long_mode == \at(call->long_mode, Pre);
    //@ assert same_mode: call->cpl == \at(call->cpl, Pre) && call->protected_mode == \at(call->protected_mode, Pre);
    //@ assert same_offers: p->config.offers == \at(p->config.offers, Pre);
    //@ assert same_word: word_of(call) == word_of{Pre}(call) && input_of(call) == input_of{Pre}(call);
    const uint32_t verdict = pv_l2_verdict(p, call, &c, found, &row, mapped, page, scratch->operand);
    //@ assert kept_3: vps_kept{Pre, Here}(p);
    //@ assert same_rax: call->rax == \at(call->rax, Pre);
    //@ assert same_rcx: call->rcx == \at(call->rcx, Pre);
    //@ assert same_rdx: call->rdx == \at(call->rdx, Pre);
    //@ assert same_rbx: call->rbx == \at(call->rbx, Pre);
    //@ assert same_rsi: call->rsi == \at(call->rsi, Pre);
    //@ assert same_rdi: call->rdi == \at(call->rdi, Pre);
    //@ assert same_r8: call->r8 == \at(call->r8, Pre);
    //@ assert same_long_mode: call->long_mode == \at(call->long_mode, Pre);
    //@ assert verdict: verdict == direct_verdict_of{Pre, Here}(p, call, mapped ? 1 : 0, scratch->operand + 0);
    //@ ghost Checked:;
    //@ assert code: c.code == code_of(word) && c.word == word && word == word_of{Pre}(call) && c.rep_start == rep_start_of(word);
    //@ assert config: p->config.gva_bits == \at(p->config.gva_bits, Pre) && p->config.rep_budget == \at(p->config.rep_budget, Pre);
    //@ assert list: verdict == 0 ==> list_of(&c, &row, scratch->operand + 0) == scratch->operand + (fixed_qwords(code_of(word)) + var_of(word));
    //@ ghost const uint64_t *list = scratch->operand + (row.fixed_qwords + c.var_qwords);
    //@ ghost uint64_t flags = scratch->operand[1];
    //@ assert at: verdict == 0 ==> list == scratch->operand + (fixed_qwords(code_of(word)) + var_of(word));
    const enum pv_direct_outcome end = l2_conclude(p, vm_id, call, &c, &row, verdict, scratch);
    //@ assert word_0: scratch->operand[0] == \at(scratch->operand[0], Checked);
    //@ assert word_1: scratch->operand[1] == \at(scratch->operand[1], Checked);
    //@ assert word_2: scratch->operand[2] == \at(scratch->operand[2], Checked);
    //@ assert word_3: scratch->operand[3] == \at(scratch->operand[3], Checked);
    //@ assert flags: flags == scratch->operand[1];
    //@ assert width: p->config.gva_bits == \at(p->config.gva_bits, Pre);
    /*@ assert asked: verdict == 0 ==> is_list(code_of(word)) ==>
          asks_list{Here, Here}(p->config.gva_bits, list_form(scratch->operand[1]),
            scratch->operand + (fixed_qwords(code_of(word)) + var_of(word)), rep_start_of(word),
            stop_of(\at(p->config.rep_budget, Pre), word), &scratch->ask); */
    //@ assert judged: verdict == direct_verdict_of{Pre, Here}(p, call, mapped ? 1 : 0, scratch->operand + 0);
    return end;
}

bool pv_direct_finish(struct pv_call *call, bool readable, uint64_t word)
{
    if (!readable) {
        pv_registers_finish(call, pv_result_value(PV_STATUS_INVALID_INPUT, 0));
        return false;
    }
    return word % 0x100000000u != 0;
}
