// SPDX-License-Identifier: BSD-2-Clause
// Carrying out a cluster IPI: post the vector to every target whose APIC takes it, and see to it that it is noticed.
#ifndef PV_IPI_H
#define PV_IPI_H

#include "../base/vps.h"
#include "../base/shared.h"
#include "../platform.h"

/*@ // VP v got the vector, and was kicked if it was in the guest, woken if not; or its APIC was disabled by software
    // and the interrupt is lost (IPI-APIC-1).
    predicate ipi_told{L}(integer v, integer vector) =
      pv_j_asked[v] == 0 && pv_j_waited[v] == 0 &&
      (pv_j_deaf[v] == 0 ==> pv_j_posted[v] == vector && pv_j_looked[v] == 1 && 0 <= pv_j_ran[v] <= 1 &&
                             pv_j_kicked[v] == pv_j_ran[v] && pv_j_woken[v] == 1 - pv_j_ran[v]) &&
      (pv_j_deaf[v] != 0 ==> untold(v)); */

// One VP; false, and nothing told, if its APIC is disabled by software.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires ipi_vec_1: 16 <= vector <= 255;
    requires blank: untold(vp->vp_index) && pv_j_waiting == 0;
    assigns  pv_j_posted[vp->vp_index], pv_j_looked[vp->vp_index], pv_j_ran[vp->vp_index], pv_j_kicked[vp->vp_index],
             pv_j_woken[vp->vp_index], pv_j_deaf[vp->vp_index];
    ensures  ipi_apic_1: ipi_told(vp->vp_index, vector);
    ensures  told: \result <==> pv_j_deaf[vp->vp_index] == 0; */
PV_INNER bool pv_ipi_tell(const struct pv_partition *p, struct pv_vp *vp, uint32_t vector);

/*@ requires ok: vps_ok(p) && \valid_read(targets);
    requires exist: \forall integer v; set_has(targets, v) ==> set_has(&p->present, v);
    requires ipi_vec_1: 16 <= vector <= 255;
    requires blank: journal_told_nobody;
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095];
    ensures  ipi_all_1: \forall integer v; 0 <= v < 4096 ==> set_has(targets, v) ==> ipi_told(v, vector);
    ensures  ipi_only_1: \forall integer v; 0 <= v < 4096 ==> !set_has(targets, v) ==> untold(v); */
PV_INNER void pv_ipi_perform(struct pv_partition *p, const struct pv_vp_set *targets, uint32_t vector);

#endif
