// SPDX-License-Identifier: BSD-2-Clause
// Which writes of the persona's MSRs are legal.
#include "kvm.h"
#include "../base/bits.h"
#include "features.h"

enum {
    MSR_WALL_CLOCK_OLD = 0x11,
    MSR_SYSTEM_TIME_OLD = 0x12,
    MSR_WALL_CLOCK = 0x4B564D00,
    MSR_SYSTEM_TIME = 0x4B564D01,
    MSR_STEAL_TIME = 0x4B564D03,
    MSR_PV_EOI = 0x4B564D04,
};

enum pv_msr_result pv_kvm_msr_check(const struct pv_kvm *k, uint32_t msr, uint64_t value)
{
    bool legal;

    switch (msr) {
    case MSR_WALL_CLOCK_OLD:
    case MSR_SYSTEM_TIME_OLD:
        legal = pv_bit_test(k->features, KVM_CLOCKSOURCE);
        break;
    case MSR_WALL_CLOCK:
    case MSR_SYSTEM_TIME:
        legal = pv_bit_test(k->features, KVM_CLOCKSOURCE2);
        break;
    case MSR_STEAL_TIME: // bits 5:1 are reserved
        legal = pv_bit_test(k->features, KVM_STEAL_TIME) && value % 64 < 2;
        break;
    case MSR_PV_EOI: // bit 1 is reserved
        legal = pv_bit_test(k->features, KVM_PV_EOI) && value % 4 < 2;
        break;
    default:
        return PV_MSR_UNKNOWN;
    }
    return legal ? PV_MSR_DONE : PV_MSR_FAULT_GP;
}
