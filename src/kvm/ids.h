// SPDX-License-Identifier: BSD-2-Clause
// What holds of a partition with a KVM persona: each VP stands in the persona's table under its APIC id.
#ifndef PV_KVM_IDS_H
#define PV_KVM_IDS_H

#include "../base/vps.h"

/*@ // The APIC id of VP v.
    logic integer apic_of{L}(struct pv_partition *p, integer v) = p->vps[p->position[v]].apic_id;

    // VP v exists, and its APIC id is a.
    predicate has_id{L}(struct pv_partition *p, integer v, integer a) =
      set_has(&p->present, v) && apic_of(p, v) == a;

    // Some VP's APIC id is a.
    predicate id_used{L}(struct pv_partition *p, integer a) = \exists integer v; has_id(p, v, a);

    // The VPs' APIC ids are below a limit, and no two are the same.
    predicate ids_fit{L}(struct pv_partition *p, integer ids) =
      (\forall integer i; 0 <= i < p->vp_count ==> p->vps[i].apic_id < ids) &&
      (\forall integer i, j; 0 <= i < j < p->vp_count ==> p->vps[i].apic_id != p->vps[j].apic_id);

    // Each VP of the array is the one that its VP index leads to.
    predicate vps_found{L}(struct pv_partition *p) =
      \forall integer i; 0 <= i < p->vp_count ==>
        set_has(&p->present, p->vps[i].vp_index) && p->position[p->vps[i].vp_index] == i;

    // Each VP stands in the table under its APIC id...
    predicate ids_lead{L}(struct pv_partition *p, uint16_t *place, integer ids) =
      \forall integer i; 0 <= i < p->vp_count ==> p->vps[i].apic_id < ids && place[p->vps[i].apic_id] == i;

    // ...and nobody else does.
    predicate ids_only{L}(struct pv_partition *p, uint16_t *place, integer ids) =
      \forall integer a; 0 <= a < ids ==>
        place[a] == PV_NO_PLACE || (place[a] < p->vp_count && p->vps[place[a]].apic_id == a);

    predicate kvm_ok{L}(struct pv_partition *p, struct pv_kvm *k) =
      vps_ok(p) && vps_found(p) && \valid_read(k) && 1 <= k->ids <= PV_APIC_IDS &&
      \valid_read(k->place + (0 .. k->ids - 1)) && ids_lead(p, k->place, k->ids) && ids_only(p, k->place, k->ids); */

#endif
