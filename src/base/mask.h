// SPDX-License-Identifier: BSD-2-Clause
#ifndef PV_MASK_H
#define PV_MASK_H

#include "bits.h"
#include "masklaws.h"

// The bits of the word that are in the mask, too.
/*@ assigns  \nothing;
    ensures  common: \result == both(word, mask, 32);
    ensures  most: \result <= mask; */
static inline uint32_t pv_under_mask(uint32_t word, uint32_t mask)
{
    const uint32_t result = pv_bits_and32(word, mask);
    //@ assert range: pow2(32) == 4294967296;
    //@ assert same: low(result, 32) == both(word, mask, 32);
    return result;
}

#endif
