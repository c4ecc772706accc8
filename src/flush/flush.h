// SPDX-License-Identifier: BSD-2-Clause
// Carrying out a flush: ask it of every target, then see to it that no running target goes on without it.
#ifndef PV_FLUSH_H
#define PV_FLUSH_H

#include "../base/vps.h"
#include "../base/shared.h"
#include "../platform.h"

/*@ // VP v was asked this flush (asked_as), and if it was in the guest then, it was kicked and waited for.
    predicate flush_told{L}(integer v, integer flush) =
      pv_j_asked[v] == flush && pv_j_posted[v] == 0 && pv_j_woken[v] == 0 && pv_j_looked[v] == 1 &&
      0 <= pv_j_ran[v] <= 1 && pv_j_kicked[v] == pv_j_ran[v] && pv_j_waited[v] == pv_j_ran[v];

    // The pages that VP v was asked for are those.
    predicate pages_asked{L}(integer v, struct pv_ranges *ask) =
      \forall integer page; asked_page(pv_j_under[v], page) <==> ranges_mean(ask, page); */

// Asks a flush of this kind (PV_FLUSH_*; `ask` says the pages for PV_FLUSH_RANGES) of every member of `targets`,
// all of which exist. `kicked` is working memory.
/*@ requires ok: vps_ok(p) && ranges_ok(ask);
    requires valid: \valid_read(targets) && \valid(kicked) && \valid_read(ask) && context < 2;
    requires apart: \separated(kicked, targets, ask, p, p->vps + (0 .. p->vp_count - 1));
    requires exist: \forall integer v; set_has(targets, v) ==> set_has(&p->present, v);
    requires kind: kind == 1 || kind == 2 || kind == 4 || kind == 9;
    requires blank: journal_told_nobody;
    assigns  *kicked, pv_j_asked[0 .. 4095], pv_j_under[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095],
             pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_held;
    ensures  fl_sync_1: \forall integer v; set_has{Pre}(targets, v) ==> flush_told(v, asked_as(kind, context));
    ensures  fl_cover_1: kind == 4 ==> \forall integer v; set_has{Pre}(targets, v) ==> pages_asked(v, ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_only_1: \forall integer v; 0 <= v < 4096 ==> !set_has{Pre}(targets, v) ==> untold(v); */
PV_INNER void pv_flush_perform(struct pv_partition *p, const struct pv_vp_set *targets, uint32_t context,
                               uint32_t kind, const struct pv_ranges *ask, struct pv_vp_set *kicked);

#endif
