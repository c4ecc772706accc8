// SPDX-License-Identifier: BSD-2-Clause
#include "table.h"

// clang-format off
#define ROWS 7u
static const struct pv_row table[ROWS] = {
    //code    fixed  gate  rep  ex  flush  ipi
    { 0x0002, 3,     0,    0,   0,  1,     0 }, // HvCallFlushVirtualAddressSpace
    { 0x0003, 3,     1,    1,   0,  1,     0 }, // HvCallFlushVirtualAddressList
    { 0x0008, 1,     2,    0,   0,  0,     0 }, // HvCallNotifyLongSpinWait
    { 0x000B, 2,     3,    0,   0,  0,     1 }, // HvCallSendSyntheticClusterIpi
    { 0x0013, 4,     4,    0,   1,  1,     0 }, // HvCallFlushVirtualAddressSpaceEx
    { 0x0014, 4,     5,    1,   1,  1,     0 }, // HvCallFlushVirtualAddressListEx
    { 0x0015, 3,     6,    0,   1,  0,     1 }, // HvCallSendSyntheticClusterIpiEx
};
// clang-format on

const struct pv_row *pv_table_row(uint32_t code)
{
    /*@ loop invariant 0 <= i <= 7;
        loop invariant \forall integer j; 0 <= j < i ==> table[j].code != code;
        loop assigns i;
        loop variant 7 - i; */
    for (uint32_t i = 0; i < ROWS; i++) {
        if (table[i].code == code) {
            return &table[i];
        }
    }
    return 0;
}
