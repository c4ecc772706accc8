// SPDX-License-Identifier: BSD-2-Clause
// Attacks after which L1 cannot go on. The run must end in the way that a processor would take.
#include "l2.h"

static void l2_loop(void)
{
    for (;;)
        pause();
}
static void l2_triple_fault(void)
{
    static const uint16_t nothing[5];
    __asm__ volatile("lidt %0; int3" : : "m"(nothing));
}
static void vmrun_with_gif_clear(void)
{
    wrmsr(0x838, 0);
    __asm__ volatile("vmrun" : : "a"(&block[0]) : "memory");
}

void fatal_l1(uint32_t which)
{
    switch (which) {
    case 1: // nothing can wake it
        __asm__ volatile("clgi; sti; hlt");
        break;
    case 2: // INIT waits for STGI, and takes effect then
        __asm__ volatile("clgi");
        ipi(my_id(), 0x4500);
        put("INIT waits\n");
        __asm__ volatile("stgi");
        l2_loop();
        break;
    case 3: // or for VMRUN, which sets GIF
        l2_caged(l2_loop);
        block[0].intercepts3 = 0;
        __asm__ volatile("clgi");
        ipi(my_id(), 0x4500);
        put("INIT waits\n");
        vmrun_with_gif_clear();
        break;
    case 4: // unless L1 wants to see it: then it waits on
        l2_caged(l2_loop);
        block[0].intercepts3 = I3_INIT;
        __asm__ volatile("clgi");
        ipi(my_id(), 0x4500);
        vmrun_with_gif_clear();
        put("INIT has ended L2: exit %lx\n", block[0].exit_code);
        __asm__ volatile("stgi");
        l2_loop();
        break;
    case 5: // a shutdown of L2 that L1 does not intercept is one of the processor
        l2_caged(l2_triple_fault);
        block[0].intercepts3 = 0;
        block[0].exception_intercepts = 0;
        l2_go();
        break;
    default:
        break;
    }
    put("fatal attack %u was not fatal\n", which);
    failure(50 + which);
}
