// SPDX-License-Identifier: BSD-2-Clause
// Hyper-V's enlightenments for a hypervisor: L2's own flush calls, which L0 answers for L1 when L1 wants it; the map of MSRs, which L0
// need not read again while L1 says that it is as it was.
#include "l1.h"

enum {
    LEAF = 0x4000000A,
    DIRECT = 1 << 17,
    BITMAP = 1 << 19,
    MSR_ASSIST = 0x40000073,
    FEATURES = 32 / 4, // dword of the VP assist page
    WANTS_FLUSH = 1,
    WANTS_BITMAP = 2
};
#define CLEAN_HYPERV (1u << 31)
#define EXIT_FLUSHED 0xF0000000ull

static uint32_t vp_assist[1024] __attribute__((aligned(4096)));
static uint64_t partition_assist[512] __attribute__((aligned(4096)));
static volatile uint64_t answer, input, operand;

// HvCallFlushVirtualAddressSpace for all VPs and spaces, with operands in registers; then CPUID, which L1 sees.
static void l2_flushes(void)
{
    uint64_t rax, rcx = 0x10002, rdx = 0;
    register uint64_t r8 __asm__("r8") = 3;
    __asm__ volatile("vmmcall" : "=a"(rax), "+c"(rcx), "+d"(rdx), "+r"(r8) : : "memory");
    answer = rax;
    cpuid(0, 0);
}

// Any call, its operands in memory.
static void l2_calls(void)
{
    uint64_t rax, rcx = input, rdx = operand;
    register uint64_t r8 __asm__("r8") = 0;
    __asm__ volatile("vmmcall" : "=a"(rax), "+c"(rcx), "+d"(rdx), "+r"(r8) : : "memory");
    answer = rax;
    cpuid(0, 0);
}

static void l2_star(void)
{
    rdmsr(MSR_STAR);
    vmmcall();
}

static uint64_t *area(void)
{
    return (uint64_t *)(void *)((char *)&block[0] + 0x3E0);
}

static void fresh(void (*entry)(void), uint64_t wants)
{
    l2_watched(0, entry);
    block[0].intercepts3 |= I3_CPUID;
    area()[0] = wants | 5ull << 32;
    area()[1] = 77;
    area()[2] = (uintptr_t)partition_assist;
    answer = ~0ull;
}

static void on(uint32_t features, uint64_t lock)
{
    hyperv_on();
    vp_assist[FEATURES] = features;
    wrmsr(MSR_ASSIST, (uintptr_t)vp_assist | 1);
    partition_assist[0] = lock;
}

static void step_direct(void)
{
    on(1, 0);
    fresh(l2_flushes, WANTS_FLUSH);
    expect(l2_run(0) == EXIT_CPUID && answer == 0, "L2's flush is answered without L1 (NE-DIRECT-1)");
    partition_assist[0] = 1;
    fresh(l2_flushes, WANTS_FLUSH);
    uint64_t entry = block[0].rip;
    expect(l2_run(0) == EXIT_FLUSHED && block[0].exit_info1 == 1 && block[0].exit_info2 == 0 &&
               block[0].rip > entry && block[0].rax == 0 && answer == ~0ull,
           "L1 holds the lock: it hears of the flush, which is done (NE-EXIT-1)");
    expect(l2_run(0) == EXIT_CPUID && answer == 0, "and L2 goes on behind its call");
    partition_assist[0] = 1ull << 32;
    fresh(l2_flushes, WANTS_FLUSH);
    expect(l2_run(0) == EXIT_CPUID && answer == 0, "the lock is the lower half alone (NE-LOCK-1)");
    fresh(l2_flushes, WANTS_FLUSH);
    area()[2] = 1ull << 45;
    expect(l2_run(0) == EXIT_CPUID && (answer & 0xFFFF) == 3, "the lock's page is not in memory: status 3");
}

static void step_refused(void)
{
    on(0, 0);
    fresh(l2_flushes, WANTS_FLUSH);
    expect(l2_run(0) == EXIT_VMMCALL, "not wanted by the VP assist page: L1 answers");
    on(1, 0);
    fresh(l2_flushes, 0);
    expect(l2_run(0) == EXIT_VMMCALL, "not wanted for this L2: L1 answers");
    fresh(l2_flushes, WANTS_FLUSH);
    area()[2] += 8;
    expect(l2_run(0) == EXIT_VMMCALL, "a partition assist page that is none: L1 answers");
    fresh(l2_calls, WANTS_FLUSH);
    input = 0x10008;
    expect(l2_run(0) == EXIT_VMMCALL, "another call than a flush: L1 answers");
}

// L2's address of the operands is translated by L1's nested table.
static void step_operands(void)
{
    on(1, 0);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t *at = (uint64_t *)(void *)(window + (1 + i) * PAGE);
        at[0] = 0;
        at[1] = i == 0 ? 3 : 0x100; // flags: all VPs and spaces; and such as are none
        at[2] = 0;
        fresh(l2_calls, WANTS_FLUSH);
        *window_entry(0, 3) = (uintptr_t)at | 7;
        block[0].nested_cr3 = (uintptr_t)nested_root[0];
        block[0].tlb_control = 1;
        input = 0x2;
        operand = (uintptr_t)window + 3 * PAGE;
        expect(l2_run(0) == EXIT_CPUID && (answer & 0xFFFF) == (i == 0 ? 0 : 5),
               i == 0 ? "operands lie where L1's nested table says"
                      : "the same page moved: other operands, status 5");
    }
    *window_entry(0, 3) = 0;
    fresh(l2_calls, WANTS_FLUSH);
    block[0].tlb_control = 1;
    expect(l2_run(0) == EXIT_CPUID && (answer & 0xFFFF) == 3, "L1's nested table has no such page: status 3");
    *window_entry(0, 3) = ((uintptr_t)window + 3 * PAGE) | 7;
}

// The bit for reads of STAR in L1's map.
static uint64_t star_exits(bool opened, uint32_t clean)
{
    uint8_t *byte = &msr_map[0x800 + (0x81 * 2) / 8];
    const uint8_t bit = 1 << (0x81 * 2 % 8);
    *byte = (uint8_t)(opened ? *byte & ~bit : *byte | bit);
    l2_watched(0, l2_star);
    block[0].intercepts3 |= I3_MSR;
    area()[0] = WANTS_BITMAP;
    block[0].clean = clean;
    return l2_run(0);
}

static void step_bitmap(void)
{
    hyperv_on();
    expect(star_exits(true, 0) == EXIT_VMMCALL, "L1's map of MSRs lets STAR pass");
    expect(star_exits(false, 0) == EXIT_MSR, "it does not any more, and L1 says that it has changed");
    expect(star_exits(true, 0) == EXIT_VMMCALL, "and back (NE-BITMAP-1)");
    expect(star_exits(false, CLEAN_HYPERV) == EXIT_VMMCALL, "a change that L1 keeps quiet is not looked for");
    expect(star_exits(false, 0) == EXIT_MSR, "it comes when L1 tells of one");
}

void steps_direct(void)
{
    if (!on_proviso || cpuid(0x40000000, 0).eax < LEAF ||
        (cpuid(LEAF, 0).eax & (DIRECT | BITMAP)) != (DIRECT | BITMAP)) {
        skip("Hyper-V's enlightenments for L2", "not offered here");
        return;
    }
    attempt("flush calls of L2", step_direct);
    attempt("flush calls that are L1's", step_refused);
    attempt("operands of L2's calls", step_operands);
    attempt("map of MSRs", step_bitmap);
}
