// SPDX-License-Identifier: BSD-2-Clause
// L1 in 32-bit mode: its nested table has the format of its own paging (APM vol. 2, 15.25.3), PAE's or the legacy one.
#include "l1.h"

enum { P = 1, W = 2, U = 4, A = 0x20, D = 0x40, LARGE = 0x80, HIGH = 0x40000000, MARK = 0x51, OTHER = 0x52 };
#define FINAL (1ull << 32)

void narrow_run(uint32_t at, uint32_t cr3, uint32_t cr4, uint32_t esi);
extern const uint8_t l2_look32[];

// L1's own and the nested one: QEMU marks the four upper entries of what it walks as accessed, where that bit is reserved.
static uint64_t pae[2][4] __attribute__((aligned(32)));
static uint32_t legacy[2][1024] __attribute__((aligned(4096)));

static void make_tables(void)
{
    for (uint32_t g = 0; g < 4; g++)
        pae[0][g] = pae[1][g] = (uintptr_t)nested_pd[0][g] | P;
    for (uint32_t i = 0; i < 1024; i++)
        legacy[0][i] = i << 22 | P | W | U | LARGE;
    legacy[0][HIGH >> 22] = (uint32_t)(uintptr_t)legacy[1] | P | W | U;
    for (uint32_t i = 0; i < 4; i++)
        legacy[1][i] = (uint32_t)((uintptr_t)window + i * PAGE) | P | W | U;
    *(uint32_t *)(void *)(window + PAGE) = MARK;
    *(uint32_t *)(void *)(window + 2 * PAGE) = OTHER;
}

// L2 in protected mode reads at `at`.
static void run(bool is_pae, uint32_t at)
{
    uint32_t own = is_pae ? (uint32_t)(uintptr_t)pae[0] : (uint32_t)(uintptr_t)legacy[0];
    l2_watched(0, vmmcall);
    block[0].nested_cr3 = is_pae ? (uintptr_t)pae[1] : own;
    block[0].tlb_control = 1;
    block[0].rip = (uintptr_t)l2_look32;
    block[0].cs.attrib = SEG_CODE32;
    block[0].cr0 = CR0_PE | CR0_ET | CR0_NE;
    block[0].efer = EFER_SVME;
    block[0].cr3 = block[0].cr4 = 0;
    narrow_run((uint32_t)(uintptr_t)&block[0], own, is_pae ? CR4_PAE : CR4_PSE, at);
}

static void step_pae(void)
{
    uint32_t at = (uint32_t)(uintptr_t)window + PAGE;
    uint64_t *e = window_entry(0, 1), whole = *e;
    *e = (whole & ~(uint64_t)(A | D)) + PAGE;
    run(true, at);
    expect(block[0].exit_code == EXIT_VMMCALL && (uint32_t)block[0].rax == OTHER && (*e & (A | D)) == A,
           "a table of PAE's format (NW-FORM-1)");
    *e = 0;
    run(true, at);
    expect(block[0].exit_code == EXIT_NPF && block[0].exit_info1 == (FINAL | 4) && block[0].exit_info2 == at,
           "and a page that is not there");
    *e = whole;
}

static void step_legacy(void)
{
    if (!on_proviso) {
        skip("a table of the legacy format", "QEMU does not translate by it");
        return;
    }
    uint32_t *e = &legacy[1][1], whole = *e;
    *e = whole + PAGE;
    run(false, HIGH + PAGE);
    expect(block[0].exit_code == EXIT_VMMCALL && (uint32_t)block[0].rax == OTHER && (*e & (A | D)) == A,
           "a table of the legacy format (NW-FORM-1)");
    *e = 0;
    run(false, HIGH + PAGE);
    expect(block[0].exit_code == EXIT_NPF && block[0].exit_info1 == (FINAL | 4) &&
               block[0].exit_info2 == HIGH + PAGE,
           "and a page that is not there");
    *e = whole;
    uint32_t *large = &legacy[0][(HIGH >> 22) + 1], base = (uint32_t)(uintptr_t)window & 0xFFC00000;
    *large = base | P | W | U | LARGE;
    run(false, HIGH + 0x400000 + (uint32_t)(uintptr_t)window - base + PAGE);
    expect(block[0].exit_code == EXIT_VMMCALL && (uint32_t)block[0].rax == MARK, "a page of 4 MiB");
}

void steps_narrow(void)
{
    make_tables();
    attempt("L1 in 32-bit mode with PAE", step_pae);
    attempt("L1 in 32-bit mode without", step_legacy);
}
