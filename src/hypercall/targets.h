// SPDX-License-Identifier: BSD-2-Clause
// Which VPs a call means.
#ifndef PV_TARGETS_H
#define PV_TARGETS_H

#include "table.h"
#include "../vpset/vpset.h"

/*@ // The call with these operands means VP v.
    predicate means{L}(integer code, uint64_t *operand, integer v) =
      meant(code, operand[1], operand[2], operand[3],
            operand[word_place(code, mask_word(code, operand[1], operand[2], operand[3]), v)], v); */

// Every existing VP that the call means. operand: the block, whose parameters were found right.
/*@ requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    requires valid: \valid(targets) && \valid_read(present) && \valid_read(operand + (0 .. 511));
    requires apart: \separated(targets, present, operand + (0 .. 511), row);
    requires bits: 0 <= popcount(mask_word(row->code, operand[1], operand[2], operand[3])) <= 64;
    assigns  *targets;
    ensures  vs_abs_1: \forall integer v; 0 <= v < 4096 ==> (set_has(targets, v) <==>
               set_has{Pre}(present, v) && means{Pre}(row->code, operand, v)); */
void pv_targets(const struct pv_row *row, const uint64_t *operand, const struct pv_vp_set *present,
                struct pv_vp_set *targets);

#endif
