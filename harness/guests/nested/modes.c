// SPDX-License-Identifier: BSD-2-Clause
// L2 in each mode of the processor, with a nested table and without (then L1 answers for CR3; APM vol. 2, 15.25 and 15.5.1).
#include "l1.h"

enum { P = 1, W = 2, U = 4, LARGE = 0x80, LINEAR_32 = 0x40000000, MARK = 0x1111A, OTHER = 0x2222B };
enum mode { REAL, PAGED_REAL, PROTECTED, LEGACY, PAE, COMPAT, LONG, MODES };

extern const uint8_t l2_look16[], l2_look32[], l2_look64[], l2_boot[], l2_boot_lme_first[];
static uint32_t legacy[2][1024] __attribute__((aligned(4096)));
static uint64_t pae[4] __attribute__((aligned(32))), pae_pd[512] __attribute__((aligned(4096))),
    pae_pt[512] __attribute__((aligned(4096)));
static const char *const names[MODES] = {"real mode",          "real mode with paging",
                                         "protected mode",     "32-bit paging, 4 KiB and 4 MiB pages",
                                         "32-bit paging, PAE", "32-bit code in long mode",
                                         "64-bit mode"};

static void make_tables(void)
{
    for (uint32_t i = 0; i < 1024; i++)
        legacy[0][i] = i << 22 | P | W | U | LARGE;
    legacy[0][LINEAR_32 >> 22] = (uint32_t)(uintptr_t)legacy[1] | P | W | U;
    for (uint32_t i = 0; i < 4; i++) {
        legacy[1][i] = (uint32_t)((uintptr_t)window + i * PAGE) | P | W | U;
        pae_pt[i] = ((uintptr_t)window + i * PAGE) | P | W | U;
        pae[i] = (uintptr_t)pd[i] | P;
    }
    pae[LINEAR_32 >> 30] = (uintptr_t)pae_pd | P;
    pae_pd[0] = (uintptr_t)pae_pt | P | W | U;
    linear_entry(0);
}

static void prepare(enum mode mode, bool nested)
{
    l2_watched(0, vmmcall);
    struct pv_vmcb *v = &block[0];
    v->nested_control = nested ? 1 : 0;
    v->nested_cr3 = nested ? v->nested_cr3 : 0;
    v->tlb_control = 1;
    uint64_t at = (uintptr_t)window + PAGE;
    if (mode != LONG) {
        v->rip = (uintptr_t)l2_look32;
        v->cs.attrib = SEG_CODE32;
        v->cr0 = CR0_PE | CR0_ET | CR0_NE;
    }
    if (mode != LONG && mode != COMPAT) {
        v->efer = EFER_SVME | EFER_NXE;
        v->cr4 = 0;
        v->cr3 = 0;
    }
    switch (mode) {
    case REAL:
    case PAGED_REAL: // the segments' hidden parts count, so all of memory is in reach
        v->cr0 = CR0_ET | CR0_NE;
        v->cs = (struct pv_segment){0x1000, SEG_CODE16, 0xFFFFFFFF, (uintptr_t)l2_look16};
        v->rip = 0;
        break;
    case COMPAT:
        v->cr0 |= CR0_PG;
        break;
    case LONG:
        v->rip = (uintptr_t)l2_look64;
        at = LINEAR + PAGE;
        break;
    default:
        break;
    }
    if (mode == PAGED_REAL || mode == LEGACY || mode == PAE) {
        v->cr0 |= CR0_PG;
        v->cr4 = mode == PAE ? CR4_PAE : CR4_PSE;
        v->cr3 = mode == PAE ? (uintptr_t)pae : (uintptr_t)legacy[0];
        at = LINEAR_32 + PAGE;
    }
    l2_gpr[0][6] = at;
}

static void step_mode(enum mode mode, bool nested)
{
    prepare(mode, nested);
    const struct pv_vmcb *v = &block[0];
    uint64_t efer = v->efer, cr0 = v->cr0, cr4 = v->cr4, cr3 = v->cr3;
    uint32_t attrib = v->cs.attrib;
    bool good = l2_run(0) == EXIT_VMMCALL && (uint32_t)v->rax == (nested ? OTHER : MARK);
    expect(good && (uint32_t)l2_gpr[0][3] == cpuid(0, 0).ebx, names[mode]);
    expect(v->efer == efer && v->cr0 == cr0 && v->cr4 == cr4 && v->cr3 == cr3 && v->cs.attrib == attrib,
           "  its registers are told as they were");
}

static void step_modes(void)
{
    make_tables();
    uint64_t *e = window_entry(0, 1), whole = *e;
    *(uint32_t *)(void *)(window + PAGE) = MARK;
    *(uint32_t *)(void *)(window + 2 * PAGE) = OTHER;
    for (uint32_t nested = 0; nested < 2; nested++) {
        put("   %s\n", nested ? "with a nested table, which moves the page" : "without a nested table");
        *e = nested ? whole + PAGE : whole;
        for (uint32_t m = 0; m < MODES; m++)
            step_mode((enum mode)m, nested != 0);
    }
    *e = whole;
}

// One stop at a CPUID that L1 intercepts.
static bool stop(uint64_t efer, uint64_t cr0, uint64_t cr4)
{
    const struct pv_vmcb *v = &block[0];
    bool good = l2_run(0) == EXIT_CPUID &&
                (v->efer & (EFER_LME | EFER_LMA | EFER_SVME)) == (efer | EFER_SVME) &&
                (v->cr0 & CR0_PG) == cr0 && (v->cr4 & CR4_PAE) == cr4;
    if (!good)
        expect(false, "a stop on the way to long mode");
    block[0].rip += 2;
    return good;
}

static void boot(bool nested, bool lme_first, const char *what)
{
    prepare(PROTECTED, nested);
    block[0].intercepts3 |= I3_CPUID;
    block[0].rip = lme_first ? (uintptr_t)l2_boot_lme_first : (uintptr_t)l2_boot;
    l2_gpr[0][3] = (uintptr_t)pml4;
    bool good = !lme_first || stop(EFER_LME, 0, 0);
    good = stop(EFER_LME, 0, CR4_PAE) && good;
    good = stop(EFER_LME | EFER_LMA, CR0_PG, CR4_PAE) && good;
    expect(l2_run(0) == EXIT_VMMCALL && block[0].rax == MARK && good, what);
}

static void step_boot(void)
{
    *(uint32_t *)(void *)(window + PAGE) = MARK;
    boot(false, false, "L2 goes from protected mode to 64-bit mode");
    boot(true, false, "the same with a nested table");
    if (on_proviso)
        boot(true, true, "EFER.LME set before CR4.PAE, with an exit in between");
    else
        skip("EFER.LME set before CR4.PAE", "QEMU's #VMEXIT goes astray then");
}

void steps_modes(void)
{
    attempt("modes of L2", step_modes);
    attempt("L2 changes its mode", step_boot);
}
