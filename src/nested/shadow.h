// SPDX-License-Identifier: BSD-2-Clause
// The tables that the processor uses for L2 in place of L1's: four levels, made of pages of a fixed pool, filled when L2 touches
// a page. An entry leads to a table page of the same root, one level down, or to a frame that the partition's own nested table grants;
// no address that L1 wrote is in them (NW-ISO-1).
#ifndef PV_NESTED_SHADOW_H
#define PV_NESTED_SHADOW_H

#include "compose.h"

enum { PV_POOL_MAX = 1024, PV_NO_OWNER = 0xFF };

// The pages of a VP. The first PV_ROOTS are the roots, and belong to themselves for ever.
struct pv_pool {
    uint64_t *word;             // the entries, 512 a page; the embedder's
    uint64_t base;              // host physical address of page 0; the others follow
    uint32_t count;             // of pages: PV_ROOTS + 3 .. PV_POOL_MAX
    uint32_t low;               // every page below it has an owner
    uint8_t owner[PV_POOL_MAX]; // root under which a page hangs, or PV_NO_OWNER
    uint8_t level[PV_POOL_MAX]; // 4 for a root, down to 1
};

/*@ ghost extern int pv_j_dropped[PV_ROOTS]; // how many frames had been granted when the root was last dropped
*/

/*@ // The entry leads into a frame that L0 has granted since the root was last dropped, and allows what L0 allows there.
    predicate granted{L}(integer root, integer e, integer size) =
      \exists integer k; pv_j_dropped[root] < k <= pv_j_grants &&
        s_within(e, size, grant_frame(k), frame_bytes(grant_shift(k)), grant_rights(k));

    // The frame of a leaf is part of the last one granted, and its rights are among those.
    predicate leaf_granted{L}(integer root, integer hpa, integer shift, integer rights) =
      pv_j_dropped[root] < pv_j_grants && grant_frame(pv_j_grants) <= hpa && 0 <= grant_rights(pv_j_grants) &&
      hpa + frame_bytes(shift) <= grant_frame(pv_j_grants) + frame_bytes(grant_shift(pv_j_grants)) &&
      (may_write(rights) ==> may_write(grant_rights(pv_j_grants))) && (may_run(rights) ==> may_run(grant_rights(pv_j_grants)));
    predicate leaf_shape(integer hpa, integer shift, integer rights) =
      (shift == 12 || shift == 21) && 0 <= rights <= 7 && 0 <= hpa && hpa % frame_bytes(shift) == 0 &&
      hpa + frame_bytes(shift) <= 4503599627370496;

    predicate is_leaf(integer level, integer e) = level == 1 || (level == 2 && s_large(e));

    // NW-LINK-2: a link leads to a page of the same owner, one level down.
    predicate link_ok{L}(struct pv_pool *pool, integer owner, integer level, integer e) =
      s_inside(pool->base, pool->count, e) &&
      s_below(owner, level, pool->owner[s_child(pool->base, e)], pool->level[s_child(pool->base, e)]);

    predicate entry_ok{L}(struct pv_pool *pool, integer owner, integer level, integer e) =
      present(e) ==>
        (is_leaf(level, e) ==> granted(owner, e, level == 1 ? 4096 : 2097152)) &&
        (!is_leaf(level, e) ==> link_ok(pool, owner, level, e));

    predicate pool_place{L}(struct pv_pool *pool) =
      PV_ROOTS + 3 <= pool->count <= PV_POOL_MAX && pool->base % 4096 == 0 &&
      pool->base + 4096 * pool->count <= 4503599627370496;

    predicate pool_valid{L}(struct pv_pool *pool) =
      \valid(pool) && \valid(pool->word + (0 .. 512 * pool->count - 1)) &&
      \separated(pool, pool->word + (0 .. 512 * pool->count - 1));

    // Each page has one owner or none; roots have themselves (NW-POOL-1).
    predicate pool_owned{L}(struct pv_pool *pool) =
      pool->low <= pool->count &&
      (\forall integer i; 0 <= i < PV_ROOTS ==> pool->owner[i] == i && pool->level[i] == 4) &&
      (\forall integer i; PV_ROOTS <= i < pool->count ==>
         pool->owner[i] == PV_NO_OWNER || (pool->owner[i] < PV_ROOTS && 1 <= pool->level[i] <= 3)) &&
      (\forall integer i; PV_ROOTS <= i < pool->low ==> pool->owner[i] != PV_NO_OWNER);

    // NW-ISO-1: what the processor can reach from a root.
    predicate pool_sound{L}(struct pv_pool *pool) =
      \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==>
        entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]);

    predicate pool_ok{L}(struct pv_pool *pool) = pool_place(pool) && pool_owned(pool) && pool_sound(pool);

    // Pages that had no owner may have become the root's; nothing else has changed hands (NW-POOL-3).
    predicate taken{L1, L2}(struct pv_pool *pool, integer count, integer root) =
      \forall integer i; 0 <= i < count ==> \at(pool->owner[i], L2) == \at(pool->owner[i], L1) ||
        (\at(pool->owner[i], L1) == PV_NO_OWNER && \at(pool->owner[i], L2) == root);

    // A page of the root has the leaf at the place of the address.
    predicate leaf_at{L}(struct pv_pool *pool, integer root, integer page, integer gpa, integer hpa, integer shift,
                         integer rights) =
      0 <= page < pool->count && pool->owner[page] == root && pool->level[page] == (shift == 21 ? 2 : 1) &&
      pool->word[512 * page + s_index(gpa, shift == 21 ? 2 : 1)] == leaf_entry(hpa, rights, shift == 21 ? 1 : 0);

    // The way of an address through the tables: the pages of levels 3, 2 and 1.
    predicate on_way{L}(struct pv_pool *pool, integer root, integer n, integer page, integer entry, integer to) =
      to < pool->count && pool->owner[to] == root && pool->level[to] == n &&
      s_child(pool->base, pool->word[512 * page + entry]) == to;
    predicate way3{L}(struct pv_pool *pool, integer root, integer gpa, integer third) =
      on_way(pool, root, 3, root, s_index(gpa, 4), third);
    predicate way2{L}(struct pv_pool *pool, integer root, integer gpa, integer third, integer second) =
      on_way(pool, root, 2, third, s_index(gpa, 3), second);
    predicate way1{L}(struct pv_pool *pool, integer root, integer gpa, integer second, integer first) =
      on_way(pool, root, 1, second, s_index(gpa, 2), first); */

