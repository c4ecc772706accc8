// SPDX-License-Identifier: BSD-2-Clause
// SVM's instructions and registers where they fault (APM vol. 2, 15.4, 15.5, 15.30 and the instructions' own pages).
#include "l1.h"

static uint64_t rax, msr, value;
enum { VM_CR_LOCK = 8, VM_CR_SVMDIS = 16 };

#define INSTRUCTION(name, text)                                                                              \
    static void do_##name(void)                                                                              \
    {                                                                                                        \
        uint64_t a = rax;                                                                                    \
        __asm__ volatile(text : "+a"(a) : "c"(1) : "memory");                                                \
    }
INSTRUCTION(vmrun, "vmrun")
INSTRUCTION(vmload, "vmload")
INSTRUCTION(vmsave, "vmsave")
INSTRUCTION(stgi, "stgi")
INSTRUCTION(clgi, "clgi")
INSTRUCTION(invlpga, "invlpga %%rax, %%ecx")
INSTRUCTION(skinit, "skinit")

static const struct {
    const char *name;
    void (*body)(void);
    bool takes_block;
} all[] = {{"VMRUN", do_vmrun, true},   {"VMLOAD", do_vmload, true}, {"VMSAVE", do_vmsave, true},
           {"STGI", do_stgi, false},    {"CLGI", do_clgi, false},    {"INVLPGA", do_invlpga, false},
           {"SKINIT", do_skinit, false}};
enum { COUNT = sizeof all / sizeof *all, SKINIT = COUNT - 1 };

static void write_msr(void)
{
    wrmsr((uint32_t)msr, value);
}

static int fault_of_write(uint32_t number, uint64_t v)
{
    msr = number;
    value = v;
    return catch_fault(write_msr);
}

static void expect_fault(int got, int wanted, const char *name, const char *what)
{
    check(got == wanted, joined(name, what));
    if (got != wanted)
        put("   exception %x\n", (uint32_t)got);
}

static void step_off(void)
{
    rax = (uintptr_t)&block[0];
    for (uint32_t i = 0; i < COUNT; i++) {
        l2_watched(0, vmmcall);
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_SVME);
        int got = catch_fault(all[i].body);
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
        expect_fault(got, EXC_UD, all[i].name, "EFER.SVME clear: #UD");
    }
    expect_fault(catch_fault(do_skinit), EXC_UD, "SKINIT", "which CPUID does not offer: #UD");
}

static void step_user(void)
{
    rax = (uintptr_t)&block[0];
    for (uint32_t i = 0; i < SKINIT; i++)
        expect_fault(catch_fault_as_user(all[i].body), EXC_GP, all[i].name, "CPL 3: #GP");
}

static void step_address(void)
{
    uint64_t end = 1ull << (cpuid(0x80000008, 0).eax & 0xFF);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (!all[i].takes_block)
            continue;
        l2_watched(0, vmmcall);
        rax = (uintptr_t)&block[0] + 8;
        expect_fault(catch_fault(all[i].body), EXC_GP, all[i].name, "RAX not at a page: #GP");
        rax = end;
        expect_fault(catch_fault(all[i].body), EXC_GP, all[i].name, "RAX beyond memory: #GP");
    }
}

static void step_registers(void)
{
    uint64_t save_area = rdmsr(MSR_VM_HSAVE_PA), end = 1ull << (cpuid(0x80000008, 0).eax & 0xFF);
    check(rdmsr(MSR_VM_HSAVE_PA) != 0, "VM_HSAVE_PA reads as written");
    check((rdmsr(MSR_EFER) & EFER_SVME) != 0, "EFER.SVME reads as written");
    if (!on_proviso) {
        skip("reserved bits of VM_HSAVE_PA and VM_CR, SVMDIS and LOCK",
             "QEMU checks neither and keeps no VM_CR");
        return;
    }
    check(fault_of_write(MSR_VM_HSAVE_PA, save_area + 8) == EXC_GP, "VM_HSAVE_PA not at a page: #GP");
    check(fault_of_write(MSR_VM_HSAVE_PA, end) == EXC_GP, "VM_HSAVE_PA beyond memory: #GP");
    check(rdmsr(MSR_VM_HSAVE_PA) == save_area, "and it keeps its value");
    check(fault_of_write(MSR_VM_CR, 32) == EXC_GP, "VM_CR bit 5: #GP");
    check(fault_of_write(MSR_VM_CR, 1ull << 63) == EXC_GP, "VM_CR bit 63: #GP");
    check(fault_of_write(MSR_VM_CR, VM_CR_SVMDIS) == EXC_GP, "VM_CR.SVMDIS while SVM is on: #GP");
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_SVME);
    int good = fault_of_write(MSR_VM_CR, VM_CR_SVMDIS);
    int on = fault_of_write(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_CR, 0);
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    check(good < 0 && on == EXC_GP, "EFER.SVME with VM_CR.SVMDIS set: #GP");
    wrmsr(MSR_VM_CR, VM_CR_LOCK);
    wrmsr(MSR_VM_CR, 0);
    check(rdmsr(MSR_VM_CR) == VM_CR_LOCK, "VM_CR.LOCK stays (NV-VMCR-1)");
}

static void l2_vmmcall(void)
{
    vmmcall();
}

static void step_l2(void)
{
    l2_watched(0, l2_vmmcall);
    block[0].intercepts4 &= ~(uint32_t)I4_VMMCALL;
    expect(l2_run(0) == EXIT_EXCEPTION + EXC_UD && block[0].rip == (uintptr_t)l2_vmmcall,
           "VMMCALL of L2 that L1 does not intercept: #UD");
    uint64_t before = rdmsr(MSR_KERNEL_GS_BASE);
    block[1].kernel_gs_base = 0x123456789000;
    rax = (uintptr_t)&block[1];
    do_vmload();
    bool good = rdmsr(MSR_KERNEL_GS_BASE) == 0x123456789000;
    wrmsr(MSR_KERNEL_GS_BASE, 0x5000);
    wrmsr(MSR_STAR, 0x1122334455667788);
    do_vmsave();
    check(good && block[1].kernel_gs_base == 0x5000 && block[1].star == 0x1122334455667788,
          "VMLOAD and VMSAVE carry KernelGSBase and STAR");
    wrmsr(MSR_KERNEL_GS_BASE, before);
}

void steps_instructions(void)
{
    attempt("SVM switched off", step_off);
    attempt("user mode", step_user);
    attempt("addresses of control blocks", step_address);
    attempt("SVM's registers", step_registers);
    attempt("VMMCALL, VMLOAD, VMSAVE", step_l2);
}
