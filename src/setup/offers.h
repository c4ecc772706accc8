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
    OFFER_HYPERCALL_LOCK = 10,
    OFFER_FLUSH_GPA_SPACE = 11,
    OFFER_FLUSH_GPA_LIST = 12,
    OFFER_NESTING = 13,
    OFFER_DIRECT_FLUSH = 14,
    OFFER_MSR_BITMAP = 15,
    OFFER_NPT_TLB = 16
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
PV_HOLDS(pv_same_flush_gpa_space, PV_OFFER_FLUSH_GPA_SPACE == 1 << OFFER_FLUSH_GPA_SPACE);
PV_HOLDS(pv_same_flush_gpa_list, PV_OFFER_FLUSH_GPA_LIST == 1 << OFFER_FLUSH_GPA_LIST);
PV_HOLDS(pv_same_nesting, PV_OFFER_NESTING == 1 << OFFER_NESTING);
PV_HOLDS(pv_same_direct_flush, PV_OFFER_DIRECT_FLUSH == 1 << OFFER_DIRECT_FLUSH);
PV_HOLDS(pv_same_msr_bitmap, PV_OFFER_MSR_BITMAP == 1 << OFFER_MSR_BITMAP);
PV_HOLDS(pv_same_npt_tlb, PV_OFFER_NPT_TLB == 1 << OFFER_NPT_TLB);

#endif
