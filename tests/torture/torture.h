// SPDX-License-Identifier: BSD-2-Clause
// The torture run: threads play physical CPUs, on which an embedder (embedder.c) runs more VPs than there are. Each VP
// executes a random guest (guest.c) through the TLB of the pCPU it is on (tlb.c); a timer stops threads at any
// instruction (preempt.c). All that two threads touch is atomic or under the scheduler's lock.
#ifndef TORTURE_H
#define TORTURE_H

#include "proviso.h"

#include <stdio.h>

enum {
    MAX_PCPUS = 64,
    MAX_VPS = 112,   // each has two vectors
    PAGES = 64,      // of a guest's address space, in each context; every eighth is global
    TAGS = 3,        // address space tags of a pCPU's TLB
    ENTRIES_MAX = 20 // of a flush list: more than a queue holds
};

// What the embedder does wrong, on purpose.
enum fault {
    FAULT_NONE,
    FAULT_NO_WAIT,
    FAULT_NO_KICK,
    FAULT_DROP,
    FAULT_RUN_LATE,
    FAULT_STOP_EARLY,
    FAULT_STOP_LATE,
    FAULT_NO_WAKE,
    FAULT_SLEEP_BLIND,
    FAULT_STALE_TAG,
    FAULT_OTHER_CONTEXT,
    FAULTS
};

// Of one pCPU; all fields are of one type, and summed (main.c). `named`: VPs named by flushes, each time that the core
// told them; `asked`: those of them that were kicked.
struct count {
    uint64_t calls, continued, kicks, waits, wakes, entries, cancelled, migrations, kept, preemptions, stops;
    uint64_t named, asked, flushes, reads, vectors, sleeps;
    uint64_t stale, late, spurious, deadlocks; // what must not happen
};

struct options {
    uint64_t seed, calls;
    uint32_t pcpus, vps, seconds;
    enum fault fault;
};
extern struct options options;

enum state { READY, RUNNING, ASLEEP };
enum reason { STAY, LEAVE, MAKE_CALL, HALT, SWITCH }; // why a guest leaves, if it does

// An interrupt that a VP sends to another: at most one of each kind is under way between two VPs, so that none can
// hide behind another. REQUEST may want a REPLY.
enum kind { REQUEST, REPLY, KINDS };
enum { NONE_UNDER_WAY, UNDER_WAY, WANTS_REPLY };

// The guest's side of one VP. Others raise `floor` and `accepted`, and set `under_way`.
struct guest {
    uint64_t random;
    uint64_t calls_left;
    uint32_t floor[PV_CONTEXTS][PAGES]; // no older mapping of a page may be used any more
    uint64_t accepted;                  // interrupts for this VP whose call has returned
    uint64_t delivered, excused;        // ...that came, and whose being late was told
    uint32_t under_way[KINDS][MAX_VPS]; // from that VP, by NONE_UNDER_WAY ..
    bool owes[MAX_VPS];                 // that VP gets a reply
    uint32_t waits_for, patience;       // replies to come; steps to spin before halting
    // The call in progress.
    bool in_call, flushes;
    struct pv_call call;
    bool target[MAX_VPS];
    uint32_t changed[PAGES];                            // new generation of the pages that it flushes, or 0
    _Alignas(4096) uint64_t operand[PV_OPERAND_QWORDS]; // GPA 0x1000 times the VP's place
};

struct vp {
    struct pv_vp *core;
    struct vp *next_ready;
    uint32_t index;   // place in the array
    uint32_t state;   // enum state
    uint32_t pcpu;    // where it runs or ran
    uint32_t calling; // it is in a hypercall
    uint32_t context;
    uint64_t irr[4];               // vectors taken and not yet delivered
    uint64_t flushed[PV_CONTEXTS]; // counts flushes, wherever they were done
    struct guest guest;
};

struct tag {
    struct vp *owner;
    uint64_t flushed[PV_CONTEXTS];           // the owner's count, up to which its flushes were done here
    uint32_t generation[PV_CONTEXTS][PAGES]; // 0: not cached
};

struct pcpu {
    _Alignas(64) uint32_t kicked;
    uint32_t index;
    uint64_t random, preempt_random;
    bool yield, flushing; // the VP gives way after its call; its call flushes
    struct tag *tag;      // of the VP that is loaded
    uint32_t next_tag;
    struct tag tags[TAGS];
    struct pv_scratch scratch;
    struct count count;
};

extern struct pv_partition partition;
extern struct vp vps[MAX_VPS];
extern struct pcpu pcpus[MAX_PCPUS];
extern uint32_t stopping; // no guest begins a new call of its own
extern __thread struct pcpu *this_pcpu;

uint64_t draw(uint64_t *random);                // 64 random bits
bool chance(uint64_t *random, unsigned one_in); // true once in so many times
uint32_t index_of(uint32_t vp);                 // VP index: every other VP is not in bank 0

// guest.c
enum reason guest_step(struct vp *vp, struct pcpu *me); // one instruction
void guest_interrupt(struct vp *vp, struct pcpu *me, uint32_t vector);
void guest_returned(struct vp *vp);       // its call has returned
bool guest_finished(const struct vp *vp); // nothing is left to do or to wait for

// tlb.c
void tlb_load(struct vp *vp, struct pcpu *me); // the VP comes to this pCPU
void tlb_flush(struct vp *vp, struct pcpu *me, uint32_t context, const struct pv_work *work);
uint32_t tlb_read(struct pcpu *me, uint32_t context, uint32_t page);
uint32_t page_change(uint32_t context, uint32_t page); // maps it anew; its generation
bool page_global(uint32_t page);
void pages_prepare(void);

// embedder.c
void enqueue(struct vp *vp);
void *pcpu_run(void *pcpu); // until all VPs sleep

// preempt.c
void preempt_start(struct pcpu *me);
void preempt_perhaps(struct pcpu *me); // others run here, sometimes
void preempt_end(void);

#endif
