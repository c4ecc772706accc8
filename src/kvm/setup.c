// SPDX-License-Identifier: BSD-2-Clause
// Setting the persona up.
#include "kvm.h"
#include "config.h"
#include "../setup/setuplaws.h"

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
    if (!pv_kvm_config_valid(base, features, ids)) {
        return false;
    }
    //@ assert few: p->vp_count <= p->vp_capacity <= 4096 && p->config.max_vps <= 4096;
    //@ assert apart: \separated(k, p->vps + (0 .. p->vp_count - 1)) && \separated(p, p->vps + (0 .. p->vp_count - 1));
    //@ assert each: \forall integer i; 0 <= i < p->vp_count ==> found(p, i) && \separated(k, p->vps + i);
    //@ assert placed: \forall integer v; set_has(&p->present, v) ==> placed(p, v);
    //@ assert sound: vps_sound(p);
    //@ assert valid: \valid_read(p->vps + (0 .. p->vp_count - 1));
    k->base = base;
    k->features = features;
    k->hints = hints;
    k->ids = ids;
    k->place = place;
    clear_places(place, ids);
    const bool filled = fill_places(p, place, ids);
    //@ assert count: p->vp_count == \at(p->vp_count, Pre) && p->vps == \at(p->vps, Pre);
    //@ assert banks: p->present.banks == \at(p->present.banks, Pre);
    //@ assert words: \forall integer b; 0 <= b < 64 ==> p->present.word[b] == \at(p->present.word[b], Pre);
    //@ assert places: \forall integer v; 0 <= v < 4096 ==> p->position[v] == \at(p->position[v], Pre);
    //@ assert indices: \forall integer i; 0 <= i < p->vp_count ==> p->vps[i].vp_index == \at(p->vps[i].vp_index, Pre);
    //@ assert kept: vps_kept{Pre, Here}(p);
    //@ assert still: vps_sound(p);
    //@ assert found: vps_found(p);
    //@ assert ok: vps_ok(p);
    return filled;
}
