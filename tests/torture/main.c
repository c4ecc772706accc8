// SPDX-License-Identifier: BSD-2-Clause
// The flush protocol on real processors (A-SHARED-*): threads play VPs with a TLB of their own each. A VP changes a
// mapping, flushes by hypercall, and from the call's success on nobody may use the old one (FL-SYNC-1, FL-COVER-1).
// Half of the rounds are those of a nested guest: other mappings, cached and flushed in PV_CONTEXT_L2.
// Interrupts sent at the same time must all arrive (IPI-EXACT-1). Counted in rounds, never in seconds.
//   torture [ROUNDS]    hypercalls of each VP
#include "proviso.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VPS = 4, PAGES = 64, VECTOR = 0x40 };

static struct pv_partition partition;
static struct pv_vp vps[VPS] __attribute__((aligned(64)));
static _Alignas(64) struct {
    uint64_t operand[64]; // this VP's page of guest memory: GPA is 0x1000 times its index
    uint32_t kicked;
    uint64_t tlb[PV_CONTEXTS][PAGES]; // generation of the mapping; 0: not cached
    uint64_t sent[VPS];               // interrupts to each VP that were sent
    uint64_t got;                     // times the vector arrived
    uint32_t finished;
} cpu[VPS];
static uint64_t mapping[PV_CONTEXTS][PAGES]; // the page tables: the generation that is true now
static uint64_t flushed[PV_CONTEXTS][PAGES]; // no older one may be used any more
static unsigned long rounds = 20000, stale[PV_CONTEXTS], accesses[PV_CONTEXTS];

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    memcpy(to, cpu[gpa >> 12].operand, qwords * sizeof *to);
    return true;
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    __atomic_store_n(&cpu[vp->vp_index].kicked, 1, __ATOMIC_SEQ_CST);
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    const uint32_t seen = __atomic_load_n(&vp->run, __ATOMIC_SEQ_CST);
    while (seen % 2 == 1 && __atomic_load_n(&vp->run, __ATOMIC_SEQ_CST) == seen) {
        sched_yield();
    }
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp; // nobody sleeps here
}
void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
}
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}

static void take_pending(uint32_t me, uint32_t context)
{
    struct pv_work work;
    uint64_t *tlb = cpu[me].tlb[context];
    while (pv_vp_take(&vps[me], context, &work)) {
        if (work.flush & (PV_FLUSH_FULL | PV_FLUSH_NONGLOBAL)) {
            memset(tlb, 0, sizeof cpu[me].tlb[context]);
        }
        for (uint32_t i = 0; (work.flush & PV_FLUSH_RANGES) && i < work.ranges.count; i++) {
            for (uint64_t page = work.ranges.first[i]; page < work.ranges.first[i] + work.ranges.pages[i];
                 page++) {
                tlb[page] = 0;
            }
        }
        cpu[me].got += work.vector[VECTOR / 64] >> VECTOR % 64 & 1;
    }
}

// A stretch of guest code: memory accesses, through the TLB where it has the page.
static void run_guest(uint32_t me, uint32_t context, uint64_t *random, unsigned length)
{
    uint64_t *tlb = cpu[me].tlb[context];
    pv_vp_run(&vps[me]);
    take_pending(me, context); // what is pending for the other one waits until that runs
    for (unsigned i = 0; i < length && !(i % 8 == 7 && __atomic_load_n(&cpu[me].kicked, __ATOMIC_SEQ_CST));
         i++) {
        *random = *random * 6364136223846793005 + 1442695040888963407;
        const uint64_t page = *random >> 33 & (PAGES - 1);
        if (*random >> 58 == 0) {
            sched_yield(); // the kick is late; others go on meanwhile
        }
        const uint64_t floor =
            __atomic_load_n(&flushed[context][page], __ATOMIC_SEQ_CST); // success was seen before this access
        if (tlb[page] == 0) {
            tlb[page] = __atomic_load_n(&mapping[context][page], __ATOMIC_SEQ_CST);
        }
        __atomic_fetch_add(&accesses[context], 1, __ATOMIC_RELAXED);
        if (tlb[page] < floor) {
            __atomic_fetch_add(&stale[context], 1, __ATOMIC_RELAXED);
        }
    }
    __atomic_store_n(&cpu[me].kicked, 0, __ATOMIC_SEQ_CST);
    pv_vp_stop(&vps[me]);
}

