// SPDX-License-Identifier: BSD-2-Clause
// The CPUID registers that are put together bit by bit. A bit is shown only if what it promises is served: by the
// core, as the offers say, or by the embedder, of whose words only the bits under these masks are taken over.
#include "../base/mask.h"
#include "offers.h"
#include "setup.h"

enum {
    PRIVILEGES_EMBEDDER = 0xE9F,  // leaf 3 EAX, bits 0-4, 7, 9-11 (CP-PRIV-2)
    PRIVILEGES_CORE = 0x060,      // bits 5 and 6: the MSRs of the core (CP-PRIV-1)
    FEATURES_EMBEDDER = 0x8A1524, // leaf 3 EDX, bits 2, 5, 8, 10, 12, 17, 19, 23 (CP-FEAT-2)
    HINTS_EMBEDDER = 0x60220      // leaf 4 EAX, bits 5, 9, 17, 18
};

uint32_t pv_cpuid_privileges(uint32_t privileges)
{
    return pv_under_mask(privileges, PRIVILEGES_EMBEDDER) + PRIVILEGES_CORE;
}

uint32_t pv_cpuid_features(uint32_t offers, uint32_t features)
{
    uint32_t result = pv_under_mask(features, FEATURES_EMBEDDER);

    result += pv_bit_test(offers, OFFER_XMM_INPUT) ? 0x10u : 0u;
    result += pv_bit_test(offers, OFFER_EXTENDED_RANGES) ? 0x4000u : 0u;
    result += pv_bit_test(offers, OFFER_HYPERCALL_LOCK) ? 0x40000u : 0u;
    return result;
}

bool pv_flush_served(uint32_t offers)
{
    if (!pv_bit_test(offers, OFFER_FLUSH_SPACE) || !pv_bit_test(offers, OFFER_FLUSH_LIST)) {
        return false;
    }
    return !pv_bit_test(offers, OFFER_EX_MASKS) ||
           (pv_bit_test(offers, OFFER_FLUSH_SPACE_EX) && pv_bit_test(offers, OFFER_FLUSH_LIST_EX));
}

bool pv_ipi_served(uint32_t offers)
{
    return pv_bit_test(offers, OFFER_CLUSTER_IPI) &&
           (!pv_bit_test(offers, OFFER_EX_MASKS) || pv_bit_test(offers, OFFER_CLUSTER_IPI_EX));
}

uint32_t pv_cpuid_hints(uint32_t offers, uint32_t privileges, uint32_t hints)
{
    uint32_t result = pv_under_mask(hints, HINTS_EMBEDDER);

    if (pv_flush_served(offers)) {
        result += pv_bit_test(hints, 1) ? 0x2u : 0u;
        result += pv_bit_test(hints, 2) ? 0x4u : 0u;
    }
    result += pv_bit_test(hints, 3) && pv_bit_test(privileges, 4) ? 0x8u : 0u;
    result += pv_bit_test(hints, 4) && pv_bit_test(privileges, 7) ? 0x10u : 0u;
    result += pv_bit_test(hints, 10) && pv_ipi_served(offers) ? 0x400u : 0u;
    result += pv_bit_test(offers, OFFER_EX_MASKS) ? 0x800u : 0u;
    return result;
}

uint32_t pv_cpuid_spin_count(uint32_t offers, uint32_t spin_count)
{
    return pv_bit_test(offers, OFFER_LONG_SPIN_WAIT) ? spin_count : UINT32_MAX;
}
