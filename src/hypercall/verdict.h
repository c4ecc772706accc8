// SPDX-License-Identifier: BSD-2-Clause
// The verdict on a call: all checks, with its operands fetched on the way.
#ifndef PV_VERDICT_H
#define PV_VERDICT_H

#include "operands.h"

/*@ // The control word of the call.
    logic integer word_of{L}(struct pv_call *call) = control_reg(call->long_mode, call->rax, call->rcx, call->rdx);

    // The model's verdict on the call as it stood at K, with the operands as copied at L.
    logic integer verdict_of{K, L}(struct pv_partition *p, struct pv_call *call, uint64_t *operand) =
      verdict(\at(p->config.offers, K), \at(p->guest_os_id, K) == 0 ? 0 : 1, \at(call->cpl, K),
              \at(call->protected_mode, K), word_of{K}(call), input_of{K}(call), \at(pv_j_readable, L),
              \at(operand[0], L), \at(operand[1], L), \at(operand[2], L), \at(operand[3], L));

    lemma verdict_early: \forall integer o, n, l, m, w, g, r, q0, q1, q2, q3; 0 <= o ==> 0 <= w ==> 0 <= g ==>
      0 <= q0 ==> 0 <= q1 ==> 0 <= q2 ==> 0 <= q3 ==> 
      control_verdict(o, n, l, m, w) != 0 ==>
      verdict(o, n, l, m, w, g, r, q0, q1, q2, q3) == control_verdict(o, n, l, m, w);
    lemma verdict_fetch: \forall integer o, n, l, m, w, g, r, q0, q1, q2, q3; 0 <= o ==> 0 <= w ==> 0 <= g ==>
      0 <= q0 ==> 0 <= q1 ==> 0 <= q2 ==> 0 <= q3 ==> 
      control_verdict(o, n, l, m, w) == 0 ==> operand_verdict(w, g, r) != 0 ==>
      verdict(o, n, l, m, w, g, r, q0, q1, q2, q3) == operand_verdict(w, g, r);
    lemma verdict_late: \forall integer o, n, l, m, w, g, r, q0, q1, q2, q3; 0 <= o ==> 0 <= w ==> 0 <= g ==>
      0 <= q0 ==> 0 <= q1 ==> 0 <= q2 ==> 0 <= q3 ==> 
      control_verdict(o, n, l, m, w) == 0 ==> operand_verdict(w, g, r) == 0 ==>
      verdict(o, n, l, m, w, g, r, q0, q1, q2, q3) == params_verdict(o, code_of(w), var_of(w), q0, q1, q2, q3);

    // What holds of a call that was found right.
    predicate call_right{L}(struct pv_control *c, struct pv_row *row, uint64_t *operand) =
      control_of(c, c->word) && row_of(row, c->code) && known(c->code) && row->code == c->code &&
      c->var_qwords < 1024 && c->rep_count < 4096 && c->rep_start < 4096 &&
      (is_rep(c->code) ==> c->rep_start < c->rep_count) &&
      (!is_rep(c->code) ==> c->rep_start == 0 && c->rep_count == 0) &&
      row->fixed_qwords + c->var_qwords + c->rep_count <= 512 &&
      (is_ipi(c->code) ==> vector_ok(operand[0])); */

// The verdict on the call, with its operands fetched when it is success.
/*@ requires valid: \valid_read(p) && \valid_read(call) && \valid_read(c) && \valid(operand + (0 .. 511));
    requires apart: \separated(operand + (0 .. 511), p, call, c) && \separated(operand + (0 .. 511), row);
    requires control: control_of(c, c->word) && c->word == word_of(call) && c->code < 65536 && c->var_qwords < 1024 &&
                      c->rep_count < 4096 && c->rep_start < 4096;
    requires row: (found <==> known(c->code)) && \valid_read(row) && (found ==> row_of(row, c->code));
    requires blank: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  hc_order_2: \result == verdict_of{Pre, Here}(p, call, operand);
    ensures  hc_copy_2: pv_j_reads <= 1;
    ensures  statuses: \result == 65536 || 0 <= \result <= 6;
    ensures  right: \result == 0 ==> call_right(c, row, operand); */
PV_INNER uint32_t pv_verdict(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                             bool found, const struct pv_row *row, uint64_t *operand);

#endif
