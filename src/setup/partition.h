// SPDX-License-Identifier: BSD-2-Clause
// What holds of a partition between any two calls of the core. Set-up makes it true, everything else relies on it.
#ifndef PV_PARTITION_H
#define PV_PARTITION_H

#include "../flush/ranges.h"
#include "../types.h"
#include "../vpset/vpset.h"

/*@ predicate config_ok{L}(struct pv_config *c) =
      config_valid(c->offers, c->gva_bits, c->rep_budget, c->max_vps, c->gpa_bits);

    predicate same_config{K, L}(struct pv_config *a, struct pv_config *b) =
      \at(a->offers, K) == \at(b->offers, L) && \at(a->gva_bits, K) == \at(b->gva_bits, L) &&
      \at(a->rep_budget, K) == \at(b->rep_budget, L) && \at(a->max_vps, K) == \at(b->max_vps, L) &&
      \at(a->gpa_bits, K) == \at(b->gpa_bits, L) && \at(a->privileges, K) == \at(b->privileges, L) &&
      \at(a->features, K) == \at(b->features, L) && \at(a->hints, K) == \at(b->hints, L) &&
      \at(a->spin_count, K) == \at(b->spin_count, L);

    predicate vp_ok{L}(struct pv_vp *vp) = ranges_ok(&vp->queue[0]) && ranges_ok(&vp->queue[1]);

    // SU-VP-1, with the set of VPs that exist.
    predicate addable{L}(struct pv_partition *p, integer v) =
      (set_has(&p->present, v) && vp_addable(p->config.max_vps, p->vp_count, p->vp_capacity, 1, v)) ||
      (!set_has(&p->present, v) && vp_addable(p->config.max_vps, p->vp_count, p->vp_capacity, 0, v));

    // A VP that was just added: outside the guest, nothing pending, no lock held, its APIC enabled.
    predicate vp_fresh{L}(struct pv_vp *vp) =
      vp->run == 0 && vp->apic_enabled == 1 &&
      vp->mark[0] == 0 && vp->mark[1] == 0 && vp->lock[0] == 0 && vp->lock[1] == 0 &&
      vp->queue[0].count == 0 && vp->queue[0].overflow == 0 &&
      vp->queue[1].count == 0 && vp->queue[1].overflow == 0 && vp->l2_named == 0 &&
      (\forall integer w; 0 <= w < 4 ==> vp->vector[w] == 0);

    predicate vp_named{L}(struct pv_vp *vp, integer vp_index, integer apic_id) =
      vp->vp_index == vp_index && vp->apic_id == apic_id;

    // The VP with index v has a place in use, and at this place is a VP that says so.
    predicate placed{L}(struct pv_partition *p, integer v) =
      p->position[v] < p->vp_count && p->vps[p->position[v]].vp_index == v;

    // The VP at place i is the one that its index leads to, so no index is used twice.
    predicate found{L}(struct pv_partition *p, integer i) =
      set_has(&p->present, p->vps[i].vp_index) && p->position[p->vps[i].vp_index] == i;

    // The array of VPs is the partition's, apart from itself.
    predicate array_ok{L}(struct pv_partition *p) =
      p->vp_count <= p->vp_capacity && 1 <= p->vp_capacity <= 4096 &&
      \valid(p->vps + (0 .. p->vp_capacity - 1)) && \separated(p, p->vps + (0 .. p->vp_capacity - 1));

    predicate members_ok{L}(struct pv_partition *p) =
      (\forall integer v; set_has(&p->present, v) ==> v < p->config.max_vps && placed(p, v)) &&
      (\forall integer i; 0 <= i < p->vp_count ==> found(p, i) && vp_ok(p->vps + i));

    // The hypercall page lies in the partition's address space, and is there only while the guest has a name.
    predicate page_ok{L}(struct pv_partition *p) =
      frame_inside(p->config.gpa_bits, p->hypercall_msr) &&
      (page_enabled(p->hypercall_msr) ==> p->guest_os_id != 0);

    predicate partition_ok{L}(struct pv_partition *p) =
      config_ok(&p->config) && array_ok(p) && members_ok(p) && page_ok(p); */

#endif
