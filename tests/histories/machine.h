// SPDX-License-Identifier: BSD-2-Clause
// The machine's parts among themselves: tables in memory, the shadow's pool, and the processor.
#ifndef HISTORY_MACHINE_H
#define HISTORY_MACHINE_H

#include "history.h"

enum {
    AREAS = 2,
    POOL_MOST = 64
}; // areas of 2 MiB, each with a table page of its own, with half of L2's pages
enum { ENTRY_P = 1, ENTRY_W = 2, ENTRY_U = 4 };
#define ENTRY_NX      0x8000000000000000ull
#define ENTRY_ADDRESS 0x000FFFFFFFFFF000ull
#define POOL_BASE     0x700000000ull
#define FRAMES_GPA    0x100000ull   // L1's frames
#define FRAMES_HPA    0x40000000ull // what the partition has for them

// A translation as the processor keeps it.
struct entry {
    bool valid, writes, runs;
    uint32_t frame;
};

extern struct pv_pool pool;

uint32_t area_of(uint32_t page);
uint64_t gpa_of(uint32_t page);
void tables_begin(void);

void processor_begin(void);
// The entry by which the access is made: the TLB's if it lets the access, else what a walk finds.
struct entry *processor_translate(uint32_t context, uint32_t slot, uint32_t page, uint32_t l2_leads_to,
                                  enum access access);
bool processor_lets(const struct entry *e, enum access access);
// A fault names the page: what is known of it goes, and of the way to it.
void processor_faulted(uint32_t context, uint32_t slot, uint32_t page, uint32_t l2_leads_to);
void processor_flush_tag(uint32_t context, uint32_t slot);

// Each page of the pool is free, or hangs once in the tables of its owner.
void pool_check(void);
bool pool_is_empty(void);

#endif
