// SPDX-License-Identifier: BSD-2-Clause
// The processor. Its TLB belongs to tags, one for each root, and so does what it remembers of upper levels: where the table page of
// an area is. Both stay until their tag is flushed, a fault names the page, or chance evicts them (APM vol. 2, 15.25.6, 5.5.2).
#include "machine.h"
#include <string.h>

struct link {
    bool valid;
    uint32_t page; // of the pool
};
static struct entry tlb[PV_MMUS][PV_ROOTS][PAGES];
static struct link links[PV_ROOTS][AREAS];

void processor_begin(void)
{
    memset(tlb, 0, sizeof tlb);
    memset(links, 0, sizeof links);
}

void processor_flush_tag(uint32_t context, uint32_t slot)
{
    memset(tlb[context][slot], 0, sizeof tlb[context][slot]);
    if (context == PV_MMU_GUEST)
        memset(links[slot], 0, sizeof links[slot]);
}

void machine_evict(void)
{
    tlb[history_random(PV_MMUS)][history_random(PV_ROOTS)][history_random(PAGES)].valid = false;
    links[history_random(PV_ROOTS)][history_random(AREAS)].valid = false;
}

bool processor_lets(const struct entry *e, enum access access)
{
    return e->valid && (access != WRITE || e->writes) && (access != FETCH || e->runs);
}

// One step of a walk: the page or frame that the entry leads to, and what it allows.
static bool step_down(uint32_t n, uint32_t page, uint64_t gpa, struct entry *t, uint32_t *to)
{
    const uint64_t e = pool.word[page * 512ull + (gpa >> (12 + 9 * (n - 1)) & 511)];
    if ((e & ENTRY_P) == 0)
        return false;
    t->writes = t->writes && (e & ENTRY_W) != 0;
    t->runs = t->runs && (e & ENTRY_NX) == 0;
    const uint64_t at = ((e & ENTRY_ADDRESS) - (n > 1 ? POOL_BASE : FRAMES_HPA)) / 4096;
    if (at >= (n > 1 ? pool.count : (uint32_t)FRAMES))
        history_wrong("a shadow table leads out of what L1 owns");
    *to = (uint32_t)at;
    return true;
}

// Our tables, from the root or from a table page that is remembered.
static struct entry walk(uint32_t root, uint32_t page)
{
    const uint64_t gpa = gpa_of(page);
    struct link *known = &links[root][area_of(page)];
    const bool shorter = known->valid && history_random(2) != 0;
    uint32_t at = shorter ? known->page : root;
    struct entry t = {true, true, true, 0};
    for (uint32_t n = shorter ? 1 : 4; n > 0; n--) {
        if (n == 1)
            *known = (struct link){true, at};
        if (!step_down(n, at, gpa, &t, &at))
            return (struct entry){false, false, false, 0};
    }
    t.frame = at;
    return t;
}

struct entry *processor_translate(uint32_t context, uint32_t slot, uint32_t page, uint32_t l2_leads_to,
                                  enum access access)
{
    struct entry *e = &tlb[context][slot][page];
    if (!processor_lets(e, access))
        *e = context == PV_MMU_ROOT ? (struct entry){true, true, true, machine_l0(l2_leads_to)}
                                    : walk(slot, l2_leads_to);
    return e;
}

void processor_faulted(uint32_t context, uint32_t slot, uint32_t page, uint32_t l2_leads_to)
{
    tlb[context][slot][page].valid = false;
    links[slot][area_of(l2_leads_to)].valid = false;
}
