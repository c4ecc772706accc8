// SPDX-License-Identifier: BSD-2-Clause
// SVM for a hypervisor in a VP: faults, checks of a VMCB, what runs instead of it, whose exit it is, and the #VMEXIT.
#include "check.h"
#include "machine.h"
#include "nested/check.h"
#include "nested/instruction.h"
#include "nested/layout.h"
#include "nested/map.h"
#include "nested/merge.h"
#include "nested/route.h"
#include "nested/vmexit.h"

#define BIT(n) ((uint64_t)1 << (n))

static const struct pv_svm_caps caps = {.cr4 = 0x3106FF, .address_bits = 40, .asids = 64, .npt = 1};
static struct pv_vmcb vmcb, copy, run;

// An L2 in 64-bit mode that any processor would run.
static void good(void)
{
    memset(&vmcb, 0, sizeof vmcb);
    vmcb.intercepts4 = 1;
    vmcb.asid = 1;
    vmcb.iopm_base = 0x10000;
    vmcb.msrpm_base = 0x20000;
    vmcb.nested_control = 1;
    vmcb.nested_cr3 = 0x30000;
    vmcb.efer = 0x1D01;
    vmcb.cr0 = 0x80000031;
    vmcb.cr3 = 0x1000;
    vmcb.cr4 = 0x20;
    vmcb.dr6 = 0xFFFF0FF0;
    vmcb.dr7 = 0x400;
    vmcb.cs.attrib = 0x29B;
    vmcb.rflags = 0x202;
}

#define BAD(field, value)                                                                                    \
    do {                                                                                                     \
        good();                                                                                              \
        vmcb.field = (value);                                                                                \
        CHECK(!pv_vmcb_valid(&vmcb, &caps));                                                                 \
    } while (0)
#define FINE(field, value)                                                                                   \
    do {                                                                                                     \
        good();                                                                                              \
        vmcb.field = (value);                                                                                \
        CHECK(pv_vmcb_valid(&vmcb, &caps));                                                                  \
    } while (0)

// NV-FAULT-1, NV-FAULT-2: every mode with every instruction.
static void faults_of_instructions(void)
{
    static const uint32_t codes[] = {0x7A, 0x80, 0x82, 0x83, 0x84, 0x85, 0x86};
    static const uint64_t at[] = {0, 0x1000, 0x1001, 0xFFF, BIT(40) - 0x1000, BIT(40), ~UINT64_C(0xFFF)};
    for (uint32_t i = 0; i < 16; i++) {
        for (uint32_t c = 0; c < 7; c++) {
            for (uint32_t a = 0; a < 7; a++) {
                const struct pv_svm_mode m = {i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, 40, at[a]};
                const uint32_t code = codes[c];
                const bool vmcb_at = code == 0x80 || code == 0x82 || code == 0x83;
                const bool bad = at[a] % 4096 != 0 || at[a] >= BIT(40);
                const uint32_t want = (i & 7) != 3 || code == 0x86       ? PV_SVM_FAULT_UD
                                      : (i & 8) != 0 || (vmcb_at && bad) ? PV_SVM_FAULT_GP
                                                                         : PV_SVM_GO_ON;
                CHECK_EQ(pv_svm_fault(&m, code), want);
            }
        }
    }
}

