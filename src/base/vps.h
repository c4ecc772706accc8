// SPDX-License-Identifier: BSD-2-Clause
// What holds of a partition whose VPs may run: each existing VP index has a place in the array, and the VP there
// carries that index. Established by src/setup, relied on everywhere.
#ifndef PV_VPS_H
#define PV_VPS_H

#include "../vpset/vpset.h"

/*@ // The place of VP v.
    logic integer place_of_vp{L}(struct pv_partition *p, integer v) = p->position[v];

    predicate vps_sound{L}(struct pv_partition *p) =
      p->vp_count <= 4096 &&
      (\forall integer v; set_has(&p->present, v) ==>
        0 <= p->position[v] < p->vp_count && p->vps[p->position[v]].vp_index == v);

    predicate vps_ok{L}(struct pv_partition *p) =
      \valid(p) && \valid(p->vps + (0 .. p->vp_count - 1)) && \separated(p, p->vps + (0 .. p->vp_count - 1)) &&
      vps_sound(p);

    // Nothing of that changed between two moments.
    predicate vps_kept{L1, L2}(struct pv_partition *p) =
      \at(p->vp_count, L1) == \at(p->vp_count, L2) && \at(p->vps, L1) == \at(p->vps, L2) &&
      \at(p->present.banks, L1) == \at(p->present.banks, L2) &&
      (\forall integer b; 0 <= b < 64 ==> \at(p->present.word[b], L1) == \at(p->present.word[b], L2)) &&
      (\forall integer v; 0 <= v < 4096 ==> \at(p->position[v], L1) == \at(p->position[v], L2)) &&
      (\forall integer i; 0 <= i < \at(p->vp_count, L1) ==>
        \at(p->vps[i].vp_index, L1) == \at(p->vps[i].vp_index, L2));

    lemma kept_present{L1, L2}: \forall struct pv_partition *p;
      vps_kept{L1, L2}(p) ==> \forall integer v; 
      (set_has{L1}(\at(&p->present, L1), v) <==> set_has{L2}(\at(&p->present, L2), v));

    lemma kept_sound{L1, L2}: \forall struct pv_partition *p;
      vps_kept{L1, L2}(p) ==> vps_sound{L1}(p) ==> vps_sound{L2}(p); */

#endif
