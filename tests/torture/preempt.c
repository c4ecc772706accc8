// SPDX-License-Identifier: BSD-2-Clause
// Preemption of the pCPUs themselves. At points that the embedder and the guests name, a thread sometimes lets others
// run. And a timer of each thread stops it at a random instruction, of the core's too, for a random time; the signal
// handler calls nothing that is not safe there.
#include "torture.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#    define sigev_notify_thread_id _sigev_un._tid
#endif

static __thread timer_t timer;

static void arm(struct pcpu *me)
{
    const long next = 20000 + (long)(draw(&me->preempt_random) % 500000); // ns
    const struct itimerspec when = {.it_value = {.tv_nsec = next}};
    timer_settime(timer, 0, &when, NULL);
}

static void stop_here(int signal)
{
    const int error = errno;
    struct pcpu *me = this_pcpu;
    const uint64_t random = draw(&me->preempt_random);

    (void)signal;
    me->count.stops++;
    if (random % 4 == 0) {
        const struct timespec pause = {.tv_nsec = (long)(random >> 8) % 200000};
        nanosleep(&pause, NULL);
    } else {
        for (uint64_t i = 0; i < random % 8; i++) {
            sched_yield();
        }
    }
    arm(me);
    errno = error;
}

void preempt_perhaps(struct pcpu *me)
{
    if (chance(&me->random, 16)) {
        sched_yield();
    }
}

void preempt_start(struct pcpu *me)
{
    struct sigaction action = {.sa_handler = stop_here, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};

    event.sigev_notify_thread_id = gettid();
    if (sigaction(SIGRTMIN, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        perror("torture: no timer");
        exit(2);
    }
    arm(me);
}

void preempt_end(void)
{
    timer_delete(timer);
}
