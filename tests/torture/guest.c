// SPDX-License-Identifier: BSD-2-Clause
// Random guests. They read pages, map pages anew and flush them on some VPs, by every flush hypercall; send interrupts,
// wait for the reply spinning or halted, yield, change between L1 and L2. A page-table entry is a generation, which
// only grows: from the moment at which a flush returns, no VP that it named may read an older one.
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLUSH_SPACE = 0x02,
    FLUSH_LIST = 0x03,
    LONG_SPIN_WAIT = 0x08,
    CLUSTER_IPI = 0x0B,
    FLUSH_SPACE_EX = 0x13,
    FLUSH_LIST_EX = 0x14,
    CLUSTER_IPI_EX = 0x15,
    FAST = 1 << 16,
    FLAG_ALL = 1 << 0,
    FLAG_NONGLOBAL = 1 << 2,
    FORMAT_ALL = 1
};

// ---- whom a call names ---------------------------------------------------------------------------------------------

// Vectors 16 .. 255; few senders use all four words of the core's.
static uint32_t vector_of(uint32_t sender, enum kind kind)
{
    return 16 + (2 * sender + kind) * 67 % 240;
}

static uint32_t sender_of(uint32_t vector, enum kind *kind)
{
    const uint32_t which = (vector - 16) * 43 % 240; // 43 * 67 = 1 mod 240
    *kind = which % 2 == 0 ? REQUEST : REPLY;
    return which / 2;
}

// A random set, in bank 0 alone for the plain calls; of VPs to which no request is under way, if it is for one.
static uint32_t choose(struct vp *vp, bool plain, bool request)
{
    struct guest *g = &vp->guest;
    const unsigned one_in = 1 + (unsigned)draw(&g->random) % 4; // 1: all that may be
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < options.vps; i++) {
        const bool may = (!plain || index_of(i) < 64) &&
                         (!request || __atomic_load_n(&vps[i].guest.under_way[REQUEST][vp->index],
                                                      __ATOMIC_SEQ_CST) == NONE_UNDER_WAY);
        g->target[i] = may && chance(&g->random, one_in);
        chosen += g->target[i];
    }
    return chosen;
}

static uint64_t bank_of(const struct guest *g, uint32_t bank)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < options.vps; i++) {
        if (g->target[i] && index_of(i) / 64 == bank) {
            word |= UINT64_C(1) << index_of(i) % 64;
        }
    }
    return word;
}

// Writes the targets as a sparse set: valid banks at `mask`, the banks from `first` on. Returns how many.
static uint32_t write_sparse(struct guest *g, uint32_t mask, uint32_t first)
{
    uint32_t banks = 0;
    g->operand[mask] = 0;
    for (uint32_t bank = 0; bank < 64; bank++) {
        const uint64_t word = bank_of(g, bank);
        if (word != 0) {
            g->operand[mask] |= UINT64_C(1) << bank;
            g->operand[first + banks++] = word;
        }
    }
    return banks;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static enum reason begin(struct vp *vp, uint64_t control, uint64_t rdx, uint64_t r8)
{
    vp->guest.call =
        (struct pv_call){.rcx = control, .rdx = rdx, .r8 = r8, .protected_mode = 1, .long_mode = 1};
    vp->guest.in_call = true;
    return MAKE_CALL;
}

static void change(struct vp *vp, uint32_t page)
{
    if (vp->guest.changed[page] == 0) {
        vp->guest.changed[page] = page_change(vp->context, page);
    }
}

static uint32_t some_page(uint64_t *random)
{
    const uint32_t page = (uint32_t)draw(random) % PAGES;
    return chance(random, 2) ? page : page % 8; // some are used more than others
}

static enum reason flush(struct vp *vp)
{
    struct guest *g = &vp->guest;
    const bool list = chance(&g->random, 2), ex = chance(&g->random, 2), all = chance(&g->random, 4),
               nonglobal = !list && chance(&g->random, 2);
    uint64_t control = list ? ex ? FLUSH_LIST_EX : FLUSH_LIST : ex ? FLUSH_SPACE_EX : FLUSH_SPACE;
    uint32_t at = ex ? 4 : 3;

    if (all) {
        memset(g->target, 1, sizeof g->target);
    } else if (choose(vp, !ex, false) == 0) {
        return STAY;
    }
    g->flushes = true;
    g->operand[0] = 0;
    g->operand[1] = nonglobal ? FLAG_NONGLOBAL : 0;
    if (!ex) {
        g->operand[1] |= all ? FLAG_ALL : 0;
        g->operand[2] = all ? 0 : bank_of(g, 0);
    } else {
        const uint32_t banks = all ? 0 : write_sparse(g, 3, at);
        g->operand[2] = all ? FORMAT_ALL : 0;
        control |= (uint64_t)banks << 17;
        at += banks;
    }
    memset(g->changed, 0, sizeof g->changed);
    const uint32_t count = 1 + (uint32_t)draw(&g->random) % (chance(&g->random, 4) ? ENTRIES_MAX : 3);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t page = some_page(&g->random), more = (uint32_t)draw(&g->random) % 3;
        g->operand[at + i] = (uint64_t)page << 12 | more;
        for (uint32_t k = page; k <= page + more && k < PAGES; k++) {
            if (!nonglobal || !page_global(k)) {
                change(vp, k);
            }
        }
    }
    return begin(vp, control | (list ? (uint64_t)count << 32 : 0), UINT64_C(0x1000) * vp->index, 0);
}

// Sends to the targets, by one of the two calls.
static enum reason interrupt(struct vp *vp, enum kind kind, bool plain, uint32_t mark)
{
    struct guest *g = &vp->guest;
    const uint32_t vector = vector_of(vp->index, kind);

