// SPDX-License-Identifier: BSD-2-Clause
#include "sched.h"
#include "timer.h"
#include "vp.h"
#include "../base/end.h"
#include "../base/idt.h"
#include "../base/lapic.h"
#include "../base/pcpu.h"
#include "../base/trace.h"
#include "../base/x86.h"
#include "../dev/console.h"

struct queue {
    struct vp *head, *tail;
};
static struct {
    struct lock lock;
    struct queue woken;   // have slept: they go first
    struct queue waiting; // have used up their slice
    uint32_t in_a_row;    // VPs taken from `woken` since the last one from `waiting`
    uint64_t idle;        // bit i: pCPU i sleeps, or is about to
} ready;

enum { WOKEN_IN_A_ROW = 4 }; // then one of the others, so that VPs that wake each other starve nobody

bool sched_others_ready(void)
{
    return __atomic_load_n(&ready.woken.head, __ATOMIC_RELAXED) != 0 ||
           __atomic_load_n(&ready.waiting.head, __ATOMIC_RELAXED) != 0;
}

static void put_last(struct queue *q, struct vp *vp)
{
    vp->next_ready = 0;
    if (q->head == 0)
        q->head = vp;
    else
        q->tail->next_ready = vp;
    q->tail = vp;
}

static struct vp *take_first(struct queue *q)
{
    struct vp *vp = q->head;
    if (vp != 0)
        q->head = vp->next_ready;
    return vp;
}

static void enqueue(struct vp *vp, struct queue *q)
{
    lock(&ready.lock);
    put_last(q, vp);
    // Call a sleeping pCPU, at best the one that knows the VP. Whoever clears the bit sends the IPI.
    uint64_t idle = ready.idle;
    uint32_t target = MAX_PCPUS;
    if (idle != 0) {
        target = (idle >> vp->pcpu & 1) != 0 ? vp->pcpu : (uint32_t)__builtin_ctzll(idle);
        ready.idle &= ~(1ull << target);
    }
    unlock(&ready.lock);
    if (target != MAX_PCPUS && pcpus[target] != this_pcpu())
        lapic_kick(pcpus[target]->apic_id);
}

static struct vp *dequeue(struct pcpu *me)
{
    lock(&ready.lock);
    bool woken_first = ready.waiting.head == 0 || ready.in_a_row < WOKEN_IN_A_ROW;
    struct vp *vp = woken_first ? take_first(&ready.woken) : 0;
    if (vp != 0) {
        ready.in_a_row++;
    } else {
        vp = take_first(&ready.waiting);
        ready.in_a_row = 0;
    }
    if (vp != 0)
        ready.idle &= ~(1ull << me->index);
    else
        ready.idle |= 1ull << me->index;
    unlock(&ready.lock);
    return vp;
}

static void sleep_until_called(struct pcpu *me)
{
    timer_program(me, timer_next_host_tick(me));
    // STI takes effect after HLT has begun, so a call that came since the look at the queue ends it.
    __asm__ volatile("sti; hlt; cli" : : : "memory");
    end_park();
}

struct vp *sched_next(struct pcpu *me)
{
    for (;;) {
        timer_expire(me);
        console_poll(me);
        struct vp *vp = dequeue(me);
        if (vp != 0) {
            __atomic_store_n(&vp->state, VP_RUNNING, __ATOMIC_RELAXED);
            return vp;
        }
        sleep_until_called(me);
    }
}

_Noreturn void sched_keep_house(void)
{
    for (;;) {
        console_poll(this_pcpu());
        sleep_until_called(this_pcpu());
    }
}

void sched_give_way(struct vp *vp)
{
    __atomic_store_n(&vp->state, VP_READY, __ATOMIC_SEQ_CST);
    enqueue(vp, &ready.waiting);
}

void sched_wake(struct vp *vp)
{
    uint32_t asleep = VP_ASLEEP;
    if (!__atomic_compare_exchange_n(&vp->state, &asleep, VP_READY, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return;
    struct pcpu *me = this_pcpu();
    me->count.events[EV_WAKE]++;
    trace(TRACE_WAKE, me->loaded != 0 ? me->loaded->index : vp->index, vp->index);
    enqueue(vp, &ready.woken);
}

static bool has_work(const struct vp *vp)
{
    if (vp_has_mail(vp))
        return true;
    for (uint32_t i = 0; i < 4; i++)
        if (__atomic_load_n(&vp->core->vector[i], __ATOMIC_SEQ_CST) != 0)
            return true;
    return false;
}

void sched_sleep(struct vp *vp)
{
    this_pcpu()->count.events[EV_HALT]++;
    // Against sched_wake: it leaves its message, then looks at the state; we set the state, then look for messages.
    __atomic_store_n(&vp->state, VP_ASLEEP, __ATOMIC_SEQ_CST);
    if (has_work(vp))
        sched_wake(vp);
}
