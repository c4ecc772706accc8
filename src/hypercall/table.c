// SPDX-License-Identifier: BSD-2-Clause
#include "table.h"

// clang-format off
static const struct pv_row table[10] = {
    //code    fixed  gate  rep  ex  flush  ipi  gpa
    { 0x0002, 3,     0,    0,   0,  1,     0,   0 }, // HvCallFlushVirtualAddressSpace
    { 0x0003, 3,     1,    1,   0,  1,     0,   0 }, // HvCallFlushVirtualAddressList
    { 0x0008, 1,     2,    0,   0,  0,     0,   0 }, // HvCallNotifyLongSpinWait
    { 0x000B, 2,     3,    0,   0,  0,     1,   0 }, // HvCallSendSyntheticClusterIpi
    { 0x0013, 4,     4,    0,   1,  1,     0,   0 }, // HvCallFlushVirtualAddressSpaceEx
    { 0x0014, 4,     5,    1,   1,  1,     0,   0 }, // HvCallFlushVirtualAddressListEx
    { 0x0015, 3,     6,    0,   1,  0,     1,   0 }, // HvCallSendSyntheticClusterIpiEx
    { 0x00AF, 2,     11,   0,   0,  0,     0,   1 }, // HvCallFlushGuestPhysicalAddressSpace
    { 0x00B0, 2,     12,   1,   0,  0,     0,   1 }, // HvCallFlushGuestPhysicalAddressList
    { 0,      0,     0,    0,   0,  0,     0,   0 }, // no call
};
// clang-format on

bool pv_table_row(uint32_t code, struct pv_row *row)
{
    switch (code) {
    case 0x0002:
        *row = table[0];
        return true;
    case 0x0003:
        *row = table[1];
        return true;
    case 0x0008:
        *row = table[2];
        return true;
    case 0x000B:
        *row = table[3];
        return true;
    case 0x0013:
        *row = table[4];
        return true;
    case 0x0014:
        *row = table[5];
        return true;
    case 0x0015:
        *row = table[6];
        return true;
    case 0x00AF:
        *row = table[7];
        return true;
    case 0x00B0:
        *row = table[8];
        return true;
    default:
        *row = table[9];
        return false;
    }
}
