// SPDX-License-Identifier: BSD-2-Clause
// What can be offered, and how it is told.
#include "config.h"
#include "kvm.h"
#include "../base/mask.h"
#include "features.h"

enum {
    BASE_FIRST = 0x40000000,
    BASE_BEHIND = 0x40000100, // behind the Hyper-V leaves
};

bool pv_kvm_config_valid(uint32_t base, uint32_t features, uint32_t ids)
{
    return (base == BASE_FIRST || base == BASE_BEHIND) && pv_under_mask(features, KVM_FEATURES) == features &&
           (!pv_bit_test(features, KVM_PV_TLB_FLUSH) || pv_bit_test(features, KVM_STEAL_TIME)) && ids >= 1 &&
           ids <= PV_APIC_IDS;
}

void pv_kvm_cpuid(const struct pv_kvm *k, uint32_t leaf, struct pv_cpuid *out)
{
    const uint32_t base = k->base;
    //@ assert base: base <= 0x40000100;
    out->eax = 0;
    out->ebx = 0;
    out->ecx = 0;
    out->edx = 0;
    if (leaf == base) {
        out->eax = base + 1;
        out->ebx = 0x4B4D564B; // "KVMK"
        out->ecx = 0x564B4D56; // "VMKV"
        out->edx = 0x0000004D; // "M"
    } else if (leaf == base + 1) {
        out->eax = k->features;
        out->edx = k->hints;
    }
}
