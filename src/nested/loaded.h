// SPDX-License-Identifier: BSD-2-Clause
// Which L2 each VP has loaded, by L1's names, and the targets of an L2's flush.
#ifndef PV_LOADED_H
#define PV_LOADED_H

#include "direct.h"
#include "../base/shared.h"

// The targets of the call: VPs that have loaded a VP of this VM which the call means. Every other VP that knows
// translations of that VM flushes them when it loads it (NE-LOAD-1).
/*@ requires ok: vps_ok(p);
    requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    requires valid: \valid(scratch);
    requires apart: \separated(scratch, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    assigns  scratch->targets, scratch->kicked, pv_j_fenced, pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ne_target_2: \forall integer v; 0 <= v < 4096 ==>
               (set_has(&scratch->targets, v) <==> target(p, \old(row->code), scratch->operand + 0, v)); */
void pv_loaded_targets(const struct pv_partition *p, uint64_t vm_id, const struct pv_row *row,
                       struct pv_scratch *scratch);

#endif
