// SPDX-License-Identifier: BSD-2-Clause
// What exits cost, in TSC ticks: under QEMU's -icount shift=0 a tick is an executed instruction. Every line is the
// smallest of several runs, so that time slices don't count. Other VPs, if there are any, sleep in HLT.
#include "lib.h"

enum { RUNS = 20, VECTOR = 0x52 };

static uint32_t vps;

static void op_nothing(void)
{
}
static void op_cpuid(void)
{
    cpuid(0x40000000, 0);
}
static void op_unknown(void)
{
    hypercall(0x7FFF, 0, 0);
}
static void op_flush_self(void) // by memory
{
    operands[0] = 0;
    operands[1] = 2;
    operands[2] = 1;
    hypercall(0x2, (uintptr_t)operands, 0);
}
static void op_flush_all(void)
{
    operands[0] = 0;
    operands[1] = 3;
    operands[2] = 0;
    hypercall(0x2, (uintptr_t)operands, 0);
}
static void op_flush_list_self(void)
{
    operands[0] = 0;
    operands[1] = 2;
    operands[2] = 1;
    operands[3] = 0x200000;
    hypercall(0x100000003, (uintptr_t)operands, 0);
}
static void op_ipi_1(void)
{
    hypercall(0x1000B, VECTOR, 2);
}
static void op_ipi_all(void)
{
    hypercall(0x1000B, VECTOR, ((1ull << vps) - 1) & ~1ull);
}
static void op_msr(void)
{
    rdmsr(0x40000002);
}
static void op_timer(void) // sleep until a deadline 20,000 ticks away; the rest is the cost
{
    wrmsr(0x832, 0x40000 | 0x53);
    wrmsr(0x6E0, rdtsc() + 20000);
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

static void settle(void) // lets the others go back to sleep
{
    for (uint32_t i = 0; i < vps * 4; i++) {
        wrmsr(0x832, 0x40000 | 0x53);
        wrmsr(0x6E0, rdtsc() + 50000);
        __asm__ volatile("sti; hlt; cli" : : : "memory");
    }
}

static void measure(const char *what, void (*op)(void), uint64_t base)
{
    uint64_t best = ~0ull;
    for (uint32_t i = 0; i < RUNS; i++) {
        settle();
        uint64_t t = rdtsc();
        op();
        t = rdtsc() - t;
        if (t < best)
            best = t;
    }
    put("cost: %s %lu\n", what, best - base);
}

void guest_main(void)
{
    hyperv_on();
    vps = option("vps", 1);
    start_others(vps);
    measure("nothing", op_nothing, 0);
    measure("cpuid", op_cpuid, 0);
    measure("msr_vp_index", op_msr, 0);
    measure("unknown_hypercall", op_unknown, 0);
    measure("flush_self", op_flush_self, 0);
    measure("flush_list_self", op_flush_list_self, 0);
    measure("flush_all", op_flush_all, 0);
    if (vps > 1) {
        measure("ipi_1", op_ipi_1, 0);
        measure("ipi_all", op_ipi_all, 0);
    }
    measure("timer_wakeup", op_timer, 20000);
}

void guest_ap(uint32_t vp)
{
    (void)vp;
    for (;;)
        __asm__ volatile("sti; hlt" : : : "memory");
}