// NV-VMCR-1, NV-VMCR-2, NV-SVME-1, NV-HSAVE-1
static void registers_of_svm(void)
{
    for (uint64_t was = 0; was < 32; was++) {
        for (uint64_t value = 0; value < 64; value++) {
            for (uint32_t svme = 0; svme < 2; svme++) {
                uint64_t vm_cr = was;
                const bool done = pv_vm_cr_write(&vm_cr, value, svme);
                CHECK(!done || (was & 8) == 0 || (vm_cr & 0x18) == (was & 0x18));
                CHECK(!done || svme == 0 || (vm_cr & 0x10) == 0);
                CHECK(!done || (vm_cr & 7) == (value & 7));
                CHECK(!done || (was & 8) != 0 || vm_cr == value);
                CHECK(done || vm_cr == was);
                const uint64_t then = (was & 8) != 0 ? was : value;
                CHECK_EQ(done, value < 32 && !(svme == 1 && (then & 0x10) != 0));
            }
        }
        CHECK_EQ(pv_svme_writable(was, 1), (was & 0x10) == 0);
        CHECK(pv_svme_writable(was, 0));
    }
    CHECK(pv_hsave_valid(0, 40) && pv_hsave_valid(BIT(40) - 4096, 40));
    CHECK(!pv_hsave_valid(BIT(40), 40) && !pv_hsave_valid(0x800, 40) && !pv_hsave_valid(BIT(63), 40));
}

// NV-CHK-1..7: each field beyond its border, and at it.
static void blocks_that_do_not_run(void)
{
    good();
    CHECK(pv_vmcb_valid(&vmcb, &caps));
    BAD(intercepts4, 0);
    BAD(intercepts4, 0xFFFFFFFE);
    BAD(asid, 0);
    BAD(asid, 64);
    BAD(asid, 0xFFFFFFFF);
    FINE(asid, 63);
    for (uint32_t t = 0; t < 256; t++) {
        good();
        vmcb.tlb_control = (uint8_t)t;
        CHECK_EQ(pv_vmcb_valid(&vmcb, &caps), t == 0 || t == 1 || t == 3 || t == 7);
    }
    FINE(iopm_base, BIT(40) - 0x3000);
    FINE(iopm_base, BIT(40) - 0x3000 + 0xFFF);
    BAD(iopm_base, BIT(40) - 0x2000);
    BAD(iopm_base, ~UINT64_C(0));
    FINE(msrpm_base, BIT(40) - 0x2000);
    BAD(msrpm_base, BIT(40) - 0x1000);
    BAD(msrpm_base, BIT(40));
    BAD(msrpm_base, UINT64_MAX - 0xFFF);
    FINE(nested_cr3, BIT(40) - 1);
    BAD(nested_cr3, BIT(40));
    BAD(nested_cr3, BIT(63));
    good();
    vmcb.nested_cr3 = BIT(63);
    vmcb.nested_control = 0;
    CHECK(pv_vmcb_valid(&vmcb, &caps));
    struct pv_svm_caps without = caps;
    without.npt = 0;
    CHECK(pv_vmcb_valid(&vmcb, &without));
    good();
    CHECK(!pv_vmcb_valid(&vmcb, &without));
    for (uint32_t b = 0; b < 64; b++) {
        good();
        vmcb.efer ^= BIT(b);
        CHECK_EQ(pv_vmcb_valid(&vmcb, &caps), b == 0 || b == 8 || b == 10 || b == 11 || b == 14);
        good();
        vmcb.cr4 |= BIT(b);
        CHECK_EQ(pv_vmcb_valid(&vmcb, &caps), (caps.cr4 >> b & 1) == 1);
    }
    BAD(cr0, 0x80000031 | BIT(29));
    FINE(cr0, 0x80000031 | BIT(29) | BIT(30));
    FINE(cr0, 0x80000031 | BIT(30));
    BAD(cr0, 0x80000031 | BIT(32));
    BAD(cr0, 0x80000030);
    BAD(cr4, 0);
    BAD(cr3, BIT(40));
    BAD(cr3, BIT(63));
    FINE(cr3, BIT(40) - 1);
    BAD(dr6, BIT(32));
    BAD(dr7, BIT(32));
    BAD(cs.attrib, 0x69B);
    FINE(cs.attrib, 0x49B);
    good();
    vmcb.cr0 = 0x11; // without paging the same is harmless
    vmcb.cr3 = BIT(63);
    vmcb.cr4 = 0;
    vmcb.cs.attrib = 0x69B;
    CHECK(pv_vmcb_valid(&vmcb, &caps));
}

