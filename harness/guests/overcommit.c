// SPDX-License-Identifier: BSD-2-Clause
// Far more VPs than processors (the option pcpus=, of which there must be that many): what a flush of VPs costs that do not
// run, and what becomes of a lock whose holder lost its processor while the others spin.
#include "overcommit/overcommit.h"

enum job job;
static uint32_t job_number, done;
static uint32_t before[EV_COUNT];
struct beat *beats;

uint32_t event(enum count_event e)
{
    return counted((uint16_t)(COUNT_PORT_EVENTS + e));
}

void note(void)
{
    for (uint32_t e = 0; e < EV_COUNT; e++)
        before[e] = event((enum count_event)e);
}

uint32_t since(enum count_event e)
{
    return event(e) - before[e];
}

void give_way(void)
{
    __atomic_fetch_add(&notified, 1u, __ATOMIC_RELAXED);
    if (hypercall(LONG_SPIN_WAIT_FAST, 0, 0) != 0)
        failure(3);
}

void call_others(void)
{
    operands[0] = CALL;
    operands[1] = OTHERS;
    if (hypercall(CLUSTER_IPI, (uintptr_t)operands, 0) != 0)
        failure(4);
}

void start_job(enum job which)
{
    job = which;
    __atomic_store_n(&done, 0u, __ATOMIC_RELAXED);
    __atomic_fetch_add(&job_number, 1u, __ATOMIC_SEQ_CST);
    call_others();
}

bool all_done(void)
{
    return __atomic_load_n(&done, __ATOMIC_ACQUIRE) == vp_total - 1;
}

// The others sleep for good: none has been woken that did not go back to sleep.
void wait_until_asleep(void)
{
    while (event(EV_HALT) != event(EV_WAKE))
        pause();
}

void guest_main(void)
{
    if (vp_total < 2 || vp_total > 64)
        failure(5);
    hyperv_on();
    beats = allocate(vp_total * sizeof *beats);
    start_all();
    flushes_of_sleeping();
    flushes_of_preempted();
    locks();
}

static void work(uint32_t number)
{
    switch (job) {
    case REST:
        break;
    case RUN: // never leaves the guest by itself
        while (__atomic_load_n(&job, __ATOMIC_RELAXED) == RUN)
            beats[number].count++;
        break;
    case LOCK:
        take_lock_often(number);
        break;
    }
    __atomic_fetch_add(&done, 1u, __ATOMIC_RELEASE);
}

void guest_ap(uint32_t number)
{
    for (uint32_t seen = 0;; seen++) {
        interrupts_off();
        while (__atomic_load_n(&job_number, __ATOMIC_ACQUIRE) == seen)
            __asm__ volatile("sti; hlt; cli" : : : "memory");
        interrupts_on();
        work(number);
    }
}
