// SPDX-License-Identifier: BSD-2-Clause
// State that L1 and L2 share, and state that each has for itself (APM vol. 2, 15.5, 15.6, 15.25.3).
#include "l1.h"

enum { FAR = 50 };
#define PAT_START 0x0007040600070406ull
#define PAT_OTHER 0x0007040600070401ull
static volatile uint64_t seen[3];

static void l2_tsc(void)
{
    seen[0] = rdtsc();
    seen[1] = rdmsr(MSR_TSC);
    vmmcall();
}
static void l2_pat(void)
{
    seen[0] = rdmsr(MSR_PAT);
    wrmsr(MSR_PAT, PAT_OTHER);
    seen[1] = rdmsr(MSR_PAT);
    vmmcall();
}
static void l2_bases(void)
{
    seen[0] = rdmsr(MSR_FS_BASE);
    wrmsr(MSR_FS_BASE, 0x7000);
    vmmcall();
}
static void l2_sti_cpuid(void)
{
    __asm__ volatile("xor %%eax, %%eax; sti; cpuid" : : : "rax", "rbx", "rcx", "rdx");
    vmmcall();
}
static void l2_dr6(void)
{
    __asm__ volatile("mov %0, %%dr6" : : "r"(0xFFFF0FF1ull));
    vmmcall();
}
static void step_tsc(void)
{
    l2_watched(0, l2_tsc);
    block[0].tsc_offset = 1ull << FAR;
    uint64_t before = rdtsc();
    bool good = l2_run(0) == EXIT_VMMCALL;
    uint64_t after = rdtsc();
    for (uint32_t i = 0; i < (on_proviso ? 2 : 1); i++) // QEMU's RDMSR knows no offset
        good = good && seen[i] - (1ull << FAR) >= before && seen[i] - (1ull << FAR) <= after;
    expect(good, "L2's TSC is L1's and the offset, by RDTSC and by RDMSR (NV-TSC-1)");
}

static void step_pat(void)
{
    if (!on_proviso) {
        skip("the page attribute table", "QEMU has one for L1 and L2, and takes no notice of the block's");
        return;
    }
    wrmsr(MSR_PAT, PAT_START);
    l2_watched(0, l2_pat);
    block[0].g_pat = 0x0606060606060606;
    expect(l2_run(0) == EXIT_VMMCALL && seen[0] == 0x0606060606060606 && seen[1] == PAT_OTHER &&
               block[0].g_pat == PAT_OTHER && rdmsr(MSR_PAT) == PAT_START,
           "with a nested table L2 has a PAT of its own, told to L1");
    l2_watched(0, l2_pat);
    block[0].nested_control = 0;
    block[0].g_pat = 0;
    expect(l2_run(0) == EXIT_VMMCALL && seen[0] == PAT_START && rdmsr(MSR_PAT) == PAT_OTHER,
           "without one it is L1's");
    wrmsr(MSR_PAT, PAT_START);
}

static void step_registers(void)
{
    uint64_t before = rdmsr(MSR_FS_BASE);
    wrmsr(MSR_FS_BASE, 0x6000);
    l2_watched(0, l2_bases);
    expect(l2_run(0) == EXIT_VMMCALL && seen[0] == 0x6000 && rdmsr(MSR_FS_BASE) == 0x7000,
           "FS is shared until VMLOAD");
    wrmsr(MSR_FS_BASE, before);

    l2_watched(0, l2_sti_cpuid);
    block[0].intercepts3 |= I3_CPUID;
    bool shadow = l2_run(0) == EXIT_CPUID && (block[0].interrupt_state & 1) != 0;
    l2_watched(0, l2_sti_cpuid);
    expect(shadow && l2_run(0) == EXIT_VMMCALL && (block[0].interrupt_state & 1) == 0,
           "the shadow of STI is told to L1, and over after the next instruction");

    l2_watched(0, l2_dr6);
    block[0].dr7 = 0x401;
    l2_run(0);
    uint64_t dr7;
    __asm__ volatile("mov %%dr7, %0" : "=r"(dr7));
    expect((block[0].dr6 & 15) == 1 && block[0].dr7 == 0x401 && dr7 == 0x400,
           "L2's DR6 and DR7 are told to L1, whose own breakpoints are off");
}

void steps_state(void)
{
    attempt("TSC", step_tsc);
    attempt("PAT", step_pat);
    attempt("registers that are shared, or not", step_registers);
}
