// SPDX-License-Identifier: BSD-2-Clause
// The verdict on an L2's call that L0 answers.
#ifndef PV_L2VERDICT_H
#define PV_L2VERDICT_H

#include "../hypercall/verdict.h"

/*@ // NE-ORDER-1: the verdict on the call as it stood at K.
    logic integer direct_verdict_of{K, L}(struct pv_partition *p, struct pv_call *call, integer mapped,
                                          uint64_t *operand) =
      direct_verdict(\at(p->config.offers, K), \at(call->cpl, K), \at(call->protected_mode, K), word_of{K}(call),
                     input_of{K}(call), mapped != 0 ? \at(pv_j_readable, L) : 0, \at(operand[0], L),
                     \at(operand[1], L), \at(operand[2], L), \at(operand[3], L)); */

/*@ // Qword i of the operands of an L2's call (at K), as it was read: from a register, or from L1's memory at `page`.
    logic integer l2_word{K}(struct pv_call *call, integer w, integer page, integer i) =
      fast_of(w) != 0 ? register_word{K}(call, i) : guest_word(1, page - page % 4096 + input_of{K}(call) % 4096 + 8 * i);

    predicate l2_operands{K, L}(struct pv_call *call, integer w, integer page, uint64_t *operand) =
      \forall integer i; 0 <= i < block_qwords(w) ==> \at(operand[i], L) == l2_word{K}(call, w, page, i); */

// The verdict on the call, with its operands fetched when it is success. mapped, page: as for pv_direct_flush.
/*@ requires valid: \valid_read(p) && \valid_read(call) && \valid_read(c) && \valid(operand + (0 .. 511));
    requires apart: \separated(operand + (0 .. 511), p, call, c) && \separated(operand + (0 .. 511), row);
    requires control: control_of(c, c->word) && c->word == word_of(call) && c->code < 65536 && c->var_qwords < 1024 &&
                      c->rep_count < 4096 && c->rep_start < 4096;
    requires row: (found <==> known(c->code)) && \valid_read(row) && (found ==> row_of(row, c->code));
    requires blank: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  ne_order_2: \result == direct_verdict_of{Pre, Here}(p, call, mapped ? 1 : 0, operand);
    ensures  statuses: \result == 65536 || 0 <= \result <= 6;
    ensures  right: \result == 0 ==> call_right(c, row, operand); */
PV_INNER uint32_t pv_l2_verdict(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                                bool found, const struct pv_row *row, bool mapped, uint64_t page, uint64_t *operand);

#endif
