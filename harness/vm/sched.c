// SPDX-License-Identifier: BSD-2-Clause
#include "sched.h"
#include "timer.h"
#include "vp.h"
#include "../base/idt.h"
#include "../base/lapic.h"
#include "../base/pcpu.h"
#include "../base/trace.h"
#include "../base/x86.h"
#include "../dev/console.h"

static struct {
    struct lock lock;
    struct vp *head, *tail;
    uint64_t idle; // bit i: pCPU i sleeps, or is about to
} ready;

bool sched_others_ready(void)
{
    return __atomic_load_n(&ready.head, __ATOMIC_RELAXED) != 0;
}

static void enqueue(struct vp *vp, bool in_front)
{
    lock(&ready.lock);
    vp->next_ready = in_front ? ready.head : 0;
    if (in_front || ready.head == 0) {
        if (ready.head == 0)
            ready.tail = vp;
        ready.head = vp;
    } else {
        ready.tail->next_ready = vp;
        ready.tail = vp;
    }
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
    struct vp *vp = ready.head;
    if (vp != 0) {
        ready.head = vp->next_ready;
        ready.idle &= ~(1ull << me->index);
    } else {
        ready.idle |= 1ull << me->index;
    }
    unlock(&ready.lock);
    return vp;
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
        timer_program(me, timer_next_host_tick(me));
        // STI takes effect after HLT has begun, so a call that came since the look at the queue ends it.
        __asm__ volatile("sti; hlt; cli" : : : "memory");
    }
}

void sched_give_way(struct vp *vp)
{
    __atomic_store_n(&vp->state, VP_READY, __ATOMIC_SEQ_CST);
    enqueue(vp, false);
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
    enqueue(vp, true);
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
