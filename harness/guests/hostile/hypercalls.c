// SPDX-License-Identifier: BSD-2-Clause
// Hypercalls with operands, input values, sets and callers of all sorts.
#include "attacks.h"

static void expect_status(uint64_t result, uint32_t a, uint32_t b)
{
    if ((result & 0xFFFF) != a && (result & 0xFFFF) != b) {
        put("status %lx\n", result);
        failures++;
    }
}
// The harness's image lies at 1 MiB of the machine below, its heap above.
static void operands_in_harness(void)
{
    for (uint64_t at = 0x10000000; at < 0x200000000000; at = at * 2)
        if (at >= 0x20000000)
            expect_status(hypercall(0x2, at, 0), 4, 4);
}
static void operands_everywhere(void)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        hypercall(0x2, 1ull << bit, 0);
        hypercall(0x3 | 4095ull << 32, ~0ull << bit, 0);
        hypercall(0x13 | 0x7FE0000, (1ull << bit) - 8, 0);
    }
}
static void input_bits(void)
{
    for (uint32_t bit = 0; bit < 64; bit++)
        for (uint64_t code = 0; code < 0x20; code++)
            hypercall(code | 1ull << bit, (uintptr_t)operands, 0);
}
static void every_code(void)
{
    for (uint64_t code = 0x20; code < 0x10000; code += 7)
        expect_status(hypercall(code, (uintptr_t)operands, 0), 2, 2);
}
static void ipi_to_absent(void)
{
    for (uint32_t i = 0; i < 64; i++)
        hypercall(0x1000B, 0x77, ~(uint64_t)0 << (others + 1));
}
static void ex_sets(void)
{
    operands[0] = 0x77;
    operands[1] = 0;
    operands[2] = ~0ull;
    for (uint32_t i = 3; i < 67; i++)
        operands[i] = i == 3 ? ~0ull << (others + 1) : ~0ull;
    expect_status(hypercall(0x800015, (uintptr_t)operands, 0), 0, 0);
    operands[2] = 0x8000000000000000;
    expect_status(hypercall(0x800015, (uintptr_t)operands, 0), 3, 3);
    operands[1] = ~0ull;
    expect_status(hypercall(0x20015, (uintptr_t)operands, 0), 5, 5);
}
static void endless_list(void) // the longest list, and a start index that goes on for ever
{
    for (uint32_t i = 0; i < 512; i++)
        operands[i] = 0x1234000 | 0xFFF;
    operands[0] = 0;
    operands[1] = 3;
    operands[2] = 0;
    expect_status(hypercall(0x3 | 509ull << 32, (uintptr_t)operands, 0), 0, 0);
    for (uint64_t start = 0; start < 4096; start += 5)
        hypercall(0x3 | 509ull << 32 | start << 48, (uintptr_t)operands, 0);
}
static void racing_operands(void) // another VP rewrites the block all the time (guest_ap)
{
    if (others == 0)
        return;
    __atomic_store_n(&racing, 1u, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < 3000; i++) {
        hypercall(0x3 | 4ull << 32, (uintptr_t)operands, 0);
        hypercall(0x40014 | 2ull << 32, (uintptr_t)operands, 0);
        hypercall(0x40015, (uintptr_t)operands, 0);
    }
    __atomic_store_n(&racing, 0u, __ATOMIC_SEQ_CST);
}
static void prefixed_call(void)
{
    uint64_t result;
    __asm__ volatile(".byte 0x66, 0x2E, 0x48, 0x0F, 0x01, 0xD9"
                     : "=a"(result)
                     : "c"(0x7FFF), "d"(0)
                     : "r8", "memory");
    expect_status(result, 2, 2);
}
static void self_modified_call(void) // VMMCALL on the last bytes of memory that the guest has made itself
{
    static uint8_t code[16] __attribute__((aligned(16)));
    code[0] = 0x0F;
    code[1] = 0x01;
    code[2] = 0xD9;
    code[3] = 0xC3;
    uint64_t result;
    __asm__ volatile("call *%[at]" : "=a"(result) : [at] "r"(code), "c"(0x7FFF), "d"(0) : "r8", "memory");
    expect_status(result, 2, 2);
}
static void call_from_ring3(void)
{
    pml4[0] |= 4;
    pdpt[0] |= 4;
    for (uint32_t i = 0; i < 8; i++)
        pd[0][i] |= 4;
    __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
    static uint8_t stack[512] __attribute__((aligned(16)));
    __asm__ volatile("pushq $0x23; pushq %0; pushq $2; pushq $0x2B; lea 1f(%%rip), %%rax; push %%rax; iretq\n"
                     "1: vmmcall"
                     :
                     : "r"(stack + sizeof stack)
                     : "rax", "memory");
}

const struct attack attacks_hypercalls[] = {
    ATTACK(operands_in_harness, NOTHING), ATTACK(operands_everywhere, NOTHING),
    ATTACK(input_bits, NOTHING),          ATTACK(every_code, NOTHING),
    ATTACK(ipi_to_absent, NOTHING),       ATTACK(ex_sets, NOTHING),
    ATTACK(endless_list, NOTHING),        ATTACK(racing_operands, NOTHING),
    ATTACK(prefixed_call, NOTHING),       ATTACK(self_modified_call, NOTHING),
    ATTACK(call_from_ring3, EXC_UD),      {0, 0, 0},
};
