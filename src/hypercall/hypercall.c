// SPDX-License-Identifier: BSD-2-Clause
// The way of one hypercall: decode, look up, check, fetch, check, perform, encode.
#include "../proviso.h"
#include "../flush/flush.h"
#include "../flush/list.h"
#include "../ipi/ipi.h"
#include "operands.h"
#include "targets.h"
#include "perform.h"

// The end of an instruction that is done: the result value in its register.
static void finish(struct pv_call *call, uint64_t result)
{
    if (call->long_mode != 0) {
        call->rax = result;
    } else {
        call->rax = result % 0x100000000u;
        call->rdx = result / 0x100000000u;
    }
}

// The end of an instruction that will be executed again: another control word.
static void suspend(struct pv_call *call, uint64_t word)
{
    if (call->long_mode != 0) {
        call->rcx = word;
    } else {
        call->rax = word % 0x100000000u;
        call->rdx = word / 0x100000000u;
    }
}

// The verdict on the call, with its operands fetched when it is success.
static uint32_t check(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                      const struct pv_row *row, uint64_t *operand)
{
    const uint32_t early = pv_check_control(p->config.offers, p->guest_os_id != 0 ? 1 : 0, call->cpl,
                                            call->protected_mode, c, row);
    if (early != PV_STATUS_SUCCESS) {
        return early;
    }
    const uint32_t fetched = pv_operands_fetch(p, call, c, row, operand);
    if (fetched != PV_STATUS_SUCCESS) {
        return fetched;
    }
    return pv_check_params(p->config.offers, row, c->var_qwords, operand);
}

enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch)
{
    struct pv_control c;
    pv_control_decode(pv_control_register(call), &c);
    const struct pv_row *row = pv_table_row(c.code);

    const uint32_t verdict = check(p, call, &c, row, scratch->operand);
    if (verdict == PV_VERDICT_UD) {
        return PV_FAULT_UD;
    }
    if (verdict != PV_STATUS_SUCCESS) {
        finish(call, pv_result_value(verdict, 0));
        return PV_DONE;
    }
    const uint32_t stop = pv_perform(p, context, &c, row, scratch);
    if (stop < c.rep_count) {
        suspend(call, pv_control_restart(c.word, stop));
        return PV_CONTINUE;
    }
    finish(call, pv_result_value(PV_STATUS_SUCCESS, c.rep_count));
    return PV_DONE;
}
