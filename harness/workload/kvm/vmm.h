// SPDX-License-Identifier: BSD-2-Clause
// A small KVM program: runs a boot sector or a Linux kernel as guest of the Linux it runs on.
#ifndef VMM_H
#define VMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vmm {
    int kvm, vm, vcpu;
    uint8_t *memory;
    size_t size;
    const char *name;    // what the guest's lines begin with
    unsigned long moves; // how often its memory was moved about
    bool stop;
};

_Noreturn void fail(const char *what);

// Memory and the first processor's registers, so that it starts in a boot sector at 0x7C00, or in a kernel (boot.c).
void load_boot_sector(struct vmm *m);
void load_linux(struct vmm *m, const char *kernel, const char *initrd, const char *line);

// An access to a port (devices.c). False: the guest has ended.
bool port_access(struct vmm *m, uint16_t port, bool in, unsigned size, void *data);

// A thread that moves the guest's memory about until m->stop (mover.c).
void *mover(void *m);

#endif
