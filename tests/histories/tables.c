// SPDX-License-Identifier: BSD-2-Clause
// Who maps what: L1's nested tables, which the core walks, in L1's memory; L2's own and the partition's, as plain arrays.
#include "machine.h"
#include <string.h>

enum { TABLE_PAGES = 3 + AREAS }; // of each table of L1's: root, two below it, the leaves of each area

static uint64_t memory[TABLES * TABLE_PAGES * 512];
static uint32_t l2[VASIDS + 1][PAGES], l0[FRAMES];

bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry)
{
    (void)p;
    *entry = gpa + bytes <= sizeof memory ? memory[gpa / 8] : 0;
    return gpa + bytes <= sizeof memory;
}

bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen,
                           uint64_t bits)
{
    (void)p;
    if (gpa + bytes > sizeof memory || memory[gpa / 8] != seen)
        return false;
    memory[gpa / 8] |= bits;
    return true;
}

bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame)
{
    (void)p;
    if (gpa < FRAMES_GPA || gpa >= FRAMES_GPA + FRAMES * 4096)
        return false;
    *frame = (struct pv_frame){FRAMES_HPA + 4096ull * l0[(gpa - FRAMES_GPA) / 4096], 12, PV_RIGHT_ALL};
    return true;
}

uint32_t area_of(uint32_t page)
{
    return page / (PAGES / AREAS);
}

uint64_t gpa_of(uint32_t page)
{
    return 0x200000ull * area_of(page) + 4096ull * (page % (PAGES / AREAS));
}

uint64_t machine_ncr3(uint32_t table)
{
    return 4096ull * TABLE_PAGES * table;
}

static uint64_t *word_of(uint32_t table, uint32_t page_of_table, uint32_t index)
{
    return &memory[512 * (TABLE_PAGES * table + page_of_table) + index];
}

static uint64_t *leaf_of(uint32_t table, uint32_t page)
{
    return word_of(table, 3 + area_of(page), page % (PAGES / AREAS));
}

static uint64_t *upper_of(uint32_t table, uint32_t area)
{
    return word_of(table, 2, area);
}

struct mapping machine_mapping(uint32_t table, bool nx, uint32_t page)
{
    const uint64_t e = *leaf_of(table, page);
    struct mapping m = {false, false, false, 0};
    if ((e & ENTRY_P) == 0 || ((e & ENTRY_NX) != 0 && !nx))
        return m;
    m.present = true;
    m.writes = (e & ENTRY_W) != 0 && (*upper_of(table, area_of(page)) & ENTRY_W) != 0;
    m.runs = (e & ENTRY_NX) == 0;
    m.frame = (uint32_t)(((e & ENTRY_ADDRESS) - FRAMES_GPA) / 4096);
    return m;
}

uint32_t machine_l2(uint32_t vasid, uint32_t page)
{
    return l2[vasid][page];
}

uint32_t machine_l0(uint32_t frame)
{
    return l0[frame];
}

static uint64_t entry_word(uint64_t to, bool writes)
{
    return to + ENTRY_P + ENTRY_U + (writes ? ENTRY_W : 0);
}

void machine_edit(uint32_t table, uint32_t page, bool present, uint32_t frame, bool writes, bool no_execute)
{
    const uint64_t e = entry_word(FRAMES_GPA + 4096ull * frame, writes) + (no_execute ? ENTRY_NX : 0);
    *leaf_of(table, page) = present ? e : 0;
}

void machine_edit_upper(uint32_t table, uint32_t page, bool writes)
{
    const uint32_t area = area_of(page);
    *upper_of(table, area) = entry_word(machine_ncr3(table) + 4096ull * (3 + area), writes);
}

void machine_edit_l2(uint32_t vasid, uint32_t from, uint32_t to)
{
    l2[vasid][from] = to;
}

void machine_edit_l0(uint32_t a, uint32_t b)
{
    const uint32_t was = l0[a];
    l0[a] = l0[b];
    l0[b] = was;
}

void tables_begin(void)
{
    memset(memory, 0, sizeof memory);
    for (uint32_t f = 0; f < FRAMES; f++)
        l0[f] = (f + 3) % FRAMES;
    for (uint32_t a = 0; a <= VASIDS; a++)
        for (uint32_t p = 0; p < PAGES; p++)
            l2[a][p] = p;
    for (uint32_t t = 0; t < TABLES; t++) {
        *word_of(t, 0, 0) = entry_word(machine_ncr3(t) + 4096, true);
        *word_of(t, 1, 0) = entry_word(machine_ncr3(t) + 8192, true);
        for (uint32_t p = 0; p < PAGES; p++) {
            machine_edit_upper(t, p, true);
            machine_edit(t, p, true, (t + p) % FRAMES, true, false);
        }
    }
}
