// SPDX-License-Identifier: BSD-2-Clause
// What the harness counts. Each pCPU counts for itself; the sums are made at the end.
#ifndef HARNESS_COUNT_H
#define HARNESS_COUNT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    COUNT_EXITS = 0xA0 + 2, // exit codes 0..0x9F, nested page fault, invalid state
    COUNT_EXIT_NPF = 0xA0,
    COUNT_EXIT_INVALID = 0xA1,
    COUNT_CALLS = 10,  // the nine calls of the core's table, and all others
    COUNT_STATUSES = 9 // 0..6, other, and #UD
};

enum count_event {
    EV_FLUSH_FULL,       // taken at an entry: everything
    EV_FLUSH_NONGLOBAL,  //   all but global
    EV_FLUSH_RANGES,     //   single pages
    EV_FLUSH_PAGES,      //   pages of those
    EV_FLUSH_DEFERRED,   // of these: asked while the VP was outside the guest
    EV_KICK,             // IPIs to a pCPU because of a VP that runs on it
    EV_WAIT,             // waits for a VP to leave the guest
    EV_CONTINUE,         // continuations of rep calls
    EV_WAKE,             // halted VPs made ready
    EV_HALT,             // VPs gone to sleep
    EV_SWITCH,           // a pCPU took up another VP
    EV_PREEMPT,          // a VP gave way at the end of its slice
    EV_YIELD,            // a VP gave way because it was spinning
    EV_IPI_HYPERCALL,    // vectors taken from the core
    EV_IPI_X2APIC,       // interrupt commands by x2APIC MSR
    EV_IPI_XAPIC,        //   by the memory-mapped register
    EV_IPI_HV_MSR,       //   by Hyper-V's ICR MSR
    EV_IPI_SELF,         //   to oneself
    EV_TIMER,            // virtual timer interrupts
    EV_INJECT,           // interrupts given to a VP
    EV_MMIO,             // emulated memory accesses
    EV_STALE_CODE,       // old translations of changed code that QEMU was made to forget
    EV_EOI_SPARED,       // interrupts whose end the guest told by the word in its memory
    EV_MARKED_PREEMPTED, // VPs that their steal time record says are preempted
    EV_FLUSH_PREEMPTED,  //   of these: were asked to flush there, and did at their next entry
    EV_UNHALT,           // KICK_CPU calls
    EV_NESTED_RUN,       // VMRUNs of L1s
    EV_NESTED_INVALID,   //   whose control block was not valid
    EV_NESTED_EXIT,      // exits of L2 given to L1
    EV_NESTED_FAULT,     //   of these: nested page faults by L1's own table
    EV_ROOT_HIT,         // roots of L2 that were still known at VMRUN
    EV_ROOT_MISS,        //   that were not
    EV_SHADOW_FILL,      // nested page faults that filled the shadow of L1's table
    EV_SHADOW_DROP,      // shadows that were dropped, because L1 flushed or the root went
    EV_DIRECT_FLUSH,     // L2's flush calls that L1 had us answer
    EV_COUNT
};

enum kvm_row { KVM_ROW_POLL, KVM_ROW_KICK, KVM_ROW_SEND_IPI, KVM_ROW_YIELD, KVM_ROW_OTHER, KVM_ROWS };

struct counters {
    uint64_t exits[COUNT_EXITS];
    uint64_t calls[COUNT_CALLS][COUNT_STATUSES];
    uint64_t kvm_calls[KVM_ROWS][2]; // answered, refused
    uint64_t events[EV_COUNT];
};

// A guest reads the low 32 bits of a count at these ports: an event's at COUNT_PORT_EVENTS + event, an exit reason's at
// COUNT_PORT_EXITS + row. False: there is no such count.
enum { COUNT_PORT_EVENTS = 0xF400, COUNT_PORT_EXITS = 0xF500 };
bool count_read(uint16_t port, uint32_t *value);

// The sum over all pCPUs.
void count_sum(struct counters *sum);

// Prints all counters: for people, and as one line of JSON that harness/run takes.
void count_print(void);

// The members of a JSON object, without its braces.
void count_print_json(const struct counters *sum);

#endif
