// SPDX-License-Identifier: BSD-2-Clause
// The roots that an MMU context remembers. A root is taken up again without building anything if and only if its key is
// the same: L1's table and the whole role word (NR-KEY-1). What L1 has flushed since is owed, and paid before the next use.
#ifndef PV_NESTED_ROOTS_H
#define PV_NESTED_ROOTS_H

#include "types.h"

/*@ // Slot i holds the root of this key.
    predicate key_at{L}(struct pv_mmu *m, integer i, integer pgd, integer role) =
      m->root[i].pgd == pgd && m->root[i].role == role;

    predicate root_known{L}(struct pv_mmu *m, integer pgd, integer role) =
      \exists integer i; 0 <= i < PV_ROOTS && key_at(m, i, pgd, role);

    // No two roots have the same key (NR-UNIQUE-1), and the current slot exists.
    predicate keys_ok{L}(struct pv_mmu *m) =
      \forall integer i, j; 0 <= i < PV_ROOTS && 0 <= j < PV_ROOTS && i != j && m->root[i].role != 0 ==>
        !key_at(m, j, m->root[i].pgd, m->root[i].role);

    // The same without slot n, and for slot n alone, both ways.
    predicate keys_but{L}(struct pv_mmu *m, integer n) =
      \forall integer i, j; 0 <= i < PV_ROOTS && 0 <= j < PV_ROOTS && i != j && i != n && j != n && m->root[i].role != 0 ==>
        !key_at(m, j, m->root[i].pgd, m->root[i].role);
    predicate key_before{L}(struct pv_mmu *m, integer n) =
      \forall integer j; 0 <= j < PV_ROOTS && j != n ==> !key_at(m, j, m->root[n].pgd, m->root[n].role);
    predicate key_after{L}(struct pv_mmu *m, integer n) =
      \forall integer j; 0 <= j < PV_ROOTS && j != n ==> !key_at(m, n, m->root[j].pgd, m->root[j].role);

    lemma keys_from_parts{L}: \forall struct pv_mmu *m, integer n; 0 <= n < PV_ROOTS ==>
      keys_but(m, n) ==> key_before(m, n) ==> key_after(m, n) ==> keys_ok(m);

    predicate roots_ok{L}(struct pv_mmu *m) = m->current < PV_ROOTS && keys_ok(m);

    // Slot i is as it was.
    predicate same_root{L1, L2}(struct pv_mmu *m, integer i) =
      \at(m->root[i].pgd, L1) == \at(m->root[i].pgd, L2) && \at(m->root[i].role, L1) == \at(m->root[i].role, L2) &&
      \at(m->root[i].vasid, L1) == \at(m->root[i].vasid, L2) && \at(m->root[i].sync, L1) == \at(m->root[i].sync, L2) &&
      \at(m->root[i].used, L1) == \at(m->root[i].used, L2);

    // Nobody was used longer ago than slot i.
    predicate oldest{L}(struct pv_mmu *m, integer i) =
      \forall integer j; 0 <= j < PV_ROOTS ==> m->root[i].used <= m->root[j].used;

    // Keys and tags are as they were.
    predicate same_names{L1, L2}(struct pv_mmu *m) =
      \forall integer i; 0 <= i < PV_ROOTS ==>
        \at(m->root[i].pgd, L1) == \at(m->root[i].pgd, L2) && \at(m->root[i].role, L1) == \at(m->root[i].role, L2) &&
        \at(m->root[i].vasid, L1) == \at(m->root[i].vasid, L2); */

// Forgets all roots.
/*@ requires valid: \valid(m);
    assigns  *m;
    ensures  ok: roots_ok(m);
    ensures  forgotten: \forall integer i; 0 <= i < PV_ROOTS ==> m->root[i].role == 0 && m->root[i].sync == 3; */
void pv_roots_clear(struct pv_mmu *m);

// Makes the root of this key the current one. If it is not there the one used longest ago goes, and its slot belongs to the new key,
// all of it owed (NR-LRU-1, NR-MISS-1). A root known under another of L1's tags owes everything as well: L1 has not flushed
// that tag for it (NR-ASID-1). True: it was there.
/*@ requires valid: \valid(m);
    requires ok: roots_ok(m);
    requires role: role != 0;
    assigns  *m;
    ensures  ok: roots_ok(m);
    ensures  nr_unique_1: keys_ok(m);
    ensures  nr_key_1: \result <==> root_known{Pre}(m, pgd, role);
    ensures  current: key_at(m, m->current, pgd, role) && m->root[m->current].vasid == vasid;
    ensures  others: \forall integer i; 0 <= i < PV_ROOTS && i != m->current ==> same_root{Pre, Post}(m, i);
    ensures  nr_hit_1: \result ==> \forall integer i; i == m->current ==> key_at{Pre}(m, i, pgd, role);
    ensures  nr_asid_1: \result ==> \forall integer i; i == m->current ==>
               m->root[i].sync == (\at(m->root[i].vasid, Pre) == vasid ? \at(m->root[i].sync, Pre) : 3);
    ensures  nr_lru_1: !\result ==> \forall integer i; i == m->current ==> oldest{Pre}(m, i);
    ensures  nr_miss_1: !\result ==> m->root[m->current].sync == 3;
    ensures  clock: m->clock == m->root[m->current].used &&
               m->clock == (\old(m->clock) < 18446744073709551615 ? \old(m->clock) + 1 : \old(m->clock)); */
bool pv_roots_use(struct pv_mmu *m, uint64_t pgd, uint32_t role, uint32_t vasid);

// Each root owes `sync` from now on (NR-OWE-1): all of them; those last used under L1's tag `vasid`; those of L1's table `pgd`.
/*@ requires valid: \valid(m);
    assigns  m->root[0 .. PV_ROOTS - 1].sync;
    ensures  names: same_names{Pre, Post}(m);
    ensures  nr_owe_1: \forall integer i; 0 <= i < PV_ROOTS ==> m->root[i].sync == (\at(m->root[i].sync, Pre) | sync); */
void pv_roots_owe(struct pv_mmu *m, uint32_t sync);

/*@ requires valid: \valid(m);
    assigns  m->root[0 .. PV_ROOTS - 1].sync;
    ensures  names: same_names{Pre, Post}(m);
    ensures  nr_owe_1: \forall integer i; 0 <= i < PV_ROOTS ==>
               m->root[i].sync == (m->root[i].vasid == vasid ? (\at(m->root[i].sync, Pre) | sync) : \at(m->root[i].sync, Pre)); */
void pv_roots_owe_vasid(struct pv_mmu *m, uint32_t vasid, uint32_t sync);

/*@ requires valid: \valid(m);
    assigns  m->root[0 .. PV_ROOTS - 1].sync;
    ensures  names: same_names{Pre, Post}(m);
    ensures  nr_owe_1: \forall integer i; 0 <= i < PV_ROOTS ==>
               m->root[i].sync == (m->root[i].pgd == pgd ? (\at(m->root[i].sync, Pre) | sync) : \at(m->root[i].sync, Pre)); */
void pv_roots_owe_pgd(struct pv_mmu *m, uint64_t pgd, uint32_t sync);

#endif
