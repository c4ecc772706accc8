// SPDX-License-Identifier: BSD-2-Clause
// What the bare-metal guests share: console, interrupts, x2APIC, hypercalls, other VPs, and the way out.
#ifndef GUEST_LIB_H
#define GUEST_LIB_H

#include <stdbool.h>
#include <stdint.h>
#include "../base/x86.h"

// A guest is one of these two functions; VP 0 comes through guest_main, the others through guest_ap. A VP's number is its
// place in ACPI's table of processors.
void guest_main(void);
void guest_ap(uint32_t vp);

void put(const char *format, ...) __attribute__((format(printf, 1, 2))); // %s %u %lx, as the harness's print
_Noreturn void success(void);
_Noreturn void failure(uint32_t code);   // 1..
void check(bool good, const char *what); // a line "ok: ..." or "FAIL: ..."
extern uint32_t failures, checks;

// Exceptions and interrupts
struct frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};
// Runs `body`; the vector of the exception that it raised, or -1. The rest of `body` is then skipped. `body` may do so again.
int catch_fault(void (*body)(void));
extern uint64_t caught_error;
// Called before an interrupt is counted and its end told; null: none
extern void (*on_interrupt)(uint32_t vector);
extern void (*on_breakpoint)(struct frame *); // takes the place of that for INT3; null: none
extern volatile uint32_t (*interrupts)[256];  // how often a vector came, by VP
void interrupts_on(void);
void interrupts_off(void);

// x2APIC
uint32_t my_id(void);
void ipi(uint32_t apic_id, uint32_t low); // ICR: destination, low half
void eoi(void);
// By VP: bit 0 of the word set spares the next EOI, and is cleared instead; null: none
enum { EOI_WORDS = 64 };
extern uint32_t *volatile eoi_words[EOI_WORDS];
extern volatile uint32_t eois_spared[EOI_WORDS];
void apic_on(void);

// The VPs of the machine (lib/vps.c)
extern uint32_t vp_total;
extern uint32_t *apic_ids; // by number
uint32_t me(void);         // this VP's number
void vps_find(void);
void *allocate(uint64_t size);     // zeroed memory behind the guest, a page aligned
void start_others(uint32_t count); // VPs 1..count-1 one by one; each is in guest_ap then
void start_all(void);              // all of them at once, by INIT and start-up IPI to all others

uint32_t option(const char *name, uint32_t otherwise);
uint32_t counted(uint16_t port); // a count of the harness (base/count.h)

// Hyper-V: GUEST_OS_ID and the hypercall page; then calls through the page.
void hyperv_on(void);
uint64_t hypercall(uint64_t input, uint64_t rdx, uint64_t r8);
extern uint64_t operands[512]; // page-aligned block for calls by memory

// A hypercall with all registers, from 64-bit or from 32-bit code (lib/call.S).
struct registers {
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, r8, xmm[12];
    uint64_t page; // what is called: the hypercall page, or raw_call, the instruction alone
};
void call_64(struct registers *r);
void call_32(struct registers *r);
extern const uint8_t raw_call[];

// Runs `body` at CPL 3; it must end in an exception, whose vector is returned.
int catch_fault_as_user(void (*body)(void));

// Page tables of start.S: identity, 2 MiB pages
extern uint64_t pml4[512], pdpt[512], pd[4][512], gdt[];
static inline void invlpg(uint64_t at)
{
    __asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
}

#endif
