// SPDX-License-Identifier: BSD-2-Clause
// Bringing the operands, from registers or memory, into the one copy that is looked at.
#ifndef PV_OPERANDS_H
#define PV_OPERANDS_H

#include "check.h"
#include "../platform.h"

/*@ // Where the operands are, or the first of them.
    logic integer input_of{L}(struct pv_call *call) = input_reg(call->long_mode, call->rbx, call->rcx, call->rdx);

    // Qword i of the operand block of a register call.
    logic integer register_word{L}(struct pv_call *call, integer i) =
      fast_word(input_of(call),
                input2_reg(call->long_mode, call->rsi, call->rdi, call->r8), call->xmm[i - 2], i); */

// The registers that hold the control word, and the operands or their address.
/*@ requires valid: \valid_read(call);
    assigns  \nothing;
    ensures  hc_reg_1: \result == control_reg(call->long_mode, call->rax, call->rcx, call->rdx); */
PV_INNER uint64_t pv_control_register(const struct pv_call *call);

/*@ requires valid: \valid_read(call);
    assigns  \nothing;
    ensures  hc_reg_2: \result == input_of(call); */
PV_INNER uint64_t pv_input_register(const struct pv_call *call);

// Brings the operand block of a call whose shape is right. The result is the model's operand_verdict.
/*@ requires valid: \valid_read(p) && \valid_read(call) && \valid_read(c) && control_of(c, c->word);
    requires row: \valid_read(row) && row_of(row, c->code);
    requires range: c->var_qwords < 1024 && c->rep_count < 4096;
    requires shape: c->fast != 0 ==> block_qwords(c->word) <= 14;
    requires some: block_qwords(c->word) >= 1;
    requires block: \valid(operand + (0 .. 511));
    requires apart: \separated(operand + (0 .. 511), call);
    requires hc_copy_1: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  hc_gpa_1: \result == operand_verdict(\old(c->word), \old(input_of(call)), pv_j_readable);
    ensures  hc_fast_1: \old(c->fast) != 0 ==> \forall integer i; 0 <= i < block_qwords(\old(c->word)) ==>
               operand[i] == register_word{Pre}(call, i);
    ensures  hc_copy_2: pv_j_reads <= 1 && (\old(c->fast) != 0 ==> pv_j_reads == 0);
    ensures  fits: \result == 0 ==> block_qwords(\old(c->word)) <= 512; */
PV_INNER uint32_t pv_operands_fetch(const struct pv_partition *p, const struct pv_call *call,
                                    const struct pv_control *c, const struct pv_row *row, uint64_t *operand);

#endif
