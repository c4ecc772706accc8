// SPDX-License-Identifier: BSD-2-Clause
// Registers: every class of MSR, and values that the ones we know must refuse.
#include "attacks.h"

static uint32_t msr_number;
static uint64_t msr_value;
static void read_msr(void)
{
    rdmsr(msr_number);
}
static void write_msr(void)
{
    wrmsr(msr_number, msr_value);
}

static const struct {
    uint32_t msr;
    const char *what;
    int on_read, on_write;
} msrs[] = {
    {0x0, "machine check address", EXC_GP, EXC_GP},
    {0x17, "platform id", EXC_GP, EXC_GP},
    {0x3A, "feature control", EXC_GP, EXC_GP},
    {0xFE, "MTRR capabilities", EXC_GP, EXC_GP},
    {0x1D9, "debug control", NOTHING, NOTHING},
    {0x200, "MTRR base", EXC_GP, EXC_GP},
    {0x400, "machine check bank", EXC_GP, EXC_GP},
    {0x480, "VMX capability", EXC_GP, EXC_GP},
    {0x804, "x2APIC hole", EXC_GP, EXC_GP},
    {0x80E, "x2APIC DFR", EXC_GP, EXC_GP},
    {0x8FF, "x2APIC end", EXC_GP, EXC_GP},
    {0x40000002, "Hyper-V VP index, write", NOTHING, EXC_GP},
    {0x40000080, "Hyper-V SynIC", EXC_GP, EXC_GP},
    {0x400000B0, "Hyper-V timer", EXC_GP, EXC_GP},
    {0x40001002, "Hyper-V nested VP index", EXC_GP, EXC_GP},
    {0x4FFFFFFF, "Hyper-V end", EXC_GP, EXC_GP},
    {0x4B564D00, "KVM wall clock", EXC_GP, EXC_GP},
    {0xC0000103, "TSC_AUX", EXC_GP, EXC_GP},
    {0xC0010114, "VM_CR", EXC_GP, EXC_GP},
    {0xC0010117, "VM_HSAVE_PA", EXC_GP, EXC_GP},
    {0xC0010130, "GHCB", EXC_GP, EXC_GP},
    {0xFFFFFFFF, "last", EXC_GP, EXC_GP},
};

bool msr_classes(uint32_t *count)
{
    bool good = true;
    for (uint32_t i = 0; i < sizeof msrs / sizeof msrs[0]; i++) {
        msr_number = msrs[i].msr;
        msr_value = 0xFFFFFFFFFFFFFFFF;
        int r = catch_fault(read_msr), w = catch_fault(write_msr);
        if (r != msrs[i].on_read || w != msrs[i].on_write) {
            put("MSR %x (%s): read %u, write %u\n", msrs[i].msr, msrs[i].what, (uint32_t)r, (uint32_t)w);
            good = false;
        }
        *count += 2;
    }
    return good;
}

static void efer_svme(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
}
static void efer_reserved(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | 1ull << 20);
}
static void efer_lme(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_LME);
}
static void pat_reserved(void)
{
    wrmsr(MSR_PAT, 0x0202020202020202);
}
static void apic_base_moved(void)
{
    wrmsr(MSR_APIC_BASE, 0x100000 | 0xC00);
}
static void apic_base_x_from_x2(void)
{
    wrmsr(MSR_APIC_BASE, 0xFEE00800);
}
static void icr_reserved(void)
{
    wrmsr(0x830, 0xFFFFFFFF00FF0000);
}
static void self_ipi_reserved(void)
{
    wrmsr(0x83F, 0x100);
}
static void eoi_value(void)
{
    wrmsr(0x80B, 5);
}
static void lvt_reserved(void)
{
    wrmsr(0x832, 0xFFFFFFFF);
}
static void hypercall_page_outside(void)
{
    wrmsr(0x40000001, 0xFFFFFFFFFFFFF001);
}
static void hypercall_page_beyond_memory(void)
{
    wrmsr(0x40000001, 0xC0000001);
    hyperv_on();
}
static void reference_page_outside(void)
{
    wrmsr(0x40000021, 0x000FFFFFFFFFF001);
    wrmsr(0x40000021, 0);
}
static void assist_page_outside(void)
{
    wrmsr(0x40000073, ~0ull);
}

const struct attack attacks_msrs[] = {
    ATTACK(efer_svme, EXC_GP),
    ATTACK(efer_reserved, EXC_GP),
    ATTACK(efer_lme, EXC_GP),
    ATTACK(pat_reserved, EXC_GP),
    ATTACK(apic_base_moved, EXC_GP),
    ATTACK(apic_base_x_from_x2, EXC_GP),
    ATTACK(icr_reserved, EXC_GP),
    ATTACK(self_ipi_reserved, EXC_GP),
    ATTACK(eoi_value, EXC_GP),
    ATTACK(lvt_reserved, EXC_GP),
    ATTACK(hypercall_page_outside, EXC_GP),
    ATTACK(hypercall_page_beyond_memory, NOTHING),
    ATTACK(reference_page_outside, NOTHING),
    ATTACK(assist_page_outside, ANY),
    {0, 0, 0},
};
