// SPDX-License-Identifier: BSD-2-Clause
// Bare-metal guests: 32-bit ELF files with a multiboot 1 header, started in protected mode without paging.
#include "load.h"
#include "../base/end.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/string.h"
#include "../base/x86.h"
#include "../vm/vp.h"
#include "../dev/acpi.h"

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version, entry, phoff, shoff, flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct program_header {
    uint32_t type, offset, vaddr, paddr, filesz, memsz, flags, align;
};
enum { PT_LOAD = 1, EM_386 = 3 };
enum { GDT = 0x1000, INFORMATION = 0x2000, COMMAND_LINE = 0x2100 }; // guest physical
#define MULTIBOOT_LOADED 0x2BADB002u
enum { INFO_MEMORY = 1 << 0, INFO_COMMAND_LINE = 1 << 2 };

static void copy_segments(const struct module *m, const struct elf_header *h)
{
    for (uint32_t i = 0; i < h->phnum; i++) {
        struct program_header p;
        uint64_t at = h->phoff + (uint64_t)i * h->phentsize;
        if (h->phentsize < sizeof p || at + sizeof p > m->size)
            end_run(END_BAD_MODULE, "the guest's program headers lie outside its file");
        memory_copy(&p, m->data + at, sizeof p);
        if (p.type != PT_LOAD || p.memsz == 0)
            continue;
        if (p.filesz > p.memsz || (uint64_t)p.offset + p.filesz > m->size ||
            (uint64_t)p.paddr + p.memsz > guest_size || p.paddr < MIB)
            end_run(END_BAD_MODULE, "a segment of the guest lies outside its file or its memory");
        memory_copy(guest_base + p.paddr, m->data + p.offset, p.filesz);
    }
}

static void start(struct vp *vp, uint32_t rip)
{
    struct pv_vmcb *v = vp->vmcb;
    uint64_t *gdt = (uint64_t *)(void *)(guest_base + GDT);
    gdt[1] = 0x00CF9B000000FFFF;
    gdt[2] = 0x00CF93000000FFFF;
    const struct pv_segment data = {0x10, SEG_DATA32, 0xFFFFFFFF, 0};
    v->ds = v->es = v->ss = v->fs = v->gs = data;
    v->cs = (struct pv_segment){0x08, SEG_CODE32, 0xFFFFFFFF, 0};
    v->gdtr = (struct pv_segment){0, 0, 0x17, GDT};
    v->cr0 = CR0_NE | CR0_ET | CR0_PE;
    v->rip = rip;
    v->rsp = GDT;
    v->rax = MULTIBOOT_LOADED;
    vp->gpr[3] = INFORMATION; // EBX
    vp->activity = VP_ACTIVE;
}

bool load_elf(struct vp *vp)
{
    const struct module *m = &modules[0];
    struct elf_header h;
    if (m->size < sizeof h)
        return false;
    memory_copy(&h, m->data, sizeof h);
    if (memcmp(h.ident, "\177ELF\1\1", 6) != 0 || h.machine != EM_386)
        return false;
    uint64_t text = string_length(m->text);
    if (text >= PAGE)
        end_run(END_BAD_OPTION, "the guest's command line is too long");
    copy_segments(m, &h);
    memory_copy(guest_base + COMMAND_LINE, m->text, text + 1);
    uint32_t *info = (uint32_t *)(void *)(guest_base + INFORMATION);
    info[0] = INFO_MEMORY | INFO_COMMAND_LINE;
    info[1] = 639;
    info[2] = (uint32_t)((guest_size - MIB) / 1024);
    info[4] = COMMAND_LINE;
    acpi_make(vp_count);
    start(vp, h.entry);
    say("guest: multiboot ELF, %lu KiB", m->size / 1024);
    return true;
}

void load_guest(struct vp *vp)
{
    if (module_count == 0)
        end_run(END_BAD_MODULE, "no guest: give a kernel as the first module (-initrd)");
    if (!load_linux(vp) && !load_elf(vp))
        end_run(END_BAD_MODULE, "the first module is neither a Linux bzImage nor a 32-bit multiboot ELF");
}
