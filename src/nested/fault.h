// SPDX-License-Identifier: BSD-2-Clause
// What becomes of a nested page fault while L2 runs on our shadow of L1's table.
#ifndef PV_NESTED_FAULT_H
#define PV_NESTED_FAULT_H

#include "roots.h"
#include "shadow.h"

enum pv_npf {
    PV_NPF_RETRY = 0,   // the shadow has an entry now, or the table changed: run L2 again
    PV_NPF_REFLECT = 1, // *fault is L1's to see
    PV_NPF_DEVICE = 2 // L1's table leads to fault->info2, where the partition has no memory: a device's, or nothing
};

/*@ // Nothing that the call writes lies on anything else.
    predicate fault_apart{L}(struct pv_nested *n, struct pv_pool *pool, struct pv_nested_fault *fault) =
      \separated(n, pool) && \separated(n, pool->word + (0 .. 512 * pool->count - 1)) && \separated(fault, n) &&
      \separated(fault, pool) && \separated(fault, pool->word + (0 .. 512 * pool->count - 1));

    // No root was dropped after the last grant.
    predicate drops_past{L}(integer grants) = \forall integer r; 0 <= r < PV_ROOTS ==> pv_j_dropped[r] <= grants;

    // All tags are owed a flush if a page below any root went.
    predicate tags_follow{L1, L2}(struct pv_nested *n) =
      (\forall integer r; 0 <= r < PV_ROOTS ==> \at(pv_j_dropped[r], L1) == \at(pv_j_dropped[r], L2)) ||
      (\forall integer r; 0 <= r < PV_ROOTS ==>
         \at(n->mmu[PV_MMU_GUEST].root[r].sync, L2) == (\at(n->mmu[PV_MMU_GUEST].root[r].sync, L1) | PV_SYNC_TAG)); */

// The fault with these EXITINFO words, under the current root. (NW-FAULT-1)
/*@ requires width: 32 <= address_bits <= 52;
    requires valid: \valid(n) && pool_valid(pool) && \valid(fault);
    requires apart: fault_apart(n, pool, fault);
    requires current: n->mmu[PV_MMU_GUEST].current < PV_ROOTS;
    requires ok: pool_ok(pool);
    requires drops: drops_past(pv_j_grants);
    assigns  *fault, n->mmu[PV_MMU_GUEST].root[0 .. PV_ROOTS - 1].sync, pool->word[0 .. 512 * pool->count - 1],
             pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low, pv_j_table_reads,
             pv_j_marked, pv_j_grants, pv_j_dropped[0 .. PV_ROOTS - 1];
    ensures  nw_iso_1: pool_ok(pool);
    ensures  drops: drops_past(pv_j_grants);
    ensures  nw_room_1: tags_follow{Pre, Post}(n);
    ensures  nw_fault_1: \result == PV_NPF_REFLECT ==> fault->info2 == info2 &&
               walk_faults(n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].role, address_bits,
                 n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].pgd, info2, \old(pv_j_table_reads),
                 access_write(info1), access_fetch(info1), access_tables(info1), fault->info1);
    ensures  nw_device_1: \result == PV_NPF_DEVICE ==> fault->info1 == info1 &&
               walk_fine(n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].role, address_bits,
                 n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].pgd, info2, \old(pv_j_table_reads),
                 access_write(info1), access_fetch(info1)) &&
               fault->info2 == walk_target(n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].role, address_bits,
                 n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].pgd, info2, \old(pv_j_table_reads),
                 access_write(info1), access_fetch(info1)); */
enum pv_npf pv_nested_page_fault(const struct pv_partition *p, struct pv_nested *n, struct pv_pool *pool,
                                 uint32_t address_bits, uint64_t info1, uint64_t info2,
                                 struct pv_nested_fault *fault);

// What L1's table makes of L2's physical address now; nothing is changed. False: it leads nowhere.
/*@ requires width: 32 <= address_bits <= 52;
    requires valid: \valid_read(n) && \valid(l1) && \separated(n, l1);
    requires current: n->mmu[PV_MMU_GUEST].current < PV_ROOTS;
    assigns  *l1, pv_j_table_reads, pv_j_marked;
    ensures  nw_end_1: \result ==>
               walk_fine(n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].role, address_bits,
                 n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].pgd, gpa, \old(pv_j_table_reads), 0, 0) &&
               *l1 == walk_target(n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].role, address_bits,
                 n->mmu[PV_MMU_GUEST].root[n->mmu[PV_MMU_GUEST].current].pgd, gpa, \old(pv_j_table_reads), 0, 0);
    ensures  untouched: !\result ==> *l1 == \old(*l1); */
bool pv_nested_address(const struct pv_partition *p, const struct pv_nested *n, uint32_t address_bits, uint64_t gpa,
                       uint64_t *l1);

#endif
