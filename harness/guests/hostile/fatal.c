// SPDX-License-Identifier: BSD-2-Clause
// Attacks after which no guest can go on: fatal=N on the command line.
#include "attacks.h"

void fatal(uint32_t which)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) none = {0, 0};
    switch (which) {
    case 1: // triple fault
        __asm__ volatile("lidt %0; int3" : : "m"(none));
        break;
    case 2: // page tables that are not there
        __asm__ volatile("mov %0, %%cr3" : : "r"(0xC8000000ull) : "memory");
        break;
    case 3: // not write-through without caches off
        __asm__ volatile("mov %%cr0, %%rax; btsq $29, %%rax; btrq $30, %%rax; mov %%rax, %%cr0; cpuid"
                         :
                         :
                         : "rax", "rbx", "rcx", "rdx");
        break;
    case 4: // reserved bits of CR3
        __asm__ volatile("mov %0, %%cr3; cpuid"
                         :
                         : "r"((1ull << 62) | (uintptr_t)pml4)
                         : "rax", "rbx", "rcx", "rdx", "memory");
        break;
    case 5: // asleep for ever: the time limit ends it
        __asm__ volatile("cli; hlt");
        break;
    case 6: // reset by the keyboard controller
        out8(0x64, 0xFE);
        break;
    case 7: // INIT to ourselves
        ipi(0, 0xC500);
        for (;;)
            pause();
    default:
        break;
    }
    put("fatal attack %u was not fatal\n", which);
    failure(50 + which);
}
