// SPDX-License-Identifier: BSD-2-Clause
// Two VPs call each other by interrupts: by the APIC's command register, then by HvCallSendSyntheticClusterIpi. Each
// sleeps in HLT until the other one calls.
#include "lib.h"

enum { BALL = 0x40, ROUNDS = 200, CLUSTER_IPI_FAST = 0x1000B };

static volatile uint32_t by_hypercall;

static void serve(uint32_t to)
{
    if (by_hypercall != 0) {
        uint64_t status = hypercall(CLUSTER_IPI_FAST, BALL, 1ull << to);
        if (status != 0) {
            put("cluster IPI: status %lx\n", status);
            failure(2);
        }
    } else {
        ipi(to, 0x4000 | BALL);
    }
}

static void await(uint32_t me, uint32_t count)
{
    interrupts_off();
    while (interrupts[me][BALL] < count)
        __asm__ volatile("sti; hlt; cli" : : : "memory");
}

void guest_main(void)
{
    hyperv_on();
    start_others(2);
    uint32_t count = 0;
    for (by_hypercall = 0; by_hypercall < 2; by_hypercall++) {
        for (uint32_t i = 0; i < ROUNDS; i++) {
            serve(1);
            await(0, ++count);
        }
        put("%u rounds by %s\n", (uint32_t)ROUNDS, by_hypercall != 0 ? "hypercall" : "APIC");
    }
    check(interrupts[0][BALL] == 2 * ROUNDS && interrupts[1][BALL] == 2 * ROUNDS, "each interrupt came once");
}

void guest_ap(uint32_t vp)
{
    for (uint32_t count = 1;; count++) {
        await(vp, count);
        serve(0);
    }
}
