// SPDX-License-Identifier: BSD-2-Clause
// What the parts of the history test share: the world's size, what L1 has chosen, the machine and the model.
#ifndef HISTORY_H
#define HISTORY_H

#include "../../harness/vm/contexts.h"
#include "nested/fault.h"

enum { TABLES = 5, VASIDS = 3, PAGES = 4, FRAMES = 8 };
enum access { READ = 0, WRITE = 1, FETCH = 2 };

// The VMRUN that L2 runs under.
struct situation {
    uint32_t table, vasid, np, nx, control, keeps_nested;
    bool inside;
};

// What an L1 table makes of a page: a frame of L1's (FRAMES: one that the partition has not), and rights.
struct mapping {
    bool present, writes, runs;
    uint32_t frame;
};

extern struct pv_nested nested;
extern unsigned long history_step;
extern bool history_translations_only; // known roots and what they owe are not compared

uint32_t history_random(uint32_t below);
void history_wrong(const char *what);

// The machine: L1's tables, L2's, the partition's, the processor's TLB; and the harness's steps around the core.
void machine_begin(uint32_t pool_pages);
void machine_enter(const struct situation *s);
void machine_leave(void);
void machine_access(const struct situation *s, uint32_t page, enum access access);
void machine_edit(uint32_t table, uint32_t page, bool present, uint32_t frame, bool writes, bool no_execute);
void machine_edit_upper(uint32_t table, uint32_t page, bool writes); // of the page's area
void machine_edit_l2(uint32_t vasid, uint32_t from, uint32_t to);
void machine_edit_l0(uint32_t a, uint32_t b);
void machine_evict(void);
void machine_check(const struct situation *s);
void machine_end(void); // the pool's pages are counted
void machine_report(unsigned long steps, unsigned long rewrites);
uint64_t machine_ncr3(uint32_t table);
uint32_t machine_l2(uint32_t vasid, uint32_t page);
uint32_t machine_l0(uint32_t frame);

// What L1's table says now, read without the core.
struct mapping machine_mapping(uint32_t table, bool nx, uint32_t page);

// The model: which translations may still be in a TLB (model.c), and which roots are known (lru.c).
void model_begin(void);
void model_enter(const struct situation *s);
void model_edited(void);
void model_flush_page(uint32_t vasid, uint32_t page);
void model_flush_table(uint32_t table);
void model_flush_all(void);
bool model_allows(const struct situation *s, uint32_t page, enum access access, uint32_t hpa_frame);

void roots_begin(void);
void roots_owe(bool of_vasid, uint32_t vasid, uint32_t sync);
void roots_owe_table(uint32_t table);
void roots_pool_emptied(void);
// The key is used: was it known, and what does it owe?
bool roots_use(const struct situation *s, uint32_t *sync);
void roots_paid(const struct situation *s);

#endif
