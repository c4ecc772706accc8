// SPDX-License-Identifier: BSD-2-Clause
// What the guest's CPUID says: of the processor below only the bits that need nothing of us, and what we serve.
#include "../base/x86.h"
#include "exits.h"
#include "guest.h"
#include "kvm.h"
#include "nested.h"
#include "topology.h"
#include "vp.h"
#include "../base/string.h"

// Bits of the processor that pass when it has them. Features with state that we do not switch (XSAVE and all that
// rests on it, RDTSCP's register, PCID, protection keys), machine checks, MTRRs, performance counters and SVM do not.
enum cpuid_bits {
    // Fn0000_0001 EDX: FPU VME DE PSE TSC MSR PAE CX8 APIC SEP PGE CMOV PAT PSE36 CLFSH MMX FXSR SSE SSE2
    LEAF1_EDX = 0x0789AB7F & ~((1 << 7) | (1 << 12) | (1 << 14)),
    // ECX: SSE3 PCLMULQDQ SSSE3 CX16 SSE4.1 SSE4.2 MOVBE POPCNT AES RDRAND
    LEAF1_ECX =
        1 << 0 | 1 << 1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 22 | 1 << 23 | 1 << 25 | 1 << 30,
    LEAF1_ECX_OURS_X2APIC = 1 << 21,
    LEAF1_ECX_OURS_DEADLINE = 1 << 24,
    // Fn0000_0007 EBX: FSGSBASE BMI1 SMEP BMI2 ERMS RDSEED ADX SMAP CLFLUSHOPT CLWB
    LEAF7_EBX = 1 << 0 | 1 << 3 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 18 | 1 << 19 | 1 << 20 | 1 << 23 | 1 << 24,
    LEAF7_ECX = 1 << 2, // UMIP
    // Fn8000_0001 EDX: those of Fn0000_0001 that it repeats, SYSCALL NX MMXEXT FFXSR 1-GiB pages, long mode
    EXT1_EDX = 0x0183FB7F & ~((1 << 7) | (1 << 12) | (1 << 14)),
    EXT1_EDX_MORE = 1 << 11 | 1 << 20 | 1 << 22 | 1 << 25 | 1 << 26 | 1 << 29,
    // ECX: LAHF CR8 ABM SSE4A PREFETCHW
    EXT1_ECX = 1 << 0 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8,
    EXT1_ECX_OURS_CMP_LEGACY = 1 << 1,
    EXT1_ECX_OURS_SVM = 1 << 2,
    EXT1_ECX_OURS_TOPOLOGY = 1 << 22
};
#define LEAF1_ECX_OURS_HYPERVISOR (1u << 31)

// Rights of CR4 bits follow from what CPUID offers (vm/exits.c asks for this).
uint64_t guest_cr4_allowed;
uint32_t guest_address_bits;

static void features(const struct vp *vp, struct cpuid *c)
{
    uint32_t threads = topology.cores * topology.threads;                        // of a package
    c->ebx = (c->ebx & 0x0000FF00) | vp->apic_id << 24 | (threads & 0xFF) << 16; // CLFLUSH size stays
    c->ecx = (c->ecx & (uint32_t)LEAF1_ECX) | LEAF1_ECX_OURS_X2APIC | LEAF1_ECX_OURS_DEADLINE |
             LEAF1_ECX_OURS_HYPERVISOR;
    c->edx = (c->edx & (uint32_t)LEAF1_EDX) | 1u << 9 | (threads > 1 ? 1u << 28 : 0);
    if (!vapic_enabled(vp))
        c->edx &= ~(1u << 9);
}

static struct cpuid standard(const struct vp *vp, uint32_t leaf, uint32_t sub)
{
    struct cpuid c = cpuid(leaf, sub), none = {0, 0, 0, 0};
    switch (leaf) {
    case 0:
        c.eax = 0xD;
        return c;
    case 1:
        features(vp, &c);
        return c;
    case 6:
        return (struct cpuid){1u << 2, 0, 0, 0}; // ARAT: the APIC timer never stops
    case 7:
        return sub != 0 ? none
                        : (struct cpuid){0, c.ebx & (uint32_t)LEAF7_EBX, c.ecx & (uint32_t)LEAF7_ECX, 0};
    case 0xB: // x2APIC id, and how it is made: threads, cores
        return (struct cpuid){sub == 0   ? topology.core_shift
                              : sub == 1 ? topology.package_shift
                                         : 0,
                              sub == 0   ? topology.threads
                              : sub == 1 ? topology.cores * topology.threads
                                         : 0,
                              sub < 2 ? (sub + 1) << 8 | sub : sub & 0xFF, vp->apic_id};
    default:
        return none;
    }
}

