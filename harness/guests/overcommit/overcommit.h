// SPDX-License-Identifier: BSD-2-Clause
#ifndef OVERCOMMIT_H
#define OVERCOMMIT_H

#include "../lib.h"
#include "../../base/count.h"

enum { CALL = 0x40, CLUSTER_IPI = 0x0B, LONG_SPIN_WAIT_FAST = 0x10008 };
#define OTHERS (~0ull >> (64 - vp_total) & ~1ull) // all VPs but VP 0

// What the others do until it is over; else they sleep.
enum job { REST, RUN, LOCK };
extern enum job job;
void start_job(enum job which);
bool all_done(void);
void wait_until_asleep(void);
void call_others(void);

// A VP that runs counts, in a cache line of its own.
struct beat {
    volatile uint64_t count;
    uint64_t seen, rest[6];
};
extern struct beat *beats;

// The harness's events, and how many there were since note().
uint32_t event(enum count_event e);
void note(void);
uint32_t since(enum count_event e);

void give_way(void);      // HvCallNotifyLongSpinWait
extern uint32_t notified; // how often

void flushes_of_sleeping(void); // flushes.c
void flushes_of_preempted(void);
void locks(void); // locks.c
void take_lock_often(uint32_t number);

#endif
