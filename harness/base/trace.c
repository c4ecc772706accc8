// SPDX-License-Identifier: BSD-2-Clause
#include "x86.h"
#include "trace.h"
#include "lapic.h"
#include "log.h"
#include "memory.h"
#include "pcpu.h"

enum { RECORDS = 16384 }; // a power of two

struct record {
    uint64_t tsc, argument;
    uint32_t vp;
    uint32_t event;
};

bool trace_on;
static struct record *rings[MAX_PCPUS];
static uint64_t written[MAX_PCPUS];
static uint64_t began;

void trace_init(uint32_t pcpus_used)
{
    for (uint32_t i = 0; i < pcpus_used; i++)
        rings[i] = memory_aligned(sizeof(struct record) * RECORDS, 64);
    began = rdtsc();
    trace_on = true;
}

void trace_record(enum trace_event event, uint32_t vp, uint64_t argument)
{
    uint32_t me = this_pcpu()->index;
    rings[me][written[me]++ % RECORDS] = (struct record){rdtsc(), argument, vp, (uint32_t)event};
}

void trace_print(void)
{
    if (!trace_on)
        return;
    trace_on = false;
    for (uint32_t i = 0; i < pcpu_count; i++) {
        uint64_t n = written[i] < RECORDS ? written[i] : RECORDS;
        for (uint64_t k = written[i] - n; k < written[i]; k++) {
            const struct record *r = &rings[i][k % RECORDS];
            print("@t %lu %u %u %c %lx\n", tsc_to_us((r->tsc - began) * 10), i, r->vp, (int)r->event,
                  r->argument);
        }
    }
}
