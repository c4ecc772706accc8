// SPDX-License-Identifier: BSD-2-Clause
// Linux by the 64-bit boot protocol (Documentation/x86/boot.rst): the kernel and an initramfs are put into memory, a
// "zero page" describes the machine, VP 0 starts in long mode with an identity map of the first 4 GiB.
#include "load.h"
#include "../base/end.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/string.h"
#include "../base/x86.h"
#include "../base/lapic.h"
#include "../dev/acpi.h"
#include "../vm/exits.h"
#include "../vm/vp.h"

// Guest physical addresses of what the loader makes, all below 640 KiB
enum {
    ZERO_PAGE = 0x10000,
    COMMAND_LINE = 0x11000,
    GDT = 0x12000,
    PML4 = 0x13000,
    PDPT = 0x14000,
    PD = 0x15000
};
enum { LOW_END = 0x9FC00 };

// Setup header fields, by their offset in the file and in the zero page
enum {
    E820_COUNT = 0x1E8,
    HEADER = 0x1F1,
    SETUP_SECTORS = 0x1F1,
    KERNEL_SIZE = 0x1F4, // of what follows the setup sectors, in 16 bytes
    BOOT_FLAG = 0x1FE,
    HEADER_END = 0x201,
    MAGIC = 0x202,
    VERSION = 0x206,
    LOADER_TYPE = 0x210,
    RAMDISK = 0x218,
    RAMDISK_SIZE = 0x21C,
    COMMAND_LINE_PTR = 0x228,
    XLOADFLAGS = 0x236,
    COMMAND_LINE_MAX = 0x238,
    PREFERRED = 0x258,
    INIT_SIZE = 0x260,
    ACPI_RSDP = 0x070,
    E820 = 0x2D0
};

