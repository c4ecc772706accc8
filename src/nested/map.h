// SPDX-License-Identifier: BSD-2-Clause
// L1's permission maps, read where they are; and the map of MSRs that runs for L2 (APM vol. 2, 15.10, 15.11).
#ifndef PV_NESTED_MAP_H
#define PV_NESTED_MAP_H

#include "route.h"

// The dword `at` bytes into L1's map at `base`, whose low 12 bits do not count. What can't be read is all ones.
/*@ requires map: base < 4503599627370496 && at <= 0x3000 && at % 4 == 0;
    requires reads: 0 <= pv_j_table_reads < 2147483600;
    assigns  pv_j_table_reads;
    ensures  once: pv_j_table_reads == \old(pv_j_table_reads) + 1;
    ensures  nv_unread_1: \result == map_word(pv_j_table_reads, map_gpa(base, at)); */
uint32_t pv_map_word(const struct pv_partition *p, uint64_t base, uint32_t at);

// The map of MSRs that runs for L2: ours, all ones but for the registers that VMLOAD and VMSAVE switch; for those, what L1's map
// says (NV-MAP-1). SYSENTER_* (0x174..0x176), STAR to SFMASK (0xC0000081..84), FS_BASE, GS_BASE, KERNEL_GS_BASE (0xC0000100..102)
// stand in three dwords; no other is touched. `map` is this VP's. L1's map counts only where L1 intercepts MSRs at all.
enum { PV_MAP_SYSENTER = 0x5C / 4, PV_MAP_STAR = 0x820 / 4, PV_MAP_BASES = 0x840 / 4, PV_MAP_DWORDS = 0x800 };
#define PV_CLOSED_SYSENTER 0xFFFFC0FFu // what our own map has there
#define PV_CLOSED_STAR     0xFFFFFC03u
#define PV_CLOSED_BASES    0xFFFFFFC0u

/*@ // A dword of the map lets pass what both let pass.
    predicate map_joined(integer word, integer closed, integer uses, integer asked) =
      \forall integer i; 0 <= i < 32 ==> (mbit(word, i) <==> mbit(closed, i) || (uses != 0 && mbit(asked, i))); */

/*@ requires valid: \valid_read(c) && \valid(map + (0 .. PV_MAP_DWORDS - 1));
    requires apart: \separated(c, map + (0 .. PV_MAP_DWORDS - 1));
    requires base: c->msrpm_base < 4503599627370496;
    requires reads: 0 <= pv_j_table_reads < 2147483000;
    assigns  map[PV_MAP_SYSENTER], map[PV_MAP_STAR], map[PV_MAP_BASES], pv_j_table_reads;
    ensures  nv_map_1: map_joined(map[PV_MAP_SYSENTER], PV_CLOSED_SYSENTER, map_used(\old(c->intercepts3)),
               map_word(\old(pv_j_table_reads) + 1, map_gpa(\old(c->msrpm_base), 4 * PV_MAP_SYSENTER)));
    ensures  nv_map_2: map_joined(map[PV_MAP_STAR], PV_CLOSED_STAR, map_used(\old(c->intercepts3)),
               map_word(\old(pv_j_table_reads) + 2, map_gpa(\old(c->msrpm_base), 4 * PV_MAP_STAR)));
    ensures  nv_map_3: map_joined(map[PV_MAP_BASES], PV_CLOSED_BASES, map_used(\old(c->intercepts3)),
               map_word(\old(pv_j_table_reads) + 3, map_gpa(\old(c->msrpm_base), 4 * PV_MAP_BASES))); */
void pv_msrpm_merge(const struct pv_partition *p, const struct pv_vmcb *c, uint32_t *map);

#endif