// NV-CHK-4: every type with every vector.
static void events_that_can_be_injected(void)
{
    for (uint32_t e = 0; e < 2048; e++) {
        const uint32_t kind = e >> 8, vector = e & 255;
        CHECK(pv_event_valid(e));
        CHECK_EQ(pv_event_valid(BIT(31) | e | BIT(11) | BIT(40)),
                 kind == 0 || kind == 2 || kind == 4 || (kind == 3 && vector != 2 && vector < 32));
    }
}

static void fuzz(void *p, uint64_t seed)
{
    uint8_t *byte = p;
    for (uint32_t i = 0; i < sizeof(struct pv_vmcb); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        byte[i] = (uint8_t)(seed >> 56);
    }
}

static void merge(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f)
{
    pv_vmcb_merge_intercepts(to, c, f);
    pv_vmcb_merge_control(to, c, f);
    pv_vmcb_merge_rest(to, c, f);
    pv_vmcb_segments(to, c);
    pv_vmcb_registers(to, c);
}

static const struct pv_vmcb_floor own = {
    .cr_intercepts = 1u << 20,
    .exception_intercepts = 1u << 17 | 1u << 18,
    .intercepts3 = 0x9D04800B,
    .intercepts4 = 0x6E7F,
    .iopm_base = 0x1111000,
    .msrpm_base = 0x2222000,
    .nested_cr3 = 0x3333000,
    .g_pat = 0x0007040600070406,
    .tsc_offset = ~UINT64_C(0) - 5,
};

// NV-FLOOR-1, NV-ISO-1, NV-TSC-1, NV-VINTR-1, NV-FEAT-1, NV-STATE-1, NV-PAT-1, NV-INJECT-1: whatever L1 wrote.
static void what_runs(void)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        memset(&run, 0, sizeof run);
        fuzz(&vmcb, seed);
        vmcb.efer = 0x1D01;
        run.asid = 77;
        run.tlb_control = 3;
        merge(&run, &vmcb, &own);
        CHECK_EQ(run.cr_intercepts, vmcb.cr_intercepts | own.cr_intercepts);
        CHECK_EQ(run.dr_intercepts, vmcb.dr_intercepts);
        CHECK_EQ(run.exception_intercepts, vmcb.exception_intercepts | own.exception_intercepts);
        CHECK_EQ(run.intercepts3, vmcb.intercepts3 | own.intercepts3);
        CHECK_EQ(run.intercepts4, (vmcb.intercepts4 & 0x7FFF) | own.intercepts4);
        CHECK_EQ(run.intercepts5, vmcb.intercepts5 & 4);
        CHECK(run.iopm_base == own.iopm_base && run.msrpm_base == own.msrpm_base);
        CHECK(run.nested_cr3 == own.nested_cr3 && run.nested_control == 1);
        CHECK(run.avic_bar == 0 && run.ghcb == 0 && run.lbr_control == 0 && run.clean == 0);
        CHECK(run.hv_assist_page == 0 && run.pause_count == 0);
        CHECK(run.asid == 77 && run.tlb_control == 3);
        CHECK_EQ(run.tsc_offset, vmcb.tsc_offset - 6);
        CHECK_EQ(run.v_intr, (vmcb.v_intr & 0xFF001F010F) | BIT(24));
        CHECK_EQ(run.interrupt_state, vmcb.interrupt_state & 1);
        CHECK_EQ(run.event_inject, vmcb.event_inject);
        CHECK_EQ(run.g_pat, (vmcb.nested_control & 1) != 0 ? vmcb.g_pat : own.g_pat);
        CHECK(memcmp(&run.es, &vmcb.es, 4 * sizeof run.es) == 0);
        CHECK(memcmp(&run.gdtr, &vmcb.gdtr, sizeof run.es) == 0);
        CHECK(memcmp(&run.idtr, &vmcb.idtr, sizeof run.es) == 0);
        CHECK(run.fs.base == 0 && run.tr.base == 0 && run.star == 0);
        CHECK(run.cr0 == vmcb.cr0 && run.cr2 == vmcb.cr2 && run.cr3 == vmcb.cr3 && run.cr4 == vmcb.cr4);
        CHECK(run.dr6 == vmcb.dr6 && run.dr7 == vmcb.dr7 && run.cpl == vmcb.cpl && run.efer == vmcb.efer);
        CHECK(run.rip == vmcb.rip && run.rsp == vmcb.rsp && run.rax == vmcb.rax);
        CHECK_EQ(run.rflags, vmcb.rflags | 2);
    }
}

