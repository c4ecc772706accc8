// SPDX-License-Identifier: BSD-2-Clause
// The portable bit functions, under names of their own.
#define pv_bit_count  portable_bit_count
#define pv_bit_lowest portable_bit_lowest
#include "base/bits.c"
