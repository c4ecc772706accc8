// SPDX-License-Identifier: BSD-2-Clause
// What the steps share: steps that stand alone, L2's interrupt table, linear addresses that L1 moves.
#include "l1.h"

uint32_t skipped;

void attempt(const char *name, void (*step)(void))
{
    put("-- %s\n", name);
    int vector = catch_fault(step);
    interrupts_off();
    keep_gif = false;
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    __asm__ volatile("stgi" : : : "memory");
    if (vector >= 0) {
        put("FAIL: %s: L1 has met exception %u\n", name, (uint32_t)vector);
        failures++;
    }
}

void skip(const char *what, const char *why)
{
    put("skipped: %s: %s\n", what, why);
    skipped++;
}

void expect(bool good, const char *what)
{
    const struct pv_vmcb *v = &block[0];
    check(good, what);
    if (good)
        return;
    put("   exit %lx info %lx %lx event %lx, rip %lx rsp %lx rax %lx, v_intr %lx\n", v->exit_code,
        v->exit_info1, v->exit_info2, v->exit_int_info, v->rip, v->rsp, v->rax, v->v_intr);
    const struct l2_frame *f = l2_frame(0);
    if (f != 0)
        put("   gate %lx error %lx from %lx\n", f->vector, f->error, f->rip);
}

const char *joined(const char *a, const char *b)
{
    static char words[160];
    uint32_t n = 0;
    for (; *a != 0 && n < 80; a++)
        words[n++] = *a;
    words[n++] = ':';
    words[n++] = ' ';
    for (; *b != 0 && n < sizeof words - 1; b++)
        words[n++] = *b;
    words[n] = 0;
    return words;
}

extern const uint8_t l2_gate_stubs[], l2_gate_stubs_end[];
static struct {
    uint16_t low, selector, attributes, mid;
    uint32_t high, reserved;
} table[256] __attribute__((aligned(16)));

void l2_gates(uint32_t n)
{
    for (uint32_t v = 0; v < 256; v++) {
        uint64_t stub = (uintptr_t)l2_gate_stubs + v * 16;
        table[v].low = (uint16_t)stub;
        table[v].mid = (uint16_t)(stub >> 16);
        table[v].high = (uint32_t)(stub >> 32);
        table[v].selector = 0x08;
        table[v].attributes = 0x8E00;
    }
    block[n].idtr = (struct pv_segment){0, 0, sizeof table - 1, (uintptr_t)table};
}

const struct l2_frame *l2_frame(uint32_t n)
{
    const struct pv_vmcb *v = &block[n];
    if (v->exit_code != EXIT_VMMCALL || v->rip < (uintptr_t)l2_gate_stubs ||
        v->rip >= (uintptr_t)l2_gate_stubs_end)
        return 0;
    return (const struct l2_frame *)v->rsp;
}

uint64_t *linear_entry(uint32_t page)
{
    static uint64_t tables[3][512] __attribute__((aligned(4096)));
    if (tables[0][0] == 0) {
        pml4[1] = (uintptr_t)tables[0] | 7;
        tables[0][0] = (uintptr_t)tables[1] | 7;
        tables[1][0] = (uintptr_t)tables[2] | 7;
        for (uint32_t i = 0; i < 4; i++)
            tables[2][i] = ((uintptr_t)window + i * PAGE) | 7;
    }
    return &tables[2][page];
}
