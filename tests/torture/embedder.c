// SPDX-License-Identifier: BSD-2-Clause
// A small hypervisor around the core: a queue of VPs that are ready, pCPUs that take the next one, entries that are
// sometimes given up, time slices; with the faults that it can be told to have.
#include "torture.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct vp *head, **tail;
    uint32_t idle; // pCPUs that found nothing
} ready = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &ready.head, 0};

void enqueue(struct vp *vp)
{
    pthread_mutex_lock(&ready.lock);
    vp->next_ready = NULL;
    *ready.tail = vp;
    ready.tail = &vp->next_ready;
    pthread_cond_signal(&ready.more);
    pthread_mutex_unlock(&ready.lock);
}

// The next VP; none when every pCPU is idle, so that nothing can happen any more.
static struct vp *dequeue(void)
{
    pthread_mutex_lock(&ready.lock);
    ready.idle++;
    while (ready.head == NULL && ready.idle < options.pcpus) {
        pthread_cond_wait(&ready.more, &ready.lock);
    }
    struct vp *vp = ready.head;
    if (vp == NULL) {
        pthread_cond_broadcast(&ready.more);
    } else {
        ready.idle--;
        ready.head = vp->next_ready;
        if (ready.head == NULL) {
            ready.tail = &ready.head;
        }
    }
    pthread_mutex_unlock(&ready.lock);
    return vp;
}

static void wake(struct vp *vp)
{
    uint32_t asleep = ASLEEP;
    if (__atomic_compare_exchange_n(&vp->state, &asleep, READY, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        this_pcpu->count.wakes++;
        enqueue(vp);
    }
}

static bool has_work(const struct vp *vp)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < 4; i++) {
        any |= __atomic_load_n(&vp->core->vector[i], __ATOMIC_SEQ_CST);
    }
    return any != 0;
}

// Against wake(): that one posts, then looks at the state; we set the state, then look for what was posted.
static void go_to_sleep(struct vp *vp)
{
    this_pcpu->count.sleeps++;
    preempt_perhaps(this_pcpu);
    __atomic_store_n(&vp->state, ASLEEP, __ATOMIC_SEQ_CST);
    preempt_perhaps(this_pcpu);
    if (options.fault != FAULT_SLEEP_BLIND && has_work(vp)) {
        wake(vp);
    }
}

// ---- what the core asks for ----------------------------------------------------------------------------------------

static struct vp *vp_of(struct pv_vp *core)
{
    return &vps[core - partition.vps];
}

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    memcpy(to, vps[gpa >> 12].guest.operand, qwords * sizeof *to);
    return true;
}

void pv_platform_kick(const struct pv_partition *p, struct pv_vp *core)
{
    (void)p;
    this_pcpu->count.kicks++;
    preempt_perhaps(this_pcpu);
    if (this_pcpu->flushing) {
        this_pcpu->count.asked++;
    }
    if (options.fault != FAULT_NO_KICK) {
        // If it moves meanwhile, it has been outside the guest, which is all that is wanted.
        const uint32_t pcpu = __atomic_load_n(&vp_of(core)->pcpu, __ATOMIC_SEQ_CST);
        __atomic_store_n(&pcpus[pcpu].kicked, 1, __ATOMIC_SEQ_CST);
    }
}

void pv_platform_wait(const struct pv_partition *p, struct pv_vp *core)
{
    (void)p;
    this_pcpu->count.waits++;
    if (options.fault == FAULT_NO_WAIT) {
        return;
    }
    const uint32_t seen = __atomic_load_n(&core->run, __ATOMIC_SEQ_CST);
    while (seen % 2 == 1 && __atomic_load_n(&core->run, __ATOMIC_SEQ_CST) == seen) {
        // A VP in a call is outside the guest (PR-LIVE-1), and so is one that no pCPU runs: else this may never end.
        const bool outside = __atomic_load_n(&vp_of(core)->calling, __ATOMIC_SEQ_CST) ||
                             __atomic_load_n(&vp_of(core)->state, __ATOMIC_SEQ_CST) != RUNNING;
        if (outside && __atomic_load_n(&core->run, __ATOMIC_SEQ_CST) == seen) {
            this_pcpu->count.deadlocks++;
            return;
        }
        sched_yield();
    }
}

void pv_platform_wake(const struct pv_partition *p, struct pv_vp *core)
{
    (void)p;
    preempt_perhaps(this_pcpu);
    if (options.fault != FAULT_NO_WAKE) {
        wake(vp_of(core));
    }
}

void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
    this_pcpu->yield = true;
}

// ---- running a VP --------------------------------------------------------------------------------------------------

