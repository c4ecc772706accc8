// SPDX-License-Identifier: BSD-2-Clause
// The words of a VP that others write while it runs (mark, lock, queue, vector, run, apic_enabled), and the only
// operations on them. To a contract these words are part of the world outside: they may hold anything at any time, so
// no contract speaks of their values and no assigns clause lists them. What the operations promise is what no other
// VP can undo: what was told (the journal), and what was found in a queue and left in it while its lock was held.
// Each contract here is an assumption (A-SHARED-1..11, 13..15 in proofs/ASSUMPTIONS.md), and so is what was just said
// (A-SHARED-12). The order of the accesses is what spec/protocol.mlw is about (A-PROTO-1, docs/protocol.md).
#ifndef PV_SHARED_H
#define PV_SHARED_H

#include "journal.h"
#include "../flush/ranges.h"

// Asks a full or a non-global flush of one context of a VP, or a full one with what L1's nested tables said. A full barrier. (A-SHARED-1, FL-PUB-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && context < 2;
    requires kind: kind == 1 || kind == 2 || kind == 9;
    assigns  pv_j_asked[vp->vp_index];
    ensures  fl_pub_1: pv_j_asked[vp->vp_index] == asked_as(kind, context); */
static inline void pv_shared_mark(struct pv_vp *vp, uint32_t context, uint32_t kind);

// Takes the lock of a queue and copies the queue out. What stands in it is whatever the others left. (A-SHARED-2)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && context < 2 && \valid(found);
    requires free: pv_j_held == 0;
    assigns  *found, pv_j_lock, pv_j_held;
    ensures  ok: ranges_ok(found);
    ensures  lock: pv_j_lock != \old(pv_j_lock);
    ensures  held: pv_j_held == queue_of(vp->vp_index, context);
    ensures  found: \forall integer page; ranges_mean(found, page) <==> found_page(pv_j_lock, page); */
static inline void pv_shared_lock(struct pv_vp *vp, uint32_t context, struct pv_ranges *found);

// Leaves this in the queue, marks it as holding something and gives its lock back: all that `ask` means is pending
// for the VP until it flushes, and nothing that was pending is lost. A full barrier. (A-SHARED-3, FL-PUB-2)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && context < 2 && \valid_read(ask) && \valid_read(left);
    requires ok: ranges_ok(left);
    requires held: pv_j_held == queue_of(vp->vp_index, context);
    requires fq_sup_2: \forall integer page; found_page(pv_j_lock, page) || ranges_mean(ask, page) ==>
               ranges_mean(left, page);
    requires fq_eq_2: left->overflow == 0 ==> \forall integer page;
               ranges_mean(left, page) ==> found_page(pv_j_lock, page) || ranges_mean(ask, page);
    assigns  pv_j_asked[vp->vp_index], pv_j_under[vp->vp_index], pv_j_held;
    ensures  fl_pub_2: pv_j_asked[vp->vp_index] == asked_as(4, context);
    ensures  fl_pub_6: pv_j_under[vp->vp_index] == pv_j_lock;
    ensures  asked: \forall integer page; asked_page(pv_j_lock, page) <==> ranges_mean(ask, page);
    ensures  free: pv_j_held == 0; */
static inline void pv_shared_publish(struct pv_vp *vp, uint32_t context, const struct pv_ranges *ask,
                                     const struct pv_ranges *left);

// Reads and clears the marks, under the queue's lock. (A-SHARED-4)
/*@ requires valid: \valid(vp) && context < 2;
    requires held: pv_j_held == queue_of(vp->vp_index, context);
    assigns  pv_j_marks;
    ensures  bits: 0 <= \result <= 15 && pv_j_marks == \result; */
static inline uint32_t pv_shared_take_marks(struct pv_vp *vp, uint32_t context);

// Empties the queue and gives its lock back; `taken` is what was found. (A-SHARED-5, FQ-DRAIN-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && context < 2 && \valid_read(taken);
    requires held: pv_j_held == queue_of(vp->vp_index, context);
    requires fq_drain_2: \forall integer page; found_page(pv_j_lock, page) <==> ranges_mean(taken, page);
    assigns  pv_j_held, pv_j_taken;
    ensures  free: pv_j_held == 0;
    ensures  taken: pv_j_taken == queue_of(vp->vp_index, context); */
static inline void pv_shared_drain(struct pv_vp *vp, uint32_t context, const struct pv_ranges *taken);

