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

static const uint64_t codes[7] = {0x02, 0x03, 0x08, 0x0B, 0x13, 0x14, 0x15}; // in the order of the offer bits

// A good call of each code to VP 0, with its operands in memory; the result value.
static uint64_t good_call(unsigned call)
{
    const uint64_t code = codes[call];
    const bool list = code == 0x03 || code == 0x14;
    memset(machine.memory, 0, MACHINE_BYTES);
    machine_put(0x1000, code == 0x0B || code == 0x15 ? 0x40 : 0);
    machine_put(0x1008, code == 0x0B || code == 0x15 ? 1 : 0);
    machine_put(0x1010, code == 0x15 ? 0 : 1);
    return machine_call(control(code, 0, list, 0), 0x1000, 0);
}

// CP-HINT-1..3: what is recommended is what was wanted and is served, for every choice of hints and offers; and every
// call works whatever is recommended.
static void f27_every_call_works_without_its_hint(void)
{
    for (unsigned wanted = 0; wanted < 8; wanted++) {
        const uint32_t hints =
            (wanted & 1 ? 1 << 1 : 0) | (wanted & 2 ? 1 << 2 : 0) | (wanted & 4 ? 1 << 10 : 0);
        for (uint32_t offers = 0; offers <= PV_OFFER_ALL; offers++) {
            struct pv_config config = machine_config();
            config.hints = hints;
            config.offers = offers;
            machine_reset(&config);
            machine_add(0, 0);
            const bool ex = offers & PV_OFFER_EX_MASKS;
            const uint32_t for_flush = 1 << 0 | 1 << 1 | (ex ? 1 << 4 | 1 << 5 : 0);
            const uint32_t for_ipi = 1 << 3 | (ex ? 1 << 6 : 0);
            uint32_t shown = ex ? 1 << 11 : 0;
            shown |= (offers & for_flush) == for_flush ? hints & (1 << 1 | 1 << 2) : 0;
            shown |= (offers & for_ipi) == for_ipi ? hints & 1 << 10 : 0;
            CHECK_EQ(leaf(0x40000004).eax, shown);
            if (wanted == 0 || wanted == 7) {
                for (unsigned call = 0; call < 7; call++) {
                    const bool served = offers & (uint32_t)1 << call && (call < 4 || ex);
                    CHECK_EQ(status_of(good_call(call)), served ? 0 : 6);
                }
            }
        }
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

// CP-FEAT-1, HC-GATE-1, HC-XMM-2, FL-FLAG-5, SU-LOCK-1: each bit, shown or not, and what then becomes of a call that
// rests on it: shown, and it is served; not shown, and it is refused, with nothing done.
static void f54_each_bit_has_its_call(void)
{
    for (uint32_t offers = 0; offers <= PV_OFFER_ALL; offers++) {
        struct pv_config config = machine_config();
        config.offers = offers;
        config.hints = 0xFFFFFFFF;
        machine_reset(&config);
        machine_add(0, 0);
        const struct pv_cpuid features = leaf(0x40000003), hints = leaf(0x40000004);
        for (unsigned call = 0; call < 7; call++) {
            const bool shown = call < 4 || hints.eax & 1 << 11;
            const bool served = offers & (uint32_t)1 << call && shown;
            const uint64_t result = good_call(call);
            CHECK_EQ(result,
                     served ? (codes[call] == 0x03 || codes[call] == 0x14 ? (uint64_t)1 << 32 : 0) : 6);
            CHECK(shown || result == 6);
            CHECK(served || (machine_flushed() == 0 && machine_interrupted(0x40) == 0));
            struct pv_work work;
            pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work);
        }
        if (hints.eax &
            (1 << 1 | 1 << 2)) { // recommended: the plain calls are there, and the Ex calls where shown
            CHECK(status_of(good_call(0)) == 0 && status_of(good_call(1)) == 0);
            CHECK(!(hints.eax & 1 << 11) || (status_of(good_call(4)) == 0 && status_of(good_call(5)) == 0));
        }
        CHECK(!(hints.eax & 1 << 10) || good_call(3) == 0);
        if (offers & PV_OFFER_FLUSH_SPACE) { // XMM input: the fast form of a call that needs it
            struct pv_call call = machine_caller(0x02 | FAST, 0, 2);
            call.xmm[0] = 1;
            const enum pv_outcome outcome =
                pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch);
            CHECK_EQ(outcome, features.edx & 1 << 4 ? PV_DONE : PV_FAULT_UD);
            CHECK(outcome == PV_FAULT_UD || call.rax == 0);
        }
        if (offers & PV_OFFER_FLUSH_LIST) { // extended ranges: a list that says that it has them
            machine_put(0x1008, 8);
            machine_put(0x1010, 1);
            machine_put(0x1018, 0xFFFF800012200802);
            CHECK_EQ(machine_call(control(0x03, 0, 1, 0), 0x1000, 0),
                     features.edx & 1 << 14 ? (uint64_t)1 << 32 : 5);
        }
        CHECK_EQ(pv_msr_write(&machine.partition, 0x40000001, 0x5002), PV_MSR_DONE_PAGE); // the lock
        CHECK_EQ(pv_msr_write(&machine.partition, 0x40000001, 0),
                 features.edx & 1 << 18 ? PV_MSR_FAULT_GP : PV_MSR_DONE_PAGE);
        CHECK_EQ(leaf(0x40000000).eax, 0x40000006);
        CHECK_EQ(leaf(0x4000000A).eax | leaf(0x40000009).edx, 0);  // nesting is not shown
        static const uint64_t nested[] = {0xAF, 0xB0, 0x11, 0x12}; // and not served
        for (unsigned i = 0; i < 4; i++) {
            CHECK_EQ(machine_call(nested[i], 0x1000, 0), i < 2 ? 6 : 2);
        }
        CHECK_EQ(machine_call(0x02 | (uint64_t)1 << 31, 0x1000, 0), 3);
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

// CP-PRIV-1, CP-MAX-1: the least, whatever the partition is given; and each of the bits is served.
static void f56_mandatory_bits_in_every_partition(void)
{
    for (uint32_t offers = 0; offers <= PV_OFFER_ALL; offers += 37) {
        for (unsigned fill = 0; fill < 4; fill++) {
            static const uint32_t words[] = {0, 0xFFFFFFFF, ~(uint32_t)0x60, 0x60};
            struct pv_config config = machine_config();
            config.offers = offers;
            config.privileges = config.features = config.hints = words[fill];
            config.max_vps = fill == 1 ? 1 : PV_MAX_VPS;
            machine_reset(&config);
            machine_add(0, 0);
            CHECK(leaf(0x40000000).eax >= 0x40000005);
            CHECK_EQ(leaf(0x40000000).ebx, 0x7263694D);
            CHECK_EQ(leaf(0x40000000).ecx, 0x666F736F);
            CHECK_EQ(leaf(0x40000000).edx, 0x76482074);
            CHECK_EQ(leaf(0x40000001).eax, 0x31237648);
            CHECK_EQ(leaf(0x40000003).eax & 0x60, 0x60);
            CHECK(leaf(0x40000005).eax >= 1);
            uint64_t value = 7, gpa = 7;
            CHECK_EQ(pv_msr_write(&machine.partition, 0x40000000, 1), PV_MSR_DONE);
            CHECK_EQ(pv_msr_write(&machine.partition, 0x40000001, 0x5001), PV_MSR_DONE_PAGE);
            CHECK_EQ(pv_msr_read(&machine.partition, machine_vp(0), 0x40000001, &value), PV_MSR_DONE);
            CHECK_EQ(value, 0x5001);
            CHECK(pv_hypercall_page(&machine.partition, &gpa) && gpa == 0x5000);
            CHECK_EQ(pv_msr_read(&machine.partition, machine_vp(0), 0x40000002, &value), PV_MSR_DONE);
            CHECK_EQ(value, 0);
        }
    }
}

// SU-VP-1, HC-TOTAL-1: a partition made anew knows nothing of the one before, so that no test leans on another: after
// the wildest use it answers as a first one does.
static void f62_state_is_reset(void)
{
    for (unsigned again = 0; again < 3; again++) {
        struct pv_config config = machine_config();
        machine_reset(&config);
        machine_add(3, 9);
        CHECK_EQ(machine.partition.hypercall_msr, 0);
        CHECK_EQ(machine.partition.vp_count, 1);
        CHECK(machine_vp(3)->run == 0 && machine_vp(3)->apic_enabled == 1);
        struct pv_work work;
        for (uint32_t context = 0; context < PV_CONTEXTS; context++) {
            CHECK(!pv_vp_take(machine_vp(3), context, &work));
            CHECK_EQ(work.flush, 0);
        }
        CHECK(good_call(0) == 0 && machine_flushed() == 0); // VP 0 is not there
        memset(machine_vp(3), 0xFF, sizeof(struct pv_vp));
        memset(&machine.partition, 0xFF, sizeof machine.partition);
        memset(&machine.scratch, 0xFF, sizeof machine.scratch);
    }
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
    config.offers = PV_OFFER_EVERY + 1;
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
        {"F27 every call works without its hint", f27_every_call_works_without_its_hint},
        {"F53 halves of the privileges", f53_halves_of_the_privileges},
        {"F54 bits and calls agree", f54_bits_and_calls_agree},
        {"F54 each bit has its call", f54_each_bit_has_its_call},
        {"F56 mandatory bits", f56_mandatory_bits},
        {"F56 mandatory bits in every partition", f56_mandatory_bits_in_every_partition},
        {"F62 state is reset", f62_state_is_reset},
        {"MSRs", msrs},
        {"configurations", configurations},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
