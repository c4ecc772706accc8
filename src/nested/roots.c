// SPDX-License-Identifier: BSD-2-Clause
#include "roots.h"

void pv_roots_clear(struct pv_mmu *m)
{
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant done: \forall integer k; 0 <= k < i ==>
          m->root[k].role == 0 && m->root[k].sync == 3;
        loop assigns i, m->root[0 .. PV_ROOTS - 1];
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 0; i < PV_ROOTS; i++) {
        m->root[i].pgd = 0;
        m->root[i].role = 0;
        m->root[i].vasid = 0;
        m->root[i].sync = PV_SYNC_TABLES | PV_SYNC_TAG;
        m->root[i].used = 0;
    }
    m->clock = 0;
    m->current = 0;
}

// The slot of the key, or PV_ROOTS.
/*@ requires valid: \valid_read(m);
    assigns  \nothing;
    ensures  range: 0 <= \result <= PV_ROOTS;
    ensures  found: \result < PV_ROOTS ==> key_at(m, \result, pgd, role);
    ensures  absent: \result == PV_ROOTS ==> !root_known(m, pgd, role); */
static uint32_t find(const struct pv_mmu *m, uint64_t pgd, uint32_t role)
{
    uint32_t i = 0;
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant others: \forall integer k; 0 <= k < i ==> !key_at(m, k, pgd, role);
        loop assigns i;
        loop variant PV_ROOTS - i; */
    while (i < PV_ROOTS && (m->root[i].role != role || m->root[i].pgd != pgd))
        i++;
    return i;
}

/*@ requires valid: \valid_read(m);
    assigns  \nothing;
    ensures  range: 0 <= \result < PV_ROOTS;
    ensures  oldest: oldest(m, \result); */
static uint32_t find_oldest(const struct pv_mmu *m)
{
    uint32_t found = 0;
    /*@ loop invariant range: 1 <= i <= PV_ROOTS && 0 <= found < PV_ROOTS;
        loop invariant oldest: \forall integer k; 0 <= k < i ==> m->root[found].used <= m->root[k].used;
        loop assigns i, found;
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 1; i < PV_ROOTS; i++)
        if (m->root[i].used < m->root[found].used)
            found = i;
    return found;
}

bool pv_roots_use(struct pv_mmu *m, uint64_t pgd, uint32_t role, uint32_t vasid)
{
    uint32_t i = find(m, pgd, role);
    const bool hit = i != PV_ROOTS;
    if (!hit)
        i = find_oldest(m);
    //@ assert single: \forall integer k; 0 <= k < PV_ROOTS && k != i ==> !key_at(m, k, pgd, role);
    struct pv_root *r = &m->root[i];
    r->pgd = pgd;
    r->role = role;
    if (!hit || r->vasid != vasid) {
        r->vasid = vasid;
        r->sync = PV_SYNC_TABLES | PV_SYNC_TAG;
    }
    if (m->clock < UINT64_MAX)
        m->clock++;
    r->used = m->clock;
    m->current = i;
    //@ assert others: \forall integer k; 0 <= k < PV_ROOTS && k != i ==> same_root{Pre, Here}(m, k);
    //@ assert alone: \forall integer k; 0 <= k < PV_ROOTS && k != i ==> !key_at(m, k, pgd, role);
    //@ assert but: keys_but(m, i);
    //@ assert own: m->root[i].pgd == pgd && m->root[i].role == role;
    //@ assert before: key_before(m, i);
    //@ assert after: key_after(m, i);
    //@ assert keys: keys_ok(m);
    //@ assert slot: m->current < PV_ROOTS;
    return hit;
}

void pv_roots_owe(struct pv_mmu *m, uint32_t sync)
{
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant done: \forall integer k; 0 <= k < i ==> m->root[k].sync == (\at(m->root[k].sync, Pre) | sync);
        loop invariant rest: \forall integer k; i <= k < PV_ROOTS ==> m->root[k].sync == \at(m->root[k].sync, Pre);
        loop assigns i, m->root[0 .. PV_ROOTS - 1].sync;
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        m->root[i].sync |= sync;
}

void pv_roots_owe_vasid(struct pv_mmu *m, uint32_t vasid, uint32_t sync)
{
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant done: \forall integer k; 0 <= k < i ==>
          m->root[k].sync == (m->root[k].vasid == vasid ? (\at(m->root[k].sync, Pre) | sync) : \at(m->root[k].sync, Pre));
        loop invariant rest: \forall integer k; i <= k < PV_ROOTS ==> m->root[k].sync == \at(m->root[k].sync, Pre);
        loop assigns i, m->root[0 .. PV_ROOTS - 1].sync;
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        if (m->root[i].vasid == vasid)
            m->root[i].sync |= sync;
}

void pv_roots_owe_pgd(struct pv_mmu *m, uint64_t pgd, uint32_t sync)
{
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant done: \forall integer k; 0 <= k < i ==>
          m->root[k].sync == (m->root[k].pgd == pgd ? (\at(m->root[k].sync, Pre) | sync) : \at(m->root[k].sync, Pre));
        loop invariant rest: \forall integer k; i <= k < PV_ROOTS ==> m->root[k].sync == \at(m->root[k].sync, Pre);
        loop assigns i, m->root[0 .. PV_ROOTS - 1].sync;
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        if (m->root[i].pgd == pgd)
            m->root[i].sync |= sync;
}
