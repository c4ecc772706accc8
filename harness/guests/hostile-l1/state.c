// SPDX-License-Identifier: BSD-2-Clause
// Control blocks whose L2 cannot be, or cannot go on; and one that changes while it is read.
#include "l2.h"

#define BAD(name, change)                                                                                    \
    static void name(void)                                                                                   \
    {                                                                                                        \
        l2_caged(l2_call);                                                                                   \
        struct pv_vmcb *v = &block[0];                                                                       \
        change;                                                                                              \
        want(l2_go() == EXIT_INVALID, #change);                                                              \
    }
BAD(no_svme, v->efer &= ~(uint64_t)EFER_SVME)
BAD(efer_reserved, v->efer |= 1ull << 40)
BAD(not_write_through, v->cr0 |= 1u << 29)
BAD(cr0_high, v->cr0 |= 1ull << 33)
BAD(cr3_high, v->cr3 |= 1ull << 60)
BAD(cr4_reserved, v->cr4 |= 1ull << 30)
BAD(dr6_high, v->dr6 |= 1ull << 32)
BAD(dr7_high, v->dr7 |= 1ull << 32)
BAD(long_without_pae, v->cr4 &= ~(uint64_t)CR4_PAE)
BAD(paging_without_pe, v->cr0 &= ~1ull)
BAD(code_64_and_32, v->cs.attrib |= SEG_D)

static void every_exit_code(void) // what L1 leaves in the fields of the last exit is nobody's
{
    for (uint32_t i = 0; i < 0x410; i++) {
        l2_caged(l2_call);
        block[0].exit_code = block[0].exit_info1 = block[0].exit_info2 = i;
        block[0].exit_int_info = EVENT_VALID | i;
        want(l2_go() == EXIT_VMMCALL && block[0].exit_int_info == 0, "exit fields before VMRUN");
    }
}
// L2 may write its own control block: what was copied at VMRUN counts.
static void undo_block(void)
{
    struct pv_vmcb *v = &block[0];
    v->cr_intercepts = v->exception_intercepts = v->intercepts3 = v->intercepts4 = 0;
    v->iopm_base = v->msrpm_base = v->nested_cr3 = 0xC8000000;
    v->asid = 0;
    v->nested_control = 0;
}
static void undo_and_call(void)
{
    undo_block();
    seen[0] = *(volatile uint64_t *)(uintptr_t)seen[1]; // a page that the shadow does not have yet
    vmmcall();
}
static void undo_and_out(void)
{
    undo_block();
    out32(0x80, 0);
    vmmcall();
}
static void undo_and_fault(void)
{
    undo_block();
    __asm__ volatile("ud2");
}
static void l2_changes_its_block(void)
{
    static const struct {
        void (*entry)(void);
        uint64_t exit;
    } ways[] = {
        {undo_and_call, EXIT_VMMCALL}, {undo_and_out, EXIT_IO}, {undo_and_fault, EXIT_EXCEPTION + EXC_UD}};
    *(uint64_t *)(void *)window = 0x99;
    for (uint32_t i = 0; i < 3; i++) {
        l2_caged(ways[i].entry);
        l2_may_write((uintptr_t)block);
        seen[1] = (uintptr_t)window;
        block_changes = true;
        want(l2_go() == ways[i].exit && (i != 0 || seen[0] == 0x99) && block[0].asid == 0,
             "the block that L2 has changed");
        block_changes = false;
    }
}
static void changed_meanwhile(void)
{
    for (uint32_t i = 0; i < 400; i++) {
        l2_caged(l2_call);
        __atomic_store_n(&race, RACE_BLOCK, __ATOMIC_SEQ_CST);
        l2_go();
        __atomic_store_n(&race, 0, __ATOMIC_SEQ_CST);
    }
}

const struct attack attacks_state[] = {
    ATTACK(code_64_and_32, NOTHING),
    ATTACK(paging_without_pe, NOTHING),
    ATTACK(long_without_pae, NOTHING),
    ATTACK(dr7_high, NOTHING),
    ATTACK(dr6_high, NOTHING),
    ATTACK(cr4_reserved, NOTHING),
    ATTACK(cr3_high, NOTHING),
    ATTACK(cr0_high, NOTHING),
    ATTACK(not_write_through, NOTHING),
    ATTACK(efer_reserved, NOTHING),
    ATTACK(no_svme, NOTHING),
    ATTACK(changed_meanwhile, NOTHING),
    ATTACK(l2_changes_its_block, NOTHING),
    ATTACK(every_exit_code, NOTHING),
    {0, 0, 0},
};
