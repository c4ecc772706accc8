// SPDX-License-Identifier: BSD-2-Clause
// What a call that was found right means: whom, what kind of flush, which form of list, how much of it now.
#ifndef PV_MEANING_H
#define PV_MEANING_H

#include "control.h"
#include "table.h"

// Every existing VP is meant.
/*@ requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    requires valid: \valid_read(operand + (0 .. 3));
    assigns  \nothing;
    ensures  fl_all_1: \result <==> everyone(row->code, operand[1], operand[2]); */
PV_INNER bool pv_everyone_meant(const struct pv_row *row, const uint64_t *operand);

// The kind of flush.
/*@ requires row: \valid_read(row) && row_of(row, row->code);
    assigns  \nothing;
    ensures  fl_glb_1: \result == ask_kind(row->code, flags);
    ensures  kinds: (\result == 1 || \result == 2 || \result == 4) && (\result == 4 <==> is_rep(row->code)); */
PV_INNER uint32_t pv_flush_kind(const struct pv_row *row, uint64_t flags);

// The form of the list's entries.
/*@ assigns \nothing;
    ensures fl_form_1: \result == list_form(flags) <= 1; */
PV_INNER uint32_t pv_list_form(uint64_t flags);

// Where this entry stops in the list.
/*@ requires valid: \valid_read(c) && control_of(c, c->word) && budget >= 1;
    requires range: c->rep_start <= c->rep_count < 4096;
    assigns  \nothing;
    ensures  hc_cont_1: \result == stop_of(budget, c->word);
    ensures  progress: c->rep_start <= \result <= c->rep_count && (c->rep_start < c->rep_count ==> c->rep_start < \result); */
PV_INNER uint32_t pv_perform_stop(const struct pv_control *c, uint32_t budget);

#endif