static struct cpuid extended(const struct vp *vp, uint32_t leaf)
{
    struct cpuid c = cpuid(leaf, 0), none = {0, 0, 0, 0};
    uint32_t threads = topology.cores * topology.threads; // of a package
    switch (leaf) {
    case 0x80000000:
        c.eax = topology.threads > 1 ? 0x8000001E : nested_offered ? 0x8000000A : 0x80000008;
        return c;
    case 0x80000001:
        c.ebx = 0;
        c.ecx &= (uint32_t)EXT1_ECX;
        if (threads > 1)
            c.ecx |= EXT1_ECX_OURS_CMP_LEGACY;
        if (topology.threads > 1)
            c.ecx |= EXT1_ECX_OURS_TOPOLOGY;
        if (nested_offered)
            c.ecx |= EXT1_ECX_OURS_SVM;
        c.edx &= (uint32_t)(EXT1_EDX | EXT1_EDX_MORE);
        return c;
    case 0x80000002: // the name, and the caches
    case 0x80000003:
    case 0x80000004:
    case 0x80000005:
    case 0x80000006:
        return c;
    case 0x80000007:
        return (struct cpuid){0, 0, 0, 1u << 8}; // the TSC runs at one rate
    case 0x80000008:
        return (struct cpuid){c.eax & 0xFFFF, 0, topology.package_shift << 12 | (threads - 1),
                              0}; // address widths, threads
    case 0x8000000A:              // SVM: revision 1, nested paging, flush by ASID
        return nested_offered ? (struct cpuid){1, NESTED_ASIDS, 0, 1u << 0 | 1u << 6} : none;
    case 0x8000001E: // extended APIC id, core and its threads, one node
        return topology.threads == 1
                   ? none
                   : (struct cpuid){vp->apic_id,
                                    (topology.threads - 1) << 8 | (vp->apic_id >> topology.core_shift & 0xFF),
                                    0, 0};
    default:
        return none;
    }
}

void cpuid_init(void)
{
    guest_address_bits = cpuid(0x80000008, 0).eax & 0xFF;
    struct cpuid one = cpuid(1, 0), seven = cpuid(7, 0);
    // VME, PVI, TSD, DE, PSE, PAE, PGE, OSFXSR, OSXMMEXCPT; MCE is allowed to be set, as nothing ever comes of it.
    guest_cr4_allowed = 0x7FF & ~(1ull << 8);
    if ((one.edx & 1u << 1) == 0)
        guest_cr4_allowed &= ~3ull;
    if ((seven.ecx & 1u << 2) != 0)
        guest_cr4_allowed |= 1ull << 11; // UMIP
    if ((seven.ebx & 1u << 0) != 0)
        guest_cr4_allowed |= 1ull << 16; // FSGSBASE
    if ((seven.ebx & 1u << 7) != 0)
        guest_cr4_allowed |= 1ull << 20; // SMEP
    if ((seven.ebx & 1u << 20) != 0)
        guest_cr4_allowed |= 1ull << 21; // SMAP
}

void exit_cpuid(struct vp *vp)
{
    uint32_t leaf = (uint32_t)vp->vmcb->rax, sub = (uint32_t)vp->gpr[1];
    struct cpuid c = {0, 0, 0, 0};
    if (leaf < 0x40000000)
        c = standard(vp, leaf, sub);
    else if (leaf >= 0x80000000)
        c = extended(vp, leaf);
    else if (persona_hyperv || persona_kvm) {
        struct pv_cpuid of;
        if (persona_kvm && leaf >= kvm.base)
            pv_kvm_cpuid(&kvm, leaf, &of);
        else
            pv_cpuid(partition, leaf, &of);
        c = (struct cpuid){of.eax, of.ebx, of.ecx, of.edx};
    }
    if (leaf == 1 && (vp->vmcb->cr4 & 1ull << 18) != 0)
        c.ecx |= 1u << 27;
    vp->vmcb->rax = c.eax;
    vp->gpr[3] = c.ebx;
    vp->gpr[1] = c.ecx;
    vp->gpr[2] = c.edx;
    guest_skip(vp, 2);
}
