// SPDX-License-Identifier: BSD-2-Clause
// An L2 that is hostile to L1 and to us, in what it does in its own machine.
#include "l2.h"

// An L2 that executes `code`; L1 has changed its control block by `change`; what must then be.
#define L2(name, code, change, good)                                                                         \
    static void name##_body(void)                                                                            \
    {                                                                                                        \
        code;                                                                                                \
        vmmcall();                                                                                           \
    }                                                                                                        \
    static void name(void)                                                                                   \
    {                                                                                                        \
        l2_caged(name##_body);                                                                               \
        struct pv_vmcb *v = &block[0];                                                                       \
        change;                                                                                              \
        uint64_t exit = l2_go();                                                                             \
        (void)v;                                                                                             \
        want(good, #good);                                                                                   \
    }
#define FAULTS (exit >= EXIT_EXCEPTION && exit < EXIT_EXCEPTION + 32)
#define AS_IS

static const struct {
    uint16_t limit[5];
} nothing;

static void load_wild_cr3(void)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(0xC8000000ull) : "memory");
}
L2(wild_cr3, load_wild_cr3(), AS_IS, exit == EXIT_NPF && v->exit_info2 == 0xC8000000)
L2(wild_cr3_writable, load_wild_cr3(), l2_may_write(0xC8000000), FAULTS)
L2(wild_cr3_alone, load_wild_cr3(), (l2_may_write(0xC8000000), v->exception_intercepts = 0),
   exit == EXIT_SHUTDOWN)

// QEMU ends a guest that does so with exit code -1; a processor gives #GP.
L2(reserved_cr3,
   __asm__ volatile("mov %0, %%cr3"
                    :
                    : "r"(1ull << 50)
                    : "memory"),
   AS_IS, exit == EXIT_INVALID || exit == EXIT_EXCEPTION + EXC_GP)

static void load_empty_cr3(void)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(&den[40]) : "memory");
}
L2(no_cr3, load_empty_cr3(), AS_IS, exit == EXIT_EXCEPTION + EXC_PF)

static void push_nowhere(void)
{
    __asm__ volatile("mov %0, %%rsp; push %%rax" : : "r"(0xC8000800ull) : "memory");
}
L2(stack_nowhere, push_nowhere(), l2_may_write(0xC8000000), FAULTS)

static void fault_thrice(void)
{
    __asm__ volatile("lidt %0; int3" : : "m"(nothing));
}
L2(triple_fault, fault_thrice(), v->exception_intercepts = 0, exit == EXIT_SHUTDOWN)
L2(svme_off_in_l2, wrmsr(MSR_EFER, 0xD00), v->intercepts3 &= ~(uint32_t)I3_MSR,
   exit == EXIT_EXCEPTION + EXC_GP)
L2(endless, for (;;) pause(), patience = SHORT, exit == EXIT_INTR)
L2(endless_faults, __asm__ volatile("ud2"), (v->exception_intercepts = 0, v->idtr.limit = 0),
   exit == EXIT_SHUTDOWN)
L2(halts, for (;;) __asm__ volatile("sti; hlt"), patience = SHORT, exit == EXIT_INTR)
L2(halts_for_ever, for (;;) __asm__ volatile("cli; hlt"), patience = SHORT, exit == EXIT_INTR)
L2(int_to_nowhere, __asm__ volatile("int $0x80"), v->idtr.base = 0xC8000000, FAULTS)
L2(int_to_nowhere_alone, __asm__ volatile("int $0x80"),
   (v->idtr.base = 0xC8000000, v->exception_intercepts = 0), exit == EXIT_SHUTDOWN)
L2(user_mode, AS_IS, v->cpl = 3, exit != EXIT_INVALID)

// Its page tables where there is nothing, or a device, before its first instruction; nobody sees its exceptions.
static void tables_of_l2_nowhere(void)
{
    static const uint64_t places[] = {0x80000000, 0xC8000000, 0xFEE00000,
                                      0xFEC00000, 0xFFFFF000, 0xFFFFFFF000};
    for (uint32_t i = 0; i < 12; i++) {
        l2_caged(l2_call);
        l2_may_write(places[i / 2]);
        block[0].cr3 = places[i / 2];
        block[0].exception_intercepts = (i & 1) != 0 ? 0xFFFFFFFF : 0;
        uint64_t exit = l2_go();
        want(i >= 10        ? exit == EXIT_NPF
             : (i & 1) != 0 ? FAULTS
                            : exit == EXIT_SHUTDOWN,
             "page tables of L2 where no memory is");
    }
}

const struct attack attacks_l2[] = {
    ATTACK(wild_cr3, NOTHING),
    ATTACK(no_cr3, NOTHING),
    ATTACK(wild_cr3_writable, NOTHING),
    ATTACK(wild_cr3_alone, NOTHING),
    ATTACK(reserved_cr3, NOTHING),
    ATTACK(svme_off_in_l2, NOTHING),
    ATTACK(endless, NOTHING),
    ATTACK(endless_faults, NOTHING),
    ATTACK(halts, NOTHING),
    ATTACK(halts_for_ever, NOTHING),
    ATTACK(stack_nowhere, NOTHING),
    ATTACK(triple_fault, NOTHING),
    ATTACK(int_to_nowhere, NOTHING),
    ATTACK(int_to_nowhere_alone, NOTHING),
    ATTACK(user_mode, NOTHING),
    ATTACK(tables_of_l2_nowhere, NOTHING),
    {0, 0, 0},
};
