// SPDX-License-Identifier: BSD-2-Clause
// What L2 executes, and who sees it.
#include "l1.h"

static volatile uint64_t seen[4];

static void l2_cpuid(void)
{
    struct cpuid c = cpuid(0, 0);
    seen[0] = c.eax;
    vmmcall();
}
static void l2_hlt(void)
{
    __asm__ volatile("hlt");
    vmmcall();
}
static void l2_vmmcall(void)
{
    vmmcall();
}
static void l2_efer(void)
{
    seen[1] = rdmsr(MSR_EFER);
    vmmcall();
}
static void l2_star(void)
{
    wrmsr(MSR_STAR, 0x123456789ABCDEF0);
    vmmcall();
}
static void l2_unknown_msr(void)
{
    rdmsr(0x12345678);
    vmmcall();
}
static void l2_out(void)
{
    out8(0x80, 0x55);
    vmmcall();
}
static void l2_out32(void)
{
    out32(0x7D, 1);
    vmmcall();
}
static void l2_ud(void)
{
    __asm__ volatile("ud2");
    vmmcall();
}
static void l2_pf(void)
{
    *(volatile uint8_t *)0x800000000000 = 1;
    vmmcall();
}
static void l2_cr4(void)
{
    write_cr4(read_cr4() | CR4_PGE);
    seen[2] = read_cr4();
    vmmcall();
}
static void l2_vmrun(void)
{
    __asm__ volatile("vmrun" : : "a"(0) : "memory");
    vmmcall();
}
static void l2_triple_fault(void)
{
    static const uint16_t nothing[5];
    __asm__ volatile("lidt %0; int3" : : "m"(nothing));
}
static void l2_pause(void)
{
    pause();
    vmmcall();
}

static bool code_at(uint64_t code, void (*entry)(void))
{
    // The exits below come from the first instruction of the function or soon after it.
    return block[0].exit_code == code && block[0].rip >= (uintptr_t)entry &&
           block[0].rip < (uintptr_t)entry + 64;
}

static void bit(uint8_t *map, uint32_t n, bool on)
{
    map[n / 8] = (uint8_t)(on ? map[n / 8] | 1u << n % 8 : map[n / 8] & ~(1u << n % 8));
}

