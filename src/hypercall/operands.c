// SPDX-License-Identifier: BSD-2-Clause
#include "operands.h"

/*@ assigns \nothing;
    ensures hc_reg_3: \result == pair(high, low); */
PV_HELPER uint64_t pair_of(uint64_t high, uint64_t low)
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
PV_HELPER uint64_t second_register(const struct pv_call *call)
{
    return call->long_mode != 0 ? call->r8 : pair_of(call->rdi, call->rsi);
}

/*@ requires valid: \valid_read(call) && \valid(operand + (0 .. 511)) && qwords <= 14;
    requires apart: \separated(operand + (0 .. 511), call);
    assigns  operand[0 .. 13];
    ensures  hc_fast_2: \forall integer i; 0 <= i < qwords ==> operand[i] == register_word{Pre}(call, i); */
PV_HELPER void from_registers(const struct pv_call *call, uint32_t qwords, uint64_t *operand)
{
    operand[0] = pv_input_register(call);
    operand[1] = second_register(call);
    /*@ loop invariant 2 <= i <= 14 && (i <= qwords || i == 2);
        loop invariant \forall integer j; 2 <= j < i ==> operand[j] == \at(call->xmm[j - 2], Pre);
        loop assigns i, operand[2 .. 13];
        loop variant qwords - i; */
    for (uint32_t i = 2; i < qwords; i++) {
        //@ assert kept: call->xmm[i - 2] == \at(call->xmm[\at(i, Here) - 2], Pre);
        operand[i] = call->xmm[i - 2];
    }
}

/*@ requires valid: \valid_read(p) && \valid(operand + (0 .. 511)) && 1 <= qwords <= 5122;
    requires hc_copy_1: pv_j_reads == 0;
    assigns  operand[0 .. 511], pv_j_reads, pv_j_readable;
    ensures  hc_align_1: \result == 0 || \result == 4;
    ensures  hc_align_2: \result == 0 <==> input % 8 == 0 && input % 4096 + 8 * qwords <= 4096 && pv_j_readable != 0;
    ensures  hc_copy_2: pv_j_reads <= 1; */
PV_HELPER uint32_t from_memory(const struct pv_partition *p, uint64_t input, uint32_t qwords, uint64_t *operand)
{
    if (input % 8u != 0 || input % 4096u + 8u * (uint64_t)qwords > 4096u) {
        return PV_STATUS_BAD_ALIGNMENT;
    }
    return pv_platform_read(p, input, operand, qwords) ? PV_STATUS_SUCCESS : PV_STATUS_BAD_ALIGNMENT;
}

uint32_t pv_operands_fetch(const struct pv_partition *p, const struct pv_call *call, const struct pv_control *c,
                           const struct pv_row *row, uint64_t *operand)
{
    const uint32_t qwords = pv_check_size(c, row);

    if (c->fast != 0) {
        from_registers(call, qwords, operand);
        return PV_STATUS_SUCCESS;
    }
    return from_memory(p, pv_input_register(call), qwords, operand);
}
