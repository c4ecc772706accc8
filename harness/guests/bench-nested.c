// SPDX-License-Identifier: BSD-2-Clause
// What nesting costs, in TSC ticks, as guests/bench.c measures them. L1 is as small as can be: it never sets GIF again, and answers
// CPUID. vps=N: so many VPs have an L2 each, and give way to one another after each round trip; else VP 0 alone.
#include "nested/l1.h"
#include "../base/count.h"
#include "../../src/nested/types.h"

enum { RUNS = 200, TABLES = 6, OTHERS_WAIT = 0, ALL_GO = 1 };

struct vm {
    struct pv_vmcb *block;
    uint8_t *stack, *save_area;
    volatile uint64_t best, sum;
    volatile uint32_t ended;
};
static struct vm *vm;
static volatile uint32_t go;

static void l2_trips(void)
{
    struct vm *mine = &vm[me()];
    uint64_t best = ~0ull, sum = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        uint64_t t = rdtsc();
        cpuid(0x40000000, 0);
        t = rdtsc() - t;
        pause();
        sum += t;
        best = t < best ? t : best;
    }
    mine->best = best;
    mine->sum = sum;
    vmmcall();
}

static void l2_endless(void)
{
    for (;;)
        cpuid(0x40000000, 0);
}

// VMRUN until an exit that is not CPUID. The hypervisor in full: exit code at 0x70, RIP at 0x578, RAX at 0x5F8.
static void answer_cpuid(struct pv_vmcb *v)
{
    __asm__ volatile("push %%rbp\n"
                     "1: vmrun\n"
                     "cmpq $0x72, 0x70(%%rax)\n"
                     "jne 2f\n"
                     "movq $0x40000005, 0x5F8(%%rax); mov $1, %%ebx; mov $2, %%ecx; mov $3, %%edx\n"
                     "addq $2, 0x578(%%rax)\n"
                     "jmp 1b\n"
                     "2: pop %%rbp"
                     : "+a"(v)
                     :
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "memory", "cc");
}

// From one VMRUN of L1 to behind it: L2 executes a CPUID.
static uint64_t one_exit(struct pv_vmcb *v)
{
    uint64_t t = rdtsc();
    __asm__ volatile("push %%rbp; vmrun; pop %%rbp"
                     : "+a"(v)
                     :
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "memory", "cc");
    t = rdtsc() - t;
    if (v->exit_code != EXIT_CPUID)
        failure(3);
    v->rip += 2;
    return t;
}

static void make(uint32_t n, void (*entry)(void))
{
    l2_fresh(0, entry);
    block[0].intercepts3 |= I3_CPUID;
    block[0].rsp = (uintptr_t)vm[n].stack + 2 * PAGE - 8;
    for (uint32_t i = 0; i < PAGE / 8; i++)
        ((uint64_t *)(void *)vm[n].block)[i] = ((uint64_t *)(void *)block)[i];
}

// L2s on `tables` nested tables in turn; the smallest of all exits after the first round.
static uint64_t turns(uint32_t tables)
{
    static uint64_t root[TABLES][512] __attribute__((aligned(4096)));
    uint32_t before = 0;
    uint64_t best = ~0ull;
    make(0, l2_endless);
    for (uint32_t i = 0; i < RUNS; i++) {
        const uint32_t n = i % tables;
        if (i == tables)
            before = counted(COUNT_PORT_EVENTS + EV_ROOT_MISS);
        root[n][0] = nested_root[0][0];
        vm[0].block->nested_cr3 = (uintptr_t)root[n];
        vm[0].block->asid = 1 + n;
        const uint64_t t = one_exit(vm[0].block);
        best = i >= tables && t < best ? t : best;
    }
    const uint32_t missed = counted(COUNT_PORT_EVENTS + EV_ROOT_MISS) - before;
    if (missed != (tables <= PV_ROOTS ? 0 : RUNS - tables)) {
        put("%u roots were not known\n", missed);
        failure(4);
    }
    return best;
}

static void trips(uint32_t vps)
{
    uint64_t best = 0, sum = 0;
    for (uint32_t i = 0; i < vps; i++)
        make(i, l2_trips);
    start_others(vps);
    go = ALL_GO;
    answer_cpuid(vm[0].block);
    for (uint32_t i = 0; i < vps; i++) {
        while (i != 0 && vm[i].ended == 0)
            pause();
        best = vm[i].best > best ? vm[i].best : best;
        sum = vm[i].sum > sum ? vm[i].sum : sum;
    }
    put("cost: nested_cpuid %lu\n", best);
    put("cost: nested_cpuid_mean %lu\n", sum / RUNS);
}

void guest_main(void)
{
    const uint32_t vps = option("vps", 1);
    vm = allocate(vps * sizeof *vm);
    for (uint32_t i = 0; i < vps; i++) {
        vm[i].block = allocate(PAGE);
        vm[i].stack = allocate(2 * PAGE);
        vm[i].save_area = allocate(PAGE);
    }
    l1_on();
    __asm__ volatile("clgi");
    trips(vps);
    if (vps != 1)
        success();
    put("cost: nested_hit %lu\n", turns(2));
    put("cost: nested_miss %lu\n", turns(TABLES));
    success();
}

void guest_ap(uint32_t vp)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)vm[vp].save_area);
    while (go == OTHERS_WAIT)
        pause();
    __asm__ volatile("clgi");
    answer_cpuid(vm[vp].block);
    vm[vp].ended = 1;
}