static uint64_t get(const uint8_t *p, uint32_t size)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static void put(uint8_t *p, uint64_t v, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static void append_number(char *to, const char *word, uint64_t v)
{
    char digits[20];
    uint32_t n = 0;
    while (*word != 0)
        *to++ = *word++;
    for (; v != 0; v /= 10)
        digits[n++] = (char)('0' + v % 10);
    while (n > 0)
        *to++ = digits[--n];
    *to = 0;
}

static void add_region(uint8_t *zero, uint64_t from, uint64_t to, uint32_t type)
{
    uint8_t *e = zero + E820 + 20 * zero[E820_COUNT]++;
    put(e, from, 8);
    put(e + 8, to - from, 8);
    put(e + 16, type, 4);
}

static void make_tables(void)
{
    uint8_t *g = guest_base;
    put(g + GDT + 0x10, 0x00AF9B000000FFFF, 8); // the protocol's selectors: 0x10 code, 0x18 data
    put(g + GDT + 0x18, 0x00CF93000000FFFF, 8);
    put(g + PML4, PDPT | 3, 8);
    for (uint64_t i = 0; i < 4; i++)
        put(g + PDPT + i * 8, (PD + i * PAGE) | 3, 8);
    for (uint64_t i = 0; i < 2048; i++)
        put(g + PD + i * 8, (i * 2 * MIB) | 0x83, 8);
}

static void start(struct vp *vp, uint64_t rip)
{
    struct pv_vmcb *v = vp->vmcb;
    const struct pv_segment data = {0x18, SEG_DATA32, 0xFFFFFFFF, 0};
    v->ds = v->es = v->ss = v->fs = v->gs = data;
    v->cs = (struct pv_segment){0x10, SEG_CODE64, 0xFFFFFFFF, 0};
    v->gdtr = (struct pv_segment){0, 0, 0x1F, GDT};
    v->cr0 = CR0_PG | CR0_NE | CR0_ET | CR0_PE;
    v->cr3 = PML4;
    v->cr4 = CR4_PAE;
    v->efer = EFER_SVME | EFER_LME | EFER_LMA;
    vp->wants_long_mode = true;
    v->rip = rip;
    v->rsp = COMMAND_LINE;
    vp->gpr[6] = ZERO_PAGE; // RSI
    vp->activity = VP_ACTIVE;
}

// What follows the setup sectors may be the kernel itself, an ELF file, instead of a program that unpacks it
// (harness/unpack-kernel). Then its segments are put where they say; it wants what the program would want: RSI, the identity map.
enum { ELF_HEADER = 64 };
static bool is_unpacked(const struct module *m, uint64_t skip)
{
    return m->size > skip && m->size - skip >= ELF_HEADER && memcmp(m->data + skip, "\177ELF\2\1", 6) == 0;
}

// Returns the entry.
static uint64_t copy_segments(const uint8_t *f, uint64_t size)
{
    enum { ENTRY = 24, HEADERS = 32, HEADER_SIZE = 54, HEADER_COUNT = 56 };
    enum { TYPE = 0, OFFSET = 8, PHYSICAL = 24, FILE_SIZE = 32, MEMORY_SIZE = 40, SEGMENT_HEADER = 56 };
    for (uint64_t i = 0; i < get(f + HEADER_COUNT, 2); i++) {
        uint64_t header = get(f + HEADERS, 4) + i * get(f + HEADER_SIZE, 2);
        if (header + SEGMENT_HEADER > size)
            end_run(END_BAD_MODULE, "this Linux kernel is cut off");
        const uint8_t *p = f + header;
        uint64_t from = get(p + OFFSET, 8), to = get(p + PHYSICAL, 8), length = get(p + FILE_SIZE, 8),
                 room = get(p + MEMORY_SIZE, 8);
        if (get(p + TYPE, 4) != 1) // PT_LOAD
            continue;
        if (from > size || length > size - from)
            end_run(END_BAD_MODULE, "this Linux kernel is cut off");
        if (to < MIB || to > guest_size || room > guest_size - to || length > room)
            end_run(END_NO_MEMORY, "too little memory for this Linux kernel");
        memory_copy(guest_base + to, f + from, length);
    }
    return get(f + ENTRY, 8);
}

bool load_linux(struct vp *vp)
{
    const struct module *m = &modules[0];
    const uint8_t *f = m->data;
    if (m->size < 0x1000 || get(f + BOOT_FLAG, 2) != 0xAA55 || get(f + MAGIC, 4) != 0x53726448)
        return false;
    if (get(f + VERSION, 2) < 0x020C || (f[XLOADFLAGS] & 1) == 0)
        end_run(END_BAD_MODULE, "this Linux kernel has no 64-bit entry");

    uint64_t sectors = f[SETUP_SECTORS] == 0 ? 4 : f[SETUP_SECTORS];
    uint64_t skip = (sectors + 1) * 512, at = get(f + PREFERRED, 8), room = get(f + INIT_SIZE, 4);
    bool unpacked = is_unpacked(m, skip);
    if (m->size < skip || (!unpacked && m->size - skip < get(f + KERNEL_SIZE, 4) * 16))
        end_run(END_BAD_MODULE, "this Linux kernel is cut off");
    uint64_t disk_size = module_count > 1 ? modules[1].size : 0;
    uint64_t disk = (guest_size - disk_size) & ~(uint64_t)(PAGE - 1);
    uint64_t text = string_length(m->text);
    if (at > guest_size || room > guest_size - at || (!unpacked && m->size - skip > room) ||
        disk < at + room || disk_size > guest_size)
        end_run(END_NO_MEMORY, "too little memory for this Linux kernel and its initramfs");
    if (text > get(f + COMMAND_LINE_MAX, 4) || text + 32 >= PAGE)
        end_run(END_BAD_OPTION, "the kernel's command line is too long");

    uint64_t entry = at + 0x200;
    if (unpacked)
        entry = copy_segments(f + skip, m->size - skip);
    else
        memory_copy(guest_base + at, f + skip, m->size - skip);
    if (disk_size != 0)
        memory_copy(guest_base + disk, modules[1].data, disk_size);
    memory_copy(guest_base + COMMAND_LINE, m->text, text + 1);
    if (!persona_hyperv && !persona_kvm) // then nothing else tells the guest how fast its TSC runs
        append_number((char *)guest_base + COMMAND_LINE + text, " tsc_early_khz=", tsc_hz / 1000);

    uint8_t *zero = guest_base + ZERO_PAGE;
    memory_copy(zero + HEADER, f + HEADER, MAGIC + (uint64_t)f[HEADER_END] - HEADER);
    zero[LOADER_TYPE] = 0xFF;
    put(zero + RAMDISK, disk_size == 0 ? 0 : disk, 4);
    put(zero + RAMDISK_SIZE, disk_size, 4);
    put(zero + COMMAND_LINE_PTR, COMMAND_LINE, 4);
    put(zero + ACPI_RSDP, acpi_make(vp_count), 8);
    add_region(zero, 0, LOW_END, 1);
    add_region(zero, LOW_END, MIB, 2);
    add_region(zero, MIB, guest_size, 1);
    make_tables();
    start(vp, entry);
    say("guest: Linux, %lu KiB, initramfs %lu KiB", m->size / 1024, disk_size / 1024);
    return true;
}
