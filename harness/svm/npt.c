// SPDX-License-Identifier: BSD-2-Clause
// The partition's nested page table: 4 levels, 2 MiB leaves, split to 4 KiB where an overlay page lies. What is not
// the guest's memory is not mapped. (APM vol. 2, 15.25)
#include "svm.h"
#include "../../src/nested/types.h"
#include "../base/end.h"
#include "../base/memory.h"
#include "../base/string.h"
#include "../base/x86.h"
#include "../vm/vp.h"

// Every access through nested tables counts as a user's: U is set on all levels (15.25.5).
enum { NPT_P = 1, NPT_W = 2, NPT_U = 4, NPT_LARGE = 0x80 };
#define NPT_NX   (1ull << 63)
#define NPT_ADDR 0x000FFFFFFFFFF000ull

uint64_t npt_root_pa;
uint64_t npt_generation = 1;

static uint64_t *directories[4]; // one for each GiB of guest physical addresses
static struct lock changes;

enum { OVERLAY_PAGES = 4 };
static uint64_t overlay_pages[OVERLAY_PAGES]; // host pages that were ever put over the guest's

static bool is_overlay_page(uint64_t hpa)
{
    for (uint32_t i = 0; i < OVERLAY_PAGES; i++)
        if (hpa != 0 && overlay_pages[i] == hpa)
            return true;
    return false;
}

static void note_overlay_page(uint64_t hpa)
{
    for (uint32_t i = 0; i < OVERLAY_PAGES && !is_overlay_page(hpa); i++)
        if (overlay_pages[i] == 0)
            overlay_pages[i] = hpa;
}

void npt_make(void)
{
    uint64_t *pml4 = memory_pages(1), *pdpt = memory_pages(1);
    npt_root_pa = (uintptr_t)pml4;
    pml4[0] = (uintptr_t)pdpt | NPT_P | NPT_W | NPT_U;
    for (uint64_t gib = 0; gib < 4; gib++) {
        directories[gib] = memory_pages(1);
        pdpt[gib] = (uintptr_t)directories[gib] | NPT_P | NPT_W | NPT_U;
        for (uint64_t i = 0; i < 512; i++) {
            uint64_t gpa = (gib * 512 + i) * 2 * MIB;
            if (gpa >= guest_size)
                break;
            uint64_t hpa = (uintptr_t)guest_base + gpa;
            if (!memory_is_guest(hpa, 2 * MIB))
                end_run(END_HARNESS_FAULT, "nested tables would map memory that is not the guest's");
            directories[gib][i] = hpa | NPT_P | NPT_W | NPT_U | NPT_LARGE;
        }
    }
}

// The 4 KiB entry for a page below 4 GiB, made by splitting the large page over it.
static uint64_t *entry_4k(uint64_t gpa)
{
    uint64_t *pde = &directories[gpa >> 30][(gpa >> 21) & 511];
    if ((*pde & NPT_P) != 0 && (*pde & NPT_LARGE) == 0)
        return (uint64_t *)(uintptr_t)(*pde & NPT_ADDR) + ((gpa >> 12) & 511);
    uint64_t *table = memory_pages(1);
    if ((*pde & NPT_P) != 0)
        for (uint64_t i = 0; i < 512; i++)
            table[i] = ((*pde & NPT_ADDR) + i * PAGE) | NPT_P | NPT_W | NPT_U;
    __atomic_store_n(pde, (uintptr_t)table | NPT_P | NPT_W | NPT_U, __ATOMIC_RELEASE);
    return table + ((gpa >> 12) & 511);
}

