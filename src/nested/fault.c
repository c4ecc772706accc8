// SPDX-License-Identifier: BSD-2-Clause
#include "fault.h"

#define INFO_TABLES 0x200000000ull

// The access that the EXITINFO words tell of.
/*@ requires valid: \valid(a);
    assigns  *a;
    ensures  nw_access_1: a->gpa == info2 && a->tables == access_tables(info1) && a->write == access_write(info1) &&
               a->fetch == access_fetch(info1);
    ensures  bits: a->write <= 1 && a->fetch <= 1 && a->tables <= 1; */
static void decode(uint64_t info1, uint64_t info2, struct pv_access *a)
{
    a->gpa = info2;
    a->tables = info1 / INFO_TABLES % 2 == 1 ? 1 : 0;
    a->write = info1 / 2 % 2 == 1 || a->tables == 1 ? 1 : 0;
    a->fetch = info1 / 16 % 2 == 1 && a->tables == 0 ? 1 : 0;
}

// Every page below every root goes.
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->low,
             pv_j_dropped[0 .. PV_ROOTS - 1];
    ensures  ok: pool_ok(pool);
    ensures  since: \forall integer r; 0 <= r < PV_ROOTS ==> pv_j_dropped[r] == pv_j_grants;
    ensures  nw_room_1: \forall integer i; PV_ROOTS <= i < pool->count ==> pool->owner[i] == PV_NO_OWNER; */
static void make_room(struct pv_pool *pool)
{
    /*@ loop invariant range: 0 <= r <= PV_ROOTS;
        loop invariant ok: pool_ok(pool);
        loop invariant since: \forall integer s; 0 <= s < r ==> pv_j_dropped[s] == pv_j_grants;
        loop invariant gone: \forall integer i; PV_ROOTS <= i < pool->count ==> pool->owner[i] == PV_NO_OWNER || pool->owner[i] >= r;
        loop assigns r, pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->low,
                     pv_j_dropped[0 .. PV_ROOTS - 1];
        loop variant PV_ROOTS - r; */
    for (uint32_t r = 0; r < PV_ROOTS; r++)
        pv_pool_drop(pool, r);
}

// What L0 grants at L1's address. What was granted before stays so.
/*@ requires valid: pool_valid(pool) && \valid(frame);
    requires apart: \separated(frame, pool) && \separated(frame, pool->word + (0 .. 512 * pool->count - 1));
    requires ok: pool_ok(pool);
    assigns  *frame, pv_j_grants;
    ensures  ok: pool_ok(pool);
    ensures  said: \result ==> pv_j_grants == \old(pv_j_grants) + 1;
    ensures  none: !\result ==> pv_j_grants == \old(pv_j_grants);
    ensures  named: \result ==> frame->hpa == grant_frame(pv_j_grants) && frame->shift == grant_shift(pv_j_grants) &&
               frame->rights == grant_rights(pv_j_grants);
    ensures  shape: \result ==> frame_shape(frame->hpa, frame->shift, frame->rights); */
