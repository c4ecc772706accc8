// SPDX-License-Identifier: BSD-2-Clause
// What holds of a partition whose VPs may run: each existing VP index has a place in the array, and the VP there
// carries that index. Established by src/setup, relied on everywhere.
#ifndef PV_PARTITION_H
#define PV_PARTITION_H

#include "../vpset/vpset.h"

/*@ // The place of VP v.
    logic integer place_of_vp{L}(struct pv_partition *p, integer v) = p->position[v];

    predicate partition_ok{L}(struct pv_partition *p) =
      \valid(p) && p->vp_count <= 4096 && \valid(p->vps + (0 .. p->vp_count - 1)) &&
      \separated(p, p->vps + (0 .. p->vp_count - 1)) &&
      (\forall integer v; set_has(&p->present, v) ==>
        0 <= p->position[v] < p->vp_count && p->vps[p->position[v]].vp_index == v); */

#endif
