// SPDX-License-Identifier: BSD-2-Clause
// What happened when: a ring of records for each pCPU, kept when the option trace=1 is given and printed at the end.
// harness/trace-json makes a Chrome trace of it, which Perfetto shows as a time line for each VP.
#ifndef HARNESS_TRACE_H
#define HARNESS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum trace_event {
    TRACE_ENTER = 'g', // a VP goes into the guest
    TRACE_EXIT = 'x',  //   and comes out: exit code
    TRACE_CALL = 'c',  // a hypercall begins: input value
    TRACE_DONE = 'd',  //   and ends: result value
    TRACE_KICK = 'k',  // the VP `argument` is called out of the guest
    TRACE_WAIT = 'w',  // the caller waits for the VP `argument`
    TRACE_ACK = 'a',   //   which has now been outside
    TRACE_TAKE = 't',  // a VP takes the flushes that were asked of it: PV_FLUSH_* bits
    TRACE_WAKE = 'u',  // the sleeping VP `argument` is made ready
    TRACE_SLEEP = 's', // a VP goes to sleep
    TRACE_GIVE = 'y',  // a VP gives way to another
    TRACE_LOAD = 'l',  // a pCPU takes up a VP
    TRACE_INJECT = 'i' // an interrupt is given to the VP: vector
};

extern bool trace_on;

void trace_init(uint32_t pcpus);
void trace_record(enum trace_event event, uint32_t vp, uint64_t argument);
void trace_print(void);

static inline void trace(enum trace_event event, uint32_t vp, uint64_t argument)
{
    if (trace_on)
        trace_record(event, vp, argument);
}

#endif
