// SPDX-License-Identifier: BSD-2-Clause
// What the harness does around the core: VMRUN, what a root owes, and nested page faults.
#include "machine.h"
#include <stdio.h>
#include <string.h>

enum { TRIES = 6 };          // of one access, until it must have ended
#define FINAL 0x100000000ull // EXITINFO1: the fault is of the access itself, not of a table's

struct pv_nested nested;
struct pv_pool pool;
static uint64_t words[POOL_MOST * 512];
static unsigned long uses, stale, hits, misses, fills, faults, emptied;

void machine_begin(uint32_t pool_pages)
{
    memset(words, 0xA5, sizeof words);
    pool = (struct pv_pool){.word = words, .base = POOL_BASE, .count = pool_pages};
    pv_pool_init(&pool);
    pv_nested_reset(&nested);
    tables_begin();
    processor_begin();
}

// What the harness does before each VMRUN of L2.
static void pay(const struct situation *s)
{
    struct pv_root *root = pv_nested_root(&nested);
    const uint32_t c = pv_nested_current(&nested), slot = pv_nested_slot(&nested);
    if (root->sync != 0) {
        if ((root->sync & PV_SYNC_TABLES) != 0 && c == PV_MMU_GUEST)
            pv_pool_drop(&pool, slot);
        processor_flush_tag(c, slot);
        root->sync = 0;
    }
    roots_paid(s);
}

void machine_enter(const struct situation *s)
{
    const uint64_t efer = 1u << 10 | (s->nx != 0 ? 1u << 11 : 0);
    uint32_t sync;
    const bool known = roots_use(s, &sync);
    const bool hit = pv_nested_enter(&nested, s->np, machine_ncr3(s->table), 1u << 5, efer, s->vasid,
                                     s->control, s->keeps_nested);
    if (!history_translations_only && hit != known)
        history_wrong("a root is known, or not, other than the rules say");
    if (!history_translations_only && pv_nested_root(&nested)->sync != sync)
        history_wrong("a root owes other than the rules say");
    hits += hit;
    misses += !hit;
}

void machine_leave(void)
{
    pv_nested_leave(&nested);
}

void machine_check(const struct situation *s)
{
    if (pv_nested_current(&nested) !=
        (s->inside && s->np != 0 ? (uint32_t)PV_MMU_GUEST : (uint32_t)PV_MMU_ROOT))
        history_wrong("the context does not follow guest mode");
    if (pv_nested_flush_context(&nested) != (s->inside ? (uint32_t)PV_CONTEXT_L2 : (uint32_t)PV_CONTEXT_L1))
        history_wrong("flushes would be served for the wrong one");
}

static void use(const struct situation *s, uint32_t page, enum access access, uint32_t frame)
{
    uses++;
    if (!model_allows(s, page, access, frame))
        history_wrong("L2 used a translation that a flush has ended, or that never was");
    const struct mapping m = machine_mapping(s->table, s->nx != 0, machine_l2(s->vasid, page));
    stale += s->np != 0 && (!m.present || m.frame == FRAMES || machine_l0(m.frame) != frame);
}

// Whether L1's table denies the access now.
static bool denied(const struct situation *s, uint32_t p, enum access access)
{
    const struct mapping m = machine_mapping(s->table, s->nx != 0, p);
    return !m.present || (access == WRITE && !m.writes) || (access == FETCH && !m.runs);
}

// A nested page fault; true: the access is tried again.
static bool fault(const struct situation *s, uint32_t p, enum access access, bool present)
{
    struct pv_nested_fault f = {0, 0};
    const uint64_t info1 =
        FINAL | ENTRY_U | (present ? 1u : 0u) | (access == WRITE ? 2u : 0) | (access == FETCH ? 16u : 0);
    const bool was_empty = pool_is_empty();
    const enum pv_npf end = pv_nested_page_fault(NULL, &nested, &pool, 40, info1, gpa_of(p), &f);
    if (end == PV_NPF_RETRY && !was_empty && pool_is_empty()) {
        emptied++;
        roots_pool_emptied();
    }
    fills += end == PV_NPF_RETRY;
    faults += end == PV_NPF_REFLECT;
    if (end == PV_NPF_REFLECT && !denied(s, p, access))
        history_wrong("L1 is told of a fault that its table does not give");
    if (end == PV_NPF_DEVICE &&
        (denied(s, p, access) || machine_mapping(s->table, s->nx != 0, p).frame != FRAMES))
        history_wrong("an access to memory ends at a device");
    return end == PV_NPF_RETRY;
}

void machine_access(const struct situation *s, uint32_t page, enum access access)
{
    const uint32_t c = pv_nested_current(&nested), slot = pv_nested_slot(&nested);
    const uint32_t p = machine_l2(s->vasid, page);
    for (uint32_t i = 0; i < TRIES; i++) {
        pay(s);
        const struct entry *e = processor_translate(c, slot, page, p, access);
        if (processor_lets(e, access)) {
            use(s, page, access, e->frame);
            return;
        }
        const bool present = e->valid;
        processor_faulted(c, slot, page, p);
        if (!fault(s, p, access, present))
            return;
    }
    history_wrong("an access never ends");
}

void machine_end(void)
{
    pool_check();
    for (uint32_t r = 0; r < PV_ROOTS; r++)
        pv_pool_drop(&pool, r);
    if (!pool_is_empty())
        history_wrong("all roots are dropped, and a page of the pool is not free");
}

void machine_report(unsigned long steps, unsigned long rewrites)
{
    printf("%lu steps: %lu accesses, %lu of them by an entry that L1 had changed and not flushed; %lu fills, "
           "%lu faults for L1; %lu rewrites of tables, the pool emptied %lu times, no page lost; "
           "roots known %lu, not known %lu: nothing forbidden\n",
           steps, uses, stale, fills, faults, rewrites, emptied, hits, misses);
}
