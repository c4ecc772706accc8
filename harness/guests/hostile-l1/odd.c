// SPDX-License-Identifier: BSD-2-Clause
// Instructions that L1 does not intercept, and that no processor of its has.
#include "l2.h"

static const struct {
    uint8_t code[4];
    uint32_t exit;
    bool or_gp; // which comes first is the machine's affair
} odd[] = {
    {{0x0F, 0x01, 0xD1}, EXIT_EXCEPTION + EXC_UD, false}, // XSETBV
    {{0x0F, 0x01, 0xC8}, EXIT_EXCEPTION + EXC_UD, true},  // MONITOR
    {{0x0F, 0x01, 0xC9}, EXIT_EXCEPTION + EXC_UD, true},  // MWAIT
    {{0x0F, 0x01, 0xFD}, EXIT_EXCEPTION + EXC_UD, false}, // RDPRU
    {{0x0F, 0x33}, EXIT_EXCEPTION + EXC_GP, false},       // RDPMC
    {{0x6E, 0x90}, EXIT_EXCEPTION + EXC_GP, false},       // OUTSB: no guest of the harness has it
    {{0x0F, 0x08}, EXIT_VMMCALL, false},                  // INVD
    {{0x0F, 0x09}, EXIT_VMMCALL, false},                  // WBINVD
};
static void odd_instructions(void)
{
    for (uint32_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        l2_caged(l2_call);
        block[0].intercepts3 &= ~(uint32_t)I3_IO;
        uint8_t *to = window;
        for (uint32_t k = 0; k < 4; k++)
            to[k] = odd[i].code[k] != 0 || k == 0 ? odd[i].code[k] : 0x90;
        to[4] = 0x0F; // VMMCALL
        to[5] = 0x01;
        to[6] = 0xD9;
        block[0].rip = (uintptr_t)window;
        uint64_t exit = l2_go();
        want(exit == odd[i].exit || (odd[i].or_gp && exit == EXIT_EXCEPTION + EXC_GP),
             "an instruction that L1 does not have");
    }
}

const struct attack attacks_odd[] = {
    ATTACK(odd_instructions, NOTHING),
    {0, 0, 0},
};
