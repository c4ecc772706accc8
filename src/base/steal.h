// SPDX-License-Identifier: BSD-2-Clause
// The preempted byte of a VP's steal time record. It lies in guest memory, where every VP of the guest may change it at
// any time, so no contract speaks of its value. The order of the accesses is what spec/steal.mlw is about.
#ifndef PV_STEAL_H
#define PV_STEAL_H

#include <stdbool.h>
#include "journal.h"

// Reads and clears the byte in one step. A full barrier. (A-STEAL-1, KV-STEAL-1)
/*@ requires valid: \valid(preempted);
    assigns  pv_j_preempted, pv_j_steal;
    ensures  kv_steal_1: 0 <= \result <= 255 && pv_j_preempted == \result;
    ensures  done: pv_j_steal == 1; */
static inline uint8_t pv_shared_preempted_take(uint8_t *preempted);

// Makes the byte 1 if it is 0, in one step; else leaves it. A full barrier. (A-STEAL-2, KV-STEAL-4)
/*@ requires valid: \valid(preempted);
    assigns  pv_j_steal;
    ensures  kv_steal_4: pv_j_steal == 2; */
static inline void pv_shared_preempted_mark(uint8_t *preempted);

#ifndef __FRAMAC__

static inline uint8_t pv_shared_preempted_take(uint8_t *preempted)
{
    return __atomic_exchange_n(preempted, (uint8_t)0, __ATOMIC_SEQ_CST);
}

static inline void pv_shared_preempted_mark(uint8_t *preempted)
{
    uint8_t none = 0;
    (void)__atomic_compare_exchange_n(preempted, &none, (uint8_t)1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#endif

#endif
