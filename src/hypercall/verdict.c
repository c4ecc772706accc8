// SPDX-License-Identifier: BSD-2-Clause
#include "verdict.h"
#include "../base/shared.h"

uint32_t pv_verdict(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c, bool found,
                    const struct pv_row *row, uint64_t *operand)
{
    const uint32_t early = pv_check_control(p->config.offers, pv_shared_os_id(p) != 0 ? 1 : 0, call->cpl,
                                            call->protected_mode, c, found, row);
    if (early != PV_STATUS_SUCCESS) {
        //@ assert refused: early == verdict_of{Pre, Here}(p, call, operand);
        return early;
    }
    //@ assert shape: known(c->code) && shape_right(c->word) && found && block_qwords(c->word) >= 1;
    const uint32_t fetched = pv_operands_fetch(p, call, c, row, operand);
    if (fetched != PV_STATUS_SUCCESS) {
        //@ assert unfetched: fetched == verdict_of{Pre, Here}(p, call, operand);
        return fetched;
    }
    const uint32_t late = pv_check_params(p->config.offers, row, c->var_qwords, operand);
    //@ assert checked: late == verdict_of{Pre, Here}(p, call, operand);
    return late;
}
