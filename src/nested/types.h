// SPDX-License-Identifier: BSD-2-Clause
// Nested virtualization: the state of a VP that is itself a hypervisor. L0 is we, L1 the hypervisor in the VP, L2 its
// guest. All of it belongs to the VP's own pCPU of the moment; no other VP looks at it.
#ifndef PV_NESTED_TYPES_H
#define PV_NESTED_TYPES_H

#include "../types.h"

#ifndef PV_ROOTS
#    define PV_ROOTS 4 // roots that each MMU context remembers, the current one included
#endif

// The two MMU contexts of a VP. ROOT: L1 runs, or an L2 without nested paging of its own; the processor uses
// the partition's nested table. GUEST: an L2 whose nested table is L1's; the processor uses our shadow of it.
enum { PV_MMU_ROOT = 0, PV_MMU_GUEST = 1, PV_MMUS = 2 };

// The role word: how the tables under a root are read. A bit that is not named is 0.
enum {
    PV_ROLE_VALID = 1 << 0,      // so that the word of an empty slot matches nothing
    PV_ROLE_GUEST_MODE = 1 << 1, // the root is one of L2's
    PV_ROLE_DIRECT = 1 << 2,     // the partition's own nested table; there is no table of L1's under it
    PV_ROLE_LONG = 1 << 3,       // L1 was in long mode: four levels of 64-bit entries
    PV_ROLE_PAE = 1 << 4,        // L1's CR4.PAE: 64-bit entries
    PV_ROLE_NX = 1 << 5,         // L1's EFER.NXE: bit 63 of an entry means something
    PV_ROLE_PSE = 1 << 6         // L1's CR4.PSE: large pages in 32-bit tables
};

// What must happen before the next use of a root.
enum {
    PV_SYNC_TABLES = 1, // its shadow tables are dropped
    PV_SYNC_TAG = 2     // its TLB tag is flushed
};

// One remembered root.
struct pv_root {
    uint64_t pgd;   // nCR3 as L1 gave it; 0 for a direct root
    uint32_t role;  // PV_ROLE_*; 0: the slot is empty
    uint32_t vasid; // L1's name for the tag under which it was used last
    uint32_t sync;  // PV_SYNC_*
    uint64_t used;  // the context's clock at its last use
};

// A context's roots. The slot is also the number of the root's table page in the pool, and of its TLB tag: so each page and each
// tag is some root's, and no two share one, whatever happens.
struct pv_mmu {
    struct pv_root root[PV_ROOTS];
    uint64_t clock;   // counts uses
    uint32_t current; // the slot in use
    uint32_t reserved;
};

// The part of a nested VP's state that says whose translations are in use.
struct pv_nested {
    struct pv_mmu mmu[PV_MMUS];
    uint32_t guest_mode; // 1: L2 runs
    uint32_t np;         // 1: L2 has a nested table of L1's (meaningful in guest mode)
};

// A frame of the machine that the embedder grants at an L1 guest physical address.
struct pv_frame {
    uint64_t hpa;    // of the frame's first byte
    uint32_t shift;  // 12, 21 or 30
    uint32_t rights; // PV_RIGHT_*
};
enum { PV_RIGHT_READ = 1, PV_RIGHT_WRITE = 2, PV_RIGHT_EXECUTE = 4, PV_RIGHT_ALL = 7 };

// A nested page fault as the processor would tell it (APM vol. 2, 15.25.6).
struct pv_nested_fault {
    uint64_t info1, info2;
};

#endif
