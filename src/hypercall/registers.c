// SPDX-License-Identifier: BSD-2-Clause
#include "registers.h"

void pv_registers_finish(struct pv_call *call, uint64_t result)
{
    if (call->long_mode != 0) {
        call->rax = result;
    } else {
        call->rax = result % 0x100000000u;
        call->rdx = result / 0x100000000u;
    }
}

void pv_registers_suspend(struct pv_call *call, uint64_t word)
{
    if (call->long_mode != 0) {
        call->rcx = word;
    } else {
        call->rax = word % 0x100000000u;
        call->rdx = word / 0x100000000u;
    }
}
