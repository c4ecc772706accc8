// SPDX-License-Identifier: BSD-2-Clause
// Known faults of other implementations in setting the interface up: CPUID leaves, limits, MSRs.
#include "check.h"
#include "machine.h"

static struct pv_cpuid leaf(uint32_t number)
{
    struct pv_cpuid out = {1, 1, 1, 1};
    pv_cpuid(&machine.partition, number, &out);
    return out;
}

// CP-VPS-1: never 0, never another partition's limit.
static void f15_limit_of_vps_is_told(void)
{
    static const uint32_t limits[] = {1, 2, 63, 64, 65, 128, 4095, 4096};
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct pv_config config = machine_config();
        config.max_vps = limits[i];
        machine_reset(&config);
        CHECK_EQ(leaf(0x40000005).eax, limits[i]);
        CHECK(leaf(0x40000004).eax & 1 << 11);
    }
}

// SU-VP-1, VS-SIZE-1: the limit bounds the indices, bank borders included.
static void f16_limit_bounds_the_indices(void)
{
    static const uint32_t limits[] = {1, 63, 64, 65, 127, 128, 129, 4096};
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct pv_config config = machine_config();
        config.max_vps = limits[i];
        machine_reset(&config);
        CHECK(!pv_partition_add_vp(&machine.partition, limits[i], 0));
        CHECK(pv_partition_add_vp(&machine.partition, limits[i] - 1, 0));
        CHECK(!pv_partition_add_vp(&machine.partition, limits[i] - 1, 1)); // twice
        CHECK_EQ(machine.partition.vp_count, 1);
        const uint32_t last = limits[i] - 1;
        machine_put(0x1008, 0);
        machine_put(0x1010, 0);
        machine_put(0x1018, (uint64_t)1 << last / 64);
        machine_put(0x1020, (uint64_t)1 << last % 64);
        CHECK_EQ(machine_call(control(0x13, 1, 0, 0), 0x1000, 0), 0);
        CHECK(machine_flush_pending(last, PV_CONTEXT_L1));
    }
}

// CP-HINT-1..3: hints recommend what is served, and switch nothing off.
static void f27_hints_recommend_and_nothing_else(void)
{
    struct pv_config config = machine_config();
    machine_reset(&config);
    machine_add(0, 0);
    CHECK_EQ(leaf(0x40000004).eax & (1 << 1 | 1 << 2 | 1 << 10), 0);
    machine_put(0x1008, 1);
    CHECK_EQ(machine_call(0x02, 0x1000, 0), 0); // works without the hint
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 1), 0);
    config.hints = 1 << 1 | 1 << 2 | 1 << 10;
    machine_reset(&config);
    CHECK_EQ(leaf(0x40000004).eax & (1 << 1 | 1 << 2 | 1 << 10), 1 << 1 | 1 << 2 | 1 << 10);
    for (unsigned bit = 0; bit < 7; bit++) { // a call that is not served is not recommended
        config.offers = PV_OFFER_ALL & ~((uint32_t)1 << bit);
        machine_reset(&config);
        const bool flush = bit == 0 || bit == 1 || bit == 4 || bit == 5, ipi = bit == 3 || bit == 6;
        CHECK_EQ(leaf(0x40000004).eax & (1 << 1 | 1 << 2), flush ? 0 : (1 << 1 | 1 << 2));
        CHECK_EQ(leaf(0x40000004).eax & 1 << 10, ipi ? 0 : 1 << 10);
    }
}

// CP-PRIV-1..3: the two halves of the privileges are two things.
static void f53_halves_of_the_privileges(void)
{
    struct pv_config config = machine_config();
    config.privileges = 0xFFFFFFFF;
    config.features = 0xFFFFFFFF;
    machine_reset(&config);
    CHECK_EQ(leaf(0x40000003).eax, 0xEFF);
    CHECK_EQ(leaf(0x40000003).ebx, 0);
    CHECK_EQ(leaf(0x40000003).ecx, 0);
}

// CP-MAX-1, CP-FEAT-1: each bit has its call; a leaf that is not implemented is zero.
static void f54_bits_and_calls_agree(void)
{
    for (unsigned bit = 0; bit < 11; bit++) {
        struct pv_config config = machine_config();
        config.offers = (uint32_t)1 << bit;
        config.features = 0xFFFFFFFF;
        config.hints = 0xFFFFFFFF;
        machine_reset(&config);
        const struct pv_cpuid features = leaf(0x40000003), hints = leaf(0x40000004);
        CHECK_EQ((features.edx & 1 << 4) != 0, bit == 8);
        CHECK_EQ((features.edx & 1 << 14) != 0, bit == 9);
        CHECK_EQ((features.edx & 1 << 15) != 0, 0); // no call has XMM output
        CHECK_EQ((features.edx & 1 << 18) != 0, bit == 10);
        CHECK_EQ((hints.eax & 1 << 11) != 0, bit == 7);
        CHECK_EQ(hints.eax & (1 << 0 | 1 << 12 | 1 << 14), 0); // calls and levels that do not exist here
    }
    const struct pv_config config = machine_config();
    machine_reset(&config);
    const uint32_t max = leaf(0x40000000).eax;
    CHECK_EQ(max, 0x40000006);
    static const uint32_t beyond[] = {0x40000007, 0x40000009, 0x4000000A, 0x40000081,
                                      0x40000100, 0x4000FFFF, 0,          1};
    for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        const struct pv_cpuid out = leaf(beyond[i]);
        CHECK((out.eax | out.ebx | out.ecx | out.edx) == 0);
    }
}

