// SPDX-License-Identifier: BSD-2-Clause
// Takes the memory from under the guest's feet, with its content: the kernel has to change its nested tables each time.
#include <linux/kvm.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vmm.h"

enum { PART = 2 << 20, PAUSE_US = 200000, HOLD_US = 20000 };

// A child shares all pages, so each one that is written meanwhile moves to another frame.
static void copy_on_write(void)
{
    pid_t child = fork();
    if (child == 0) {
        usleep(HOLD_US);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, 0, 0);
}

static void take_write_right(struct vmm *m)
{
    uint8_t *at = m->memory + (size_t)rand() % (m->size / PART) * PART;
    mprotect(at, PART, PROT_READ);
    mprotect(at, PART, PROT_READ | PROT_WRITE);
}

static void log_writes(struct vmm *m, bool on)
{
    struct kvm_userspace_memory_region r = {.flags = on ? KVM_MEM_LOG_DIRTY_PAGES : 0,
                                            .memory_size = m->size,
                                            .userspace_addr = (uintptr_t)m->memory};
    if (ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &r) < 0)
        fail("KVM_SET_USER_MEMORY_REGION");
}

void *mover(void *p)
{
    struct vmm *m = p;
    for (; !__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE); m->moves++) {
        usleep(PAUSE_US);
        switch (m->moves % 4) {
        case 0:
            copy_on_write();
            break;
        case 2:
            log_writes(m, true);
            usleep(HOLD_US);
            log_writes(m, false);
            break;
        default:
            take_write_right(m);
        }
    }
    return 0;
}
