// SPDX-License-Identifier: BSD-2-Clause
// A physical processor: its stack finds its structure. FS, GS and TR hold guest values while a VP is loaded
// (VMRUN does not switch them, APM vol. 2, 15.5), so the host uses none of them.
#ifndef HARNESS_PCPU_H
#define HARNESS_PCPU_H

#include "../../src/types.h"
#include "count.h"

struct vp;
enum { STACK_SIZE = 32768, MAX_PCPUS = 64 };

struct pcpu {
    uint32_t index;
    uint32_t apic_id;
    uint32_t alive;
    struct vp *loaded;         // the VP whose registers the processor holds, or null
    uint64_t host_save_pa;     // host save area of VMRUN
    uint64_t slice_end;        // TSC at which the running VP gives way if another one is ready
    uint64_t timer_set;        // TSC for which the local timer is programmed; ~0 when it is not
    uint64_t first_timer;      // the first virtual timer that it watches; ~0: none
    uint32_t next_asid;        // ASIDs given out in this generation
    uint64_t asid_owner;       // who gives them out: this pCPU (63:48), in this generation
    uint64_t npt_generation;   // nested-table generation that this pCPU has flushed for
    struct pv_scratch scratch; // one core call at a time on a pCPU
    struct counters count;
};

extern struct pcpu *pcpus[MAX_PCPUS];
extern uint32_t pcpu_count;

static inline struct pcpu *this_pcpu(void)
{
    uintptr_t sp;
    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
    return *(struct pcpu **)(sp & ~((uintptr_t)STACK_SIZE - 1));
}

// Makes the structure of the first processor, on the boot stack.
void pcpu_init_boot(void);

// Lets the others into the run loop, once the guest is ready.
void pcpu_release_others(void);

// Starts processors 1..count-1. False when one does not answer.
bool pcpu_start_others(uint32_t count);

#endif
