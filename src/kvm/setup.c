// SPDX-License-Identifier: BSD-2-Clause
// Setting the persona up, and its CPUID leaves.
#include "kvm.h"
#include "../base/mask.h"
#include "features.h"

enum {
    BASE_FIRST = 0x40000000,
    BASE_BEHIND = 0x40000100, // behind the Hyper-V leaves
};

/*@ assigns  \nothing;
    ensures  kv_set_1: \result <==> kvm_config(base, features, ids); */
PV_HELPER bool config_valid(uint32_t base, uint32_t features, uint32_t ids)
{
    return (base == BASE_FIRST || base == BASE_BEHIND) && pv_under_mask(features, KVM_FEATURES) == features &&
           (!pv_bit_test(features, KVM_PV_TLB_FLUSH) || pv_bit_test(features, KVM_STEAL_TIME)) && ids >= 1 &&
           ids <= PV_APIC_IDS;
}

// No APIC id has a place yet.
/*@ requires valid: \valid(place + (0 .. ids - 1));
    assigns  place[0 .. ids - 1];
    ensures  none: \forall integer a; 0 <= a < ids ==> place[a] == PV_NO_PLACE; */
PV_HELPER void clear_places(uint16_t *place, uint32_t ids)
{
    /*@ loop invariant 0 <= i <= ids;
        loop invariant \forall integer a; 0 <= a < i ==> place[a] == PV_NO_PLACE;
        loop assigns i, place[0 .. ids - 1];
        loop variant ids - i; */
    for (uint32_t i = 0; i < ids; i++) {
        place[i] = PV_NO_PLACE;
    }
}

// Each VP at the place of its APIC id; false if one has none, or shares it.
/*@ requires valid: \valid_read(p) && \valid_read(p->vps + (0 .. p->vp_count - 1)) && \valid(place + (0 .. ids - 1));
    requires few: p->vp_count <= 4096;
    requires apart: \separated(place + (0 .. ids - 1), p) &&
                    \separated(place + (0 .. ids - 1), p->vps + (0 .. p->vp_count - 1));
    requires none: \forall integer a; 0 <= a < ids ==> place[a] == PV_NO_PLACE;
    assigns  place[0 .. ids - 1];
    ensures  kv_set_3: \result <==> ids_fit(p, ids);
    ensures  kv_set_2: \result ==> ids_lead(p, place, ids) && ids_only(p, place, ids); */
PV_HELPER bool fill_places(const struct pv_partition *p, uint16_t *place, uint32_t ids)
{
    /*@ loop invariant range: 0 <= i <= p->vp_count;
        loop invariant lead: \forall integer j; 0 <= j < i ==> p->vps[j].apic_id < ids && place[p->vps[j].apic_id] == j;
        loop invariant only: \forall integer a; 0 <= a < ids ==>
                         place[a] == PV_NO_PLACE || (place[a] < i && p->vps[place[a]].apic_id == a);
        loop assigns i, place[0 .. ids - 1];
        loop variant p->vp_count - i; */
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
