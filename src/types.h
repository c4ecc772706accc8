// SPDX-License-Identifier: BSD-2-Clause
// The structures of the core. All of them belong to the embedder, which allocates them; the core never allocates.
#ifndef PV_TYPES_H
#define PV_TYPES_H

#include <stdbool.h>
#include <stdint.h>

// The core is compiled as one file (proviso.c), where its inner functions melt into the calls that use them. Compiled
// file by file, as provers, sanitizers and coverage like it, they are functions like any other.
#ifdef PV_ONE_FILE
#    define PV_INNER  static inline __attribute__((always_inline))
#    define PV_HELPER static inline __attribute__((always_inline))
#    define PV_CLONED static __attribute__((noinline))
#    define PV_RARE   static __attribute__((noinline, cold))
#else
#    define PV_INNER
#    define PV_HELPER static
#    define PV_CLONED static
#    define PV_RARE   static
#endif

enum {
    PV_MAX_VPS = 4096,       // VP indices are 0..4095: 64 banks of 64 (VS-SIZE-1)
    PV_BANKS = 64,           // banks of a VP set
    PV_BANK_VPS = 64,        // VPs of a bank
    PV_QUEUE_RANGES = 16,    // page ranges a VP's flush queue holds before it becomes a full flush (FQ-CAP-1)
    PV_OPERAND_QWORDS = 512, // the largest operand block: one page (HC-PAGE-1)
    PV_XMM_QWORDS = 12       // XMM0..XMM5 as qwords, low half first (HC-XMM-1)
};

// A set of VP indices: bit b of `banks` says that word[b] counts; a word whose bit is clear is not looked at.
// So a walk costs O(banks in use + members), and clearing a set is one store.
struct pv_vp_set {
    uint64_t banks;
    uint64_t word[PV_BANKS];
};

// Page ranges: pages first[i] .. first[i]+pages[i]-1 for i < count. A page number is a GVA shifted right by 12.
// overflow != 0: the ranges do not say everything, all pages are meant.
struct pv_ranges {
    uint64_t first[PV_QUEUE_RANGES];
    uint32_t pages[PV_QUEUE_RANGES];
    uint32_t count;
    uint32_t overflow;
};

// What a VP must flush, told by pv_vp_take (bits; 0: nothing).
enum {
    PV_FLUSH_FULL = 1,      // every translation, global ones too
    PV_FLUSH_NONGLOBAL = 2, // every translation that is not global
    PV_FLUSH_RANGES = 4,    // the pages of the ranges, global or not
    PV_FLUSH_NESTED = 8     // and what was derived from the nested tables of L1 (never without PV_FLUSH_FULL)
};

// The two translation contexts of a VP: its own, and that of the guest it runs when it is a nested hypervisor.
enum { PV_CONTEXT_L1 = 0, PV_CONTEXT_L2 = 1, PV_CONTEXTS = 2 };

// State of one virtual processor: exactly 512 bytes. The embedder aligns the array to 64 bytes, so that no two VPs
// share a cache line; nothing but speed rests on it. VP index (name in VP sets), APIC id (name on the bus) and
// position (place in the embedder's array) are three different numbers.
struct pv_vp {
    uint32_t run;               // odd while the VP is in the guest; each change adds one (PR-RUN-1)
    uint32_t mark[PV_CONTEXTS]; // PV_FLUSH_* bits asked of each context
    uint32_t lock[PV_CONTEXTS]; // spin lock of each queue
    uint32_t vp_index;          // 0..4095
    uint32_t apic_id;           // the virtual APIC's id
    uint32_t apic_enabled;      // 0: the APIC is disabled by software, fixed interrupts are lost (IPI-APIC-1)
    uint64_t vector[4];         // vectors posted and not yet taken, bit v%64 of word v/64
    struct pv_ranges queue[PV_CONTEXTS];
    uint64_t l2_vm;       // the L2 that the VP has loaded, as L1 names it: its VM (NE-LOAD-1)
    uint32_t l2_vp;       // ...and its VP
    uint32_t l2_named;    // 0: none, or one that has no name
    uint64_t reserved[4]; // fills the 512 bytes; zero
};

