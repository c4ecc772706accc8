// SPDX-License-Identifier: BSD-2-Clause
#include "meaning.h"
#include "../base/bits.h"

bool pv_everyone_meant(const struct pv_row *row, const uint64_t *operand)
{
    if (row->flush != 0 && pv_bit_test(operand[1], 0)) { // flag: all processors
        return true;
    }
    if (row->ex != 0) {
        return (row->ipi != 0 ? operand[1] : operand[2]) == 1; // format: all
    }
    return row->flush != 0 && operand[2] == 0; // a plain flush of nobody means everybody
}

uint32_t pv_flush_kind(const struct pv_row *row, uint64_t flags)
{
    if (row->rep != 0) {
        return PV_FLUSH_RANGES;
    }
    if (pv_bit_test(flags, 2)) { // non-global only
        return PV_FLUSH_NONGLOBAL;
    }
    return PV_FLUSH_FULL;
}

uint32_t pv_list_form(uint64_t flags)
{
    return pv_bit_test(flags, 3) ? 1 : 0;
}

uint32_t pv_perform_stop(const struct pv_control *c, uint32_t budget)
{
    return c->rep_count - c->rep_start <= budget ? c->rep_count : c->rep_start + budget;
}
