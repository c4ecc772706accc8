// SPDX-License-Identifier: BSD-2-Clause
// What workloads with a fixed amount of work share: marks that the harness counts between, and the time it took.
#ifndef WORKLOAD_FIXED_H
#define WORKLOAD_FIXED_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/io.h>
#include <sys/resource.h>
#include <time.h>

enum { SPAN_PORT = 0xF5, SPAN_END = 0x80 }; // harness/base/span.h

static struct rusage fixed_usage;
static struct timespec fixed_began;

static inline long fixed_us(struct timeval from, struct timeval to)
{
    return (to.tv_sec - from.tv_sec) * 1000000 + to.tv_usec - from.tv_usec;
}

static inline void fixed_mark(unsigned char mark)
{
    if (ioperm(SPAN_PORT, 1, 1) == 0)
        outb(mark, SPAN_PORT);
}

static inline void fixed_begin(unsigned char number)
{
    getrusage(RUSAGE_SELF, &fixed_usage);
    clock_gettime(CLOCK_MONOTONIC, &fixed_began);
    fixed_mark(number);
}

// Ends the span and prints, without newline, how long it took.
static inline void fixed_end(unsigned char number)
{
    struct rusage usage;
    struct timespec now;
    fixed_mark((unsigned char)(number | SPAN_END));
    getrusage(RUSAGE_SELF, &usage);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("user %ld us, system %ld us, real %ld us", fixed_us(fixed_usage.ru_utime, usage.ru_utime),
           fixed_us(fixed_usage.ru_stime, usage.ru_stime),
           (now.tv_sec - fixed_began.tv_sec) * 1000000 + (now.tv_nsec - fixed_began.tv_nsec) / 1000);
}

static inline void fixed_pin(unsigned cpu)
{
    enum { CPUS = 4096 };
    cpu_set_t *cpus = CPU_ALLOC(CPUS);
    CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS), cpus);
    CPU_SET_S(cpu, CPU_ALLOC_SIZE(CPUS), cpus);
    sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS), cpus);
    CPU_FREE(cpus);
}

#endif
