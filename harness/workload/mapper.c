// SPDX-License-Identifier: BSD-2-Clause
// Threads of one address space map a large region, touch some of its pages, and unmap it, a fixed number of times.
// Each unmapping makes the kernel flush the TLBs of all processors on which a thread has run.
//
//   mapper THREADS TIMES [SPAN [SLEEP [DROP]]]
//
// Between two regions a thread sleeps up to SLEEP us (0). With DROP (1) the region stays, and its pages are given back
// (MADV_DONTNEED): that needs the address space's lock only shared, so threads flush at the same time. Prints one line that
// begins with "workload:"; exit status 0 when all went well.
//
// A page that is new must read as zero, and hold what was written to it: else a translation was stale.
#define _GNU_SOURCE
#include "fixed.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REGION = 16 << 20, TOUCHED = 2, STEP = REGION / TOUCHED / 8, MAX_THREADS = 256 };

static pthread_t threads[MAX_THREADS];
static pthread_barrier_t all_there;
static unsigned thread_count, times, sleep_us;
static bool drops;
static atomic_ulong errors;

static volatile uint64_t *map(void)
{
    void *at = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        perror("workload: map");
        exit(2);
    }
    return at;
}

static void *work(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    unsigned seed = number * 7919 + 1, cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    fixed_pin(thread_count < cpus ? number * (cpus / thread_count) : number % cpus);
    volatile uint64_t *kept = map();
    pthread_barrier_wait(&all_there); // everybody is where it belongs
    pthread_barrier_wait(&all_there); // the span has begun
    for (unsigned i = 0; i < times; i++) {
        volatile uint64_t *at = drops ? kept : map();
        uint64_t mine = (uint64_t)number << 32 | i << 8 | 1;
        for (unsigned k = 0; k < TOUCHED; k++) {
            at[k * STEP] = mine + k; // written before it is read: the page is made once
            errors += at[k * STEP + 1] != 0;
            at[k * STEP + 1] = ~mine;
        }
        for (unsigned k = 0; k < TOUCHED; k++)
            errors += at[k * STEP] != mine + k;
        void *region = (void *)(uintptr_t)at;
        errors += (drops ? madvise(region, REGION, MADV_DONTNEED) : munmap(region, REGION)) != 0;
        if (sleep_us != 0)
            nanosleep(&(struct timespec){0, (long)((unsigned)rand_r(&seed) % sleep_us) * 1000}, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    thread_count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    unsigned char span = (unsigned char)(argc > 3 ? atoi(argv[3]) : 1);
    sleep_us = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    drops = argc > 5 && atoi(argv[5]) != 0;
    if (thread_count < 1 || thread_count > MAX_THREADS) {
        fprintf(stderr, "workload: 1..%d threads\n", MAX_THREADS);
        return 2;
    }
    pthread_barrier_init(&all_there, NULL, thread_count + 1);
    for (unsigned i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i) != 0) {
            perror("workload: thread");
            return 2;
        }
    pthread_barrier_wait(&all_there);
    fixed_begin(span);
    pthread_barrier_wait(&all_there);
    for (unsigned i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    printf("workload: %u threads, %u %s each: ", thread_count, times, drops ? "drops" : "maps");
    fixed_end(span);
    printf(", %lu errors\n", atomic_load(&errors));
    return errors == 0 ? 0 : 1;
}
