// SPDX-License-Identifier: BSD-2-Clause
#include "l2verdict.h"

// The operands of a call of L2's, into the one copy.
/*@ requires valid: \valid_read(p) && \valid_read(call) && \valid_read(c) && control_of(c, c->word);
    requires row: \valid_read(row) && row_of(row, c->code);
    requires range: c->var_qwords < 1024 && c->rep_count < 4096;
    requires shape: c->fast != 0 ==> block_qwords(c->word) <= 14;
    requires some: block_qwords(c->word) >= 1;
    requires block: \valid(operand + (0 .. 511));
    requires apart: \separated(operand + (0 .. 511), call);
    requires hc_copy_1: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  ne_mem_1: \result == direct_operands(\old(c->word), \old(input_of(call)), mapped ? pv_j_readable : 0);
    ensures  ne_mem_2: \result == 0 ==> l2_operands{Pre, Here}(call, \old(c->word), page, operand);
    ensures  fits: \result == 0 ==> block_qwords(\old(c->word)) <= 512; */
PV_RARE uint32_t fetch(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                       const struct pv_row *row, bool mapped, uint64_t page, uint64_t *operand)
{
    if (c->fast != 0) {
        return pv_operands_fetch(p, call, c, row, operand);
    }
    const uint64_t gpa = pv_input_register(call);
    const uint32_t qwords = pv_check_size(c, row);
    if (gpa % 8u != 0 || gpa % 4096u + 8u * (uint64_t)qwords > 4096u) {
        return PV_STATUS_BAD_ALIGNMENT;
    }
    if (!mapped || !pv_platform_read(p, page - page % 4096u + gpa % 4096u, operand, qwords)) {
        return PV_STATUS_INVALID_INPUT;
    }
    return PV_STATUS_SUCCESS;
}

uint32_t pv_l2_verdict(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                       bool found, const struct pv_row *row, bool mapped, uint64_t page, uint64_t *operand)
{
    const uint32_t early = pv_check_control(p->config.offers, 1, call->cpl, call->protected_mode, c, found, row);
    if (early != PV_STATUS_SUCCESS) {
        return early;
    }
    const uint32_t fetched = fetch(p, call, c, row, mapped, page, operand);
    if (fetched != PV_STATUS_SUCCESS) {
        return fetched;
    }
    return pv_check_params(p->config.offers, row, c->var_qwords, operand);
}
