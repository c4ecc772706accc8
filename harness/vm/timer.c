// SPDX-License-Identifier: BSD-2-Clause
#include "timer.h"
#include "vp.h"
#include "../base/lapic.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/x86.h"

// A binary heap for each pCPU: the first timer is at 0, and the two behind i are at 2i + 1 and 2i + 2.
static struct {
    struct lock lock;
    uint32_t count;
    struct vp **heap; // of vp_count elements
} lists[MAX_PCPUS];

void timer_init(void)
{
    for (uint32_t i = 0; i < pcpu_count; i++)
        lists[i].heap = memory_aligned(vp_count * sizeof *lists[i].heap, 64);
}

static void place(uint32_t at, uint32_t slot, struct vp *vp)
{
    lists[at].heap[slot] = vp;
    vp->timer_slot = slot;
}

// The element of this slot has another moment, or is another one: moves it to where it belongs.
static void settle(uint32_t at, uint32_t slot)
{
    struct vp **heap = lists[at].heap, *vp = heap[slot];
    while (slot > 0 && vp->timer_at < heap[(slot - 1) / 2]->timer_at) {
        place(at, slot, heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    for (;;) {
        uint32_t next = 2 * slot + 1;
        if (next + 1 < lists[at].count && heap[next + 1]->timer_at < heap[next]->timer_at)
            next++;
        if (next >= lists[at].count || heap[next]->timer_at >= vp->timer_at)
            break;
        place(at, slot, heap[next]);
        slot = next;
    }
    place(at, slot, vp);
}

static void note_first(uint32_t at)
{
    pcpus[at]->first_timer = lists[at].count == 0 ? ~0ull : lists[at].heap[0]->timer_at;
}

static void remove(uint32_t at, struct vp *vp)
{
    uint32_t slot = vp->timer_slot;
    struct vp *last = lists[at].heap[--lists[at].count];
    if (last != vp) {
        place(at, slot, last);
        settle(at, slot);
    }
    __atomic_store_n(&vp->timer_list, TIMER_NONE, __ATOMIC_RELEASE);
}

static void take_out(struct vp *vp)
{
    for (;;) {
        uint32_t at = __atomic_load_n(&vp->timer_list, __ATOMIC_ACQUIRE);
        if (at == TIMER_NONE)
            return;
        lock(&lists[at].lock);
        if (vp->timer_list == at) {
            remove(at, vp);
            note_first(at);
        }
        unlock(&lists[at].lock);
    }
}

static void put_in(struct vp *vp, uint32_t at)
{
    lock(&lists[at].lock);
    place(at, lists[at].count++, vp);
    settle(at, vp->timer_slot);
    note_first(at);
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
            settle(here, vp->timer_slot);
            note_first(here);
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
    while (lists[me->index].count > 0 && lists[me->index].heap[0]->timer_at <= now) {
        struct vp *vp = lists[me->index].heap[0];
        vp->timer_at = vapic_timer_fired(vp, vp->timer_at, now);
        me->count.events[EV_TIMER]++;
        if (vp->timer_at == ~0ull)
            remove(me->index, vp);
        else
            settle(me->index, 0);
    }
    note_first(me->index);
    unlock(&lists[me->index].lock);
}

uint64_t timer_next_host_tick(const struct pcpu *me)
{
    // The first pCPU looks for input and at the time limit even when every VP is asleep.
    return me->index == 0 ? rdtsc() + tsc_hz / 100 : ~0ull;
}
