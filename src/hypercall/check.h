// SPDX-License-Identifier: BSD-2-Clause
// The checks on a call. None has an effect; each gives a verdict. Together they are the model's `verdict`.
#ifndef PV_CHECK_H
#define PV_CHECK_H

#include "control.h"
#include "table.h"

// Before any operand is looked at: mode, control word, call, gate, shape; in the order of HC-ORDER-1.
// found: the call has a row, and this is it. identified: GUEST_OS_ID is not zero.
/*@ requires valid: \valid_read(c) && control_of(c, c->word);
    requires row: (found <==> known(c->code)) && \valid_read(row) && (found ==> row_of(row, c->code));
    requires range: c->var_qwords < 1024 && c->rep_count < 4096;
    assigns  \nothing;
    ensures  hc_order_1: \result == control_verdict(offers, identified, cpl, protected_mode, c->word); */
PV_INNER uint32_t pv_check_control(uint32_t offers, uint32_t identified, uint32_t cpl, uint32_t protected_mode,
                                   const struct pv_control *c, bool found, const struct pv_row *row);

// Qwords of the operand block.
/*@ requires valid: \valid_read(c) && control_of(c, c->word);
    requires row: \valid_read(row) && row_of(row, c->code);
    requires range: c->var_qwords < 1024 && c->rep_count < 4096;
    assigns  \nothing;
    ensures  hc_size_1: \result == block_qwords(c->word) <= 5122; */
PV_INNER uint32_t pv_check_size(const struct pv_control *c, const struct pv_row *row);

// The values of the parameters; operand is the block, of at least the fixed header.
/*@ requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    requires valid: \valid_read(operand + (0 .. 3));
    assigns  \nothing;
    ensures  fl_err_1: \result == params_verdict(offers, row->code, var_qwords, operand[0], operand[1], operand[2], operand[3]); */
PV_INNER uint32_t pv_check_params(uint32_t offers, const struct pv_row *row, uint32_t var_qwords,
                                  const uint64_t *operand);

#endif
