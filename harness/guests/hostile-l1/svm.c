// SPDX-License-Identifier: BSD-2-Clause
// Instructions of SVM that L2 executes, and that L1 does not intercept.
#include "l2.h"

static void vmrun_body(void)
{
    __asm__ volatile("vmrun" : : "a"(&block[0]) : "memory");
    vmmcall();
}
static void vmrun_in_l2(void)
{
    l2_caged(vmrun_body);
    want(l2_go() == EXIT_VMRUN, "VMRUN of L2");
}
static void vmsave_body(void)
{
    __asm__ volatile("vmsave; vmload" : : "a"(den[41]) : "memory");
    vmmcall();
}
static void vmsave_in_l2(void)
{
    l2_caged(vmsave_body);
    want(l2_go() == EXIT_VMMCALL, "VMSAVE and VMLOAD of L2");
}
static void vmload_nowhere_body(void)
{
    __asm__ volatile("vmload" : : "a"(0xC8000000) : "memory");
    vmmcall();
}
static void vmload_nowhere_in_l2(void)
{
    l2_caged(vmload_nowhere_body);
    want(l2_go() == EXIT_EXCEPTION + EXC_GP, "VMLOAD of L2 where no memory is");
}
static void skinit_body(void)
{
    __asm__ volatile("skinit" : : "a"(0));
    vmmcall();
}
static void skinit_in_l2(void)
{
    l2_caged(skinit_body);
    want(l2_go() == EXIT_EXCEPTION + EXC_UD, "SKINIT of L2");
}
static void call_of_l2(void)
{
    l2_caged(l2_call);
    block[0].intercepts4 = I4_VMRUN;
    want(l2_go() == EXIT_EXCEPTION + EXC_UD, "a hypercall that nobody wants");
}
static void invlpga_body(void)
{
    for (uint32_t i = 0; i < 100; i++)
        __asm__ volatile("invlpga" : : "a"((uint64_t)i << 12), "c"(i) : "memory");
    vmmcall();
}
static void invlpga_in_l2(void)
{
    l2_caged(invlpga_body);
    want(l2_go() == EXIT_VMMCALL, "INVLPGA of L2");
}

// While L2 has GIF clear nothing comes, not even what L1 waits for (15.17); a processor of L1's could do no better.
static void clgi_body(void)
{
    __asm__ volatile("clgi");
    for (uint64_t start = rdtsc(); rdtsc() - start < seen[3];)
        pause();
    seen[2] = 1;
    __asm__ volatile("stgi");
    for (;;)
        pause();
}
static bool clgi_for(uint64_t ticks)
{
    l2_caged(clgi_body);
    seen[2] = 0;
    seen[3] = ticks;
    return l2_go() == EXIT_INTR && seen[2] == 1;
}
static void clgi_in_l2(void)
{
    patience = SHORT;
    uint64_t start = rdtsc();
    want(clgi_for(0), "an interrupt after STGI of L2");
    want(clgi_for(4 * (rdtsc() - start)),
         "an interrupt that waits for STGI of L2"); // the timer is long over then
}
static void stgi_body(void)
{
    __asm__ volatile("stgi");
    vmmcall();
}
static void stgi_in_l2(void)
{
    l2_caged(stgi_body);
    want(l2_go() == EXIT_VMMCALL, "STGI of L2");
}
static void clgi_at_the_end_body(void)
{
    __asm__ volatile("clgi");
    vmmcall();
}
static void clgi_at_the_end(void)
{
    l2_caged(clgi_at_the_end_body);
    want(l2_go() == EXIT_VMMCALL, "L2 leaves with GIF clear");
    l2_caged(l2_call);
    want(l2_go() == EXIT_VMMCALL, "and the next one runs");
}

const struct attack attacks_svm[] = {
    ATTACK(vmrun_in_l2, NOTHING),          ATTACK(vmsave_in_l2, NOTHING),
    ATTACK(vmload_nowhere_in_l2, NOTHING), ATTACK(skinit_in_l2, NOTHING),
    ATTACK(call_of_l2, NOTHING),           ATTACK(invlpga_in_l2, NOTHING),
    ATTACK(clgi_in_l2, NOTHING),           ATTACK(stgi_in_l2, NOTHING),
    ATTACK(clgi_at_the_end, NOTHING),      {0, 0, 0},
};
