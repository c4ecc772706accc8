// SPDX-License-Identifier: BSD-2-Clause
// What the parts of the guest share: sets of VPs, requests for them, and what must come of these.
#ifndef MANY_H
#define MANY_H

#include "../lib.h"
#include "../../base/count.h"

enum { BANKS = 64, VP_INDEXES = BANKS * 64, NO_VP = 0xFFFF, CALL = 0x40 };

// Who is who: VP index of each VP, and back.
extern uint32_t *index_of;
extern uint16_t number_of_index[VP_INDEXES];

// VPs by VP index; an index that no VP has is nobody.
struct set {
    uint64_t bank[BANKS];
};
void set_all(struct set *s, uint64_t word); // the same word in each bank
void set_one(struct set *s, uint32_t number);

// The hypercalls, their operands in memory: a flush, or the interrupt CALL. `who` null: everyone. Those that are not "ex"
// know the first 64 VP indexes only, or everyone; of a list there are `pages` pages, none beside another.
enum code {
    FLUSH_SPACE = 0x02,
    FLUSH_LIST = 0x03,
    CLUSTER_IPI = 0x0B,
    FLUSH_SPACE_EX = 0x13,
    FLUSH_LIST_EX = 0x14,
    CLUSTER_IPI_EX = 0x15
};
enum { GLOBAL_TOO = 0, NON_GLOBAL = 4 };
void request(enum code code, const struct set *who, uint32_t pages, uint64_t flags);

// An interrupt command of the x2APIC, CALL to those in `who`.
void command(uint32_t destination, uint32_t low, const struct set *who);

// What must come of it (expect.c). All VPs but VP 0 sleep unless they have an interrupt: an entry each. A flush that names a
// sleeping VP costs nothing, and the VP takes it at its next entry, all that came until then at once. The harness's
// counters must say exactly that.
struct ask {
    bool interrupt, by_apic, list;
    uint32_t pages;
    uint64_t flags;
};
bool all_asleep(void);      // all but VP 0
void expect_from_now(void); // they are
void expect_call(const struct ask *ask);
void expect(uint32_t number, const struct ask *ask); // this VP was named
void wait_for(uint32_t number);                      // until it has had its interrupts
void nothing_ran(const char *what);                  // flushes were asked for, and no VP has noticed
void settle(const char *what); // waits until all is done and all are asleep, then looks at everything
void totals(void);             // a line of what was asked

void by_hypercall(void); // hypercalls.c
void by_apic(void);      // apic.c

#endif
