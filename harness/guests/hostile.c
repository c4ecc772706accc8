// SPDX-License-Identifier: BSD-2-Clause
// A guest that attacks the harness. Each attack must end in a fault or an error for the guest, or in nothing; the
// harness checks its own memory when the guest ends. The attacks stand in hostile/.
#include "hostile/attacks.h"

uint32_t others, racing;

static uint32_t run_all(const struct attack *a)
{
    uint32_t count = 0;
    for (; a->body != 0; a++, count++) {
        uint32_t before = failures;
        int got = catch_fault(a->body);
        pdpt[3] = (uintptr_t)pd[3] | 3; // an attack on the page tables may not have come to its end
        __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
        if (got != a->expect && a->expect != ANY) {
            put("%s: exception %u, expected %u\n", a->name, (uint32_t)got, (uint32_t)a->expect);
            failures++;
        }
        put("%s: %s\n", failures == before ? "ok" : "FAIL", a->name);
    }
    return count;
}

void guest_main(void)
{
    bool kvm = cpuid(0x40000000, 0).ebx == 0x4B4D564B, hyperv = cpuid(0x40000000, 0).ebx == 0x7263694D;
    if (hyperv)
        hyperv_on();
    others = option("vps", 1) - 1;
    start_others(others + 1);
    if (option("fatal", 0) != 0)
        fatal(option("fatal", 0));
    uint32_t count = 0;
    if (kvm)
        count += run_all(attacks_kvm);
    if (hyperv) {
        check(msr_classes(&count), "all classes of MSRs");
        count += run_all(attacks_msrs) + run_all(attacks_hypercalls);
    }
    count +=
        run_all(attacks_cpu) + run_all(attacks_memory) + run_all(attacks_ports) + run_all(attacks_interrupts);
    put("%u attacks, %u failures\n", count, failures);
}

void guest_ap(uint32_t vp)
{
    for (uint64_t i = vp;; i = i * 6364136223846793005 + 1442695040888963407)
        if (__atomic_load_n(&racing, __ATOMIC_RELAXED) != 0)
            __atomic_store_n(&operands[i >> 32 & 7], (i & 1) != 0 ? i : i >> 60, __ATOMIC_RELAXED);
        else
            pause();
}