// NV-EXIT-1, NV-EXIT-2, NV-VBACK-1, NV-EVENT-1: what #VMEXIT writes, and that it writes nothing else.
static void what_l1_reads(void)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        fuzz(&vmcb, seed);
        fuzz(&run, seed + 5000);
        copy = vmcb;
        const struct pv_exit exit = {0xF0000000, seed, ~seed, seed % 2 ? 0x80000200 : 0};
        pv_vmcb_segments(&copy, &run);
        pv_vmcb_registers(&copy, &run);
        pv_vmcb_exit(&copy, &run, &exit);
        struct pv_vmcb want = vmcb;
        memcpy(&want.es, &run.es, 4 * sizeof run.es);
        want.gdtr = run.gdtr;
        want.idtr = run.idtr;
        want.cpl = run.ss.attrib >> 5 & 3;
        want.efer = run.efer;
        want.cr0 = run.cr0, want.cr2 = run.cr2, want.cr3 = run.cr3, want.cr4 = run.cr4;
        want.dr6 = run.dr6, want.dr7 = run.dr7;
        want.rflags = run.rflags, want.rip = run.rip, want.rsp = run.rsp, want.rax = run.rax;
        want.v_intr = (vmcb.v_intr & ~UINT64_C(0x10F)) | (run.v_intr & 0x10F);
        want.interrupt_state = run.interrupt_state & 1;
        want.exit_code = 0xF0000000; // 64 bits: not extended by its sign
        want.exit_info1 = seed;
        want.exit_info2 = ~seed;
        want.exit_int_info = exit.event;
        want.event_inject = vmcb.event_inject & ~BIT(31);
        CHECK(memcmp(&want, &copy, sizeof copy) == 0);
    }
}

// NV-HOST-1..3
static void how_l1_goes_on(void)
{
    good();
    vmcb.cr0 = 0x80000010;
    vmcb.rflags = 0x20246;
    vmcb.cpl = 3;
    vmcb.dr7 = 0xFFFF;
    vmcb.interrupt_state = 3;
    CHECK(pv_vmcb_host(&vmcb, 40));
    CHECK(vmcb.cr0 == 0x80000011 && vmcb.rflags == 0x246 && vmcb.cpl == 0 && vmcb.dr7 == 0x400);
    CHECK_EQ(vmcb.interrupt_state, 0);
    vmcb.cr3 = BIT(40);
    CHECK(!pv_vmcb_host(&vmcb, 40));
    vmcb.cr0 = 0x11;
    CHECK(pv_vmcb_host(&vmcb, 40));
}

// NV-FAIL-1 (F45): the exit code has 64 bits, the state stays; nothing of the event is left to be injected.
static void f45_block_that_is_not_run(void)
{
    fuzz(&vmcb, 1);
    copy = vmcb;
    pv_vmcb_exit_invalid(&copy);
    struct pv_vmcb want = vmcb;
    want.exit_code = ~UINT64_C(0);
    want.exit_info1 = want.exit_info2 = want.exit_int_info = 0;
    want.event_inject &= ~BIT(31);
    CHECK(memcmp(&want, &copy, sizeof copy) == 0);
}