// What a partition offers (bits of pv_config.offers). Bits 0..6, 11 and 12 are the calls, in the order of the call table.
enum {
    PV_OFFER_FLUSH_SPACE = 1 << 0,     // 0x0002
    PV_OFFER_FLUSH_LIST = 1 << 1,      // 0x0003
    PV_OFFER_LONG_SPIN_WAIT = 1 << 2,  // 0x0008
    PV_OFFER_CLUSTER_IPI = 1 << 3,     // 0x000B
    PV_OFFER_FLUSH_SPACE_EX = 1 << 4,  // 0x0013, with PV_OFFER_EX_MASKS
    PV_OFFER_FLUSH_LIST_EX = 1 << 5,   // 0x0014, with PV_OFFER_EX_MASKS
    PV_OFFER_CLUSTER_IPI_EX = 1 << 6,  // 0x0015, with PV_OFFER_EX_MASKS
    PV_OFFER_EX_MASKS = 1 << 7,        // CPUID 0x40000004 EAX bit 11: the Ex calls exist
    PV_OFFER_XMM_INPUT = 1 << 8,       // CPUID 0x40000003 EDX bit 4
    PV_OFFER_EXTENDED_RANGES = 1 << 9, // CPUID 0x40000003 EDX bit 14
    PV_OFFER_HYPERCALL_LOCK = 1 << 10, // CPUID 0x40000003 EDX bit 18
    PV_OFFER_ALL = (1 << 11) - 1,      // all of the above: what needs no nested virtualization

    PV_OFFER_FLUSH_GPA_SPACE = 1 << 11, // 0x00AF, with PV_OFFER_NESTING
    PV_OFFER_FLUSH_GPA_LIST = 1 << 12,  // 0x00B0, with PV_OFFER_NESTING
    PV_OFFER_NESTING = 1 << 13,         // CPUID leaf 0x4000000A exists
    PV_OFFER_DIRECT_FLUSH = 1 << 14,    // leaf 0x4000000A EAX bit 17
    PV_OFFER_MSR_BITMAP = 1 << 15,      // leaf 0x4000000A EAX bit 19
    PV_OFFER_NPT_TLB = 1 << 16,         // leaf 0x4000000A EAX bit 22
    PV_OFFER_EVERY = (1 << 17) - 1
};

// What the embedder decides about a partition, once, before its first VP runs.
struct pv_config {
    uint32_t offers;     // PV_OFFER_* bits
    uint32_t gva_bits;   // width of a guest virtual address: 48 or 57
    uint32_t rep_budget; // list elements served in one entry, at least 1; the rest by continuation (HC-CONT-1)
    uint32_t max_vps;    // CPUID 0x40000005 EAX: the most VPs this partition may have, 1..4096
    uint32_t gpa_bits;   // width of a guest physical address: 32..52; bounds the hypercall page
    uint32_t privileges; // CPUID 0x40000003 EAX bits served by the embedder itself, beside those of the core
    uint32_t features;   // CPUID 0x40000003 EDX bits served by the embedder itself, beside those of the core
    uint32_t hints;      // CPUID 0x40000004 EAX bits: recommendations
    uint32_t spin_count; // CPUID 0x40000004 EBX; 0xFFFFFFFF: never notify
};

// A partition: configuration, the set-up MSRs that all its VPs share, and its VPs.
struct pv_partition {
    struct pv_config config;
    uint64_t guest_os_id;          // MSR 0x40000000
    uint64_t hypercall_msr;        // MSR 0x40000001
    uint32_t vp_count;             // VPs in use in the array
    uint32_t vp_capacity;          // length of the array
    struct pv_vp_set present;      // the VP indices that exist
    uint16_t position[PV_MAX_VPS]; // VP index -> place in `vps`, meaningful for the members of `present`
    struct pv_vp *vps;
};

