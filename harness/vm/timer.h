// SPDX-License-Identifier: BSD-2-Clause
// Virtual timers. Each armed timer is watched by one pCPU, the one where its VP runs or ran last.
#ifndef HARNESS_TIMER_H
#define HARNESS_TIMER_H

#include <stdint.h>
#include "../base/lapic.h"
#include "../base/pcpu.h"

struct vp;
enum { TIMER_NONE = 0xFFFFFFFF };

// After the pCPUs and the VPs are made.
void timer_init(void);

// Arms the VP's timer for a host TSC value, ~0 disarms it. Called by the pCPU that has the VP.
void timer_arm(struct vp *vp, uint64_t at);

// The VP has come to this pCPU: its timer comes along.
void timer_follow(struct vp *vp);

// Posts the interrupts of all timers of this pCPU that are due.
void timer_expire(struct pcpu *me);

// Programs the host's timer for the earlier of `host` and the first of this pCPU's virtual timers.
static inline void timer_program(struct pcpu *me, uint64_t host)
{
    uint64_t at = host < me->first_timer ? host : me->first_timer;
    if (at != me->timer_set) {
        me->timer_set = at;
        lapic_timer(at);
    }
}

// When the harness itself wants to be called on this pCPU, while nothing runs.
uint64_t timer_next_host_tick(const struct pcpu *me);

#endif
