// SPDX-License-Identifier: BSD-2-Clause
#include "svm.h"
#include "../base/end.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/x86.h"
#include "../base/string.h"

bool svm_has_next_rip, svm_has_flush_by_asid;
uint32_t svm_asids;
uint64_t svm_iopm_pa, svm_msrpm_pa;

void svm_check(void)
{
    // APM vol. 2, 15.4: CPUID Fn8000_0001 ECX[2], VM_CR.SVMDIS, and the features in Fn8000_000A.
    if ((cpuid(0x80000001, 0).ecx & (1u << 2)) == 0)
        end_run(END_NO_SVM, "this processor has no SVM (QEMU: -cpu max,la57=off or -cpu EPYC)");
    if ((rdmsr(MSR_VM_CR) & (1u << 4)) != 0)
        end_run(END_NO_SVM, "SVM is switched off by the firmware (VM_CR.SVMDIS)");
    struct cpuid f = cpuid(0x8000000A, 0);
    if ((f.edx & 1) == 0)
        end_run(END_NO_NPT, "this processor has SVM but no nested paging");
    // The core is compiled for them (src/flags.mk).
    if ((cpuid(1, 0).ecx & 1u << 23) == 0 || (cpuid(7, 0).ebx & 1u << 3) == 0)
        end_run(END_NO_SVM, "this processor has no POPCNT or no BMI1");
    svm_has_next_rip = (f.edx & (1u << 3)) != 0;
    svm_has_flush_by_asid = (f.edx & (1u << 6)) != 0;
    svm_asids = f.ebx;
    if (svm_asids < 2)
        end_run(END_NO_SVM, "this processor has no address space identifiers for guests");
}

void svm_enable(void)
{
    struct pcpu *me = this_pcpu();
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    // The paging bits of CR4 as kernels set them: where host and guest agree, QEMU flushes its TLB less often.
    uint64_t cr4 = read_cr4() | CR4_PSE;
    uint32_t features = cpuid(7, 0).ebx;
    if ((features & 1u << 7) != 0)
        cr4 |= CR4_SMEP;
    if ((features & 1u << 20) != 0)
        cr4 |= CR4_SMAP;
    write_cr4(cr4);
    me->host_save_pa = (uintptr_t)memory_pages(1);
    wrmsr(MSR_VM_HSAVE_PA, me->host_save_pa);
}

// APM vol. 2, 15.11: two bits an MSR, the even one for reads; three ranges of 0x2000 MSRs.
static void msr_pass(uint8_t *map, uint32_t msr)
{
    uint32_t at = msr < 0x2000 ? msr : 0x2000 + (msr & 0x1FFF);
    map[at / 4] &= (uint8_t) ~(3u << (at % 4 * 2));
}

void svm_make_bitmaps(void)
{
    // 12 KiB, and one page more: QEMU reads two bytes at the end of the map.
    uint8_t *iopm = memory_pages(4);
    memset(iopm, 0xFF, 3 * PAGE);
    svm_iopm_pa = (uintptr_t)iopm;

    // Only what VMSAVE and VMLOAD switch with the VP may be touched without us (APM vol. 2, 15.5.2).
    static const uint32_t passed[] = {MSR_FS_BASE,      MSR_GS_BASE,     MSR_KERNEL_GS_BASE, MSR_STAR,
                                      MSR_LSTAR,        MSR_CSTAR,       MSR_SFMASK,         MSR_SYSENTER_CS,
                                      MSR_SYSENTER_ESP, MSR_SYSENTER_EIP};
    uint8_t *msrpm = memory_pages(2);
    memset(msrpm, 0xFF, 2 * PAGE);
    for (uint32_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        msr_pass(msrpm, passed[i]);
    svm_msrpm_pa = (uintptr_t)msrpm;
}
