// SPDX-License-Identifier: BSD-2-Clause
#include "memory.h"
#include "end.h"
#include "log.h"
#include "string.h"
#include "x86.h"

// Multiboot 1 information, as far as we read it.
struct information {
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, mods_count, mods_addr, syms[4], mmap_length,
        mmap_addr;
};
struct mb_module {
    uint32_t start, end, string, reserved;
};
struct mb_region {
    uint32_t size; // of what follows
    uint64_t base, length;
    uint32_t type; // 1: usable
} __attribute__((packed));
enum { MB_MAGIC = 0x2BADB002, MB_CMDLINE = 1 << 2, MB_MODULES = 1 << 3, MB_MMAP = 1 << 6 };

struct module modules[MAX_MODULES];
uint32_t module_count;
const char *boot_options = "";
uint8_t *guest_base;
uint64_t guest_size;

static uint64_t free_start, free_end; // the harness's own pages, and what is left for the guest
extern char image_end[];
extern uint64_t host_pdpt[512], host_pd[4][512];

static void raise(uint64_t *to, uint64_t v)
{
    if (v > *to)
        *to = v;
}

static void map_all_memory(uint64_t top)
{
    // boot/entry.S mapped 4 GiB; each further GiB needs a page directory, taken from the free pages.
    for (uint64_t gib = 4; gib * 1024 * MIB < top && gib < 512; gib++) {
        uint64_t *pd = memory_pages(1);
        for (uint64_t i = 0; i < 512; i++)
            pd[i] = (gib * 512 + i) * 2 * MIB + 0x83;
        host_pdpt[gib] = (uintptr_t)pd | 3;
    }
}

void memory_init(uint32_t magic, uintptr_t at)
{
    const struct information *info = (const struct information *)at;
    if (magic != MB_MAGIC || (info->flags & MB_MMAP) == 0)
        end_run(END_NO_MEMORY, "no memory map: not started by a multiboot loader");
    if ((info->flags & MB_CMDLINE) != 0)
        boot_options = (const char *)(uintptr_t)info->cmdline;

    // Everything that the loader put above the image stays where it is: our pages begin behind it.
    uint64_t used = (uintptr_t)image_end;
    raise(&used, at + sizeof *info);
    raise(&used, (uintptr_t)boot_options + string_length(boot_options) + 1);
    if ((info->flags & MB_MODULES) != 0) {
        const struct mb_module *m = (const struct mb_module *)(uintptr_t)info->mods_addr;
        raise(&used, info->mods_addr + info->mods_count * sizeof *m);
        for (uint32_t i = 0; i < info->mods_count && i < MAX_MODULES; i++) {
            const char *s = (const char *)(uintptr_t)m[i].string;
            raise(&used, m[i].end);
            raise(&used, m[i].string + string_length(s) + 1);
            while (*s != 0 && *s != ' ') // the file's name
                s++;
            while (*s == ' ')
                s++;
            modules[module_count++] =
                (struct module){(const uint8_t *)(uintptr_t)m[i].start, m[i].end - m[i].start, s};
        }
    }

    uint64_t top = 0;
    for (uint32_t off = 0; off < info->mmap_length;) {
        const struct mb_region *r = (const struct mb_region *)(uintptr_t)(info->mmap_addr + off);
        off += r->size + 4;
        if (r->type != 1 || r->base < MIB)
            continue;
        raise(&top, r->base + r->length);
        if (r->length > free_end - free_start) {
            free_start = r->base;
            free_end = r->base + r->length;
        }
    }
    if (used > free_start && used < free_end)
        free_start = used;
    free_start = (free_start + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    map_all_memory(top);
    say("memory: %lu MiB usable in one piece", (free_end - free_start) / MIB);
}

// Most of a fresh machine's memory is zero already; not writing it spares the machine below from providing it.
static void make_zero(uint64_t *p, uint64_t qwords)
{
    for (uint64_t i = 0; i < qwords; i += 8)
        if ((p[i] | p[i + 1] | p[i + 2] | p[i + 3] | p[i + 4] | p[i + 5] | p[i + 6] | p[i + 7]) != 0)
            memory_zero(p + i, 64);
}

uint64_t memory_left(void)
{
    return free_end - free_start;
}

void memory_make_guest(uint64_t size, uint64_t own)
{
    uint64_t align = 2 * MIB - 1;
    guest_size = (size + align) & ~align;
    uint64_t end = free_end & ~align;
    if (end < guest_size || end - guest_size < free_start + own)
        end_run(END_NO_MEMORY, "too little memory: the guest's %lu MiB and %lu of our own, %lu are there",
                guest_size / MIB, own / MIB, (free_end - free_start) / MIB);
    guest_base = (uint8_t *)(uintptr_t)(end - guest_size);
    free_end = end - guest_size;
    make_zero((uint64_t *)(void *)guest_base, guest_size / 8);
}

void *memory_aligned(size_t size, size_t alignment)
{
    uint64_t at = (free_start + alignment - 1) & ~(uint64_t)(alignment - 1);
    if (at + size > free_end)
        end_run(END_NO_MEMORY, "the harness's own memory is used up");
    free_start = at + size;
    void *p = (void *)(uintptr_t)at;
    memory_zero(p, size);
    return p;
}

void *memory_pages(uint32_t pages)
{
    return memory_aligned((size_t)pages * PAGE, PAGE);
}

bool memory_is_guest(uint64_t hpa, uint64_t size)
{
    uint64_t base = (uintptr_t)guest_base;
    return hpa >= base && size <= guest_size && hpa - base <= guest_size - size;
}