void npt_overlay(uint64_t gpa, void *page, bool execute)
{
    if (gpa >= 4096 * MIB)
        return; // nothing below can be seen there: a fetch faults, as it does beside all memory
    lock(&changes);
    uint64_t *e = entry_4k(gpa & ~(uint64_t)(PAGE - 1));
    uint64_t now;
    if (page != 0)
        note_overlay_page((uintptr_t)page);
    if (page != 0)
        now = (uintptr_t)page | NPT_P | NPT_U | (execute ? 0 : NPT_NX);
    else if (gpa < guest_size)
        now = ((uintptr_t)guest_base + (gpa & NPT_ADDR)) | NPT_P | NPT_W | NPT_U;
    else
        now = 0;
    __atomic_store_n(e, now, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&npt_generation, 1u, __ATOMIC_SEQ_CST);
    unlock(&changes);
    vp_leave_guest_all();
}

const uint8_t *npt_page(uint64_t gpa)
{
    if (gpa >= 4096 * MIB)
        return 0;
    uint64_t e = directories[gpa >> 30][(gpa >> 21) & 511], page = gpa & ~(uint64_t)(PAGE - 1);
    if ((e & NPT_P) == 0)
        return 0;
    if ((e & NPT_LARGE) != 0)
        return (const uint8_t *)(uintptr_t)((e & NPT_ADDR) + page % (2 * MIB));
    e = ((const uint64_t *)(uintptr_t)(e & NPT_ADDR))[(gpa >> 12) & 511];
    return (e & NPT_P) != 0 ? (const uint8_t *)(uintptr_t)(e & NPT_ADDR) : 0;
}

bool npt_frame(uint64_t gpa, struct pv_frame *frame)
{
    if (gpa >= 4096 * MIB)
        return false;
    uint64_t e = __atomic_load_n(&directories[gpa >> 30][(gpa >> 21) & 511], __ATOMIC_ACQUIRE);
    frame->shift = 21;
    if ((e & NPT_P) != 0 && (e & NPT_LARGE) == 0) {
        e = __atomic_load_n((const uint64_t *)(uintptr_t)(e & NPT_ADDR) + ((gpa >> 12) & 511),
                            __ATOMIC_ACQUIRE);
        frame->shift = 12;
    }
    if ((e & NPT_P) == 0)
        return false;
    frame->hpa = e & NPT_ADDR & ~((1ull << frame->shift) - 1);
    frame->rights = PV_RIGHT_READ | ((e & NPT_W) != 0 ? PV_RIGHT_WRITE : 0u) |
                    ((e & NPT_NX) != 0 ? 0u : PV_RIGHT_EXECUTE);
    return true;
}

// Every leaf maps the guest's own memory at its own place, or an overlay page without the right to write.
static bool is_legal(uint64_t entry, uint64_t gpa, uint64_t size)
{
    if ((entry & NPT_P) == 0)
        return true;
    uint64_t hpa = entry & NPT_ADDR & ~(size - 1);
    if (hpa == (uintptr_t)guest_base + gpa && memory_is_guest(hpa, size))
        return true;
    return size == PAGE && (entry & NPT_W) == 0 && is_overlay_page(hpa);
}

bool npt_may_map(uint64_t hpa, uint64_t size, bool write)
{
    return memory_is_guest(hpa, size) || (size == PAGE && !write && is_overlay_page(hpa));
}

bool npt_is_legal(void)
{
    for (uint64_t i = 0; i < 4 * 512; i++) {
        uint64_t e = directories[i / 512][i % 512], gpa = i * 2 * MIB;
        if ((e & NPT_P) == 0 || (e & NPT_LARGE) != 0) {
            if (!is_legal(e, gpa, 2 * MIB))
                return false;
            continue;
        }
        for (uint64_t k = 0; k < 512; k++)
            if (!is_legal(((const uint64_t *)(uintptr_t)(e & NPT_ADDR))[k], gpa + k * PAGE, PAGE))
                return false;
    }
    return true;
}

uint64_t svm_checksum(void)
{
    extern const char image_start[], rodata_end[];
    uint64_t sum = 0xCBF29CE484222325ull; // FNV-1a over qwords
    for (const char *p = image_start; p < rodata_end; p += 8)
        sum = (sum ^ *(const uint64_t *)(const void *)p) * 0x100000001B3ull;
    return sum;
}
