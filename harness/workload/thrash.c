// SPDX-License-Identifier: BSD-2-Clause
// A TLB thrasher for Linux guests: threads on all CPUs map, touch, protect and unmap shared regions, and check after
// each change that nobody reads through a translation from before it. Between that they interrupt each other.
//
//   thrash [SECONDS [THREADS]]     prints one line that begins with "workload:"; exit status 0 when nothing was stale
//   thrash 0 THREADS STEPS [SPAN]  a fixed amount of work: so many steps of each thread, and nobody sleeps
//
// A region keeps its address for good. Whoever changes it holds its lock for writing; readers hold it for reading, and
// between two readings they keep their TLB entries. So a reader that sees another generation than the region's, or
// whose write to a protected region does not fault, has used a translation that should be gone.
#define _GNU_SOURCE
#include "fixed.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FEW_REGIONS = 8, REGIONS = 256, PAGES = 8, PAGE = 4096, MAX_THREADS = 256 };

struct region {
    atomic_int lock; // -1: a writer, n: readers
    bool protected;  // read-only at the moment
    uint64_t generation;
    volatile uint64_t *at;
};
static struct region regions[REGIONS];

struct thread {
    pthread_t id;
    unsigned seed, dice, number;
    uint64_t remaps, protects, drops, reads, faults, barriers, wakes, errors;
    sigjmp_buf back;
    bool expects_fault;
};
static struct thread threads[MAX_THREADS];
static int thread_count;
static unsigned region_count = FEW_REGIONS; // many, where work is counted: waiting for one another is none
static unsigned long steps;                 // of each thread; 0: until it is told to stop
static pthread_barrier_t all_there;
static atomic_bool stop;
static _Thread_local struct thread *self;
static atomic_uint bells[MAX_THREADS]; // futex words, rung by the neighbour

static void on_segv(int signal_number)
{
    if (self != NULL && self->expects_fault)
        siglongjmp(self->back, 1);
    signal(signal_number, SIG_DFL);
}

static bool lock_shared(struct region *r)
{
    int n = atomic_load(&r->lock);
    return n >= 0 && atomic_compare_exchange_strong(&r->lock, &n, n + 1);
}

static bool lock_alone(struct region *r)
{
    int none = 0;
    return atomic_compare_exchange_strong(&r->lock, &none, -1);
}

static void error(struct thread *t, const char *what, const struct region *r, uint64_t seen)
{
    if (t->errors++ < 3)
        printf("workload: thread %u: %s in region %ld: seen %lx, generation %lx\n", t->number, what,
               r - regions, seen, r->generation);
}

static void fill(struct region *r)
{
    r->generation++;
    for (int p = 0; p < PAGES; p++)
        r->at[p * (PAGE / 8)] = r->generation * 256 + (uint64_t)p;
}

