// SPDX-License-Identifier: BSD-2-Clause
// What lies in a guest's memory when it starts.
#include <elf.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "vmm.h"

void load_boot_sector(struct vmm *m)
{
    // Prints "boot sector" to the serial port, then OUT 0xF4.
    static const uint8_t code[] = {0xBE, 0x14, 0x7C,       // mov si, text
                                   0xBA, 0xF8, 0x03,       // mov dx, 0x3F8
                                   0xAC,                   // lodsb
                                   0x84, 0xC0,             // test al, al
                                   0x74, 0x03,             // jz end
                                   0xEE,                   // out dx, al
                                   0xEB, 0xF8,             // jmp lodsb
                                   0xE6, 0xF4,             // end: out 0xF4, al
                                   0xF4, 0xEB, 0xFD, 0x90, // hlt; jmp hlt
                                   'b',  'o',  'o',  't',  ' ', 's', 'e', 'c', 't', 'o', 'r', '\n', 0};
    memcpy(m->memory + 0x7C00, code, sizeof code);
    struct kvm_sregs s;
    struct kvm_regs r = {.rip = 0x7C00, .rsp = 0x7000, .rflags = 2};
    if (ioctl(m->vcpu, KVM_GET_SREGS, &s) < 0)
        fail("KVM_GET_SREGS");
    s.cs.base = s.cs.selector = 0;
    if (ioctl(m->vcpu, KVM_SET_SREGS, &s) < 0 || ioctl(m->vcpu, KVM_SET_REGS, &r) < 0)
        fail("KVM_SET_REGS");
}

static const uint8_t *map_file(const char *name, size_t *size)
{
    int file = open(name, O_RDONLY);
    struct stat s;
    if (file < 0 || fstat(file, &s) < 0)
        fail(name);
    void *p = mmap(0, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (p == MAP_FAILED)
        fail(name);
    close(file);
    *size = (size_t)s.st_size;
    return p;
}

static void put(uint8_t *to, uint64_t v, size_t bytes)
{
    memcpy(to, &v, bytes);
}

// The unpacked kernel, an ELF file behind the setup sectors of a bzImage (harness/unpack-kernel). Its entry.
static uint64_t copy_kernel(struct vmm *m, const uint8_t *f, size_t size)
{
    const Elf64_Ehdr *e = (const void *)f;
    if (size < sizeof *e || memcmp(f, ELFMAG, 4) != 0 || e->e_phoff > size ||
        e->e_phnum * sizeof(Elf64_Phdr) > size - e->e_phoff)
        fail("no unpacked kernel");
    const Elf64_Phdr *p = (const void *)(f + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type != PT_LOAD)
            continue;
        if (p[i].p_offset > size || p[i].p_filesz > size - p[i].p_offset || p[i].p_paddr > m->size ||
            p[i].p_memsz > m->size - p[i].p_paddr)
            fail("the kernel does not fit");
        memcpy(m->memory + p[i].p_paddr, f + p[i].p_offset, p[i].p_filesz);
    }
    return e->e_entry;
}

void load_linux(struct vmm *m, const char *kernel, const char *initrd, const char *line)
{
    enum { ZERO_PAGE = 0x10000, LINE = 0x20000, TABLES = 0x30000, HEADER = 0x1F1, LOW_END = 0x9F000 };
    size_t size, disk_size;
    const uint8_t *f = map_file(kernel, &size), *disk = map_file(initrd, &disk_size);
    size_t skip = (f[HEADER] + 1u) * 512u;
    uint64_t entry = copy_kernel(m, f + skip, size - skip);
    uint64_t disk_at = (m->size - disk_size) & ~(uint64_t)4095;
    memcpy(m->memory + disk_at, disk, disk_size);
    strcpy((char *)m->memory + LINE, line);

    uint8_t *zero = m->memory + ZERO_PAGE;
    memcpy(zero + HEADER, f + HEADER, 0x202u + f[0x201] - HEADER);
    zero[0x210] = 0xFF;
    put(zero + 0x218, disk_at, 4);
    put(zero + 0x21C, disk_size, 4);
    put(zero + 0x228, LINE, 4);
    const uint64_t regions[][3] = {{0, LOW_END, 1}, {0x100000, m->size - 0x100000, 1}};
    for (unsigned i = 0; i < 2; i++) {
        put(zero + 0x2D0 + 20 * i, regions[i][0], 8);
        put(zero + 0x2D0 + 20 * i + 8, regions[i][1], 8);
        put(zero + 0x2D0 + 20 * i + 16, regions[i][2], 4);
    }
    zero[0x1E8] = 2;
    uint8_t *t = m->memory + TABLES;
    put(t, TABLES + 0x1003, 8);
    put(t + 0x1000, TABLES + 0x2003, 8);
    for (unsigned i = 0; i < 512; i++)
        put(t + 0x2000 + 8 * i, (uint64_t)i << 21 | 0x83, 8);

    struct kvm_sregs s;
    if (ioctl(m->vcpu, KVM_GET_SREGS, &s) < 0)
        fail("KVM_GET_SREGS");
    struct kvm_segment data = {
        .limit = 0xFFFFFFFF, .selector = 0x18, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1};
    s.ds = s.es = s.ss = s.fs = s.gs = data;
    s.cs = data;
    s.cs.selector = 0x10;
    s.cs.type = 11;
    s.cs.db = 0;
    s.cs.l = 1;
    s.cr0 = 0x80000011;
    s.cr3 = TABLES;
    s.cr4 = 0x20;
    s.efer = 0x500;
    struct kvm_regs r = {.rip = entry, .rsp = LINE, .rsi = ZERO_PAGE, .rflags = 2};
    if (ioctl(m->vcpu, KVM_SET_SREGS, &s) < 0 || ioctl(m->vcpu, KVM_SET_REGS, &r) < 0)
        fail("KVM_SET_SREGS");
}