static void hypercall(uint32_t me, uint32_t context, uint64_t control)
{
    static struct pv_scratch scratch[VPS];
    struct pv_call call = {.rcx = control, .rdx = 0x1000 * (uint64_t)me, .protected_mode = 1, .long_mode = 1};
    if (control & 0x10000) {
        call.rdx = cpu[me].operand[0];
        call.r8 = cpu[me].operand[1];
    }
    if (pv_hypercall(&partition, context, &call, &scratch[me]) != PV_DONE || (call.rax & 0xFFFF) != 0) {
        printf("torture: a call was answered with 0x%" PRIx64 "\n", call.rax);
        exit(1);
    }
}

static void *vp_thread(void *argument)
{
    const uint32_t me = (uint32_t)(uintptr_t)argument;
    uint64_t random = me + 1, *operand = cpu[me].operand;
    for (unsigned long round = 0; round < rounds; round++) {
        const uint32_t context = random >> 45 & 1 ? PV_CONTEXT_L2 : PV_CONTEXT_L1;
        run_guest(me, context, &random, 20 + (unsigned)(random >> 60));
        // Some pages are mapped anew; each VP has its own quarter of them, so that generations only grow.
        const uint64_t first = me * (PAGES / VPS) + (random >> 40) % (PAGES / VPS - 2),
                       pages = 1 + (random >> 50) % 2;
        uint64_t now[2] = {0};
        for (uint64_t i = 0; i < pages; i++) {
            now[i] = __atomic_add_fetch(&mapping[context][first + i], 1, __ATOMIC_SEQ_CST);
        }
        operand[0] = 0, operand[1] = round % 3 == 0, operand[2] = 0xF;
        if (round % 5 == 0) {
            hypercall(me, context, 0x02);
        } else {
            operand[3] = first << 12 | (pages - 1);
            hypercall(me, context, 0x100000003);
        }
        for (uint64_t i = 0; i < pages; i++) {
            __atomic_store_n(&flushed[context][first + i], now[i], __ATOMIC_SEQ_CST);
        }
        if (round % 7 == 0) {
            const uint32_t target = (uint32_t)(random >> 35) % VPS;
            operand[0] = VECTOR, operand[1] = UINT64_C(1) << target;
            cpu[me].sent[target]++;
            hypercall(me, context, 0x1000B);
        }
    }
    __atomic_store_n(&cpu[me].finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(int argc, char **argv)
{
    const struct pv_config config = {
        .offers = PV_OFFER_ALL, .gva_bits = 48, .rep_budget = 64, .max_vps = VPS, .gpa_bits = 40};
    if (argc > 1) {
        char *end;
        rounds = strtoul(argv[1], &end, 10);
        if (argc > 2 || rounds == 0 || *end != '\0' || argv[1][0] < '0' || argv[1][0] > '9') {
            fprintf(stderr, "torture: one argument is taken, the number of rounds, at least 1\n");
            return 2;
        }
    }
    pv_partition_init(&partition, &config, vps, VPS);
    pthread_t thread[VPS];
    for (uint64_t page = 0; page < PAGES; page++) {
        mapping[PV_CONTEXT_L1][page] = mapping[PV_CONTEXT_L2][page] = 1;
    }
    for (uint32_t i = 0; i < VPS; i++) {
        pv_partition_add_vp(&partition, i, i);
    }
    pv_msr_write(&partition, 0x40000000, 1);
    for (uintptr_t i = 0; i < VPS; i++) {
        pthread_create(&thread[i], NULL, vp_thread, (void *)i);
    }
    for (uint32_t i = 0; i < VPS; i++) {
        pthread_join(thread[i], NULL);
    }
    unsigned long lost = 0;
    for (uint32_t i = 0; i < VPS; i++) {
        uint64_t sent = 0;
        take_pending(i, PV_CONTEXT_L1);
        take_pending(i, PV_CONTEXT_L2);
        for (uint32_t from = 0; from < VPS; from++) {
            sent += cpu[from].sent[i];
        }
        lost += sent > 0 && (cpu[i].got == 0 || cpu[i].got > sent); // several may arrive as one
    }
    printf("torture: %lu hypercalls of each VP, %lu accesses in L1 and %lu in L2, %lu and %lu stale, "
           "interrupts lost at %lu VPs\n",
           rounds, accesses[PV_CONTEXT_L1], accesses[PV_CONTEXT_L2], stale[PV_CONTEXT_L1],
           stale[PV_CONTEXT_L2], lost);
    return stale[PV_CONTEXT_L1] == 0 && stale[PV_CONTEXT_L2] == 0 && lost == 0 ? 0 : 1;
}
