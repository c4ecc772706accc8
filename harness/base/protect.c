// SPDX-License-Identifier: BSD-2-Clause
// The harness's own page rights: code is read and executed, constants are read, the rest is never executed, and page 0
// is not there, so that a null pointer ends in the fault dump. CR0.WP is on. (AMD APM vol. 2, 5.6)
#include "memory.h"
#include "x86.h"

enum { P = 1, W = 2, LARGE = 0x80 };
#define NX (1ull << 63)

extern char image_start[], text_end[], rodata_end[];
extern uint64_t host_pml4[512], host_pdpt[512], host_pd[4][512];

static uint64_t rights_of(uint64_t at)
{
    if (at == 0)
        return 0;
    if (at >= (uintptr_t)image_start && at < (uintptr_t)text_end)
        return P;
    if (at >= (uintptr_t)text_end && at < (uintptr_t)rodata_end)
        return P | NX;
    return P | W | NX;
}

void memory_protect(void)
{
    // Everything up to the end of the constants in 4 KiB pages, what is above in 2 MiB pages.
    uint64_t fine = ((uintptr_t)rodata_end + 2 * MIB - 1) / (2 * MIB);
    for (uint64_t i = 0; i < fine; i++) {
        uint64_t *table = memory_pages(1);
        for (uint64_t k = 0; k < 512; k++) {
            uint64_t at = i * 2 * MIB + k * PAGE, rights = rights_of(at);
            table[k] = rights == 0 ? 0 : at | rights;
        }
        host_pd[0][i] = (uintptr_t)table | P | W;
    }
    for (uint64_t gib = 0; gib < 512; gib++) {
        uint64_t *pd = (uint64_t *)(uintptr_t)(host_pdpt[gib] & 0x000FFFFFFFFFF000ull);
        if ((host_pdpt[gib] & P) == 0)
            continue;
        for (uint64_t i = gib == 0 ? fine : 0; i < 512; i++)
            pd[i] |= NX;
    }
    __asm__ volatile("mov %0, %%cr3" : : "r"((uintptr_t)host_pml4) : "memory");
}
