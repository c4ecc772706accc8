// SPDX-License-Identifier: BSD-2-Clause
// Control registers, SVM and other instructions that this guest does not have.
#include "attacks.h"

static uint8_t page[4096] __attribute__((aligned(4096)));

static void cr4_reserved(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 30));
}
static void cr4_vmxe(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 13));
}
static void cr4_osxsave(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 18));
}
static void cr4_no_pae(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() & ~CR4_PAE));
}
static void xsetbv(void)
{
    __asm__ volatile("xsetbv" : : "a"(7), "d"(0), "c"(0));
}
static void vmrun(void)
{
    __asm__ volatile("vmrun" : : "a"(page));
}
static void vmload(void)
{
    __asm__ volatile("vmload" : : "a"(0x100000));
}
static void vmsave(void)
{
    __asm__ volatile("vmsave" : : "a"(0x100000));
}
static void stgi(void)
{
    __asm__ volatile("stgi");
}
static void clgi(void)
{
    __asm__ volatile("clgi");
}
static void skinit(void)
{
    __asm__ volatile("skinit" : : "a"(0));
}
static void invlpga(void)
{
    __asm__ volatile("invlpga" : : "a"(0), "c"(1));
}
static void monitor(void)
{
    __asm__ volatile("monitor" : : "a"(page), "c"(0), "d"(0));
}
static void mwait(void)
{
    __asm__ volatile("mwait" : : "a"(0), "c"(0));
}
static void rdpmc(void)
{
    __asm__ volatile("rdpmc" : : "c"(0) : "rax", "rdx");
}
// QEMU's TCG does not know this intercept; what can be read is the harness's own TSC_AUX, which is 0.
static void rdtscp(void)
{
    __asm__ volatile("rdtscp" : : : "rax", "rdx", "rcx");
}
static void vmcall(void)
{
    __asm__ volatile("vmcall");
}
static void wbinvd(void)
{
    __asm__ volatile("wbinvd");
}
static void invd(void)
{
    __asm__ volatile("invd");
}
static void cpuid_everything(void)
{
    for (uint32_t i = 0; i < 0x100; i++) {
        cpuid(i, i);
        cpuid(0x40000000 + i, 0);
        cpuid(0x80000000 + i, 0);
        cpuid(i << 24, ~0u);
    }
}

void long_mode_without_pae(void); // paging.S

const struct attack attacks_cpu[] = {
    ATTACK(long_mode_without_pae, NOTHING),
    ATTACK(cr4_reserved, EXC_GP),
    ATTACK(cr4_vmxe, EXC_GP),
    ATTACK(cr4_osxsave, EXC_GP),
    ATTACK(cr4_no_pae, EXC_GP),
    ATTACK(xsetbv, EXC_UD),
    ATTACK(vmrun, EXC_UD),
    ATTACK(vmload, EXC_UD),
    ATTACK(vmsave, EXC_UD),
    ATTACK(stgi, EXC_UD),
    ATTACK(clgi, EXC_UD),
    ATTACK(skinit, EXC_UD),
    ATTACK(invlpga, EXC_UD),
    ATTACK(monitor, EXC_UD),
    ATTACK(mwait, EXC_UD),
    ATTACK(rdpmc, EXC_GP),
    ATTACK(rdtscp, ANY),
    ATTACK(vmcall, EXC_UD),
    ATTACK(wbinvd, NOTHING),
    ATTACK(invd, NOTHING),
    ATTACK(cpuid_everything, NOTHING),
    {0, 0, 0},
};
