// SPDX-License-Identifier: BSD-2-Clause
// The call table: what a call looks like, as data. One row a call; everything not in it is unknown (HC-CODE-1).
#ifndef PV_TABLE_H
#define PV_TABLE_H

#include "../model.h"
#include "../types.h"

struct pv_row {
    uint16_t code;
    uint8_t fixed_qwords; // fixed header
    uint8_t gate;         // the bit of pv_config.offers
    uint8_t rep;          // a list follows the header
    uint8_t ex;           // the targets are a VP set, whose banks are the variable header
    uint8_t flush;        // a flush of virtual addresses
    uint8_t ipi;          // an IPI
    uint8_t gpa;          // a flush of what L1's nested tables say (NE-TAB-1)
};

/*@ // The row says what the model says of the call.
    predicate row_of{L}(struct pv_row *r, integer code) =
      r->code == code && r->fixed_qwords == fixed_qwords(code) && r->gate == gate(code) &&
      (r->rep != 0 <==> is_rep(code)) && (r->ex != 0 <==> is_ex(code)) && (r->flush != 0 <==> is_flush(code)) &&
      (r->ipi != 0 <==> is_ipi(code)) && (r->gpa != 0 <==> is_gpa(code)); */

// Copies out the row of a call; false if there is no such call.
/*@ requires code: code < 65536;
    requires valid: \valid(row);
    assigns  *row;
    ensures  hc_code_1: \result <==> known(code);
    ensures  hc_tab_1: \result ==> row_of(row, code); */
PV_INNER bool pv_table_row(uint32_t code, struct pv_row *row);

#endif
