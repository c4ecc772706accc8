// SPDX-License-Identifier: BSD-2-Clause
// Addresses outside the guest's memory, page tables there, overlay pages, the APICs' registers.
#include "attacks.h"

static uint8_t *const beyond = (uint8_t *)0xC8000000; // inside the identity map, outside guest memory
static uint64_t evil_table[512] __attribute__((aligned(4096)));

static void read_beyond(void)
{
    (void)*(volatile uint8_t *)beyond;
}
static void write_beyond(void)
{
    *(volatile uint64_t *)(void *)beyond = ~0ull;
}
static void odd_instruction_beyond(void)
{
    __asm__ volatile("lock incq (%0)" : : "r"(beyond) : "memory");
}
static void string_beyond(void)
{
    void *p = beyond;
    uint64_t n = 64;
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
}
static void sse_beyond(void)
{
    __asm__ volatile("movups (%0), %%xmm0" : : "r"(beyond));
}
static void call_beyond(void)
{
    __asm__ volatile("call *%0" : : "r"(beyond) : "memory");
}
static void tables_beyond(void) // a page directory where no memory is
{
    pdpt[3] = 0xC8000000 | 3; // put right again by guest_main
    invlpg(0xC0000000);
    (void)*(volatile uint8_t *)0xC0000000;
}
static void page_far_beyond(void) // above all that nested tables can map
{
    evil_table[0] = 0x000000F000000000 | 3;
    evil_table[1] = 0x0000000100000000 | 3; // 4 GiB
    evil_table[2] = 0x000000FFFFFFF000 | 3;
    pd[2][0] = (uintptr_t)evil_table | 3;
    for (uint64_t i = 0; i < 3; i++)
        *(volatile uint8_t *)(0x80000000 + i * 4096) = 1;
}
static void scan_for_the_harness(void) // every 2 MiB outside our memory: nothing may be there
{
    for (uint64_t at = 0x80000000; at < 0x100000000; at += 0x200000) {
        pd[2][1] = at | 0x83;
        invlpg(0x80200000);
        if (*(volatile uint32_t *)0x80200000 != 0xFFFFFFFF && at >> 20 != 0xFEE && at >> 20 != 0xFEC)
            failures++;
        *(volatile uint32_t *)0x80200000 = 0;
    }
}
static void write_hypercall_page(void)
{
    uint64_t at = rdmsr(0x40000001) & ~0xFFFull;
    *(volatile uint32_t *)at = 0x90909090;
}
static void xapic_while_x2(void)
{
    *(volatile uint32_t *)0xFEE000B0 = ~0u;
}
static void ioapic_everything(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        *(volatile uint32_t *)0xFEC00000 = i;
        *(volatile uint32_t *)0xFEC00010 = 0xFFFFFFFF;
        (void)*(volatile uint32_t *)0xFEC00010;
    }
}

const struct attack attacks_memory[] = {
    ATTACK(read_beyond, NOTHING),
    ATTACK(write_beyond, NOTHING),
    ATTACK(odd_instruction_beyond, EXC_GP),
    ATTACK(string_beyond, EXC_GP),
    ATTACK(sse_beyond, EXC_GP),
    ATTACK(call_beyond, EXC_GP),
    ATTACK(tables_beyond, EXC_GP),
    ATTACK(page_far_beyond, ANY),
    ATTACK(scan_for_the_harness, NOTHING),
    ATTACK(write_hypercall_page, EXC_GP),
    ATTACK(xapic_while_x2, NOTHING),
    ATTACK(ioapic_everything, NOTHING),
    {0, 0, 0},
};
