// SPDX-License-Identifier: BSD-2-Clause
#include "operands.h"

/*@ assigns \nothing;
    ensures hc_reg_3: \result == pair(high, low); */
static inline uint64_t pair_of(uint64_t high, uint64_t low)
{
    return 0x100000000u * (high % 0x100000000u) + low % 0x100000000u;
}

uint64_t pv_control_register(const struct pv_call *call)
{
    return call->long_mode != 0 ? call->rcx : pair_of(call->rdx, call->rax);
}

uint64_t pv_input_register(const struct pv_call *call)
{
    return call->long_mode != 0 ? call->rdx : pair_of(call->rbx, call->rcx);
}

/*@ requires valid: \valid_read(call);
    assigns  \nothing;
    ensures  hc_reg_4: \result == input2_reg(call->long_mode, call->rsi, call->rdi, call->r8); */
static inline uint64_t second_register(const struct pv_call *call)
{
    return call->long_mode != 0 ? call->r8 : pair_of(call->rdi, call->rsi);
}

uint32_t pv_operands_fetch(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                           const struct pv_row *row, uint64_t *operand)
{
    const uint64_t input = pv_input_register(call);
    const uint32_t qwords = pv_check_size(c, row);

    if (c->fast != 0) {
        operand[0] = input;
        operand[1] = second_register(call);
        /*@ loop invariant 2 <= i && (i <= qwords || i == 2);
            loop invariant \forall integer j; 2 <= j < i ==> operand[j] == call->xmm[j - 2];
            loop invariant operand[0] == input && operand[1] == \at(operand[1], LoopEntry);
            loop assigns i, operand[2 .. 13];
            loop variant qwords - i; */
        for (uint32_t i = 2; i < qwords; i++) {
            operand[i] = call->xmm[i - 2];
        }
        return PV_STATUS_SUCCESS;
    }
    if (input % 8u != 0 || input % 4096u + 8u * qwords > 4096u) {
        return PV_STATUS_BAD_ALIGNMENT;
    }
    return pv_platform_read(p, input, operand, qwords) ? PV_STATUS_SUCCESS : PV_STATUS_BAD_ALIGNMENT;
}
