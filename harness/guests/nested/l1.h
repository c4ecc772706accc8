// SPDX-License-Identifier: BSD-2-Clause
// A small hypervisor: L1. Its guests run in its own address space, from one function to the next VMMCALL or other exit.
#ifndef GUEST_L1_H
#define GUEST_L1_H

#include "../lib.h"
#include "../../svm/vmcb.h"

extern struct pv_vmcb block[2]; // control blocks of two L2s
extern uint8_t io_map[3 * PAGE], msr_map[2 * PAGE];
extern uint64_t nested_root[2][512], nested_pdpt[2][512], nested_pd[2][4][512]; // identity, 2 MiB pages
extern uint64_t nested_pt[2][512]; // for the 2 MiB page of `window` when a step asks for it
extern uint8_t window[4 * PAGE]
    __attribute__((aligned(2 * 1024 * 1024))); // pages that nested tables move about
extern bool on_proviso; // else QEMU alone, whose outcomes differ in places that are told

// SVM on, nested tables as identity maps.
void l1_on(void);

// A fresh control block for L2 number `n` in 64-bit mode, that starts at `entry`: nothing intercepted but VMRUN, VMMCALL and shutdown.
void l2_fresh(uint32_t n, void (*entry)(void));

// Runs it; its exit code. GIF is set again afterwards unless `keep_gif` is.
uint64_t l2_run(uint32_t n);
extern bool keep_gif;
extern uint64_t l2_gpr[2][16]; // numbered as the processor does; RAX and RSP are the control block's

// A fresh L2 whose exceptions all end it: one that nobody expects is seen as an exit, not as the end of all.
static inline void l2_watched(uint32_t n, void (*entry)(void))
{
    l2_fresh(n, entry);
    block[n].exception_intercepts = 0xFFFFFFFB; // vector 2 is no exception
}

// Where L2's interrupt table leads when it is l2_gates: a VMMCALL for each vector, with this on the stack (gates.S).
struct l2_frame {
    uint64_t vector, error, rip, cs, rflags, rsp, ss; // error: 0 where there is none
};
void l2_gates(uint32_t n);
const struct l2_frame *l2_frame(uint32_t n); // null: L2 was not ended by a gate

// Runs `step`; a fault of L1 itself in it is a failure, and the next step goes on.
void attempt(const char *name, void (*step)(void));

// As check, and how L2 ended when it is not as it should be.
void expect(bool good, const char *what);

// The words "a: b", until the next call.
const char *joined(const char *a, const char *b);

// A step that this machine cannot show, and why.
void skip(const char *what, const char *why);
extern uint32_t skipped;

// Linear addresses of L1 and of L2s in L1's tables that lead to pages of `window`, and their entries.
#define LINEAR 0x8000000000ull
uint64_t *linear_entry(uint32_t page);

// L1's APIC: in x2APIC mode, or in memory on QEMU alone.
void l1_apic_on(void);
void apic_write(uint32_t reg, uint32_t value); // numbered as in x2APIC mode
uint32_t apic_read(uint32_t reg);
void self_ipi(uint32_t vector);
void self_nmi(void);
uint32_t came(uint32_t vector); // how often L1 has taken it

// The 4 KiB nested entry of a page of `window`.
uint64_t *window_entry(uint32_t n, uint32_t page);

static inline void vmmcall(void)
{
    __asm__ volatile("vmmcall" : : : "memory");
}

void steps_exits(void);
void steps_events(void);
void steps_virtual(void);
void steps_interrupts(void);
void steps_order(void);
void steps_priority(void);
void steps_memory(void);
void steps_tables(void);
void steps_invalid(void);
void steps_modes(void);
void steps_instructions(void);
void steps_intercepts(void);
void steps_maps(void);
void steps_flushes(void);
void steps_state(void);
void steps_below(void);
void steps_raised(void);
void steps_others(void);
void steps_narrow(void);
void steps_direct(void);
void others_start(uint32_t vp); // another VP is there

#endif
