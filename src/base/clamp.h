// SPDX-License-Identifier: BSD-2-Clause
// An index that a guest gave, once more made harmless after it was checked: a processor that runs ahead of the check
// must not read beyond the array either. Nothing but that rests on it; what the program computes is the same without.
#ifndef PV_CLAMP_H
#define PV_CLAMP_H

#include <stdint.h>

// The same number, of which the compiler knows nothing: it would else leave out what follows from the check.
// (A-HIDE-1)
/*@ assigns  \nothing;
    ensures  same: \result == number; */
static inline uint64_t pv_hidden(uint64_t number);

#ifndef __FRAMAC__

static inline uint64_t pv_hidden(uint64_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

#endif

// The index if it is below the length, else 0; without a branch. (KV-IDX-2)
/*@ requires length: 1 <= length;
    assigns  \nothing;
    ensures  kv_idx_2: index < length ==> \result == index;
    ensures  kv_idx_3: length <= index ==> \result == 0; */
static inline uint32_t pv_index_clamp(uint32_t index, uint32_t length)
{
    const uint64_t hidden = pv_hidden(index);
    const uint64_t beyond = (0x100000000u + hidden - length) / 0x100000000u; // 0 or 1
    return (uint32_t)(hidden * (1u - beyond));
}

#endif