// CP-VEND-1, CP-IFACE-1, CP-PRIV-1: the least that a guest must see.
static void f56_mandatory_bits(void)
{
    struct pv_config config = machine_config();
    config.offers = 0;
    config.spin_count = 0;
    machine_reset(&config);
    const struct pv_cpuid base = leaf(0x40000000);
    char vendor[13] = {0};
    memcpy(vendor, &base.ebx, 4);
    memcpy(vendor + 4, &base.ecx, 4);
    memcpy(vendor + 8, &base.edx, 4);
    CHECK(strcmp(vendor, "Microsoft Hv") == 0);
    const struct pv_cpuid interface = leaf(0x40000001);
    CHECK(memcmp(&interface.eax, "Hv#1", 4) == 0);
    CHECK_EQ(leaf(0x40000003).eax & (1 << 5 | 1 << 6), 1 << 5 | 1 << 6);
    CHECK_EQ(leaf(0x40000004).ebx, 0xFFFFFFFF); // CP-SPIN-1: there is no call to notify by
}

// SU-OSID-1, SU-OSID-2, SU-ENA-1, SU-GPFN-1, SU-LOCK-1, SU-IDX-1
static void msrs(void)
{
    struct pv_config config = machine_config();
    machine_reset(&config);
    machine_add(9, 4);
    struct pv_partition *p = &machine.partition;
    uint64_t value, gpa;
    CHECK_EQ(pv_msr_write(p, 0x40000000, 0), PV_MSR_DONE_PAGE);
    CHECK_EQ(pv_msr_write(p, 0x40000001, 0x5FFD), PV_MSR_DONE_PAGE); // enabling without an identity
    CHECK_EQ(pv_msr_read(p, machine_vp(9), 0x40000001, &value), PV_MSR_DONE);
    CHECK_EQ(value, 0x5FFC);
    CHECK(!pv_hypercall_page(p, &gpa));
    CHECK_EQ(pv_msr_write(p, 0x40000000, 1), PV_MSR_DONE);
    CHECK_EQ(pv_msr_write(p, 0x40000001, 0x5001), PV_MSR_DONE_PAGE);
    CHECK(pv_hypercall_page(p, &gpa));
    CHECK_EQ(gpa, 0x5000);
    CHECK_EQ(pv_msr_write(p, 0x40000001, ((uint64_t)1 << 40) | 1), PV_MSR_FAULT_GP);
    CHECK_EQ(pv_msr_write(p, 0x40000001, (((uint64_t)1 << 40) - 4096) | 1), PV_MSR_DONE_PAGE);
    CHECK_EQ(pv_msr_write(p, 0x40000001, 0x7003), PV_MSR_DONE_PAGE); // enabled and locked
    CHECK_EQ(pv_msr_write(p, 0x40000001, 0), PV_MSR_FAULT_GP);
    CHECK(pv_hypercall_page(p, &gpa));
    CHECK_EQ(gpa, 0x7000);
    CHECK_EQ(pv_msr_write(p, 0x40000000, 0), PV_MSR_DONE_PAGE); // the identity goes, and the page with it
    CHECK(!pv_hypercall_page(p, &gpa));
    CHECK_EQ(pv_msr_read(p, machine_vp(9), 0x40000002, &value), PV_MSR_DONE);
    CHECK_EQ(value, 9);
    CHECK_EQ(pv_msr_write(p, 0x40000002, 1), PV_MSR_FAULT_GP);
    CHECK_EQ(pv_msr_read(p, machine_vp(9), 0x40000003, &value), PV_MSR_UNKNOWN);
    CHECK_EQ(pv_msr_write(p, 0x40000003, 0), PV_MSR_UNKNOWN);
}

// SU-CFG-1
static void configurations(void)
{
    struct pv_config config = machine_config();
    CHECK(pv_config_valid(&config));
    config.gva_bits = 49;
    CHECK(!pv_config_valid(&config));
    config = machine_config();
    config.rep_budget = 0;
    CHECK(!pv_config_valid(&config));
    config = machine_config();
    config.max_vps = 0;
    CHECK(!pv_config_valid(&config));
    config.max_vps = 4097;
    CHECK(!pv_config_valid(&config));
    config = machine_config();
    config.offers = PV_OFFER_ALL + 1;
    CHECK(!pv_config_valid(&config));
    config = machine_config();
    config.gpa_bits = 31;
    CHECK(!pv_config_valid(&config));
    config.gpa_bits = 53;
    CHECK(!pv_config_valid(&config));
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"F15 limit of VPs is told", f15_limit_of_vps_is_told},
        {"F16 limit bounds the indices", f16_limit_bounds_the_indices},
        {"F27 hints recommend and nothing else", f27_hints_recommend_and_nothing_else},
        {"F53 halves of the privileges", f53_halves_of_the_privileges},
        {"F54 bits and calls agree", f54_bits_and_calls_agree},
        {"F56 mandatory bits", f56_mandatory_bits},
        {"MSRs", msrs},
        {"configurations", configurations},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