    g->flushes = false;
    for (uint32_t i = 0; i < options.vps; i++) {
        if (g->target[i]) {
            __atomic_store_n(&vps[i].guest.under_way[kind][vp->index], mark, __ATOMIC_SEQ_CST);
        }
    }
    if (plain) {
        return begin(vp, CLUSTER_IPI | FAST, vector, bank_of(g, 0));
    }
    g->operand[0] = vector;
    g->operand[1] = 0;
    const uint64_t banks = write_sparse(g, 2, 3);
    return begin(vp, CLUSTER_IPI_EX | banks << 17, UINT64_C(0x1000) * vp->index, 0);
}

static enum reason request(struct vp *vp)
{
    struct guest *g = &vp->guest;
    const bool plain = chance(&g->random, 2), wait = chance(&g->random, 2);
    const uint32_t chosen = choose(vp, plain, true);

    if (chosen == 0) {
        return STAY;
    }
    if (wait) {
        g->waits_for = chosen;
        g->patience = (uint32_t)draw(&g->random) % 50;
    }
    return interrupt(vp, REQUEST, plain, wait ? WANTS_REPLY : UNDER_WAY);
}

static enum reason reply(struct vp *vp, uint32_t to)
{
    struct guest *g = &vp->guest;

    g->owes[to] = false;
    memset(g->target, 0, sizeof g->target);
    g->target[to] = true;
    return interrupt(vp, REPLY, index_of(to) < 64, UNDER_WAY);
}

static enum reason yield(struct vp *vp)
{
    vp->guest.flushes = false;
    memset(vp->guest.target, 0, sizeof vp->guest.target);
    return begin(vp, LONG_SPIN_WAIT | FAST, 0, 0);
}

void guest_returned(struct vp *vp)
{
    struct guest *g = &vp->guest;

    if ((g->call.rax & 0xFFFF) != 0 || g->call.rax >> 32 != (g->call.rcx >> 32 & 0xFFF)) {
        printf("torture: call 0x%" PRIx64 " was answered with 0x%" PRIx64 "\n", g->call.rcx, g->call.rax);
        exit(1);
    }
    g->in_call = false;
    for (uint32_t i = 0; i < options.vps; i++) {
        if (g->target[i] && !g->flushes) {
            __atomic_fetch_add(&vps[i].guest.accepted, 1, __ATOMIC_SEQ_CST);
        }
        for (uint32_t page = 0; g->target[i] && g->flushes && page < PAGES; page++) {
            uint32_t *floor = &vps[i].guest.floor[vp->context][page];
            uint32_t old = __atomic_load_n(floor, __ATOMIC_SEQ_CST);
            while (old < g->changed[page] &&
                   !__atomic_compare_exchange_n(floor, &old, g->changed[page], false, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST)) {
            }
        }
    }
}

// ---- running -------------------------------------------------------------------------------------------------------

void guest_interrupt(struct vp *vp, struct pcpu *me, uint32_t vector)
{
    struct guest *g = &vp->guest;
    enum kind kind;
    const uint32_t sender = sender_of(vector, &kind);
    const uint32_t was =
        vector < 16 || sender >= options.vps
            ? NONE_UNDER_WAY
            : __atomic_exchange_n(&g->under_way[kind][sender], NONE_UNDER_WAY, __ATOMIC_SEQ_CST);
    if (was == NONE_UNDER_WAY) {
        me->count.spurious++;
        return;
    }
    me->count.vectors++;
    g->delivered++;
    if (was == WANTS_REPLY) {
        g->owes[sender] = true;
    }
    if (kind == REPLY) {
        g->waits_for--;
    }
}

static void read_page(struct vp *vp, struct pcpu *me)
{
    const uint32_t page = some_page(&vp->guest.random);
    // What was promised before this access.
    const uint32_t floor = __atomic_load_n(&vp->guest.floor[vp->context][page], __ATOMIC_SEQ_CST);
    me->count.reads++;
    me->count.stale += tlb_read(me, vp->context, page) < floor;
}

enum reason guest_step(struct vp *vp, struct pcpu *me)
{
    struct guest *g = &vp->guest;
    const uint64_t accepted = __atomic_load_n(&g->accepted, __ATOMIC_SEQ_CST);

    if (__atomic_load_n(&me->kicked, __ATOMIC_SEQ_CST)) {
        return LEAVE;
    }
    if (accepted > g->delivered + g->excused) { // the VP was in the guest, and nobody called it out
        me->count.late += accepted - g->delivered - g->excused;
        g->excused = accepted - g->delivered;
    }
    if (g->in_call) {
        return MAKE_CALL;
    }
    preempt_perhaps(me);
    for (unsigned i = 0; i < 4; i++) {
        read_page(vp, me);
    }
    for (uint32_t i = 0; i < options.vps; i++) {
        if (g->owes[i]) {
            return reply(vp, i);
        }
    }
    if (g->waits_for != 0) {
        if (g->patience == 0) {
            return HALT;
        }
        g->patience--;
        return STAY;
    }
    if (g->calls_left == 0 || __atomic_load_n(&stopping, __ATOMIC_RELAXED)) {
        return HALT;
    }
    const uint64_t what = draw(&g->random) % 64;
    if (what >= 12) {
        return what == 63 ? SWITCH : STAY;
    }
    g->calls_left--;
    return what < 8 ? flush(vp) : what < 11 ? request(vp) : yield(vp);
}

bool guest_finished(const struct vp *vp)
{
    const struct guest *g = &vp->guest;
    bool owes = false;
    for (uint32_t i = 0; i < options.vps; i++) {
        owes = owes || g->owes[i];
    }
    return !g->in_call && !owes && g->waits_for == 0 && (g->calls_left == 0 || stopping);
}
