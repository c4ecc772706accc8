// SPDX-License-Identifier: BSD-2-Clause
// The control word and the result value.
#ifndef PV_CONTROL_H
#define PV_CONTROL_H

#include "../model.h"
#include "../types.h"

// The verdict on a call: a status, or that the instruction faults.
enum {
    PV_STATUS_SUCCESS = 0,
    PV_STATUS_INVALID_CODE = 2,
    PV_STATUS_INVALID_INPUT = 3,
    PV_STATUS_BAD_ALIGNMENT = 4,
    PV_STATUS_BAD_PARAMETER = 5,
    PV_STATUS_ACCESS_DENIED = 6,
    PV_VERDICT_UD = 65536
};

struct pv_control {
    uint64_t word;
    uint32_t code;
    uint32_t fast;
    uint32_t var_qwords;
    uint32_t rep_count;
    uint32_t rep_start;
    uint32_t refused; // a reserved bit is set, or bit 31 (HC-RSVD-1, HC-RSVD-2)
};

/*@ // The fields are those of the word.
    predicate control_of{L}(struct pv_control *c, integer w) =
      c->word == w && c->code == code_of(w) && c->fast == fast_of(w) && c->var_qwords == var_of(w) &&
      c->rep_count == rep_count_of(w) && c->rep_start == rep_start_of(w) &&
      (c->refused != 0 <==> reserved_set(w) || nested_of(w) == 1);

    lemma code_is: \forall integer w; 0 <= w ==> code_of(w) == w % 65536; */

/*@ requires valid: \valid(c);
    assigns  *c;
    ensures  hc_ctl_1: control_of(c, w);
    ensures  range: c->code < 65536 && c->fast <= 1 && c->var_qwords < 1024 && c->rep_count < 4096 && c->rep_start < 4096; */
PV_INNER void pv_control_decode(uint64_t w, struct pv_control *c);

/*@ requires status: status < 65536 && reps < 4096;
    assigns  \nothing;
    ensures  hc_res_1: \result == result_value(status, reps); */
PV_INNER uint64_t pv_result_value(uint32_t status, uint32_t reps);

// The same control word with another start index.
/*@ requires start: start < 4096;
    assigns  \nothing;
    ensures  hc_cont_2: \result == restart(w, start); */
PV_INNER uint64_t pv_control_restart(uint64_t w, uint32_t start);

#endif
