// SPDX-License-Identifier: BSD-2-Clause
// The way of one hypercall: decode, look up, check, fetch, check, perform, encode.
#include "hypercall.h"

// The end of an instruction that is done: the result value in its register.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rdx;
    ensures  hc_res_3: ends_with{Pre, Here}(call, result); */
static void finish(struct pv_call *call, uint64_t result)
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
static void suspend(struct pv_call *call, uint64_t word)
{
    if (call->long_mode != 0) {
        call->rcx = word;
    } else {
        call->rax = word % 0x100000000u;
        call->rdx = word / 0x100000000u;
    }
}

// The verdict on the call, with its operands fetched when it is success.
/*@ requires valid: \valid_read(p) && \valid_read(call) && \valid_read(c) && \valid(operand + (0 .. 511));
    requires apart: \separated(operand + (0 .. 511), p, call, c) && \separated(operand + (0 .. 511), row);
    requires control: control_of(c, c->word) && c->word == word_of(call) && c->code < 65536 && c->var_qwords < 1024 &&
                      c->rep_count < 4096 && c->rep_start < 4096;
    requires row: (row == \null <==> !known(c->code)) && (row != \null ==> \valid_read(row) && row_of(row, c->code));
    requires blank: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  hc_order_2: \result == verdict_of{Pre, Here}(p, call, operand);
    ensures  hc_copy_2: pv_j_reads <= 1;
    ensures  statuses: \result == 65536 || 0 <= \result <= 6;
    ensures  right: \result == 0 ==> row != \null && call_right(c, row, operand); */
static uint32_t check(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                      const struct pv_row *row, uint64_t *operand)
{
    const uint32_t early = pv_check_control(p->config.offers, p->guest_os_id != 0 ? 1 : 0, call->cpl,
                                            call->protected_mode, c, row);
    if (early != PV_STATUS_SUCCESS) {
        //@ assert refused: early == verdict_of{Pre, Here}(p, call, operand);
        return early;
    }
    //@ assert shape: known(c->code) && shape_right(c->word) && row != \null && block_qwords(c->word) >= 1;
    const uint32_t fetched = pv_operands_fetch(p, call, c, row, operand);
    if (fetched != PV_STATUS_SUCCESS) {
        //@ assert unfetched: fetched == verdict_of{Pre, Here}(p, call, operand);
        return fetched;
    }
    const uint32_t late = pv_check_params(p->config.offers, row, c->var_qwords, operand);
    //@ assert checked: late == verdict_of{Pre, Here}(p, call, operand);
    return late;
}

enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch)
{
    struct pv_control c;
    pv_control_decode(pv_control_register(call), &c);
    const struct pv_row *row = pv_table_row(c.code);

    const uint32_t verdict = check(p, call, &c, row, scratch->operand);
    if (verdict == PV_VERDICT_UD) {
        return PV_FAULT_UD;
    }
    if (verdict != PV_STATUS_SUCCESS) {
        finish(call, pv_result_value(verdict, 0));
        return PV_DONE;
    }
    const uint32_t stop = pv_perform(p, context, &c, row, scratch);
    if (stop < c.rep_count) {
        suspend(call, pv_control_restart(c.word, stop));
        return PV_CONTINUE;
    }
    finish(call, pv_result_value(PV_STATUS_SUCCESS, c.rep_count));
    return PV_DONE;
}
