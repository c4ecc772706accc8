// SPDX-License-Identifier: BSD-2-Clause
#include "timer.h"
#include "vp.h"
#include "../base/lapic.h"
#include "../base/pcpu.h"
#include "../base/x86.h"

static struct {
    struct lock lock;
    uint32_t count;
    struct vp *armed[MAX_TIMERS];
} lists[MAX_PCPUS];

static void take_out(struct vp *vp)
{
    for (;;) {
        uint32_t at = __atomic_load_n(&vp->timer_list, __ATOMIC_ACQUIRE);
        if (at == TIMER_NONE)
            return;
        lock(&lists[at].lock);
        if (vp->timer_list == at) {
            for (uint32_t i = 0; i < lists[at].count; i++)
                if (lists[at].armed[i] == vp) {
                    lists[at].armed[i] = lists[at].armed[--lists[at].count];
                    break;
                }
            if (lists[at].count == 0)
                pcpus[at]->first_timer = ~0ull;
            __atomic_store_n(&vp->timer_list, TIMER_NONE, __ATOMIC_RELEASE);
        }
        unlock(&lists[at].lock);
    }
}

static void put_in(struct vp *vp, uint32_t at)
{
    lock(&lists[at].lock);
    if (vp->timer_at < pcpus[at]->first_timer)
        pcpus[at]->first_timer = vp->timer_at;
    lists[at].armed[lists[at].count++] = vp;
    __atomic_store_n(&vp->timer_list, at, __ATOMIC_RELEASE);
    unlock(&lists[at].lock);
}

void timer_arm(struct vp *vp, uint64_t at)
{
    uint32_t here = this_pcpu()->index;
    if (at != ~0ull && vp->timer_list == here) { // the usual case: move it in place
        lock(&lists[here].lock);
        if (vp->timer_list == here) {
            vp->timer_at = at;
            if (at < pcpus[here]->first_timer)
                pcpus[here]->first_timer = at;
            unlock(&lists[here].lock);
            return;
        }
        unlock(&lists[here].lock);
    }
    take_out(vp);
    vp->timer_at = at;
    if (at != ~0ull)
        put_in(vp, here);
}

void timer_follow(struct vp *vp)
{
    uint32_t at = __atomic_load_n(&vp->timer_list, __ATOMIC_ACQUIRE);
    if (at == TIMER_NONE || at == this_pcpu()->index)
        return;
    take_out(vp);
    if (vp->timer_at != ~0ull) // it may have expired meanwhile
        put_in(vp, this_pcpu()->index);
}

void timer_expire(struct pcpu *me)
{
    uint64_t now = rdtsc();
    if (now < me->first_timer)
        return;
    lock(&lists[me->index].lock);
    uint64_t earliest = ~0ull;
    for (uint32_t i = 0; i < lists[me->index].count;) {
        struct vp *vp = lists[me->index].armed[i];
        if (vp->timer_at <= now) {
            vp->timer_at = vapic_timer_fired(vp, vp->timer_at, now);
            me->count.events[EV_TIMER]++;
        }
        if (vp->timer_at == ~0ull) {
            lists[me->index].armed[i] = lists[me->index].armed[--lists[me->index].count];
            __atomic_store_n(&vp->timer_list, TIMER_NONE, __ATOMIC_RELEASE);
            continue;
        }
        if (vp->timer_at < earliest)
            earliest = vp->timer_at;
        i++;
    }
    me->first_timer = earliest;
    unlock(&lists[me->index].lock);
}

uint64_t timer_next_host_tick(const struct pcpu *me)
{
    // The first pCPU looks for input and at the time limit even when every VP is asleep.
    return me->index == 0 ? rdtsc() + tsc_hz / 100 : ~0ull;
}