// NV-ONCE-1 (F46): L1's VMCB is read once, into memory of ours; nothing refers to L1's page afterwards.
static void f46_block_is_copied_once(void)
{
    machine_simple(1);
    good();
    memcpy((char *)machine.memory + 0x3000, &vmcb, sizeof vmcb);
    CHECK_EQ(pv_vmcb_take(&machine.partition, 0x3000, &caps, &copy), PV_VMRUN_ENTER);
    CHECK_EQ(machine.count[EVENT_VMCB_READ], 1);
    CHECK(memcmp(&copy, &vmcb, sizeof copy) == 0);
    memset((char *)machine.memory + 0x3000, 0xFF, 4096); // L1, on another VP
    memset(&run, 0, sizeof run);
    merge(&run, &copy, &own);
    CHECK_EQ(run.cr3, 0x1000);
    CHECK_EQ(pv_vmcb_take(&machine.partition, 0x3000, &caps, &copy), PV_VMRUN_INVALID);
    CHECK_EQ(pv_vmcb_take(&machine.partition, MACHINE_BYTES, &caps, &copy), PV_VMRUN_FAULT_GP);
}

static uint32_t *memory32(uint64_t gpa)
{
    return (uint32_t *)(void *)((char *)machine.memory + gpa);
}

static bool wanted(uint64_t code, uint64_t info1, uint32_t msr)
{
    return pv_exit_is_l1s(&machine.partition, &vmcb, code, info1, msr);
}

// NV-ROUTE-1, NV-ROUTE-2: every code with nothing, with everything, and with its own bit alone intercepted.
static void whose_exit_it_is(void)
{
    machine_simple(1);
    for (uint64_t code = 0; code < 0x500; code++) {
        const bool first = code >= 192 || code == 0x52 || code == 0x60 || code == 0x61 || code == 0x63;
        const bool map = code == 0x7B || code == 0x7C;
        memset(&vmcb, 0, sizeof vmcb);
        vmcb.iopm_base = vmcb.msrpm_base = MACHINE_BYTES;
        CHECK(!wanted(code, 0x10, 0));
        memset(&vmcb, 0xFF, 24);
        CHECK_EQ(wanted(code, 0x10, 0), !first);
        if (code < 192 && !map) {
            uint32_t *word = (uint32_t *)(void *)&vmcb + code / 32;
            *word = ~(1u << code % 32);
            CHECK(!wanted(code, 0x10, 0));
            memset(&vmcb, 0, 24);
            *word = 1u << code % 32;
            CHECK_EQ(wanted(code, 0x10, 0), !first);
        }
    }
    memset(&vmcb, 0xFF, 24);
    CHECK(!wanted(~UINT64_C(0), 0, 0) && !wanted(BIT(32) | 0x72, 0, 0) && !wanted(0xF0000000, 0, 0));
}

// NV-IO-1: each size at each place of the map, the last ports with the bits behind them.
static void ports(void)
{
    machine_simple(1);
    memset(&vmcb, 0, sizeof vmcb);
    vmcb.intercepts3 = 1u << 27;
    vmcb.iopm_base = 0x4FFF; // the low bits do not count
    static const uint32_t at[] = {0, 1, 28, 29, 30, 31, 32, 0x3F8, 0x7FFF, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF};
    for (uint32_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (uint32_t bit = at[i] < 8 ? 0 : at[i] - 8; bit < at[i] + 8; bit++) {
            *memory32(0x4000 + bit / 32 * 4) = 1u << bit % 32;
            for (uint32_t size = 1; size <= 4; size *= 2) {
                CHECK_EQ(wanted(0x7B, at[i] << 16 | size << 4 | 1, 0), bit >= at[i] && bit < at[i] + size);
            }
            *memory32(0x4000 + bit / 32 * 4) = 0;
        }
    }
    vmcb.iopm_base = MACHINE_BYTES - 0x2000; // the third page is not there (NV-UNREAD-1)
    CHECK(!wanted(0x7B, UINT64_C(0xFFFF) << 16 | 1 << 4, 0));
    CHECK(wanted(0x7B, UINT64_C(0xFFFF) << 16 | 2 << 4, 0));
}

