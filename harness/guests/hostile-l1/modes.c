// SPDX-License-Identifier: BSD-2-Clause
// L2 in each mode that a control block can name, and in those that it goes to by itself. QEMU's way out of a guest depends on the
// guest's mode (docs/harness.md).
#include "l2.h"

enum { CR0_PE_BIT = 1, RFLAGS_VM = 1 << 17, CR4_PSE_BIT = 0x10 };
#define CR0_PG_BIT (1ull << 31)

// The same bytes in each mode: VMMCALL, and then nothing more.
extern const uint8_t bare[], walks[];
__asm__(
    ".text\n"
    "bare: vmmcall\n"
    "1: jmp 1b\n"
    // 32-bit code that writes EFER, CR4, CR0, CR0 again, CR4 again, as L2's data say, and EFER to the data.
    ".code32\n"
    "walks: mov $0xC0000080, %ecx\n"
    "mov den+0x10008, %eax; xor %edx, %edx; wrmsr\n"
    "mov den+0x10010, %eax; mov %eax, %cr4\n"
    "mov den+0x10018, %eax; mov %eax, %cr0\n"
    "mov den+0x10020, %eax; mov %eax, %cr0\n"
    "mov den+0x10028, %eax; mov %eax, %cr4\n"
    "rdmsr; mov %eax, den+0x10030\n"
    "vmmcall\n"
    "1: jmp 1b\n"
    ".code64\n");
_Static_assert(DEN_DATA == 16, "the data are at den + 0x10000");

static uint64_t put_bit(uint64_t word, uint64_t bit, bool on)
{
    return on ? word | bit : word & ~bit;
}

static void every_mode(void)
{
    patience = SHORT / 10;
    for (uint32_t i = 0; i < 1024; i++) {
        l2_caged(l2_call);
        struct pv_vmcb *v = &block[0];
        v->rip = (uintptr_t)bare;
        v->cr0 = put_bit(put_bit(v->cr0, CR0_PE_BIT, (i & 1) != 0), CR0_PG_BIT, (i & 2) != 0);
        v->cr4 = put_bit(put_bit(v->cr4, CR4_PAE, (i & 4) != 0), CR4_PSE_BIT, (i & 8) != 0);
        v->efer = put_bit(put_bit(v->efer, EFER_LME, (i & 16) != 0), EFER_LMA, (i & 32) != 0);
        v->cs.attrib = (uint16_t)put_bit(put_bit(v->cs.attrib, SEG_L, (i & 64) != 0), SEG_D, (i & 128) != 0);
        v->rflags = put_bit(v->rflags, RFLAGS_VM, (i & 256) != 0);
        v->nested_control = i >> 9;
        uint64_t efer = v->efer, cr0 = v->cr0, cr4 = v->cr4;
        l2_go();
        want(((v->efer ^ efer) & EFER_LME) == 0 && v->cr0 == cr0 && v->cr4 == cr4,
             "the mode that L1 has asked for");
    }
}

// From protected mode without paging to any other and back.
static void changes_of_mode(void)
{
    for (uint32_t i = 0; i < 64; i++) {
        l2_caged(l2_call);
        struct pv_vmcb *v = &block[0];
        v->rip = (uintptr_t)walks;
        v->intercepts3 &= ~(uint32_t)I3_MSR;
        v->cr0 &= ~CR0_PG_BIT;
        v->cr4 &= ~(uint64_t)CR4_PAE;
        v->efer &= ~(EFER_LME | EFER_LMA);
        v->cs.attrib = SEG_CODE32;
        uint64_t lme = (i & 1) != 0 ? EFER_LME : 0;
        seen[1] = (v->efer & ~EFER_LME) | lme;
        seen[2] = put_bit(v->cr4, CR4_PAE, (i & 2) != 0);
        seen[3] = put_bit(v->cr0, CR0_PG_BIT, (i & 4) != 0);
        seen[4] = put_bit(v->cr0, CR0_PG_BIT, (i & 8) != 0);
        seen[5] = put_bit(v->cr4, CR4_PAE, (i & 16) != 0);
        if ((i & 32) != 0)
            seen[5] |= 1ull << 30; // reserved
        uint64_t exit = l2_go();
        if (exit != EXIT_VMMCALL) {
            want(exit >= EXIT_EXCEPTION && exit < EXIT_EXCEPTION + 32, "a change of mode that is none");
            continue;
        }
        want(seen[5] < 1ull << 30 && (v->cr0 & CR0_PG_BIT) == (seen[4] & CR0_PG_BIT) && v->cr4 == seen[5],
             "CR0 and CR4 as L2 has written them");
        want((v->efer & EFER_LME) == lme &&
                 ((uint32_t)seen[6] & (EFER_LME | EFER_LMA)) == (v->efer & (EFER_LME | EFER_LMA)),
             "EFER.LME as L2 has written it");
    }
}

const struct attack attacks_modes[] = {
    ATTACK(every_mode, NOTHING),
    ATTACK(changes_of_mode, NOTHING),
    {0, 0, 0},
};
