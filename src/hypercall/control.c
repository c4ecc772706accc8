// SPDX-License-Identifier: BSD-2-Clause
// Fields are taken out by division with constants: the compiler makes shifts and masks of it, and a prover reads it.
#include "control.h"

void pv_control_decode(uint64_t w, struct pv_control *c)
{
    c->word = w;
    c->code = (uint32_t)(w % 0x10000u);
    c->fast = (uint32_t)(w / 0x10000u % 2u);
    c->var_qwords = (uint32_t)(w / 0x20000u % 0x400u);
    c->rep_count = (uint32_t)(w / 0x100000000u % 0x1000u);
    c->rep_start = (uint32_t)(w / 0x1000000000000u % 0x1000u);
    // bits 31:27 (a reserved field and the bit of nested calls), 47:44, 63:60
    const uint32_t high = (uint32_t)(w / 0x100000000u);
    c->refused = w / 0x8000000u % 32u != 0 || high / 0x1000u % 16u != 0 || high / 0x10000000u != 0;
}

uint64_t pv_result_value(uint32_t status, uint32_t reps)
{
    return status + 0x100000000u * (uint64_t)reps;
}

uint64_t pv_control_restart(uint64_t w, uint32_t start)
{
    const uint64_t old = w / 0x1000000000000u % 0x1000u;
    //@ assert part: 0x1000000000000 * old <= w;
    //@ assert room: w - 0x1000000000000 * old + 0x1000000000000 * 4095 <= 18446744073709551615;
    return w - 0x1000000000000u * old + 0x1000000000000u * (uint64_t)start;
}