// Posts a vector. A full barrier. (A-SHARED-6, IPI-POST-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires vector: 16 <= vector <= 255;
    assigns  pv_j_posted[vp->vp_index];
    ensures  ipi_post_1: pv_j_posted[vp->vp_index] == vector; */
static inline void pv_shared_post(struct pv_vp *vp, uint32_t vector);

// Reads and clears 64 vectors. (A-SHARED-7)
/*@ requires valid: \valid(vp) && word < 4;
    assigns  pv_j_vectors[word];
    ensures  pv_j_vectors[word] == \result; */
static inline uint64_t pv_shared_take_vectors(struct pv_vp *vp, uint32_t word);

// Is the VP in the guest? Only asked after something was published, so that a VP that was not will see it.
// (A-SHARED-8, PR-LOOK-1)
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires pr_look_1: pv_j_asked[vp->vp_index] != 0 || pv_j_posted[vp->vp_index] != 0;
    assigns  pv_j_looked[vp->vp_index], pv_j_ran[vp->vp_index];
    ensures  looked: pv_j_looked[vp->vp_index] == 1 && pv_j_ran[vp->vp_index] == (\result ? 1 : 0); */
static inline bool pv_shared_running(const struct pv_vp *vp);

// The VP itself: counts its run word up, with a full barrier behind it. (A-SHARED-9, PR-RUN-1)
/*@ requires valid: \valid(vp);
    assigns  pv_j_toggled;
    ensures  pv_j_toggled == \old(pv_j_toggled) + 1; */
static inline void pv_shared_toggle_run(struct pv_vp *vp);

// Is anything pending, by the marks alone? A hint, without the lock; a full look follows. (A-SHARED-10)
/*@ requires valid: \valid_read(vp) && vp->vp_index < 4096 && context < 2;
    assigns  pv_j_hint, pv_j_hinted;
    ensures  hint: pv_j_hint == (\result ? 1 : 0);
    ensures  whose: pv_j_hinted == queue_of(vp->vp_index, context); */
static inline bool pv_shared_marked(const struct pv_vp *vp, uint32_t context);

// Does the VP's APIC take fixed interrupts? The embedder keeps the word. (A-SHARED-11, IPI-APIC-1)
/*@ requires valid: \valid_read(vp) && vp->vp_index < 4096;
    assigns  pv_j_deaf[vp->vp_index];
    ensures  pv_j_deaf[vp->vp_index] == (\result ? 0 : 1); */
static inline bool pv_shared_apic_enabled(const struct pv_vp *vp);

// GUEST_OS_ID, which one VP may write while others make hypercalls: one load, one store. (A-SHARED-13)
/*@ requires valid: \valid_read(p);
    assigns  \nothing;
    ensures  \result == p->guest_os_id; */
static inline uint64_t pv_shared_os_id(const struct pv_partition *p);

// (A-SHARED-13)
/*@ requires valid: \valid(p);
    assigns  p->guest_os_id;
    ensures  p->guest_os_id == value; */
static inline void pv_shared_set_os_id(struct pv_partition *p, uint64_t value);

// The VP itself says which L2 it loads (PV_CONTEXT_L2), with a full barrier behind it. (A-SHARED-14, NE-LOAD-1)
/*@ requires valid: \valid(vp) && named <= 1;
    assigns  vp->l2_named, vp->l2_vm, vp->l2_vp, pv_j_l2_said;
    ensures  said: pv_j_l2_said == \old(pv_j_l2_said) + 1;
    ensures  what: vp->l2_named == named && vp->l2_vm == vm && vp->l2_vp == id; */
static inline void pv_shared_say_l2(struct pv_vp *vp, uint32_t named, uint64_t vm, uint32_t id);

// A full barrier: what the caller wrote before is seen by whoever does not see what is read after. (A-SHARED-15)
/*@ assigns pv_j_fenced;
    ensures pv_j_fenced == 1; */
static inline void pv_shared_fence(void);

// Has the VP loaded a VP of this VM? *id is then its number. What was read may be older than what the VP says now: it then
// has flushed, or will, since the fence. (A-SHARED-15, NE-TARGET-1)
/*@ requires valid: \valid_read(vp) && vp->vp_index < 4096 && \valid(id);
    requires ne_order_2: pv_j_fenced == 1;
    assigns  *id, pv_j_l2_loaded[vp->vp_index], pv_j_l2_vp[vp->vp_index];
    ensures  loaded: pv_j_l2_loaded[vp->vp_index] == (\result ? 1 : 0);
    ensures  number: pv_j_l2_vp[vp->vp_index] == *id; */
