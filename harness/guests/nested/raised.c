// SPDX-License-Identifier: BSD-2-Clause
// Faults that no processor raises for L2 but we do, below L1: they are L2's, or L1's if it intercepts them.
#include "l1.h"

enum { NO_MSR = 0x12345678 };

static void l2_unknown_msr(void)
{
    __asm__ volatile("rdmsr" : : "c"(NO_MSR) : "rax", "rdx");
}
// What L2 writes to a register that it must not hold, one at a time.
#define WRITES(name, text, bits)                                                                             \
    static void l2_##name(void)                                                                              \
    {                                                                                                        \
        uint64_t v;                                                                                          \
        __asm__ volatile("mov %%" text ", %0; xor %1, %0; mov %0, %%" text : "=&r"(v) : "r"(bits));          \
        vmmcall();                                                                                           \
    }
WRITES(cr4_high, "cr4", 1ull << 32)
WRITES(cr4_pae, "cr4", CR4_PAE)
WRITES(cr8_high, "cr8", 16ull)

static void l2_efer(void)
{
    __asm__ volatile("wrmsr" : : "a"(4), "d"(0), "c"(MSR_EFER));
}

static void gp(void (*entry)(void), const char *name)
{
    l2_watched(0, entry);
    block[0].exception_intercepts = 0;
    l2_gates(0);
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    bool good = f != 0 && f->vector == EXC_GP && f->error == 0 && f->rip >= (uintptr_t)entry &&
                f->rip < (uintptr_t)entry + 64;
    expect(good, joined(name, "#GP is L2's own"));
    l2_watched(0, entry);
    expect(l2_run(0) == EXIT_EXCEPTION + EXC_GP && block[0].exit_info1 == 0,
           joined(name, "#GP is L1's if it intercepts #GP"));
}

static void step_faults(void)
{
    skip("reserved bits of CR0 and CR3, written by L2: #GP",
         "QEMU takes those of CR0, and ends L2 by -1 for CR3's");
    if (!on_proviso) {
        skip("#GP by registers and values that are not there",
             "QEMU has all MSRs, and takes or ends by -1 what CR4 must not hold");
        return;
    }
    gp(l2_unknown_msr, "an MSR that is not there");
    gp(l2_efer, "EFER bit 2");
    gp(l2_cr4_pae, "CR4.PAE cleared in long mode");
    gp(l2_cr4_high, "CR4 bit 32");
    gp(l2_cr8_high, "CR8 bit 4");
}

void steps_raised(void)
{
    attempt("faults raised below L1", step_faults);
}
