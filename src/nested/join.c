// SPDX-License-Identifier: BSD-2-Clause
#include "join.h"
#include "../base/bits_bridge.h"

uint32_t pv_bits_not32(uint32_t a)
{
    return ~a;
}

uint32_t pv_bits_or32(uint32_t a, uint32_t b)
{
    return pv_bits_not32(pv_bits_and32(pv_bits_not32(a), pv_bits_not32(b)));
}
