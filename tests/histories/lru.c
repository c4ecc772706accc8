// SPDX-License-Identifier: BSD-2-Clause
// Which roots a context knows, as the rules say it: a list in the order of use, the newest first (NR-KEY-1, NR-LRU-1, NR-ASID-1,
// NR-MISS-1, NR-OWE-1). The core has slots and a clock instead.
#include "history.h"
#include <string.h>

struct known {
    uint32_t table, nx, vasid, sync;
};
static struct known list[PV_MMUS][PV_ROOTS];
static uint32_t length[PV_MMUS];

void roots_begin(void)
{
    length[0] = length[1] = 0;
}

void roots_owe(bool of_vasid, uint32_t vasid, uint32_t sync)
{
    for (uint32_t c = 0; c < PV_MMUS; c++)
        for (uint32_t i = 0; i < length[c]; i++)
            if (!of_vasid || list[c][i].vasid == vasid)
                list[c][i].sync |= sync;
}

void roots_owe_table(uint32_t table)
{
    for (uint32_t i = 0; i < length[PV_MMU_GUEST]; i++)
        if (list[PV_MMU_GUEST][i].table == table)
            list[PV_MMU_GUEST][i].sync |= 3;
}

void roots_pool_emptied(void)
{
    for (uint32_t i = 0; i < length[PV_MMU_GUEST]; i++)
        list[PV_MMU_GUEST][i].sync |= PV_SYNC_TAG;
}

bool roots_use(const struct situation *s, uint32_t *sync)
{
    const uint32_t c = s->np != 0 ? PV_MMU_GUEST : PV_MMU_ROOT;
    const uint32_t table = s->np != 0 ? s->table : 0, nx = s->np != 0 ? s->nx : 0;
    struct known k = {table, nx, s->vasid, 3};
    uint32_t i = 0;
    while (i < length[c] && (list[c][i].table != table || list[c][i].nx != nx))
        i++;
    const bool hit = i < length[c];
    if (hit && list[c][i].vasid == s->vasid)
        k.sync = list[c][i].sync;
    if (!hit && length[c] < PV_ROOTS)
        length[c]++;
    if (!hit)
        i = length[c] - 1;
    memmove(&list[c][1], &list[c][0], i * sizeof k);
    list[c][0] = k;
    *sync = k.sync;
    return hit;
}

void roots_paid(const struct situation *s)
{
    list[s->np != 0 ? PV_MMU_GUEST : PV_MMU_ROOT][0].sync = 0;
}
