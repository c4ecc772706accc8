// SPDX-License-Identifier: BSD-2-Clause
#include "sched.h"
#include "timer.h"
#include "vp.h"
#include "../base/end.h"
#include "../base/idt.h"
#include "../base/lapic.h"
#include "../base/pcpu.h"
#include "../base/span.h"
#include "../base/trace.h"
#include "../base/x86.h"
#include "../dev/console.h"

struct queue {
    struct vp *head, *tail;
};
// Why a VP is ready; the first go first.
enum class {
    CALLED, // another VP or a device has called it: somebody may be waiting for it
    TIMED,  // it slept until its own timer woke it
    SPENT,  // it has used up its slice, or spins
    CLASSES
};
static struct {
    struct lock lock;
    struct queue queue[CLASSES];
    uint32_t in_a_row[CLASSES]; // VPs taken from this queue since the last one from a later queue
    uint64_t idle;              // bit i: pCPU i sleeps, or is about to
} ready;

// Then one of a later class, so that VPs which wake each other, or the ticks of many, starve nobody.
enum { IN_A_ROW = 4 };

void sched_init_vp(struct vp *vp)
{
    vp->state = VP_ASLEEP;
    vp->ready_class = CLASSES;
}

uint32_t sched_waiting;

static void put_last(struct vp *vp, enum class class)
{
    struct queue *q = &ready.queue[class];
    vp->next_ready = 0;
    vp->last_ready = q->tail;
    if (q->tail == 0)
        q->head = vp;
    else
        q->tail->next_ready = vp;
    q->tail = vp;
    __atomic_store_n(&vp->ready_class, class, __ATOMIC_RELAXED);
    __atomic_store_n(&sched_waiting, sched_waiting + 1, __ATOMIC_RELAXED);
}

static void put_first(struct vp *vp)
{
    struct queue *q = &ready.queue[CALLED];
    vp->last_ready = 0;
    vp->next_ready = q->head;
    if (q->head == 0)
        q->tail = vp;
    else
        q->head->last_ready = vp;
    q->head = vp;
    __atomic_store_n(&vp->ready_class, CALLED, __ATOMIC_RELAXED);
    __atomic_store_n(&sched_waiting, sched_waiting + 1, __ATOMIC_RELAXED);
}

static void take_out(struct vp *vp)
{
    struct queue *q = &ready.queue[vp->ready_class];
    if (vp->last_ready == 0)
        q->head = vp->next_ready;
    else
        vp->last_ready->next_ready = vp->next_ready;
    if (vp->next_ready == 0)
        q->tail = vp->last_ready;
    else
        vp->next_ready->last_ready = vp->last_ready;
    __atomic_store_n(&vp->ready_class, CLASSES, __ATOMIC_RELAXED);
    __atomic_store_n(&sched_waiting, sched_waiting - 1, __ATOMIC_RELAXED);
}

static void enqueue(struct vp *vp, enum class class)
{
    if (vp->kvm_steal != 0)
        vp->ready_since = rdtsc();
    lock(&ready.lock);
    put_last(vp, class);
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

static struct vp *take_next(void)
{
    uint32_t chosen = CLASSES;
    for (uint32_t c = 0; c < CLASSES; c++) {
        if (ready.queue[c].head == 0)
            continue;
        chosen = c;
        if (ready.in_a_row[c] < IN_A_ROW)
            break;
    }
    if (chosen == CLASSES)
        return 0;
    ready.in_a_row[chosen]++;
    for (uint32_t c = 0; c < chosen; c++)
        ready.in_a_row[c] = 0;
    struct vp *vp = ready.queue[chosen].head;
    take_out(vp);
    return vp;
}

static struct vp *dequeue(struct pcpu *me)
{
    lock(&ready.lock);
    struct vp *vp = take_next();
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
    idle_begins();
    // STI takes effect after HLT has begun, so a call that came since the look at the queue ends it.
    __asm__ volatile("sti; hlt; cli" : : : "memory");
    idle_ends();
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
    enqueue(vp, SPENT);
}

bool sched_next_is(struct vp *vp)
{
    lock(&ready.lock);
    bool is_ready = vp->ready_class != CLASSES;
    if (is_ready) {
        take_out(vp);
        put_first(vp);
    }
    unlock(&ready.lock);
    return is_ready;
}

// Another VP may be waiting for this one, which waits for a pCPU behind others.
static void prefer(struct vp *vp)
{
    uint32_t class = __atomic_load_n(&vp->ready_class, __ATOMIC_RELAXED);
    if (class == CALLED || class == CLASSES)
        return;
    lock(&ready.lock);
    if (vp->ready_class == TIMED || vp->ready_class == SPENT) {
        take_out(vp);
        put_last(vp, CALLED);
    }
    unlock(&ready.lock);
}

static void wake(struct vp *vp, enum class class)
{
    uint32_t asleep = VP_ASLEEP;
    if (!__atomic_compare_exchange_n(&vp->state, &asleep, VP_READY, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) {
        if (class == CALLED)
            prefer(vp);
        return;
    }
    struct pcpu *me = this_pcpu();
    me->count.events[EV_WAKE]++;
    trace(TRACE_WAKE, me->loaded != 0 ? me->loaded->index : vp->index, vp->index);
    enqueue(vp, class);
}

void sched_wake(struct vp *vp)
{
    wake(vp, CALLED);
}

void sched_wake_by_timer(struct vp *vp)
{
    wake(vp, TIMED);
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
    // Against sched_wake: it leaves its message, then looks at the state; we set the state, then look for messages.
    __atomic_store_n(&vp->state, VP_ASLEEP, __ATOMIC_SEQ_CST);
    this_pcpu()->count.events[EV_HALT]++; // who reads the count finds that many asleep (guests/many)
    if (has_work(vp))
        sched_wake(vp);
}
