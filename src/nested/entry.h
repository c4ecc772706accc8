// SPDX-License-Identifier: BSD-2-Clause
// An entry of L1's nested table, in each of the formats that it may have (APM vol. 2, 5.2..5.4, 15.25). A format is named by its number
// of levels: 4 long mode, 3 PAE, 2 legacy. Levels are counted from 1, the lowest. Sums and remainders in place of bit operators: the
// same machine code, and plain to the prover.
#ifndef PV_NESTED_ENTRY_H
#define PV_NESTED_ENTRY_H

#include "types.h"
#include "../model.h"

// The format that the role names (NW-FORM-1).
/*@ assigns  \nothing;
    ensures  nw_form_1: \result == levels(role) && 2 <= \result <= 4; */
uint32_t pv_table_levels(uint32_t role);

// The root's address (NW-ROOT-1).
/*@ requires format: 2 <= f <= 4;
    assigns  \nothing;
    ensures  nw_root_1: \result == root_table(f, ncr3);
    ensures  rows: \result % 32 == 0;
    ensures  range: \result < 4503599627370496; */
uint64_t pv_table_root(uint32_t f, uint64_t ncr3);

// Bytes that an entry of level n covers, less one: the mask of the offset in a page.
/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  covered: \result + 1 == covers(f, n); */
uint64_t pv_entry_covers(uint32_t f, uint32_t n);

/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  shift: \result == covers_shift(f, n) && 12 <= \result <= 39; */
uint32_t pv_entry_shift(uint32_t f, uint32_t n);

// Where the entry for `gpa` stands (NW-INDEX-1).
/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    requires start: start % 32 == 0 && start < 4503599627370496;
    assigns  \nothing;
    ensures  nw_index_1: \result == entry_at(f, n, start, gpa);
    ensures  aligned: \result % (f == 2 ? 4 : 8) == 0; */
uint64_t pv_entry_at(uint32_t f, uint32_t n, uint64_t start, uint64_t gpa);

// The entry is a page's (NW-PAGE-1).
/*@ requires level: 1 <= n <= levels(role);
    assigns  \nothing;
    ensures  nw_page_1: \result <==> is_page(role, n, e); */
bool pv_entry_is_page(uint32_t role, uint32_t n, uint64_t e);

// The entry, which is present, has a bit that must be 0 (NW-RSVD-1).
/*@ requires level: 1 <= n <= levels(role);
    requires width: 32 <= width <= 52;
    assigns  \nothing;
    ensures  nw_rsvd_1: \result <==> reserved(role, width, n, e); */
bool pv_entry_reserved(uint32_t role, uint32_t width, uint32_t n, uint64_t e);

// The table that the entry leads to, or the byte of the page (NW-NEXT-1).
/*@ requires format: 2 <= f <= 4;
    assigns  \nothing;
    ensures  nw_next_1: \result == table_of(f, e);
    ensures  entries: \result % 4096 == 0 && \result < 4503599627370496; */
uint64_t pv_entry_table(uint32_t f, uint64_t e);

/*@ requires level: 2 <= f <= 4 && 1 <= n <= f && n < 4;
    assigns  \nothing;
    ensures  nw_next_1: \result == target_of(f, n, e, gpa); */
uint64_t pv_entry_target(uint32_t f, uint32_t n, uint64_t e, uint64_t gpa);

// What the entry allows (NW-RIGHT-1), each 0 or 1.
/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  nw_right_1: \result == entry_user(f, n, e) && \result <= 1; */
uint32_t pv_entry_user(uint32_t f, uint32_t n, uint64_t e);

/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  nw_right_1: \result == entry_writes(f, n, e) && \result <= 1; */
uint32_t pv_entry_writes(uint32_t f, uint32_t n, uint64_t e);

/*@ requires level: 1 <= n <= levels(role);
    assigns  \nothing;
    ensures  nw_right_1: \result == entry_runs(role, n, e) && \result <= 1; */
uint32_t pv_entry_runs(uint32_t role, uint32_t n, uint64_t e);

#endif
