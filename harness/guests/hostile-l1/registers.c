// SPDX-License-Identifier: BSD-2-Clause
// SVM's own registers and instructions.
#include "l2.h"

static void svme_off(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~(uint64_t)EFER_SVME);
    l2_go();
}
static void svme_off_and_clgi(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~(uint64_t)EFER_SVME);
    __asm__ volatile("clgi");
}
static void save_area_odd(void)
{
    wrmsr(MSR_VM_HSAVE_PA, 0x1234567);
}
static void save_area_far(void)
{
    wrmsr(MSR_VM_HSAVE_PA, ~0ull << 12);
}
static void save_area_no_memory(void)
{
    wrmsr(MSR_VM_HSAVE_PA, 0xC8000000);
    l2_caged(l2_call);
    want(l2_go() == EXIT_VMMCALL, "a save area where no memory is");
}
static void vm_cr_reserved(void)
{
    wrmsr(MSR_VM_CR, ~0ull);
}
static void load_rubbish(void) // no address of these is canonical
{
    static struct pv_vmcb kept __attribute__((aligned(4096))), odd __attribute__((aligned(4096)));
    __asm__ volatile("vmsave" : : "a"(&kept) : "memory");
    for (uint32_t i = 0; i < 512; i++)
        ((uint64_t *)(void *)&odd)[i] = 0xDEAD0000DEAD0000 + i;
    __asm__ volatile("vmload" : : "a"(&odd) : "memory");
    __asm__ volatile("vmload" : : "a"(&kept) : "memory");
}
static void invlpga_of_all(void)
{
    for (uint32_t i = 0; i < 1000; i++)
        __asm__ volatile("invlpga" : : "a"(random()), "c"(i < 70 ? i : (uint32_t)random()) : "memory");
}

const struct attack attacks_registers[] = {
    ATTACK(svme_off, EXC_UD),      ATTACK(svme_off_and_clgi, EXC_UD),    ATTACK(save_area_odd, EXC_GP),
    ATTACK(save_area_far, EXC_GP), ATTACK(save_area_no_memory, NOTHING), ATTACK(vm_cr_reserved, EXC_GP),
    ATTACK(load_rubbish, ANY),     ATTACK(invlpga_of_all, NOTHING),      {0, 0, 0},
};
