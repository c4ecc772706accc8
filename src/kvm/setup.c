// SPDX-License-Identifier: BSD-2-Clause
// Setting the persona up, and its CPUID leaves.
#include "kvm.h"
#include "../base/bits.h"
#include "features.h"

enum {
    BASE_FIRST = 0x40000000,
    BASE_BEHIND = 0x40000100, // behind the Hyper-V leaves
};

PV_HELPER bool features_valid(uint32_t features)
{
    return pv_bits_and32(features, KVM_FEATURES) == features &&
           (!pv_bit_test(features, KVM_PV_TLB_FLUSH) || pv_bit_test(features, KVM_STEAL_TIME));
}

// No APIC id has a place yet.
static void clear_places(uint16_t *place, uint32_t ids)
{
    for (uint32_t i = 0; i < ids; i++) {
        place[i] = PV_NO_PLACE;
    }
}

// Each VP at the place of its APIC id; false if one has none, or shares it.
static bool fill_places(const struct pv_partition *p, uint16_t *place, uint32_t ids)
{
    for (uint32_t i = 0; i < p->vp_count; i++) {
        const uint32_t id = p->vps[i].apic_id;
        if (id >= ids || place[id] != PV_NO_PLACE) {
            return false;
        }
        place[id] = (uint16_t)i;
    }
    return true;
}

bool pv_kvm_init(struct pv_kvm *k, const struct pv_partition *p, uint32_t base, uint32_t features, uint32_t hints,
                 uint16_t *place, uint32_t ids)
{
    if ((base != BASE_FIRST && base != BASE_BEHIND) || !features_valid(features) || ids < 1 || ids > PV_APIC_IDS) {
        return false;
    }
    k->base = base;
    k->features = features;
    k->hints = hints;
    k->ids = ids;
    k->place = place;
    clear_places(place, ids);
    return fill_places(p, place, ids);
}

void pv_kvm_cpuid(const struct pv_kvm *k, uint32_t leaf, struct pv_cpuid *out)
{
    out->eax = 0;
    out->ebx = 0;
    out->ecx = 0;
    out->edx = 0;
    if (leaf == k->base) {
        out->eax = k->base + 1;
        out->ebx = 0x4B4D564B; // "KVMK"
        out->ecx = 0x564B4D56; // "VMKV"
        out->edx = 0x0000004D; // "M"
    } else if (leaf == k->base + 1) {
        out->eax = k->features;
        out->edx = k->hints;
    }
}