static inline bool pv_shared_l2(const struct pv_vp *vp, uint64_t vm, uint32_t *id);

#ifndef __FRAMAC__

static inline void pv_shared_say_l2(struct pv_vp *vp, uint32_t named, uint64_t vm, uint32_t id)
{
    __atomic_store_n(&vp->l2_named, named, __ATOMIC_RELAXED);
    __atomic_store_n(&vp->l2_vm, vm, __ATOMIC_RELAXED);
    __atomic_store_n(&vp->l2_vp, id, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void pv_shared_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline bool pv_shared_l2(const struct pv_vp *vp, uint64_t vm, uint32_t *id)
{
    *id = __atomic_load_n(&vp->l2_vp, __ATOMIC_RELAXED);
    return __atomic_load_n(&vp->l2_named, __ATOMIC_RELAXED) != 0 &&
           __atomic_load_n(&vp->l2_vm, __ATOMIC_RELAXED) == vm;
}

static inline uint64_t pv_shared_os_id(const struct pv_partition *p)
{
    return __atomic_load_n(&p->guest_os_id, __ATOMIC_RELAXED);
}

static inline void pv_shared_set_os_id(struct pv_partition *p, uint64_t value)
{
    __atomic_store_n(&p->guest_os_id, value, __ATOMIC_RELAXED);
}

static inline void pv_shared_mark(struct pv_vp *vp, uint32_t context, uint32_t kind)
{
    __atomic_fetch_or(&vp->mark[context], kind, __ATOMIC_SEQ_CST);
}

static inline void pv_shared_lock(struct pv_vp *vp, uint32_t context, struct pv_ranges *found)
{
    while (__atomic_exchange_n(&vp->lock[context], 1u, __ATOMIC_ACQUIRE) != 0) {
        while (__atomic_load_n(&vp->lock[context], __ATOMIC_RELAXED) != 0) {
#    if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#    endif
        }
    }
    pv_ranges_copy(found, &vp->queue[context]);
}

static inline void pv_shared_publish(struct pv_vp *vp, uint32_t context, const struct pv_ranges *ask,
                                     const struct pv_ranges *left)
{
    (void)ask;
    pv_ranges_copy(&vp->queue[context], left);
    __atomic_fetch_or(&vp->mark[context], (uint32_t)PV_FLUSH_RANGES, __ATOMIC_SEQ_CST);
    __atomic_store_n(&vp->lock[context], 0u, __ATOMIC_RELEASE);
}

static inline uint32_t pv_shared_take_marks(struct pv_vp *vp, uint32_t context)
{
    return __atomic_exchange_n(&vp->mark[context], 0u, __ATOMIC_SEQ_CST);
}

static inline void pv_shared_drain(struct pv_vp *vp, uint32_t context, const struct pv_ranges *taken)
{
    (void)taken;
    pv_ranges_clear(&vp->queue[context]);
    __atomic_store_n(&vp->lock[context], 0u, __ATOMIC_RELEASE);
}

static inline void pv_shared_post(struct pv_vp *vp, uint32_t vector)
{
    __atomic_fetch_or(&vp->vector[vector / 64u], (uint64_t)1 << (vector % 64u), __ATOMIC_SEQ_CST);
}

static inline uint64_t pv_shared_take_vectors(struct pv_vp *vp, uint32_t word)
{
    if (__atomic_load_n(&vp->vector[word], __ATOMIC_RELAXED) == 0) {
        return 0;
    }
    return __atomic_exchange_n(&vp->vector[word], 0u, __ATOMIC_SEQ_CST);
}

static inline bool pv_shared_running(const struct pv_vp *vp)
{
    return (__atomic_load_n(&vp->run, __ATOMIC_SEQ_CST) & 1u) != 0;
}

static inline void pv_shared_toggle_run(struct pv_vp *vp)
{
    __atomic_fetch_add(&vp->run, 1u, __ATOMIC_SEQ_CST);
}

static inline bool pv_shared_marked(const struct pv_vp *vp, uint32_t context)
{
    return __atomic_load_n(&vp->mark[context], __ATOMIC_SEQ_CST) != 0;
}

static inline bool pv_shared_apic_enabled(const struct pv_vp *vp)
{
    return __atomic_load_n(&vp->apic_enabled, __ATOMIC_RELAXED) != 0;
}

#endif

#endif
