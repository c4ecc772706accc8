// SPDX-License-Identifier: BSD-2-Clause
// The guest's page tables, and TLBs as lazy as the architecture allows: an entry stays until a flush names it. A pCPU
// keeps the entries of a few VPs, each under a tag. A VP that moves leaves its entries behind; when it comes back they
// are still there, and count only if nothing was flushed elsewhere meanwhile.
#include "torture.h"

#include <string.h>

static uint32_t mapping[PV_CONTEXTS][PAGES]; // the generation that is true now

void pages_prepare(void)
{
    for (uint32_t page = 0; page < PAGES; page++) {
        mapping[PV_CONTEXT_L1][page] = mapping[PV_CONTEXT_L2][page] = 1;
    }
}

uint32_t page_change(uint32_t context, uint32_t page)
{
    return __atomic_add_fetch(&mapping[context][page], 1, __ATOMIC_SEQ_CST);
}

bool page_global(uint32_t page)
{
    return page % 8 == 7;
}

static void forget(struct tag *tag, struct vp *vp, uint32_t context)
{
    memset(tag->generation[context], 0, sizeof tag->generation[context]);
    tag->flushed[context] = vp->flushed[context];
}

void tlb_load(struct vp *vp, struct pcpu *me)
{
    for (uint32_t i = 0; i < TAGS; i++) {
        if (me->tags[i].owner == vp) {
            me->tag = &me->tags[i];
            for (uint32_t context = 0; context < PV_CONTEXTS; context++) {
                if (options.fault != FAULT_STALE_TAG && me->tag->flushed[context] != vp->flushed[context]) {
                    forget(me->tag, vp, context);
                }
            }
            me->count.kept++;
            return;
        }
    }
    me->tag = &me->tags[me->next_tag];
    me->next_tag = (me->next_tag + 1) % TAGS;
    me->tag->owner = vp;
    forget(me->tag, vp, PV_CONTEXT_L1);
    forget(me->tag, vp, PV_CONTEXT_L2);
}

void tlb_flush(struct vp *vp, struct pcpu *me, uint32_t context, const struct pv_work *work)
{
    uint32_t *generation = me->tag->generation[context];

    for (uint32_t page = 0; page < PAGES; page++) {
        if ((work->flush & PV_FLUSH_FULL) || ((work->flush & PV_FLUSH_NONGLOBAL) && !page_global(page))) {
            generation[page] = 0;
        }
    }
    for (uint32_t i = 0; (work->flush & PV_FLUSH_RANGES) && i < work->ranges.count; i++) {
        for (uint32_t k = 0; k < work->ranges.pages[i] && work->ranges.first[i] + k < PAGES; k++) {
            generation[work->ranges.first[i] + k] = 0;
        }
    }
    if (work->flush != 0) {
        vp->flushed[context]++;
        me->tag->flushed[context]++;
        me->count.flushes++;
    }
}

uint32_t tlb_read(struct pcpu *me, uint32_t context, uint32_t page)
{
    uint32_t *generation = &me->tag->generation[context][page];
    if (*generation == 0) {
        *generation = __atomic_load_n(&mapping[context][page], __ATOMIC_SEQ_CST);
    }
    return *generation;
}