// No page hangs under a root, and no root leads anywhere.
/*@ requires valid: pool_valid(pool);
    requires place: pool_place(pool);
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[0 .. PV_POOL_MAX - 1], pool->level[0 .. PV_POOL_MAX - 1], pool->low;
    ensures  nw_iso_1: pool_ok(pool);
    ensures  nw_pool_1: \forall integer i; PV_ROOTS <= i < pool->count ==> pool->owner[i] == PV_NO_OWNER; */
void pv_pool_init(struct pv_pool *pool);

// Clears the root, and takes back every page that hung below it, and no other (NW-POOL-1).
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS;
    assigns  pool->word[512 * root .. 512 * root + 511], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->low, pv_j_dropped[root];
    ensures  nw_iso_1: pool_ok(pool);
    ensures  since: pv_j_dropped[root] == pv_j_grants;
    ensures  nw_pool_1: \forall integer i; PV_ROOTS <= i < pool->count ==>
               pool->owner[i] == (\old(pool->owner[i]) == root ? PV_NO_OWNER : \old(pool->owner[i]));
    ensures  nw_drop_1: \forall integer w; 512 * root <= w < 512 * root + 512 ==> pool->word[w] == 0; */
void pv_pool_drop(struct pv_pool *pool, uint32_t root);

// Makes L2's page at `gpa` lead to the frame of the leaf, which was granted last. False: no page of the pool is free;
// drop a root and do it again.
/*@ requires valid: pool_valid(pool) && \valid_read(leaf) && \separated(leaf, pool) &&
                    \separated(leaf, pool->word + (0 .. 512 * pool->count - 1));
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS;
    requires leaf: leaf_shape(leaf->hpa, leaf->shift, leaf->rights);
    requires nw_iso_1: leaf_granted(root, leaf->hpa, leaf->shift, leaf->rights);
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  nw_iso_1: pool_ok(pool);
    ensures  nw_pool_2: !\result ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  nw_pool_3: taken{Pre, Post}(pool, pool->count, root);
    ensures  nw_leaf_1: \result ==> \exists integer page;
               leaf_at(pool, root, page, gpa, \old(leaf->hpa), \old(leaf->shift), \old(leaf->rights)); */
bool pv_pool_map(struct pv_pool *pool, uint32_t root, uint64_t gpa, const struct pv_leaf *leaf);

#endif