static void keep(struct vp *vp, struct pcpu *me, uint32_t context, const struct pv_work *work)
{
    tlb_flush(vp, me, context, work);
    for (uint32_t i = 0; i < 4; i++) {
        vp->irr[i] |= work->vector[i];
    }
}

// Takes all that is pending. False: the entry is given up, at any point, for a reason of the embedder's own.
static bool take(struct vp *vp, struct pcpu *me)
{
    const uint32_t context = options.fault == FAULT_OTHER_CONTEXT ? PV_CONTEXT_L1 : vp->context;
    struct pv_work work;

    while (pv_vp_take(vp->core, context, &work)) {
        const bool cancel = chance(&me->random, 16);
        preempt_perhaps(me);
        if (!cancel || options.fault != FAULT_DROP) {
            keep(vp, me, context, &work);
        }
        if (cancel) {
            me->count.cancelled++;
            return false;
        }
    }
    return true;
}

static void deliver(struct vp *vp, struct pcpu *me)
{
    for (uint32_t i = 0; i < 4; i++) {
        for (; vp->irr[i] != 0; vp->irr[i] &= vp->irr[i] - 1) {
            guest_interrupt(vp, me, i * 64 + (uint32_t)__builtin_ctzll(vp->irr[i]));
        }
    }
}

// One entry, from the run word odd to the run word even.
static enum reason enter(struct vp *vp, struct pcpu *me)
{
    enum reason reason = LEAVE;
    bool in;

    me->count.entries++;
    if (options.fault == FAULT_RUN_LATE) {
        in = take(vp, me);
        preempt_perhaps(me);
        pv_vp_run(vp->core);
    } else {
        pv_vp_run(vp->core);
        preempt_perhaps(me);
        in = take(vp, me);
    }
    preempt_perhaps(me);
    if (in) {
        deliver(vp, me);
        for (uint64_t steps = draw(&me->random) % 60; reason == LEAVE && steps > 0; steps--) {
            const enum reason now = guest_step(vp, me);
            if (now == LEAVE) {
                break;
            }
            reason = now == STAY ? LEAVE : now;
        }
    }
    if (options.fault == FAULT_STOP_EARLY && in) {
        pv_vp_stop(vp->core);
        preempt_perhaps(me);
        guest_step(vp, me);
    } else if (options.fault != FAULT_STOP_LATE || reason != MAKE_CALL) {
        pv_vp_stop(vp->core);
    }
    __atomic_store_n(&me->kicked, 0, __ATOMIC_SEQ_CST);
    return reason;
}

static void call(struct vp *vp, struct pcpu *me)
{
    struct pv_call *regs = &vp->guest.call;

    __atomic_store_n(&vp->calling, 1, __ATOMIC_SEQ_CST);
    me->flushing = vp->guest.flushes;
    for (uint32_t i = 0; me->flushing && i < options.vps; i++) {
        me->count.named += vp->guest.target[i];
    }
    const enum pv_outcome outcome = pv_hypercall(&partition, vp->context, regs, &me->scratch);
    __atomic_store_n(&vp->calling, 0, __ATOMIC_SEQ_CST);
    if (options.fault == FAULT_STOP_LATE) {
        pv_vp_stop(vp->core);
    }
    if (outcome == PV_CONTINUE) { // the guest executes the instruction again
        me->count.continued++;
    } else {
        me->count.calls++;
        guest_returned(vp);
    }
}

// Runs one VP until it sleeps (false) or gives way.
static bool run(struct vp *vp, struct pcpu *me)
{
    for (;;) {
        switch (enter(vp, me)) {
        case MAKE_CALL:
            call(vp, me);
            break;
        case SWITCH:
            vp->context ^= 1;
            break;
        case HALT:
            if ((vp->irr[0] | vp->irr[1] | vp->irr[2] | vp->irr[3]) == 0) {
                return false;
            }
            break;
        default:
            break;
        }
        if (me->yield || chance(&me->random, 8)) {
            me->yield = false;
            me->count.preemptions++;
            return true;
        }
    }
}

void *pcpu_run(void *pcpu)
{
    struct pcpu *me = this_pcpu = pcpu;

    preempt_start(me);
    for (struct vp *vp; (vp = dequeue()) != NULL;) {
        __atomic_store_n(&vp->state, RUNNING, __ATOMIC_SEQ_CST);
        me->count.migrations += vp->pcpu != me->index;
        __atomic_store_n(&vp->pcpu, me->index, __ATOMIC_SEQ_CST);
        tlb_load(vp, me);
        if (run(vp, me)) {
            __atomic_store_n(&vp->state, READY, __ATOMIC_SEQ_CST);
            enqueue(vp);
        } else {
            go_to_sleep(vp);
        }
    }
    preempt_end();
    return NULL;
}
