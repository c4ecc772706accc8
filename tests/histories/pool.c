// SPDX-License-Identifier: BSD-2-Clause
// No page of the pool is lost and none is used twice, however often tables are rewritten.
#include "machine.h"

static uint32_t seen[POOL_MOST]; // how often a page hangs in a table

static void look_below(uint32_t root, uint32_t page, uint32_t level)
{
    seen[page]++;
    if (pool.owner[page] != root)
        history_wrong("a table page hangs under a root that does not own it");
    for (uint32_t i = 0; i < 512 && level > 1; i++) {
        const uint64_t e = pool.word[page * 512ull + i];
        const uint64_t to = ((e & ENTRY_ADDRESS) - POOL_BASE) / 4096;
        if ((e & ENTRY_P) == 0)
            continue;
        if (to < PV_ROOTS || to >= pool.count)
            history_wrong("a link leads out of the pool, or to a root");
        look_below(root, (uint32_t)to, level - 1);
    }
}

void pool_check(void)
{
    uint32_t there = 0, free = 0;
    for (uint32_t i = 0; i < pool.count; i++)
        seen[i] = 0;
    for (uint32_t r = 0; r < PV_ROOTS; r++)
        look_below(r, r, 4);
    for (uint32_t i = 0; i < pool.count; i++) {
        if (seen[i] > 1)
            history_wrong("a table page hangs in two places");
        there += seen[i];
        free += pool.owner[i] == PV_NO_OWNER;
    }
    if (there + free != pool.count)
        history_wrong("a page of the pool is lost: it has an owner, and hangs nowhere");
    for (uint32_t i = PV_ROOTS; i < pool.low; i++)
        if (pool.owner[i] == PV_NO_OWNER)
            history_wrong("a free page is never looked for");
}

bool pool_is_empty(void)
{
    for (uint32_t i = PV_ROOTS; i < pool.count; i++)
        if (pool.owner[i] != PV_NO_OWNER)
            return false;
    return true;
}
