// SPDX-License-Identifier: BSD-2-Clause
// The offers of a partition as bit numbers, for pv_bit_test; types.h has them as masks, for the embedder.
#ifndef PV_OFFERS_H
#define PV_OFFERS_H

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

#ifndef __FRAMAC__ // which does not read C11's assertions
_Static_assert(PV_OFFER_FLUSH_SPACE == 1 << OFFER_FLUSH_SPACE, "0x0002");
_Static_assert(PV_OFFER_FLUSH_LIST == 1 << OFFER_FLUSH_LIST, "0x0003");
_Static_assert(PV_OFFER_LONG_SPIN_WAIT == 1 << OFFER_LONG_SPIN_WAIT, "0x0008");
_Static_assert(PV_OFFER_CLUSTER_IPI == 1 << OFFER_CLUSTER_IPI, "0x000B");
_Static_assert(PV_OFFER_FLUSH_SPACE_EX == 1 << OFFER_FLUSH_SPACE_EX, "0x0013");
_Static_assert(PV_OFFER_FLUSH_LIST_EX == 1 << OFFER_FLUSH_LIST_EX, "0x0014");
_Static_assert(PV_OFFER_CLUSTER_IPI_EX == 1 << OFFER_CLUSTER_IPI_EX, "0x0015");
_Static_assert(PV_OFFER_EX_MASKS == 1 << OFFER_EX_MASKS, "Ex calls");
_Static_assert(PV_OFFER_XMM_INPUT == 1 << OFFER_XMM_INPUT, "XMM input");
_Static_assert(PV_OFFER_EXTENDED_RANGES == 1 << OFFER_EXTENDED_RANGES, "extended ranges");
_Static_assert(PV_OFFER_HYPERCALL_LOCK == 1 << OFFER_HYPERCALL_LOCK, "lock");
#endif

#endif
