// SPDX-License-Identifier: BSD-2-Clause
// vmm sector                             a boot sector as guest
// vmm linux NAME MIB KERNEL INITRD LINE  Linux as guest, whose lines are printed behind NAME; KERNEL is unpacked
// Exit status 0 when the guest ended by itself.
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "vmm.h"

_Noreturn void fail(const char *what)
{
    printf("vmm: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void make(struct vmm *m, bool devices)
{
    m->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    if (m->kvm < 0)
        fail("/dev/kvm");
    m->vm = ioctl(m->kvm, KVM_CREATE_VM, 0);
    if (m->vm < 0)
        fail("KVM_CREATE_VM");
    if (ioctl(m->vm, KVM_SET_TSS_ADDR, 0xFFFBD000) < 0)
        fail("KVM_SET_TSS_ADDR");
    struct kvm_pit_config pit = {0};
    if (devices && (ioctl(m->vm, KVM_CREATE_IRQCHIP) < 0 || ioctl(m->vm, KVM_CREATE_PIT2, &pit) < 0))
        fail("KVM_CREATE_IRQCHIP");
    m->memory = mmap(0, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->memory == MAP_FAILED)
        fail("memory");
    struct kvm_userspace_memory_region r = {.memory_size = m->size, .userspace_addr = (uintptr_t)m->memory};
    if (ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &r) < 0)
        fail("KVM_SET_USER_MEMORY_REGION");
    m->vcpu = ioctl(m->vm, KVM_CREATE_VCPU, 0);
    if (m->vcpu < 0)
        fail("KVM_CREATE_VCPU");
    static struct {
        struct kvm_cpuid2 head;
        struct kvm_cpuid_entry2 entries[128];
    } c;
    c.head.nent = 128;
    if (ioctl(m->kvm, KVM_GET_SUPPORTED_CPUID, &c) < 0)
        fail("KVM_GET_SUPPORTED_CPUID");
    for (unsigned i = 0; i < c.head.nent; i++)
        if (c.entries[i].function ==
            1) // what is ours to say: a hypervisor is there, and so is the TSC deadline timer
            c.entries[i].ecx |= 1u << 31 | 1u << 24;
    if (ioctl(m->vcpu, KVM_SET_CPUID2, &c) < 0)
        fail("KVM_SET_CPUID2");
}

static int run(struct vmm *m)
{
    int size = ioctl(m->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    struct kvm_run *r =
        size < 0 ? MAP_FAILED : mmap(0, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
    if (r == MAP_FAILED)
        fail("kvm_run");
    for (unsigned denied = 0;;) {
        // The mover may just have taken the right to write.
        if (ioctl(m->vcpu, KVM_RUN, 0) < 0 && errno != EINTR && (errno != EFAULT || ++denied == 1000))
            fail("KVM_RUN");
        if (r->exit_reason != KVM_EXIT_UNKNOWN)
            denied = 0;
        switch (r->exit_reason) {
        case KVM_EXIT_UNKNOWN:
            break;
        case KVM_EXIT_IO:
            for (unsigned i = 0; i < r->io.count; i++)
                if (!port_access(m, r->io.port, r->io.direction == KVM_EXIT_IO_IN, r->io.size,
                                 (uint8_t *)r + r->io.data_offset + i * r->io.size))
                    return 0;
            break;
        case KVM_EXIT_MMIO:
            if (!r->mmio.is_write)
                memset(r->mmio.data, 0xFF, sizeof r->mmio.data);
            break;
        case KVM_EXIT_HLT:
        case KVM_EXIT_INTR:
            break;
        default:
            printf("vmm: %s ended with exit reason %u, %llx\n", m->name, r->exit_reason,
                   (unsigned long long)r->hw.hardware_exit_reason);
            return 1;
        }
    }
}

int main(int count, char **words)
{
    struct vmm m = {.name = "L2", .size = 1 << 20};
    if (count == 2 && strcmp(words[1], "sector") == 0) {
        make(&m, false);
        load_boot_sector(&m);
        int status = run(&m);
        printf("vmm: boot sector: exit status %d\n", status);
        return status;
    }
    if (count != 7 || strcmp(words[1], "linux") != 0) {
        printf("usage: vmm sector | vmm linux NAME MIB KERNEL INITRD LINE\n");
        return 2;
    }
    m.name = words[2];
    m.size = strtoul(words[3], 0, 10) << 20;
    make(&m, true);
    load_linux(&m, words[4], words[5], words[6]);
    pthread_t thread;
    if (pthread_create(&thread, 0, mover, &m) != 0)
        fail("thread");
    int status = run(&m);
    __atomic_store_n(&m.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, 0);
    printf("vmm: %s: exit status %d, its memory was moved %lu times\n", m.name, status, m.moves);
    return status;
}
