// SPDX-License-Identifier: BSD-2-Clause
// What the hostile hypervisor needs: an L2 that can do no harm to L1, and runs that come to an end.
#ifndef GUEST_L2_H
#define GUEST_L2_H

#include "../hostile/attacks.h"
#include "../nested/l1.h"

// All that L2 may write: its page tables, its stack, and pages that the attacks use. Its nested table shows it the rest read-only.
enum { DEN_TABLES = 0, DEN_STACK = 8, DEN_DATA = 16, DEN_PAGES = 512 };
extern uint64_t den[DEN_PAGES][512];
extern uint64_t cage[512], cage_pdpt[512], cage_pd[4][512]; // that nested table, of 2 MiB pages
extern uint64_t *const seen;                                // what L2 has found

void l2_make(void);
// Control block 0 anew: L2 at `entry` in the cage, every exception, port and MSR intercepted, an interrupt ends it.
void l2_caged(void (*entry)(void));
void l2_may_write(uint64_t at); // its nested table lets it write there too, below 4 GiB
// Runs the control block at `at`; the exit code that then stands in block 0. A timer ends an L2 that does not end by itself.
uint64_t l2_run_at(uint64_t at);
uint64_t l2_go(void); // block 0
// Ticks of that timer; each attack begins with LONG, which no load of the machine makes too short.
extern uint32_t patience;
enum { LONG = 2000000000, SHORT = 5000000 };
void l2_call(void);  // an L2 that only does VMMCALL
void l2_read(void);  // reads *seen[1] into seen[0]
void l2_write(void); // writes seen[0] to *seen[1]

void l1_note(void);                     // remembers the state of L1 that no L2 may change
void l1_look(bool was_interrupted);     // is it still so, and had L1 asked for the exit in block 0?
extern bool block_changes;              // by L2 itself: what L1 has asked for cannot be seen there
void want(bool good, const char *what); // says what is not as it should be
void spoil(struct pv_vmcb *v, uint64_t dice);
uint64_t random(void);

extern const struct attack attacks_address[], attacks_block[], attacks_state[], attacks_registers[],
    attacks_events[], attacks_modes[], attacks_tables[], attacks_frames[], attacks_l2[], attacks_svm[],
    attacks_passed[], attacks_overlay[], attacks_others[], attacks_odd[], attacks_random[], attacks_calls[];
extern uint32_t race; // what the other VPs do
enum {
    RACE_BLOCK = 1,
    RACE_ENTRIES = 2,
    RACE_OVERLAY = 3,
    RACE_L2 = 4
};                             // spoil block 0; the nested entries of `window`; map and unmap a page
void other_l1(void);           // what VP 1 does with RACE_L2
void fatal_l1(uint32_t which); // after these L1 cannot go on

#endif