// NV-MSR-1, NV-UNREAD-1: the three ranges, their borders, reads and writes apart.
static void registers_in_the_map(void)
{
    machine_simple(1);
    memset(&vmcb, 0, sizeof vmcb);
    vmcb.intercepts3 = 1u << 28;
    vmcb.msrpm_base = 0x6000;
    static const struct {
        uint32_t msr, bit;
    } at[] = {{0, 0},
              {0x174, 0x2E8},
              {0x1FFF, 0x3FFE},
              {0xC0000000, 0x4000},
              {0xC0000080, 0x4100},
              {0xC0001FFF, 0x7FFE},
              {0xC0010000, 0x8000},
              {0xC0010114, 0x8228},
              {0xC0011FFF, 0xBFFE}};
    for (uint32_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (uint32_t bit = 0; bit < 2; bit++) {
            *memory32(0x6000 + at[i].bit / 32 * 4) = 1u << (at[i].bit % 32 + bit);
            CHECK_EQ(wanted(0x7C, 0, at[i].msr), bit == 0);
            CHECK_EQ(wanted(0x7C, 1, at[i].msr), bit == 1);
            *memory32(0x6000 + at[i].bit / 32 * 4) = 0;
        }
    }
    static const uint32_t none[] = {0x2000, 0xBFFFFFFF, 0xC0002000, 0xC000FFFF, 0xC0012000, 0x4B564D00, ~0u};
    for (uint32_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CHECK(wanted(0x7C, 0, none[i]) && wanted(0x7C, 1, none[i]));
    }
    vmcb.msrpm_base = MACHINE_BYTES;
    CHECK(wanted(0x7C, 0, 0xC0000080));
    vmcb.intercepts3 = 0;
    CHECK(!wanted(0x7C, 0, ~0u));
}

// NV-MAP-1..3: what runs stops whatever L1's map stops, and whatever ours does.
static void map_that_runs(void)
{
    static uint32_t map[PV_MAP_DWORDS], before[PV_MAP_DWORDS];
    machine_simple(1);
    memset(map, 0xFF, sizeof map);
    memcpy(before, map, sizeof map);
    memset(&vmcb, 0, sizeof vmcb);
    vmcb.msrpm_base = 0x6000;
    for (uint32_t bit = 0; bit < 0x10000; bit++) {
        vmcb.intercepts3 = 0;
        pv_msrpm_merge(&machine.partition, &vmcb, map);
        if (bit < 32) {
            CHECK(map[PV_MAP_SYSENTER] == PV_CLOSED_SYSENTER && map[PV_MAP_STAR] == PV_CLOSED_STAR &&
                  map[PV_MAP_BASES] == PV_CLOSED_BASES);
        }
        vmcb.intercepts3 = 1u << 28;
        *memory32(0x6000 + bit / 32 * 4) = 1u << bit % 32;
        pv_msrpm_merge(&machine.partition, &vmcb, map);
        CHECK((map[bit / 32] >> bit % 32 & 1) == 1);
        *memory32(0x6000 + bit / 32 * 4) = 0;
    }
    vmcb.msrpm_base = MACHINE_BYTES; // NV-UNREAD-1
    pv_msrpm_merge(&machine.partition, &vmcb, map);
    CHECK(memcmp(before, map, sizeof map) == 0);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"faults of instructions", faults_of_instructions},
        {"registers of SVM", registers_of_svm},
        {"blocks that do not run", blocks_that_do_not_run},
        {"events that can be injected", events_that_can_be_injected},
        {"what runs", what_runs},
        {"what L1 reads", what_l1_reads},
        {"how L1 goes on", how_l1_goes_on},
        {"F45 block that is not run", f45_block_that_is_not_run},
        {"F46 block is copied once", f46_block_is_copied_once},
        {"whose exit it is", whose_exit_it_is},
        {"ports", ports},
        {"registers in the map", registers_in_the_map},
        {"map that runs", map_that_runs},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
