// SPDX-License-Identifier: BSD-2-Clause
// Rubbish at random, the same in each run.
#include "l2.h"

uint64_t random(void)
{
    static uint64_t state;
    if (state == 0)
        state = 88172645463325252 + option("seed", 0);
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// One field becomes what it should not be. The cage stays closed.
void spoil(struct pv_vmcb *v, uint64_t dice)
{
    static const uint64_t addresses[] = {0xC8000000, 0xFEE00000, 0xFFFFFFFFFF,
                                         1ull << 51, 0x1000,     0xFFFFFFFFFFFFF000};
    uint64_t nasty = addresses[dice >> 8 & 3 ? dice >> 8 & 3 : 4], flip = 1ull << (dice >> 16 & 63);
    switch (dice & 31) {
    case 0:
        v->cr_intercepts = (uint32_t)(dice >> 24);
        break;
    case 1:
        v->dr_intercepts = (uint32_t)(dice >> 24);
        break;
    case 2:
        v->intercepts3 = (uint32_t)(dice >> 24) | I3_INTR | I3_IO | I3_MSR | I3_SHUTDOWN;
        break;
    case 3:
        v->intercepts4 = (uint32_t)(dice >> 24) | I4_VMMCALL;
        break;
    case 4:
        v->intercepts5 = (uint32_t)(dice >> 24);
        break;
    case 5:
        v->iopm_base ^= flip & 0xFFF;
        break;
    case 6:
        v->tsc_offset = dice;
        break;
    case 7:
        v->asid = (uint32_t)(dice >> 8) & 127;
        break;
    case 8:
        v->tlb_control = (uint8_t)(dice >> 8);
        break;
    case 9:
        v->v_intr = dice | V_INTR_MASKING;
        break;
    case 10:
        v->interrupt_state = dice >> 8;
        break;
    case 11:
        v->nested_control |= flip;
        break;
    case 12:
        v->event_inject = dice >> 8;
        break;
    case 13:
        v->nested_cr3 = (dice & 256) != 0 ? nasty : (uintptr_t)cage;
        break;
    case 14:
        v->lbr_control = dice >> 8;
        break;
    case 15:
        v->clean = (uint32_t)(dice >> 8);
        break;
    case 16:
        v->cs.attrib = (uint16_t)(v->cs.attrib ^ flip);
        break;
    case 17:
        v->ss.attrib = (uint16_t)(v->ss.attrib ^ flip);
        break;
    case 18:
        v->cpl = (uint8_t)(dice >> 8);
        break;
    case 19:
        v->efer ^= flip;
        break;
    case 20:
        v->cr0 ^= flip;
        break;
    case 21:
        v->cr3 = (dice & 256) != 0 ? nasty : (uintptr_t)den[DEN_TABLES];
        break;
    case 22:
        v->cr4 ^= flip;
        break;
    case 23:
        v->rflags ^= flip;
        break;
    case 24:
        v->rip ^= flip;
        break;
    case 25:
        v->rsp ^= flip;
        break;
    case 26:
        v->idtr.base = nasty;
        break;
    case 27:
        v->gdtr.limit = (uint32_t)dice;
        break;
    case 28:
        v->tr.base = v->fs.base = dice;
        break;
    case 29:
        v->dr7 ^= flip;
        break;
    case 30:
        v->hv_control = (uint32_t)(dice >> 8);
        v->hv_assist_page = nasty;
        break;
    default:
        v->g_pat = dice;
        break;
    }
}
