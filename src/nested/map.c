// SPDX-License-Identifier: BSD-2-Clause
#include "map.h"
#include "join.h"
#include "../platform.h"

uint32_t pv_map_word(const struct pv_partition *p, uint64_t base, uint32_t at)
{
    uint64_t word = 0;
    if (!pv_platform_table_read(p, base - base % 0x1000u + at, 4, &word)) {
        return 0xFFFFFFFFu;
    }
    return (uint32_t)word;
}

// What runs of one dword of the map, where L1 intercepts MSRs.
/*@ requires map: base < 4503599627370496 && at <= 0x3000 && at % 4 == 0;
    requires reads: 0 <= pv_j_table_reads < 2147483600;
    assigns  pv_j_table_reads;
    ensures  once: pv_j_table_reads == \old(pv_j_table_reads) + 1;
    ensures  nv_map_1: map_joined(\result, closed, 1, map_word(pv_j_table_reads, map_gpa(base, at))); */
static uint32_t joined(const struct pv_partition *p, uint64_t base, uint32_t at, uint32_t closed)
{
    return pv_bits_or32(pv_map_word(p, base, at), closed);
}

void pv_msrpm_merge(const struct pv_partition *p, const struct pv_vmcb *c, uint32_t *map)
{
    const uint64_t base = c->msrpm_base;
    uint32_t sysenter = PV_CLOSED_SYSENTER, star = PV_CLOSED_STAR, bases = PV_CLOSED_BASES;
    if (c->intercepts3 / 0x10000000u % 2u == 1) {
        sysenter = joined(p, base, 4u * PV_MAP_SYSENTER, PV_CLOSED_SYSENTER);
        star = joined(p, base, 4u * PV_MAP_STAR, PV_CLOSED_STAR);
        bases = joined(p, base, 4u * PV_MAP_BASES, PV_CLOSED_BASES);
    }
    map[PV_MAP_SYSENTER] = sysenter;
    map[PV_MAP_STAR] = star;
    map[PV_MAP_BASES] = bases;
}
