// SPDX-License-Identifier: BSD-2-Clause
#include "span.h"
#include "count.h"
#include "log.h"
#include "pcpu.h"
#include "x86.h"

static struct {
    struct lock lock;
    uint32_t sleepers;
    uint64_t since; // when the last pCPU went to sleep
    uint64_t ticks; // all asleep, so far
} idle;

static struct {
    struct lock lock;
    struct counters at_begin;
    uint64_t began, idle_at_begin;
} span;

void idle_begins(void)
{
    lock(&idle.lock);
    if (++idle.sleepers == pcpu_count)
        idle.since = rdtsc();
    unlock(&idle.lock);
}

void idle_ends(void)
{
    uint64_t now = rdtsc();
    lock(&idle.lock);
    if (idle.sleepers-- == pcpu_count && now > idle.since)
        idle.ticks += now - idle.since;
    unlock(&idle.lock);
}

static uint64_t idle_ticks(void)
{
    return __atomic_load_n(&idle.ticks, __ATOMIC_RELAXED);
}

static void subtract(struct counters *from, const struct counters *what)
{
    uint64_t *f = (uint64_t *)(void *)from;
    const uint64_t *w = (const uint64_t *)(const void *)what;
    for (uint64_t i = 0; i < sizeof *from / sizeof *f; i++)
        f[i] -= w[i];
}

void span_mark(uint32_t mark)
{
    static struct counters now;
    uint64_t tsc = rdtsc();
    lock(&span.lock);
    if ((mark & SPAN_END) == 0) {
        count_sum(&span.at_begin);
        span.idle_at_begin = idle_ticks();
        span.began = rdtsc();
    } else {
        count_sum(&now);
        subtract(&now, &span.at_begin);
        print("@span {\"number\":%u,\"ticks\":%lu,\"idle\":%lu,", mark & ~(uint32_t)SPAN_END,
              tsc - span.began, idle_ticks() - span.idle_at_begin);
        count_print_json(&now);
        print("}\n");
    }
    unlock(&span.lock);
}
