// SPDX-License-Identifier: BSD-2-Clause
// A hypervisor that attacks the one below it; its guest attacks both. Each attack must end in a fault or an exit for L1. The attacks
// stand in hostile-l1/. On the command line: vps=N, seed=N, rounds=N, fatal=N (an attack after which L1 cannot go on).
#include "hostile-l1/l2.h"

uint32_t race;
static uint8_t save_area[PAGE] __attribute__((aligned(4096)));

static uint32_t run_all(const struct attack *a)
{
    uint32_t count = 0;
    for (; a->body != 0; a++, count++) {
        uint32_t before = failures;
        patience = LONG;
        int got = catch_fault(a->body);
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
        __asm__ volatile("stgi" : : : "memory");
        wrmsr(0x838, 0);
        wrmsr(MSR_VM_HSAVE_PA, (uintptr_t)save_area);
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
    if ((cpuid(0x80000001, 0).ecx & 1u << 2) == 0) {
        put("FAIL: no SVM here; run with --nested\n");
        failure(1);
    }
    l1_on();
    l1_note();
    start_others(option("vps", 1));
    if (option("fatal", 0) != 0)
        fatal_l1(option("fatal", 0));
    uint32_t count = run_all(attacks_address) + run_all(attacks_block) + run_all(attacks_state) +
                     run_all(attacks_registers) + run_all(attacks_events) + run_all(attacks_modes) +
                     run_all(attacks_tables) + run_all(attacks_frames) + run_all(attacks_l2) +
                     run_all(attacks_svm) + run_all(attacks_passed) + run_all(attacks_odd) +
                     run_all(attacks_random);
    if (option("vps", 1) > 1)
        count += run_all(attacks_others);
    if (cpuid(0x40000000, 0).ebx == 0x7263694D) // Hyper-V's
        count += run_all(attacks_overlay) + run_all(attacks_calls);
    put("%u attacks of L1 and L2, %u failures\n", count, failures);
}

void guest_ap(uint32_t vp)
{
    if (vp == 1)
        other_l1();
    for (uint64_t i = vp;; i = i * 6364136223846793005 + 1442695040888963407)
        switch (__atomic_load_n(&race, __ATOMIC_RELAXED)) {
        case RACE_BLOCK:
            spoil(&block[0], i >> 5);
            break;
        case RACE_ENTRIES:
            nested_pt[0][i >> 60 & 3] = i ^ i >> 32;
            break;
        case RACE_OVERLAY:
            wrmsr(0x40000001, (i & 1) != 0 ? ((uintptr_t)window + 2 * PAGE) | 1 : 0);
            break;
        default:
            pause();
        }
}