// New pages at the old address.
static void remap(struct thread *t, struct region *r)
{
    void *at = (void *)(uintptr_t)r->at;
    if (munmap(at, PAGES * PAGE) != 0 || mmap(at, PAGES * PAGE, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at) {
        perror("workload: remap");
        exit(2);
    }
    r->protected = false;
    fill(r);
    t->remaps++;
}

// The same address, other pages: what was there must read as zero afterwards.
static void drop(struct thread *t, struct region *r)
{
    if (madvise((void *)(uintptr_t)r->at, PAGES * PAGE, MADV_DONTNEED) != 0) {
        perror("workload: drop");
        exit(2);
    }
    for (int p = 0; p < PAGES; p++)
        if (r->at[p * (PAGE / 8)] != 0)
            error(t, "dropped page still there", r, r->at[p * (PAGE / 8)]);
    fill(r);
    t->drops++;
}

static void protect(struct thread *t, struct region *r)
{
    r->protected = !r->protected;
    if (mprotect((void *)(uintptr_t)r->at, PAGES * PAGE, r->protected ? PROT_READ : PROT_READ | PROT_WRITE) !=
        0) {
        perror("workload: protect");
        exit(2);
    }
    t->protects++;
}

static bool change(struct thread *t, struct region *r)
{
    if (!lock_alone(r))
        return false;
    unsigned what = (unsigned)rand_r(&t->seed) % 4;
    if (what == 0 || (what == 1 && r->protected))
        remap(t, r);
    else if (what == 1)
        drop(t, r);
    else
        protect(t, r);
    atomic_store(&r->lock, 0);
    return true;
}

static bool check(struct thread *t, struct region *r)
{
    if (!lock_shared(r))
        return false;
    for (int p = 0; p < PAGES; p++) {
        uint64_t seen = r->at[p * (PAGE / 8)];
        if (seen != r->generation * 256 + (uint64_t)p)
            error(t, "stale value", r, seen);
    }
    t->reads += PAGES;
    if (r->protected && rand_r(&t->seed) % 16 == 0) {
        t->expects_fault = true;
        if (sigsetjmp(t->back, 1) == 0) {
            r->at[8] = t->number; // not a word that is checked
            error(t, "write to a protected page", r, 0);
        } else {
            t->faults++;
        }
        t->expects_fault = false;
    }
    atomic_fetch_sub(&r->lock, 1);
    return true;
}

static void futex_wait(atomic_uint *word, unsigned value)
{
    struct timespec limit = {0, 2000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

// Ring the next thread's bell; now and then sleep until ours rings.
static void meet(struct thread *t)
{
    atomic_uint *next = &bells[(t->number + 1) % (unsigned)thread_count], *mine = &bells[t->number];
    atomic_fetch_add(next, 1);
    syscall(SYS_futex, next, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    t->wakes++;
    if (steps == 0 && rand_r(&t->seed) % 2 == 0)
        futex_wait(mine, atomic_load(mine));
}

static void *work(void *argument)
{
    struct thread *t = self = argument;
    fixed_pin(t->number % (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    if (steps != 0) {
        pthread_barrier_wait(&all_there); // everybody is where it belongs
        pthread_barrier_wait(&all_there); // the span has begun
    }
    for (unsigned long i = 0; steps != 0 ? i < steps : !atomic_load(&stop); i++) {
        unsigned dice = (unsigned)rand_r(&t->dice) % 128;
        // A region that somebody else has is no work done: where work is counted, another one is looked for.
        struct region *r = &regions[(unsigned)rand_r(&t->seed) % region_count];
        if (dice < 8) {
            while (!change(t, r) && steps != 0)
                r = &regions[(unsigned)rand_r(&t->seed) % region_count];
        } else if (dice == 8) {
            syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
            t->barriers++;
        } else if (dice == 9) {
            meet(t);
        } else {
            while (!check(t, r) && steps != 0)
                r = &regions[(unsigned)rand_r(&t->seed) % region_count];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
    thread_count = argc > 2 ? atoi(argv[2]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    steps = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    region_count = steps != 0 ? REGIONS : FEW_REGIONS;
    unsigned char span = (unsigned char)(argc > 4 ? atoi(argv[4]) : 1);
    if (thread_count < 1 || thread_count > MAX_THREADS) {
        fprintf(stderr, "workload: 1..%d threads\n", MAX_THREADS);
        return 2;
    }
    struct sigaction action = {.sa_handler = on_segv};
    sigaction(SIGSEGV, &action, NULL);
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    for (int i = 0; i < (int)region_count; i++) {
        void *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) {
            perror("workload: mmap");
            return 2;
        }
        regions[i].at = at;
        fill(&regions[i]);
    }
    pthread_barrier_init(&all_there, NULL, (unsigned)thread_count + 1);
    for (int i = 0; i < thread_count; i++) {
        threads[i].dice = (unsigned)i * 104729 + 1;
        threads[i].number = (unsigned)i;
        threads[i].seed = (unsigned)i * 7919 + 1;
        if (pthread_create(&threads[i].id, NULL, work, &threads[i]) != 0) {
            perror("workload: thread");
            return 2;
        }
    }
    if (steps != 0) {
        pthread_barrier_wait(&all_there);
        fixed_begin(span);
        pthread_barrier_wait(&all_there);
    } else {
        sleep(seconds);
        atomic_store(&stop, true);
    }
    struct thread sum;
    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < thread_count; i++) {
        pthread_join(threads[i].id, NULL);
        sum.remaps += threads[i].remaps;
        sum.protects += threads[i].protects;
        sum.drops += threads[i].drops;
        sum.reads += threads[i].reads;
        sum.faults += threads[i].faults;
        sum.barriers += threads[i].barriers;
        sum.wakes += threads[i].wakes;
        sum.errors += threads[i].errors;
    }
    printf("workload: %d threads, ", thread_count);
    if (steps != 0) {
        printf("%lu steps each: ", steps);
        fixed_end(span);
    } else {
        printf("%u s", seconds);
    }
    printf("%s %lu remaps, %lu protects, %lu drops, %lu reads, %lu faults, %lu "
           "barriers, "
           "%lu wakes, %lu errors\n",
           steps != 0 ? "," : ":", sum.remaps, sum.protects, sum.drops, sum.reads, sum.faults, sum.barriers,
           sum.wakes, sum.errors);
    return sum.errors == 0 ? 0 : 1;
}
