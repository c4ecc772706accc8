// SPDX-License-Identifier: BSD-2-Clause
// The features of the KVM persona as bit numbers, for pv_bit_test; types.h has them as masks, for the embedder.
#ifndef PV_KVM_FEATURES_H
#define PV_KVM_FEATURES_H

#include "../base/constants.h"
#include "../types.h"

enum {
    KVM_CLOCKSOURCE = 0,
    KVM_NOP_IO_DELAY = 1,
    KVM_CLOCKSOURCE2 = 3,
    KVM_STEAL_TIME = 5,
    KVM_PV_EOI = 6,
    KVM_PV_UNHALT = 7,
    KVM_PV_TLB_FLUSH = 9,
    KVM_PV_SEND_IPI = 11,
    KVM_PV_SCHED_YIELD = 13,
    KVM_MSI_EXT_DEST_ID = 15,
    KVM_CLOCKSOURCE_STABLE = 24,
    KVM_FEATURES = 0x100AAEB // all of these (KV-FEAT-1)
};

// The two ways to say it agree.
PV_HOLDS(pv_same_clocksource, PV_KVM_CLOCKSOURCE == 1 << KVM_CLOCKSOURCE);
PV_HOLDS(pv_same_nop_io_delay, PV_KVM_NOP_IO_DELAY == 1 << KVM_NOP_IO_DELAY);
PV_HOLDS(pv_same_clocksource2, PV_KVM_CLOCKSOURCE2 == 1 << KVM_CLOCKSOURCE2);
PV_HOLDS(pv_same_steal_time, PV_KVM_STEAL_TIME == 1 << KVM_STEAL_TIME);
PV_HOLDS(pv_same_pv_eoi, PV_KVM_PV_EOI == 1 << KVM_PV_EOI);
PV_HOLDS(pv_same_pv_unhalt, PV_KVM_PV_UNHALT == 1 << KVM_PV_UNHALT);
PV_HOLDS(pv_same_pv_tlb_flush, PV_KVM_PV_TLB_FLUSH == 1 << KVM_PV_TLB_FLUSH);
PV_HOLDS(pv_same_pv_send_ipi, PV_KVM_PV_SEND_IPI == 1 << KVM_PV_SEND_IPI);
PV_HOLDS(pv_same_pv_sched_yield, PV_KVM_PV_SCHED_YIELD == 1 << KVM_PV_SCHED_YIELD);
PV_HOLDS(pv_same_msi_ext_dest_id, PV_KVM_MSI_EXT_DEST_ID == 1 << KVM_MSI_EXT_DEST_ID);
PV_HOLDS(pv_same_clocksource_stable, PV_KVM_CLOCKSOURCE_STABLE == 1 << KVM_CLOCKSOURCE_STABLE);
PV_HOLDS(pv_all_kvm_features,
         KVM_FEATURES == (PV_KVM_CLOCKSOURCE | PV_KVM_NOP_IO_DELAY | PV_KVM_CLOCKSOURCE2 | PV_KVM_STEAL_TIME |
                          PV_KVM_PV_EOI | PV_KVM_PV_UNHALT | PV_KVM_PV_TLB_FLUSH | PV_KVM_PV_SEND_IPI |
                          PV_KVM_PV_SCHED_YIELD | PV_KVM_MSI_EXT_DEST_ID | PV_KVM_CLOCKSOURCE_STABLE));

#endif
