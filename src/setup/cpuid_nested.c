// SPDX-License-Identifier: BSD-2-Clause
// CPUID leaf 0x4000000A: what a hypervisor in a VP may use for its own guests. A bit is shown only if what it promises is
// served, and without the leaf none is.
#include "../base/bits.h"
#include "offers.h"
#include "setup.h"

enum { LEAF_LAST = 0x40000006, LEAF_LAST_NESTED = 0x4000000A };

bool pv_gpa_served(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_NESTING) && pv_bit_test(offers, OFFER_FLUSH_GPA_SPACE) &&
           pv_bit_test(offers, OFFER_FLUSH_GPA_LIST);
}

bool pv_direct_served(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_NESTING) && pv_bit_test(offers, OFFER_DIRECT_FLUSH) && pv_flush_served(offers);
}

bool pv_bitmap_served(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_NESTING) && pv_bit_test(offers, OFFER_MSR_BITMAP);
}

bool pv_npt_tlb_served(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_NPT_TLB) && pv_gpa_served(offers);
}

uint32_t pv_cpuid_nested(uint32_t offers)
{
    uint32_t result = pv_direct_served(offers) ? 0x20000u : 0u;

    result += pv_gpa_served(offers) ? 0x40000u : 0u;
    result += pv_bitmap_served(offers) ? 0x80000u : 0u;
    result += pv_npt_tlb_served(offers) ? 0x400000u : 0u;
    return result;
}

uint32_t pv_cpuid_highest(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_NESTING) ? LEAF_LAST_NESTED : LEAF_LAST;
}