void steps_exits(void)
{
    l2_fresh(0, l2_vmmcall);
    check(l2_run(0) == EXIT_VMMCALL && code_at(EXIT_VMMCALL, l2_vmmcall),
          "VMMCALL of L2 ends it, RIP at the instruction (NV-ROUTE-1)");
    check(block[0].exit_int_info == 0, "no event was being delivered (NV-EXIT-1)");

    l2_fresh(0, l2_cpuid);
    block[0].intercepts3 |= I3_CPUID;
    check(l2_run(0) == EXIT_CPUID && code_at(EXIT_CPUID, l2_cpuid), "CPUID that L1 intercepts (NV-ROUTE-1)");
    block[0].rip += 2;
    block[0].rax = 0x77;
    check(l2_run(0) == EXIT_VMMCALL && (uint32_t)seen[0] == 0x77,
          "L1 gives L2 an answer to CPUID and goes on");
    l2_fresh(0, l2_cpuid);
    check(l2_run(0) == EXIT_VMMCALL && (uint32_t)seen[0] == cpuid(0, 0).eax,
          "CPUID that L1 does not intercept is answered below it");

    l2_fresh(0, l2_hlt);
    block[0].intercepts3 |= I3_HLT;
    check(l2_run(0) == EXIT_HLT, "HLT that L1 intercepts");

    msr_map[0x820] = 0;
    l2_fresh(0, l2_efer);
    block[0].intercepts3 |= I3_MSR;
    bit(msr_map, 0x800 * 8 + 0x80 * 2, true);
    check(l2_run(0) == EXIT_MSR && block[0].exit_info1 == 0 && (uint32_t)block[0].exit_info2 == 0,
          "RDMSR with its bit set (NV-MSR-1)");
    bit(msr_map, 0x800 * 8 + 0x80 * 2, false);
    l2_fresh(0, l2_efer);
    block[0].intercepts3 |= I3_MSR;
    check(l2_run(0) == EXIT_VMMCALL && (seen[1] & EFER_LMA) != 0,
          "RDMSR with its bit clear is answered below L1");
    l2_fresh(0, l2_star);
    block[0].intercepts3 |= I3_MSR;
    bit(msr_map, 0x800 * 8 + 0x81 * 2 + 1, true);
    check(l2_run(0) == EXIT_MSR && block[0].exit_info1 == 1,
          "WRMSR of a register that we let pass, with its bit set");
    bit(msr_map, 0x800 * 8 + 0x81 * 2 + 1, false);
    l2_fresh(0, l2_star);
    block[0].intercepts3 |= I3_MSR;
    check(l2_run(0) == EXIT_VMMCALL && rdmsr(MSR_STAR) == 0x123456789ABCDEF0,
          "WRMSR with its bit clear: STAR is shared with L1 until VMLOAD");
    l2_fresh(0, l2_unknown_msr);
    block[0].intercepts3 |= I3_MSR;
    check(l2_run(0) == EXIT_MSR, "an MSR outside the map's ranges always exits");
    if (on_proviso) { // QEMU reads 0 from any MSR
        l2_fresh(0, l2_unknown_msr);
        block[0].exception_intercepts = 1u << EXC_GP;
        check(l2_run(0) == EXIT_EXCEPTION + EXC_GP && block[0].exit_info1 == 0,
              "#GP that we raise for L2 is L1's to see");
    }

    l2_fresh(0, l2_out);
    block[0].intercepts3 |= I3_IO;
    bit(io_map, 0x80, true);
    check(l2_run(0) == EXIT_IO && block[0].exit_info1 >> 16 == 0x80 && (block[0].exit_info1 & 0x75) == 0x10 &&
              block[0].exit_info2 > block[0].rip,
          "OUT to a port whose bit is set");
    l2_fresh(0, l2_out32);
    block[0].intercepts3 |= I3_IO;
    check(l2_run(0) == EXIT_IO && block[0].exit_info1 >> 16 == 0x7D,
          "a 4-byte OUT whose last byte has its bit set");
    bit(io_map, 0x80, false);
    l2_fresh(0, l2_out);
    block[0].intercepts3 |= I3_IO;
    check(l2_run(0) == EXIT_VMMCALL, "OUT to a port whose bit is clear");

    l2_fresh(0, l2_ud);
    block[0].exception_intercepts = 1u << EXC_UD;
    check(l2_run(0) == EXIT_EXCEPTION + EXC_UD, "#UD that L1 intercepts");
    l2_fresh(0, l2_pf);
    block[0].exception_intercepts = 1u << EXC_PF | 1u << EXC_GP;
    block[0].cr2 = 0x1234;
    l2_run(0);
    check(block[0].exit_code == EXIT_EXCEPTION + EXC_GP || block[0].exit_code == EXIT_EXCEPTION + EXC_PF,
          "a wild access of L2");
    check(block[0].cr2 == 0x1234, "CR2 is not written when the exception is intercepted");

    l2_fresh(0, l2_cr4);
    check(l2_run(0) == EXIT_VMMCALL && (seen[2] & CR4_PGE) != 0,
          "CR4 written by L2, which only we intercept");
    l2_fresh(0, l2_cr4);
    block[0].cr_intercepts = 1u << (16 + 4);
    check(l2_run(0) == EXIT_CR4_WRITE, "CR4 written by L2, which L1 intercepts");
    l2_fresh(0, l2_vmrun);
    check(l2_run(0) == EXIT_VMRUN, "VMRUN of L2 is always L1's");
    l2_fresh(0, l2_pause);
    block[0].intercepts3 |= I3_PAUSE;
    check(l2_run(0) == EXIT_PAUSE, "PAUSE that L1 intercepts");
    l2_fresh(0, l2_triple_fault);
    check(l2_run(0) == EXIT_SHUTDOWN, "a triple fault of L2 is a shutdown for L1");
}
