// SPDX-License-Identifier: BSD-2-Clause
// The offers of a partition as bit numbers, for pv_bit_test; types.h has them as masks, for the embedder.
#ifndef PV_OFFERS_H
#define PV_OFFERS_H

#include "../base/constants.h"
#include "../types.h"

enum {
    OFFER_FLUSH_SPACE = 0,
    OFFER_FLUSH_LIST = 1,
    OFFER_LONG_SPIN_WAIT = 2,
    OFFER_CLUSTER_IPI = 3,
    OFFER_FLUSH_SPACE_EX = 4,
    OFFER_FLUSH_LIST_EX = 5,
    OFFER_CLUSTER_IPI_EX = 6,
    OFFER_EX_MASKS = 7,
    OFFER_XMM_INPUT = 8,
    OFFER_EXTENDED_RANGES = 9,
    OFFER_HYPERCALL_LOCK = 10
};

// The two ways to say it agree.
PV_HOLDS(pv_same_flush_space, PV_OFFER_FLUSH_SPACE == 1 << OFFER_FLUSH_SPACE);
PV_HOLDS(pv_same_flush_list, PV_OFFER_FLUSH_LIST == 1 << OFFER_FLUSH_LIST);
PV_HOLDS(pv_same_long_spin_wait, PV_OFFER_LONG_SPIN_WAIT == 1 << OFFER_LONG_SPIN_WAIT);
PV_HOLDS(pv_same_cluster_ipi, PV_OFFER_CLUSTER_IPI == 1 << OFFER_CLUSTER_IPI);
PV_HOLDS(pv_same_flush_space_ex, PV_OFFER_FLUSH_SPACE_EX == 1 << OFFER_FLUSH_SPACE_EX);
PV_HOLDS(pv_same_flush_list_ex, PV_OFFER_FLUSH_LIST_EX == 1 << OFFER_FLUSH_LIST_EX);
PV_HOLDS(pv_same_cluster_ipi_ex, PV_OFFER_CLUSTER_IPI_EX == 1 << OFFER_CLUSTER_IPI_EX);
PV_HOLDS(pv_same_ex_masks, PV_OFFER_EX_MASKS == 1 << OFFER_EX_MASKS);
PV_HOLDS(pv_same_xmm_input, PV_OFFER_XMM_INPUT == 1 << OFFER_XMM_INPUT);
PV_HOLDS(pv_same_extended_ranges, PV_OFFER_EXTENDED_RANGES == 1 << OFFER_EXTENDED_RANGES);
PV_HOLDS(pv_same_hypercall_lock, PV_OFFER_HYPERCALL_LOCK == 1 << OFFER_HYPERCALL_LOCK);

#endif
