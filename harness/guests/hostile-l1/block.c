// SPDX-License-Identifier: BSD-2-Clause
// Control fields that cannot be.
#include "l2.h"

static void no_asid(void)
{
    l2_caged(l2_call);
    block[0].asid = 0;
    want(l2_go() == EXIT_INVALID, "ASID 0");
}
static void asid_that_is_none(void)
{
    l2_caged(l2_call);
    block[0].asid = 0xFFFFFFFF;
    want(l2_go() == EXIT_INVALID, "ASID 0xFFFFFFFF");
}
static void no_intercepts(void)
{
    l2_caged(l2_call);
    block[0].cr_intercepts = block[0].exception_intercepts = block[0].intercepts3 = block[0].intercepts4 = 0;
    want(l2_go() == EXIT_INVALID, "no intercept of VMRUN");
}
static void all_intercepts(void)
{
    l2_caged(l2_call);
    block[0].cr_intercepts = block[0].dr_intercepts = block[0].exception_intercepts = ~0u;
    block[0].intercepts3 = block[0].intercepts4 = block[0].intercepts5 = ~0u;
    want(l2_go() == EXIT_VMMCALL, "all intercepts");
}
static void every_tlb_control(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        l2_caged(l2_call);
        block[0].tlb_control = (uint8_t)i;
        uint64_t exit = l2_go();
        want(exit == EXIT_VMMCALL || (exit == EXIT_INVALID && i != 0 && i != 1 && i != 3 && i != 7),
             "TLB_CONTROL");
    }
}
static void maps_outside_memory(void)
{
    l2_caged(l2_call);
    block[0].iopm_base = block[0].msrpm_base = 0xC8000000;
    want(l2_go() == EXIT_VMMCALL, "maps where no memory is");
    block[0].iopm_base = block[0].msrpm_base = ~0ull << 12;
    want(l2_go() == EXIT_INVALID, "maps at no physical address");
}
static void control_bits(void) // of what is not offered: SEV, AVIC, LBR, virtual GIF...
{
    for (uint32_t i = 1; i < 64; i++) {
        l2_caged(l2_call);
        block[0].nested_control |= 1ull << i;
        block[0].lbr_control = 1ull << i | 2;
        block[0].avic_bar = block[0].ghcb = 1ull << i;
        block[0].v_intr |= 1ull << i & ~V_IRQ;
        uint64_t exit = l2_go();
        want(exit == EXIT_VMMCALL || exit == EXIT_INVALID, "unknown control bits");
    }
}
static void all_clean(void)
{
    l2_caged(l2_call);
    l2_go();
    l2_caged(l2_call);
    block[0].clean = ~0u;
    block[0].asid = 0;
    want(l2_go() == EXIT_INVALID, "clean bits of a field that has changed");
}
static void enlightened(void)
{
    l2_caged(l2_call);
    block[0].hv_control = block[0].hv_vp_id = ~0u;
    block[0].hv_vm_id = block[0].hv_assist_page = block[0].hv_reserved = ~0ull;
    l2_go();
}

const struct attack attacks_block[] = {
    ATTACK(no_asid, NOTHING),           ATTACK(asid_that_is_none, NOTHING),
    ATTACK(no_intercepts, NOTHING),     ATTACK(all_intercepts, NOTHING),
    ATTACK(every_tlb_control, NOTHING), ATTACK(maps_outside_memory, NOTHING),
    ATTACK(control_bits, NOTHING),      ATTACK(all_clean, NOTHING),
    ATTACK(enlightened, NOTHING),       {0, 0, 0},
};
