// SPDX-License-Identifier: BSD-2-Clause
// A test platform: a partition over a small guest memory, and a log of everything the core asks of its embedder.
// There is one machine; the tests are single-threaded.
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include "proviso.h"

enum {
    MACHINE_PAGES = 16, // guest memory: GPA 0 .. 0xFFFF
    MACHINE_BYTES = MACHINE_PAGES * 4096,
    MACHINE_EVENTS = 4 * PV_MAX_VPS
};

enum event_kind {
    EVENT_READ,
    EVENT_KICK,
    EVENT_WAIT,
    EVENT_WAKE,
    EVENT_YIELD,
    EVENT_NMI,
    EVENT_UNHALT,
    EVENT_YIELD_TO,
    EVENT_VMCB_READ,
    EVENT_KINDS
};

struct event {
    enum event_kind kind;
    uint32_t vp_index; // of the VP, for all but read and yield
    uint64_t gpa;      // for read
    uint32_t qwords;   // for read
};

struct machine {
    struct pv_partition partition;
    struct pv_scratch scratch;
    struct pv_vp *vps;     // PV_MAX_VPS of them
    uint64_t *memory;      // MACHINE_BYTES, in qwords; a guard zone stands on either side
    uint64_t memory_bytes; // bytes of it that are guest memory
    struct event event[MACHINE_EVENTS];
    uint32_t events;             // how many were logged
    uint32_t count[EVENT_KINDS]; // and of each kind
    void (*on_read)(void);       // a test's hook, run after each copy out of guest memory
};

extern struct machine machine;

// What the tests start from: everything offered, 48-bit addresses, a budget that no list reaches.
struct pv_config machine_config(void);

// An empty partition with this configuration; memory zeroed, log empty; the guest has said who it is.
void machine_reset(const struct pv_config *config);

// The default configuration with VPs 0 .. vps-1, at positions and with APIC ids that differ from the indices.
void machine_simple(uint32_t vps);

void machine_add(uint32_t vp_index, uint32_t apic_id);
struct pv_vp *machine_vp(uint32_t vp_index);
void machine_clear_log(void);
void machine_put(uint64_t gpa, uint64_t qword);

// A 64-bit CPL-0 caller with these registers, all others holding a pattern that must survive.
struct pv_call machine_caller(uint64_t control, uint64_t input, uint64_t output);

// Makes the call on VP context L1 and returns the result value; the test fails unless the call is done.
uint64_t machine_call(uint64_t control, uint64_t input, uint64_t output);

// True iff some translation of the VP is to be dropped before it runs / this vector waits for it.
bool machine_flush_pending(uint32_t vp_index, uint32_t context);
bool machine_vector_pending(uint32_t vp_index, uint32_t vector);

// How many VPs have a flush / this vector pending.
uint32_t machine_flushed(void);
uint32_t machine_interrupted(uint32_t vector);

static inline uint64_t status_of(uint64_t result)
{
    return result & 0xFFFF;
}
static inline uint64_t reps_of(uint64_t result)
{
    return (result >> 32) & 0xFFF;
}

// Control words.
static inline uint64_t control(uint64_t code, uint64_t var_qwords, uint64_t rep_count, uint64_t rep_start)
{
    return code | var_qwords << 17 | rep_count << 32 | rep_start << 48;
}
enum { FAST = 1 << 16 };

#endif