// The calling VP's registers and mode, as they stood at the hypercall instruction. The core changes only what
// the interface says: the result register, and for a continuation the input value.
struct pv_call {
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, r8;
    uint64_t xmm[PV_XMM_QWORDS]; // need hold the XMM registers only if XMM input is offered
    uint32_t cpl;                // 0..3
    uint32_t protected_mode;     // CR0.PE
    uint32_t long_mode;          // EFER.LMA and CS.L: a 64-bit caller
};

// What the embedder does after pv_hypercall.
enum pv_outcome {
    PV_DONE = 0,     // advance RIP past the instruction (3 bytes) and go on
    PV_CONTINUE = 1, // leave RIP, take pending interrupts, run the guest: it executes the instruction again
    PV_FAULT_UD = 2  // inject #UD at the instruction; no register changed
};

// Working memory of one call in progress, one per physical CPU; its content means nothing between calls.
struct pv_scratch {
    uint64_t operand[PV_OPERAND_QWORDS]; // the only copy of the caller's operands that is ever looked at
    struct pv_vp_set targets;
    struct pv_vp_set kicked;
    struct pv_ranges ask; // the pages of the call's list
};

// What a VP does before it runs its next guest instruction (pv_vp_take).
struct pv_work {
    uint32_t flush; // PV_FLUSH_* bits
    uint32_t reserved;
    struct pv_ranges ranges; // the pages, if flush has PV_FLUSH_RANGES and not PV_FLUSH_FULL
    uint64_t vector[4];      // interrupts to deliver
};

// The four registers of a CPUID leaf.
struct pv_cpuid {
    uint32_t eax, ebx, ecx, edx;
};

// How an access to an MSR ends.
enum pv_msr_result {
    PV_MSR_DONE = 0,      // carried out, or for pv_kvm_msr_check: legal
    PV_MSR_FAULT_GP = 1,  // inject #GP(0); nothing changed
    PV_MSR_UNKNOWN = 2,   // not one of the core's MSRs
    PV_MSR_DONE_PAGE = 3, // carried out, and the hypercall page may have moved: see pv_hypercall_page
};

// ---- the KVM persona ------------------------------------------------------------------------------------------

// What it offers: bits of CPUID leaf base+1, EAX (KV-FEAT-1).
enum {
    PV_KVM_CLOCKSOURCE = 1 << 0,         // MSRs 0x11 and 0x12
    PV_KVM_NOP_IO_DELAY = 1 << 1,        // port delays are not needed
    PV_KVM_CLOCKSOURCE2 = 1 << 3,        // MSRs 0x4B564D00 and 0x4B564D01
    PV_KVM_STEAL_TIME = 1 << 5,          // MSR 0x4B564D03
    PV_KVM_PV_EOI = 1 << 6,              // MSR 0x4B564D04
    PV_KVM_PV_UNHALT = 1 << 7,           // call 5, KICK_CPU
    PV_KVM_PV_TLB_FLUSH = 1 << 9,        // bit 1 of the preempted byte; wants PV_KVM_STEAL_TIME
    PV_KVM_PV_SEND_IPI = 1 << 11,        // call 10, SEND_IPI
    PV_KVM_PV_SCHED_YIELD = 1 << 13,     // call 11, SCHED_YIELD
    PV_KVM_MSI_EXT_DEST_ID = 1 << 15,    // MSI addresses hold APIC ids of 15 bits
    PV_KVM_CLOCKSOURCE_STABLE = 1 << 24, // the clock record's flag "stable" means something
};

enum {
    PV_APIC_IDS = 32768, // APIC ids of the KVM persona are 0..32767
    PV_NO_PLACE = 0xFFFF // in pv_kvm.place: no VP has this APIC id
};

// The KVM persona of a partition. It never changes after pv_kvm_init, and holds while no VP is added.
struct pv_kvm {
    uint32_t base;     // CPUID leaf of the signature: 0x40000000, or 0x40000100 behind the Hyper-V leaves
    uint32_t features; // PV_KVM_* bits offered
    uint32_t hints;    // CPUID leaf base+1, EDX
    uint32_t ids;      // length of `place`: 1..PV_APIC_IDS
    uint16_t *place;   // APIC id -> place in the partition's array of VPs; PV_NO_PLACE: no such VP
};

#endif
