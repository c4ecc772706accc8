// SPDX-License-Identifier: BSD-2-Clause
// VPs over pCPUs: one run queue for all, in three classes: VPs that another one has called, VPs that their timer has
// woken, VPs that had their slice; after four of a class comes one of a later class. A pCPU without work sleeps in HLT
// and is called by an IPI. A VP is in the queue, on one pCPU, or asleep, and only the change of vp->state decides who
// owns it.
#ifndef HARNESS_SCHED_H
#define HARNESS_SCHED_H

#include <stdbool.h>
#include <stdint.h>

struct vp;
struct pcpu;

// A new VP is asleep.
void sched_init_vp(struct vp *vp);

// The next VP for this pCPU; waits, asleep, until there is one.
struct vp *sched_next(struct pcpu *me);

// What a pCPU does that runs no VPs: the console's input and the time limit.
_Noreturn void sched_keep_house(void);

// The running VP, whose registers are saved, goes to the end of the queue / to sleep. If a message came meanwhile,
// going to sleep puts it into the queue at once.
void sched_give_way(struct vp *vp);
void sched_sleep(struct vp *vp);

// A message was left for a VP that was not in the guest: if it is asleep, it becomes ready; if it waits for a pCPU, it
// waits among those that somebody has called. By its own timer: if it is asleep, it becomes ready.
void sched_wake(struct vp *vp);
void sched_wake_by_timer(struct vp *vp);

// If the VP waits for a pCPU, it is the next to get one. False: it does not wait.
bool sched_next_is(struct vp *vp);

// True when other VPs wait for a pCPU.
extern uint32_t sched_waiting; // how many
static inline bool sched_others_ready(void)
{
    return __atomic_load_n(&sched_waiting, __ATOMIC_RELAXED) != 0;
}

#endif
