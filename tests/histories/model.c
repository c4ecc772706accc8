// SPDX-License-Identifier: BSD-2-Clause
// What the architecture allows: of each page, every translation that was right at some time since the last flush that covers it.
// L2's own tables and L1's are kept apart, as a processor may remember each alone.
#include "history.h"
#include <string.h>

static uint32_t own[VASIDS + 1][PAGES];                   // L2's tables: bit p, the page may lead to p
static uint32_t nested_set[TABLES][2][VASIDS + 1][PAGES]; // L1's: bit frame * 4 + writes * 2 + runs

static uint32_t now(uint32_t t, uint32_t nx, uint32_t page)
{
    const struct mapping m = machine_mapping(t, nx != 0, page);
    if (!m.present || m.frame == FRAMES)
        return 0;
    return 1u << (machine_l0(m.frame) * 4 + (m.writes ? 2 : 0) + (m.runs ? 1 : 0));
}

// Adds what is right now; with `forget`, of one tag or of all (0), what was right before is no longer allowed.
static void renew(uint32_t t, uint32_t a, bool forget)
{
    for (uint32_t nx = 0; nx < 2; nx++)
        for (uint32_t p = 0; p < PAGES; p++)
            nested_set[t][nx][a][p] = (forget ? 0 : nested_set[t][nx][a][p]) | now(t, nx, p);
}

static void renew_own(uint32_t a, bool forget)
{
    for (uint32_t p = 0; p < PAGES; p++)
        own[a][p] = (forget ? 0 : own[a][p]) | 1u << machine_l2(a, p);
}

static void flush_vasid(uint32_t a, bool keeps_nested)
{
    renew_own(a, true);
    for (uint32_t t = 0; t < TABLES && !keeps_nested; t++)
        renew(t, a, true);
}

void model_begin(void)
{
    roots_begin();
    for (uint32_t a = 1; a <= VASIDS; a++)
        flush_vasid(a, false);
}

void model_edited(void)
{
    for (uint32_t a = 1; a <= VASIDS; a++) {
        renew_own(a, false);
        for (uint32_t t = 0; t < TABLES; t++)
            renew(t, a, false);
    }
}

// TLB_CONTROL (APM vol. 2, 15.16.1).
void model_enter(const struct situation *s)
{
    for (uint32_t a = 1; a <= VASIDS; a++)
        if (s->control == 1 || (s->control != 0 && a == s->vasid))
            flush_vasid(a, s->keeps_nested != 0);
    if (s->control != 0)
        roots_owe(s->control != 1, s->vasid, s->keeps_nested != 0 ? PV_SYNC_TAG : 3);
}

void model_flush_page(uint32_t vasid, uint32_t page)
{
    own[vasid][page] = 1u << machine_l2(vasid, page);
    roots_owe(true, vasid, PV_SYNC_TAG);
}

void model_flush_table(uint32_t table)
{
    for (uint32_t a = 1; a <= VASIDS; a++)
        renew(table, a, true);
    roots_owe_table(table);
}

// The partition's own table: what it no longer grants is out of reach at once.
void model_flush_all(void)
{
    for (uint32_t a = 1; a <= VASIDS; a++)
        for (uint32_t t = 0; t < TABLES; t++)
            renew(t, a, true);
    roots_owe(false, 0, 3);
}

bool model_allows(const struct situation *s, uint32_t page, enum access access, uint32_t hpa_frame)
{
    for (uint32_t p = 0; p < PAGES; p++) {
        if ((own[s->vasid][page] >> p & 1) == 0)
            continue;
        if (s->np == 0) {
            if (machine_l0(p) == hpa_frame)
                return true;
            continue;
        }
        for (uint32_t rights = 0; rights < 4; rights++)
            if ((nested_set[s->table][s->nx][s->vasid][p] >> (hpa_frame * 4 + rights) & 1) != 0 &&
                (access != WRITE || rights >= 2) && (access != FETCH || (rights & 1) != 0))
                return true;
    }
    return false;
}
