// SPDX-License-Identifier: BSD-2-Clause
#include "l1.h"

struct pv_vmcb block[2] __attribute__((aligned(4096)));
uint8_t io_map[3 * PAGE] __attribute__((aligned(4096))), msr_map[2 * PAGE] __attribute__((aligned(4096)));
uint64_t nested_root[2][512] __attribute__((aligned(4096))),
    nested_pdpt[2][512] __attribute__((aligned(4096))), nested_pd[2][4][512] __attribute__((aligned(4096))),
    nested_pt[2][512] __attribute__((aligned(4096)));
uint8_t window[4 * PAGE] __attribute__((aligned(2 * 1024 * 1024)));
static uint8_t stacks[2][4 * PAGE] __attribute__((aligned(4096)));
static uint8_t save_area[PAGE] __attribute__((aligned(4096)));
bool on_proviso, keep_gif;
uint64_t l2_gpr[2][16];

enum { P = 1, W = 2, U = 4, LARGE = 0x80 };

static void make_tables(uint32_t n)
{
    nested_root[n][0] = (uintptr_t)nested_pdpt[n] | P | W | U;
    for (uint32_t g = 0; g < 4; g++) {
        nested_pdpt[n][g] = (uintptr_t)nested_pd[n][g] | P | W | U;
        for (uint32_t i = 0; i < 512; i++)
            nested_pd[n][g][i] = ((uint64_t)g << 30) + ((uint64_t)i << 21) + (P | W | U | LARGE);
    }
    uint64_t at = (uintptr_t)window;
    for (uint32_t i = 0; i < 512; i++)
        nested_pt[n][i] = at + i * PAGE + (P | W | U);
    nested_pd[n][at >> 30][at >> 21 & 511] = (uintptr_t)nested_pt[n] | P | W | U;
}

uint64_t *window_entry(uint32_t n, uint32_t page)
{
    return &nested_pt[n][page];
}

void l1_on(void)
{
    on_proviso = (cpuid(1, 0).ecx >> 31) != 0 && cpuid(0x8000000A, 0).ebx == 64;
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)save_area);
    make_tables(0);
    make_tables(1);
}

static void table_register(struct pv_segment *s, bool is_idt)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } d;
    if (is_idt)
        __asm__ volatile("sidt %0" : "=m"(d));
    else
        __asm__ volatile("sgdt %0" : "=m"(d));
    *s = (struct pv_segment){0, 0, d.limit, d.base};
}

static uint64_t read_cr0(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr0, %0" : "=r"(v));
    return v;
}

static uint64_t read_cr3(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr3, %0" : "=r"(v));
    return v;
}

void l2_fresh(uint32_t n, void (*entry)(void))
{
    struct pv_vmcb *v = &block[n];
    for (uint32_t i = 0; i < sizeof *v / 8; i++)
        ((uint64_t *)(void *)v)[i] = 0;
    const struct pv_segment data = {0x10, SEG_DATA32, 0xFFFFFFFF, 0};
    v->intercepts3 = I3_SHUTDOWN;
    v->intercepts4 = I4_VMRUN | I4_VMMCALL;
    v->iopm_base = (uintptr_t)io_map;
    v->msrpm_base = (uintptr_t)msr_map;
    v->asid = 1 + n;
    v->nested_control = 1;
    v->nested_cr3 = (uintptr_t)nested_root[n];
    v->es = v->ss = v->ds = data;
    v->cs = (struct pv_segment){0x08, SEG_CODE64, 0xFFFFFFFF, 0};
    table_register(&v->gdtr, false);
    table_register(&v->idtr, true);
    v->efer = rdmsr(MSR_EFER);
    v->cr0 = read_cr0();
    v->cr3 = read_cr3();
    v->cr4 = read_cr4();
    v->dr6 = 0xFFFF0FF0;
    v->dr7 = 0x400;
    v->rflags = 2;
    v->rip = (uintptr_t)entry;
    v->rsp = (uintptr_t)stacks[n] + sizeof stacks[n] - 8;
    v->g_pat = 0x0007040600070406;
}

// The other registers are not VMRUN's: they are L2's own from one run to the next.
#define GPRS(OP)                                                                                             \
    OP(1, rcx)                                                                                               \
    OP(2, rdx)                                                                                               \
    OP(3, rbx)                                                                                               \
    OP(5, rbp)                                                                                               \
    OP(6, rsi) OP(8, r8) OP(9, r9) OP(10, r10) OP(11, r11) OP(12, r12) OP(13, r13) OP(14, r14) OP(15, r15)
#define LOAD(n, name) "mov 8*" #n "(%%rdi), %%" #name "\n\t"
#define KEEP(n, name) "mov %%" #name ", 8*" #n "(%%rdi)\n\t"

uint64_t l2_run(uint32_t n)
{
    uint64_t at = (uintptr_t)&block[n], *gpr = l2_gpr[n];
    __asm__ volatile(
        "push %%rbp; push %%rbx; push %%rdi\n\t" GPRS(LOAD) "mov 8*7(%%rdi), %%rdi\n\t"
                                                            "clgi; vmrun\n\t"
                                                            "push %%rdi; mov 8(%%rsp), %%rdi\n\t" GPRS(
                                                                KEEP) "pop 8*7(%%rdi)\n\t"
                                                                      "pop %%rdi; pop %%rbx; pop %%rbp"
        : "+a"(at), "+D"(gpr)
        :
        : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
    if (!keep_gif)
        __asm__ volatile("stgi" : : : "memory");
    return block[n].exit_code;
}
