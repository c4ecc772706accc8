// SPDX-License-Identifier: BSD-2-Clause
// The instructions that C has no words for, and the numbers of the architecture that more than one file needs.
#ifndef HARNESS_X86_H
#define HARNESS_X86_H

#include <stdbool.h>
#include <stdint.h>

enum { PAGE = 4096 };

// RFLAGS (APM vol. 2, 3.1.6)
enum { FLAG_CF = 1 << 0, FLAG_TF = 1 << 8, FLAG_IF = 1 << 9, FLAG_RF = 1 << 16, FLAG_VM = 1 << 17 };

// Control registers (APM vol. 2, 3.1)
#define CR0_PE     (1ull << 0)
#define CR0_ET     (1ull << 4)
#define CR0_NE     (1ull << 5)
#define CR0_NW     (1ull << 29)
#define CR0_CD     (1ull << 30)
#define CR0_PG     (1ull << 31)
#define CR4_PSE    (1ull << 4)
#define CR4_PAE    (1ull << 5)
#define CR4_PGE    (1ull << 7)
#define CR4_SMEP   (1ull << 20)
#define CR4_SMAP   (1ull << 21)
#define EFER_SCE   (1ull << 0)
#define EFER_LME   (1ull << 8)
#define EFER_LMA   (1ull << 10)
#define EFER_NXE   (1ull << 11)
#define EFER_SVME  (1ull << 12)
#define EFER_FFXSR (1ull << 14)

// Model-specific registers
enum {
    MSR_TSC = 0x10,
    MSR_APIC_BASE = 0x1B,
    MSR_PATCH_LEVEL = 0x8B,
    MSR_SYSENTER_CS = 0x174,
    MSR_SYSENTER_ESP = 0x175,
    MSR_SYSENTER_EIP = 0x176,
    MSR_PAT = 0x277,
    MSR_TSC_DEADLINE = 0x6E0,
    MSR_X2APIC = 0x800
};
#define MSR_EFER           0xC0000080u
#define MSR_STAR           0xC0000081u
#define MSR_LSTAR          0xC0000082u
#define MSR_CSTAR          0xC0000083u
#define MSR_SFMASK         0xC0000084u
#define MSR_FS_BASE        0xC0000100u
#define MSR_GS_BASE        0xC0000101u
#define MSR_KERNEL_GS_BASE 0xC0000102u
#define MSR_VM_CR          0xC0010114u
#define MSR_VM_HSAVE_PA    0xC0010117u

// Exception vectors (APM vol. 2, 8.2)
enum {
    EXC_DB = 1,
    EXC_NMI = 2,
    EXC_BP = 3,
    EXC_UD = 6,
    EXC_DF = 8,
    EXC_GP = 13,
    EXC_PF = 14,
    EXC_AC = 17,
    EXC_MC = 18
};

static inline uint8_t in8(uint16_t port)
{
    uint8_t v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
static inline void out8(uint16_t port, uint8_t v)
{
    __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}
static inline uint32_t in32(uint16_t port)
{
    uint32_t v;
    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port) : "memory");
    return v;
}
static inline void out32(uint16_t port, uint32_t v)
{
    __asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port));
}
static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return ((uint64_t)hi << 32) | lo;
}
static inline void wrmsr(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr" : : "a"((uint32_t)v), "d"((uint32_t)(v >> 32)), "c"(msr) : "memory");
}
static inline uint64_t read_cr4(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr4, %0" : "=r"(v));
    return v;
}
static inline void write_cr4(uint64_t v)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(v) : "memory");
}
static inline uint64_t rdtsc(void)
{
    uint32_t lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return ((uint64_t)hi << 32) | lo;
}
static inline void pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};
static inline struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    struct cpuid c;
    __asm__ volatile("cpuid" : "=a"(c.eax), "=b"(c.ebx), "=c"(c.ecx), "=d"(c.edx) : "a"(leaf), "c"(sub));
    return c;
}

// A spin lock for the harness's own short sections; interrupts are off in all of its code.
struct lock {
    uint32_t taken;
};
static inline void lock(struct lock *l)
{
    while (__atomic_exchange_n(&l->taken, 1u, __ATOMIC_ACQUIRE) != 0)
        while (__atomic_load_n(&l->taken, __ATOMIC_RELAXED) != 0)
            pause();
}
static inline void unlock(struct lock *l)
{
    __atomic_store_n(&l->taken, 0u, __ATOMIC_RELEASE);
}

// (a * b) >> shift without loss in between.
static inline uint64_t mul_shift(uint64_t a, uint64_t b, unsigned shift)
{
    return (uint64_t)(((unsigned __int128)a * b) >> shift);
}

#endif