static bool ask(const struct pv_partition *p, const struct pv_pool *pool, uint64_t gpa, struct pv_frame *frame)
{
    (void)pool; // the contract's alone
    const bool there = pv_platform_frame(p, gpa, frame);
    //@ assert words: \forall integer w; 0 <= w < 512 * pool->count ==> pool->word[w] == \at(pool->word[w], Pre);
    /*@ assert before: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
          entry_ok{Pre}(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    /*@ assert after: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
          entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    return there;
}

// Every page goes, and the processor may know where they were, so the tags go as well. L2's next try finds room.
/*@ requires valid: \valid(n) && pool_valid(pool);
    requires apart: \separated(n, pool) && \separated(n, pool->word + (0 .. 512 * pool->count - 1));
    requires ok: pool_ok(pool);
    assigns  n->mmu[PV_MMU_GUEST].root[0 .. PV_ROOTS - 1].sync, pool->word[0 .. 512 * pool->count - 1],
             pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->low, pv_j_dropped[0 .. PV_ROOTS - 1];
    ensures  ok: pool_ok(pool);
    ensures  drops: drops_past(pv_j_grants);
    ensures  nw_room_1: \forall integer r; 0 <= r < PV_ROOTS ==> n->mmu[PV_MMU_GUEST].root[r].sync ==
               (\at(n->mmu[PV_MMU_GUEST].root[r].sync, Pre) | PV_SYNC_TAG); */
static void start_over(struct pv_nested *n, struct pv_pool *pool)
{
    pv_roots_owe(&n->mmu[PV_MMU_GUEST], PV_SYNC_TAG);
    //@ assert words: \forall integer w; 0 <= w < 512 * pool->count ==> pool->word[w] == \at(pool->word[w], Pre);
    //@ assert ok: pool_ok(pool);
    make_room(pool);
}

enum pv_npf pv_nested_page_fault(const struct pv_partition *p, struct pv_nested *n, struct pv_pool *pool,
                                 uint32_t address_bits, uint64_t info1, uint64_t info2,
                                 struct pv_nested_fault *fault)
{
    const struct pv_mmu *m = &n->mmu[PV_MMU_GUEST];
    const struct pv_root *root = &m->root[m->current];
    struct pv_access a;
    struct pv_translation to;
    struct pv_frame frame;
    struct pv_leaf leaf;
    decode(info1, info2, &a);
    const enum pv_walk walked = pv_nested_walk(p, root->pgd, root->role, address_bits, &a, true, &to, fault);
    //@ assert words: \forall integer w; 0 <= w < 512 * pool->count ==> pool->word[w] == \at(pool->word[w], Pre);
    //@ assert walked: pool_ok(pool);
    if (walked != PV_WALK_OK)
        return walked == PV_WALK_FAULT ? PV_NPF_REFLECT : PV_NPF_RETRY;
    const bool there = ask(p, pool, to.gpa, &frame);
    /*@ assert all: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
          entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    //@ ghost Asked: ;
    if (pv_not_granted(there, &frame, a.write, a.fetch)) {
        fault->info1 = info1;
        fault->info2 = to.gpa;
        //@ assert words: \forall integer w; 0 <= w < 512 * pool->count ==> pool->word[w] == \at(pool->word[w], Asked);
        //@ assert base: pool->word == \at(pool->word, Asked) && pool->base == \at(pool->base, Asked);
        /*@ assert was: \forall integer w; 0 <= w < 512 * pool->count ==> \at(pool->owner[w / 512], Asked) != PV_NO_OWNER ==>
              entry_ok{Asked}(pool, \at(pool->owner[w / 512], Asked), \at(pool->level[w / 512], Asked),
                \at(pool->word[w], Asked)); */
        /*@ assert before: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
              entry_ok{Asked}(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
        /*@ assert after: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
              entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
        //@ assert device: pool_ok(pool);
        return PV_NPF_DEVICE;
    }
    pv_compose(&to, &frame, &leaf);
    //@ assert composed: pool_ok(pool);
    if (!pv_pool_map(pool, m->current, a.gpa, &leaf))
        start_over(n, pool);
    //@ assert filled: pool_ok(pool);
    //@ assert tags: tags_follow{Pre, Here}(n);
    return PV_NPF_RETRY;
}

bool pv_nested_address(const struct pv_partition *p, const struct pv_nested *n, uint32_t address_bits, uint64_t gpa,
                       uint64_t *l1)
{
    const struct pv_mmu *m = &n->mmu[PV_MMU_GUEST];
    const struct pv_root *root = &m->root[m->current];
    const struct pv_access a = {gpa, 0, 0, 0};
    struct pv_translation to;
    struct pv_nested_fault fault;
    if (pv_nested_walk(p, root->pgd, root->role, address_bits, &a, false, &to, &fault) != PV_WALK_OK)
        return false;
    *l1 = to.gpa;
    return true;
}
