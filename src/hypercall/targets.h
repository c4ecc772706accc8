// SPDX-License-Identifier: BSD-2-Clause
// Which VPs a call means.
#ifndef PV_TARGETS_H
#define PV_TARGETS_H

#include "table.h"
#include "../vpset/vpset.h"

/*@ // The call with these operands means VP v.
    predicate means{L}(integer code, uint64_t *operand, integer v) =
      meant(code, operand[1], operand[2], operand[3],
            operand[word_place(code, mask_word(code, operand[1], operand[2], operand[3]), v)], v);

    lemma meant_all:   \forall integer code, q1, q2, q3, word, v; everyone(code, q1, q2) ==> meant(code, q1, q2, q3, word, v);
    lemma meant_ex:    \forall integer code, q1, q2, q3, word, v; !everyone(code, q1, q2) ==> is_ex(code) ==>
                         (meant(code, q1, q2, q3, word, v) <==> member(mask_word(code, q1, q2, q3), word, v));
    lemma meant_plain: \forall integer code, q1, q2, q3, word, v; !everyone(code, q1, q2) ==> !is_ex(code) ==>
                         (meant(code, q1, q2, q3, word, v) <==> plain_member(mask_word(code, q1, q2, q3), v));
    lemma mask_ex:     \forall integer code, q1, q2, q3; is_ex(code) ==>
                         (is_ipi(code) ==> mask_word(code, q1, q2, q3) == q2) &&
                         (!is_ipi(code) ==> mask_word(code, q1, q2, q3) == q3);
    lemma mask_plain:  \forall integer code, q1, q2, q3; known(code) ==> !is_ex(code) ==>
                         (is_ipi(code) ==> mask_word(code, q1, q2, q3) == q1) &&
                         (!is_ipi(code) ==> mask_word(code, q1, q2, q3) == q2);
    lemma place_is:    \forall integer code, mask, v; word_place(code, mask, v) == fixed_qwords(code) + slot_of(mask, v);
    lemma fixed_small: \forall integer code; 0 <= fixed_qwords(code) <= 4; */

// Every existing VP that the call means. operand: the block, whose parameters were found right.
/*@ requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    requires valid: \valid(targets) && \valid_read(present) && \valid_read(operand + (0 .. 511));
    requires apart: \separated(targets, present, operand + (0 .. 511), row);
    assigns  *targets;
    ensures  vs_abs_1: \forall integer v; 0 <= v < 4096 ==> (set_has(targets, v) <==>
               set_has{Pre}(present, v) && means{Pre}(\old(row->code), operand, v)); */
PV_INNER void pv_targets(const struct pv_row *row, const uint64_t *operand, const struct pv_vp_set *present,
                         struct pv_vp_set *targets);

#endif
