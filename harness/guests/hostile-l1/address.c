// SPDX-License-Identifier: BSD-2-Clause
// Control blocks at addresses where none can be, and over what is something else.
#include "l2.h"

static void at_odd_address(void)
{
    l2_caged(l2_call);
    l2_run_at((uintptr_t)&block[0] + 8);
}
static void at_no_memory(void)
{
    l2_run_at(0xC8000000);
}
static void at_the_end_of_memory(void)
{
    l2_run_at(0xFFFFFFF000);
}
static void at_no_physical_address(void)
{
    l2_run_at(1ull << 60);
}
static void at_the_apic(void)
{
    l2_run_at(0xFEE00000);
}
static void load_at_odd_address(void)
{
    __asm__ volatile("vmload" : : "a"((uintptr_t)&block[0] + 1) : "memory");
}
static void load_at_no_memory(void)
{
    __asm__ volatile("vmload" : : "a"(0xC8000000) : "memory");
}
static void save_at_odd_address(void)
{
    __asm__ volatile("vmsave" : : "a"((uintptr_t)&block[0] + 0x800) : "memory");
}
static void save_at_the_apic(void)
{
    __asm__ volatile("vmsave" : : "a"(0xFEE00000) : "memory");
}

// What the block overlaps. The exit is written over it.
static void over_page_tables(void)
{
    uint64_t kept = pml4[14];
    l2_run_at((uintptr_t)pml4);
    want((uint32_t)pml4[14] == EXIT_INVALID, "page tables are no control block");
    pml4[14] = kept;
    for (uint32_t i = 1; i < 512; i++)
        pml4[i] = 0;
}
static void over_save_area(void)
{
    l2_caged(l2_call);
    wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)&block[0]);
    want(l2_go() == EXIT_VMMCALL, "the host save area is the control block");
}
static void over_the_maps(void)
{
    l2_caged(l2_call);
    block[0].iopm_base = block[0].msrpm_base = (uintptr_t)&block[0];
    want(l2_go() == EXIT_VMMCALL, "the maps are the control block");
}
static void over_the_nested_table(void)
{
    l2_caged(l2_call);
    block[0].nested_cr3 = (uintptr_t)&block[0];
    want(l2_go() == EXIT_NPF, "the nested table is the control block");
}

const struct attack attacks_address[] = {
    ATTACK(at_odd_address, EXC_GP),
    ATTACK(at_no_memory, EXC_GP),
    ATTACK(at_the_end_of_memory, EXC_GP),
    ATTACK(at_no_physical_address, EXC_GP),
    ATTACK(at_the_apic, EXC_GP),
    ATTACK(load_at_odd_address, EXC_GP),
    ATTACK(load_at_no_memory, EXC_GP),
    ATTACK(save_at_odd_address, EXC_GP),
    ATTACK(save_at_the_apic, EXC_GP),
    ATTACK(over_page_tables, NOTHING),
    ATTACK(over_save_area, NOTHING),
    ATTACK(over_the_maps, NOTHING),
    ATTACK(over_the_nested_table, NOTHING),
    {0, 0, 0},
};
