// SPDX-License-Identifier: BSD-2-Clause
// A look at the end of a run: do the control block and the tables that the processor was given for L2 hold any address that is
// L1's own, or any frame that is not the guest's?
#include "nested.h"
#include "../base/x86.h"
#include "../svm/svm.h"
#include "../../src/nested/map.h"

enum { LEGAL_P = 1, LEGAL_W = 2, LEGAL_LARGE = 0x80 };
#define LEGAL_ADDR 0x000FFFFFFFFFF000ull

static bool entry_is_legal(const struct pv_pool *pool, uint32_t page, uint64_t e)
{
    if ((e & LEGAL_P) == 0)
        return true;
    uint64_t at = e & LEGAL_ADDR;
    if (pool->level[page] == 1 || (pool->level[page] == 2 && (e & LEGAL_LARGE) != 0)) {
        uint64_t size = pool->level[page] == 1 ? PAGE : 2ull << 20;
        return at % size == 0 && npt_may_map(at, size, (e & LEGAL_W) != 0);
    }
    uint64_t to = (at - pool->base) / PAGE;
    return at >= pool->base && to < pool->count && pool->owner[to] == pool->owner[page] &&
           pool->level[to] + 1 == pool->level[page];
}

static bool pool_is_legal(const struct pv_pool *pool)
{
    for (uint32_t page = 0; page < pool->count; page++)
        for (uint32_t i = 0; i < 512 && pool->owner[page] != PV_NO_OWNER; i++)
            if (!entry_is_legal(pool, page, pool->word[page * 512 + i]))
                return false;
    return true;
}

// MSRs: nothing passes but what passes for L1 as well.
static bool map_is_legal(const uint8_t *map)
{
    const uint32_t *word = (const uint32_t *)(const void *)map;
    for (uint32_t i = 0; i < PV_MAP_DWORDS; i++) {
        uint32_t closed = i == PV_MAP_SYSENTER ? PV_CLOSED_SYSENTER
                          : i == PV_MAP_STAR   ? PV_CLOSED_STAR
                          : i == PV_MAP_BASES  ? PV_CLOSED_BASES
                                               : 0xFFFFFFFF;
        if ((word[i] & closed) != closed)
            return false;
    }
    return true;
}

static bool block_is_legal(const struct nested *n)
{
    const struct pv_vmcb *v = n->vmcb02;
    if (v->iopm_base == 0)
        return true; // no L2 has ever run
    bool tables = v->nested_cr3 == npt_root_pa;
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        tables = tables || v->nested_cr3 == n->pool.base + (uint64_t)i * PAGE;
    return tables && v->iopm_base == svm_iopm_pa && v->msrpm_base == (uintptr_t)n->msrpm &&
           v->avic_bar == 0 && v->ghcb == 0 && v->lbr_control == 0 && v->nested_control == PV_NP_ENABLE &&
           (v->intercepts3 & FLOOR3) == FLOOR3 && (v->intercepts4 & FLOOR4) == FLOOR4 &&
           (v->cr_intercepts & FLOOR_CR) == FLOOR_CR;
}

bool nested_is_legal(const struct vp *vp)
{
    const struct nested *n = vp->nested;
    return n == 0 || (block_is_legal(n) && map_is_legal(n->msrpm) && pool_is_legal(&n->pool));
}
