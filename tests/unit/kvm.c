// SPDX-License-Identifier: BSD-2-Clause
// The KVM persona: set-up, CPUID, hypercalls, MSRs, the preempted byte, the clock's scale.
#include "check.h"
#include "machine.h"
#include "base/clamp.h"

enum { ALL_FEATURES = 0x100AAEB, IDS = 32768 };
static const uint64_t perm = UINT64_MAX, inval = UINT64_MAX - 21, nosys = UINT64_MAX - 999,
                      garbage = 0xABCDEF0100000000;

static struct pv_kvm kvm;
static uint16_t place[IDS];

static bool set_up(uint32_t base, uint32_t features, uint32_t ids)
{
    return pv_kvm_init(&kvm, &machine.partition, base, features, 1, place, ids);
}

// VPs 0 .. vps-1, the APIC id of each is its index; at other places of the array.
static void start(uint32_t vps)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    for (uint32_t i = vps; i-- > 0;) {
        machine_add(i, i);
    }
    CHECK(set_up(0x40000000, ALL_FEATURES, 256));
}

static struct pv_call caller(uint64_t number, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct pv_call call = machine_caller(a1, a2, 0x5555555555555555);
    call.rax = number;
    call.rbx = a0;
    call.rsi = a3;
    return call;
}

// Makes the call from VP 0; nothing changes but RAX.
static uint64_t make(struct pv_call call)
{
    struct pv_call after = call;
    pv_kvm_hypercall(&machine.partition, &kvm, machine_vp(0), &after);
    call.rax = after.rax;
    CHECK(memcmp(&call, &after, sizeof call) == 0);
    return after.rax;
}

static uint64_t send(uint64_t low, uint64_t high, uint64_t least, uint64_t icr)
{
    return make(caller(10, low, high, least, icr));
}

static uint64_t send32(uint64_t low, uint64_t high, uint64_t least, uint64_t icr)
{
    struct pv_call call = caller(garbage + 10, garbage + low, garbage + high, garbage + least, garbage + icr);
    call.long_mode = 0;
    return make(call);
}

static void quiet(void)
{
    CHECK_EQ(machine.events, 0);
    for (uint32_t i = 0; i < machine.partition.vp_count; i++) {
        for (unsigned w = 0; w < 4; w++) {
            CHECK_EQ(machine.vps[i].vector[w], 0);
        }
        CHECK_EQ(machine.vps[i].mark[0], 0);
    }
}

// KV-SET-1, KV-SET-2, KV-FEAT-1, KV-FEAT-2
static void set_up_or_refused(void)
{
    start(4);
    for (uint32_t id = 0; id < 256; id++) {
        CHECK(id < 4 ? machine.vps[place[id]].apic_id == id : place[id] == PV_NO_PLACE);
    }
    CHECK(set_up(0x40000100, 0, 4) && set_up(0x40000000, 0, IDS));
    CHECK(!set_up(0x40000000, 0, 3));
    CHECK(!set_up(0x40000000, 0, 0));
    CHECK(!set_up(0x40000000, 0, IDS + 1));
    static const uint32_t bases[] = {0,          0x40000001, 0x40000080, 0x40000200,
                                     0x4000FF00, 0x80000000, 0xFFFFFFFF};
    for (unsigned i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        CHECK(!set_up(bases[i], 0, 256));
    }
    for (unsigned bit = 0; bit < 32; bit++) {
        const uint32_t feature = (uint32_t)1 << bit;
        const bool alone = (ALL_FEATURES & feature) != 0 && feature != PV_KVM_PV_TLB_FLUSH;
        CHECK(set_up(0x40000000, feature, 256) == alone);
        CHECK(set_up(0x40000000, feature | PV_KVM_STEAL_TIME, 256) == ((ALL_FEATURES & feature) != 0));
        CHECK(set_up(0x40000000, ALL_FEATURES | feature, 256) == ((ALL_FEATURES & feature) != 0));
    }
    machine_add(9, 3); // the APIC id of VP 3
    CHECK(!set_up(0x40000000, 0, 256));
    start(2);
    machine_add(2, 0xFFFFFFFF);
    CHECK(!set_up(0x40000000, 0, IDS));
    start(2);
    machine_add(2, IDS - 1);
    CHECK(set_up(0x40000000, 0, IDS) && machine.vps[place[IDS - 1]].vp_index == 2);
}

// KV-LEAF-1, KV-LEAF-2, KV-FEAT-1
static void leaves(void)
{
    static const uint32_t bases[] = {0x40000000, 0x40000100};
    for (unsigned i = 0; i < 2; i++) {
        start(1);
        CHECK(set_up(bases[i], ALL_FEATURES, 1));
        struct pv_cpuid out = {5, 5, 5, 5};
        pv_kvm_cpuid(&kvm, bases[i], &out);
        CHECK(out.eax == bases[i] + 1 && memcmp(&out.ebx, "KVMKVMKVM\0\0\0", 12) == 0);
        pv_kvm_cpuid(&kvm, bases[i] + 1, &out);
        CHECK(out.eax == ALL_FEATURES && out.ebx == 0 && out.ecx == 0 && out.edx == 1);
        static const uint32_t others[] = {0,          1,          0x3FFFFFFF, 0x40000002,
                                          0x400000FF, 0x40000102, 0x80000000, 0xFFFFFFFF};
        for (unsigned o = 0; o < sizeof others / sizeof others[0]; o++) {
            out = (struct pv_cpuid){5, 5, 5, 5};
            pv_kvm_cpuid(&kvm, others[o], &out);
            CHECK((out.eax | out.ebx | out.ecx | out.edx) == 0);
        }
    }
}

// KV-CPL-1, KV-NUM-1, KV-GATE-1, KV-POLL-1, KV-ABI-1, KV-ABI-2
static void numbers(void)
{
    static const uint64_t known[] = {5, 10, 11};
    static const uint32_t gates[] = {PV_KVM_PV_UNHALT, PV_KVM_PV_SEND_IPI, PV_KVM_PV_SCHED_YIELD};
    static const uint64_t unknown[] = {
        0,  2,  3,          4,          6,           7,  8,           9,          12,
        13, 99, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000000A, 20, 0x100000005, UINT64_MAX, 0x8000000000000001};
    start(2);
    for (unsigned i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        CHECK_EQ(make(caller(unknown[i], 1, 1, 0, 0x41)), nosys);
    }
    CHECK_EQ(make(caller(1, 1, 1, 1, 1)), 0);
    quiet();
    for (unsigned i = 0; i < 3; i++) {
        CHECK(set_up(0x40000000, (uint32_t)ALL_FEATURES & ~gates[i], 256));
        CHECK_EQ(make(caller(known[i], 1, 1, 0, 0x41)), nosys);
        quiet();
        struct pv_call call = caller(known[i], 1, 1, 0, 0x41);
        call.long_mode = 0;
        CHECK_EQ(make(call), 0xFFFFFC18);
    }
    for (uint32_t cpl = 1; cpl < 4; cpl++) {
        for (uint64_t number = 0; number < 14; number++) {
            struct pv_call call = caller(number, 3, 1, 0, 0x41);
            call.cpl = cpl;
            CHECK_EQ(make(call), perm);
            call.long_mode = 0;
            CHECK_EQ(make(call), 0xFFFFFFFF);
        }
    }
    quiet();
}

// KV-IPI-1..4, KV-IPI-6, KV-IPI-9: what a guest of Linux's KVM was seen to get, on 4 VPs.
static void send_ipi_as_seen(void)
{
    static const struct {
        uint64_t low, high, least, icr, result;
        unsigned vps; // those that got the vector
    } rows[] = {
        {1, 0, 0, 0x41, 1, 1},
        {2, 0, 0, 0x41, 1, 2},
        {0xF, 0, 0, 0x41, 4, 0xF},
        {UINT64_MAX, 0, 0, 0x41, 4, 0xF},
        {UINT64_MAX, UINT64_MAX, 0, 0x41, 4, 0xF},
        {0, 0, 0, 0x41, 0, 0},
        {0, 1, 0, 0x41, 0, 0},
        {1, 0, 1, 0x41, 1, 2},
        {3, 0, 3, 0x41, 1, 8},
        {1, 0, 4, 0x41, 0, 0},
        {UINT64_MAX, UINT64_MAX, 254, 0x41, 0, 0},
        {UINT64_MAX, UINT64_MAX, 255, 0x41, 0, 0},
        {UINT64_MAX, UINT64_MAX, 256, 0x41, 0, 0},
        {UINT64_MAX, UINT64_MAX, 1023, 0x41, 0, 0},
        {UINT64_MAX, UINT64_MAX, 0x7FFFFFFF, 0x41, 0, 0},
        {UINT64_MAX, 0, 0xFFFFFFC0, 0x41, 0, 0},
        {1, 0, 0x100000000, 0x41, 1, 1},
        {1, 0, 0x100000001, 0x41, 1, 2},
        {2, 0, 0, 0x01000041, 1, 2},
        {2, 0, 0, 0xFF000041, 1, 2},
        {2, 0, 0, 0xFFFFFFFF00000041, 1, 2},
        {2, 0, 0, 0x4041, 1, 2},
        {2, 0, 0, 0xC041, 1, 2},
        {2, 0, 0, 0x1041, 1, 2},
        {2, 0, 0, 0x2041, 1, 2},
        {2, 0, 0, 0xF30041, 1, 2},
        {2, 0, 0, 0x8041, 0, 0},
        {2, 0, 0, 0x841, UINT64_MAX - 21, 0},
        {2, 0, 0, 0x40041, UINT64_MAX - 21, 0},
        {2, 0, 0, 0x80041, UINT64_MAX - 21, 0},
        {2, 0, 0, 0xC0041, UINT64_MAX - 21, 0},
        {0, 0, 0, 0x841, UINT64_MAX - 21, 0},
        {2, 0, 0, 0x10, 1, 2},
        {2, 0, 0, 0xFF, 1, 2},
        {2, 0, 0, 0xF, 1, 0}, // accepted, and never seen
        {2, 0, 0, 0, 1, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(4);
        CHECK_EQ(send(rows[i].low, rows[i].high, rows[i].least, rows[i].icr), rows[i].result);
        for (uint32_t vp = 0; vp < 4; vp++) {
            const bool got = (rows[i].vps >> vp & 1) != 0;
            CHECK_EQ(machine_vector_pending(vp, rows[i].icr & 0xFF), got);
        }
        CHECK_EQ(machine.count[EVENT_WAKE], __builtin_popcount(rows[i].vps));
        CHECK_EQ(machine.events, machine.count[EVENT_WAKE]);
    }
}

// KV-IPI-1: each bit of both words, for 64-bit and 32-bit callers; KV-ABI-1
static void each_bit_is_an_apic_id(void)
{
    start(220);
    for (uint32_t least = 0; least < 80; least += 13) {
        for (uint32_t bit = 0; bit < 128; bit++) {
            const uint64_t one = (uint64_t)1 << bit % 64;
            machine_vp(least + bit)->vector[1] = 0;
            CHECK_EQ(send(bit < 64 ? one : 0, bit < 64 ? 0 : one, least, 0x7A), 1);
            CHECK(machine_vector_pending(least + bit, 0x7A));
            CHECK_EQ(machine_interrupted(0x7A), 1);
            machine_vp(least + bit)->vector[1] = 0;
        }
        for (uint32_t bit = 0; bit < 64; bit++) {
            const uint64_t one = (uint64_t)1 << bit % 32;
            CHECK_EQ(send32(bit < 32 ? one : 0, bit < 32 ? 0 : one, least, 0x7A), 1);
            CHECK(machine_vector_pending(least + bit, 0x7A));
            CHECK_EQ(machine_interrupted(0x7A), 1);
            machine_vp(least + bit)->vector[1] = 0;
        }
    }
    CHECK_EQ(send(UINT64_MAX, UINT64_MAX, 10, 0x7A), 128);
    CHECK_EQ(send32(UINT64_MAX, UINT64_MAX, 210, 0x7A), 10);
}

// KV-IPI-5: the APIC id that 32 or 64 bits can't hold any more is nobody's.
static void identifiers_do_not_wrap(void)
{
    start(4);
    CHECK_EQ(send(0, UINT64_MAX, 0xFFFFFFC0, 0x41), 0);
    CHECK_EQ(send(UINT64_MAX, UINT64_MAX, 0xFFFFFFFF, 0x41), 0);
    CHECK_EQ(send32(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFE0, 0x41), 0);
    quiet();
}

// KV-IDX-1: at the end of the table, and beyond it.
static void f28_last_identifiers(void)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 300, IDS - 1, IDS};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t last = sizes[i] - 1;
        start(0);
        machine_add(7, last);
        memset(place, 0, sizeof place); // beyond the table everything looks like a VP
        CHECK(set_up(0x40000000, ALL_FEATURES, sizes[i]));
        CHECK_EQ(pv_kvm_init(&kvm, &machine.partition, 0x40000000, ALL_FEATURES, 0, place, sizes[i]), true);
        struct pv_vp *self = machine_vp(7);
        for (uint64_t least = last < 130 ? 0 : last - 130; least < (uint64_t)last + 130; least++) {
            struct pv_call call = caller(10, UINT64_MAX, UINT64_MAX, least, 0x41);
            pv_kvm_hypercall(&machine.partition, &kvm, self, &call);
            CHECK_EQ(call.rax, least <= last && last < least + 128);
        }
        for (uint64_t id = last; id < (uint64_t)last + 3; id++) {
            machine_clear_log();
            struct pv_call call = caller(5, 0, id, 0, 0);
            pv_kvm_hypercall(&machine.partition, &kvm, self, &call);
            CHECK_EQ(machine.count[EVENT_UNHALT], id == last);
        }
    }
}

// KV-IDX-2
static void clamped_index(void)
{
    static const uint32_t lengths[] = {1, 2, 3, 64, 4096, 32768, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint32_t length = lengths[i];
        const uint32_t indices[] = {0,      1,          2,          63,         length / 2, length - 1,
                                    length, length + 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
        for (unsigned n = 0; n < sizeof indices / sizeof indices[0]; n++) {
            CHECK_EQ(pv_index_clamp(indices[n], length), indices[n] < length ? indices[n] : 0);
        }
    }
}

// KV-IPI-6, KV-NMI-1: NMIs go to everybody who is there, other modes to nobody.
static void delivery_modes(void)
{
    start(4);
    machine_vp(2)->apic_enabled = 0;
    CHECK_EQ(send(0xFF, 0, 0, 0x400), 4);
    CHECK_EQ(machine.count[EVENT_NMI], 4);
    CHECK_EQ(send(2, 0, 0, 0x8441), 1); // the trigger mode of an NMI does not count
    CHECK_EQ(machine.count[EVENT_NMI], 5);
    CHECK_EQ(machine.events, 5);
    for (uint64_t mode = 0; mode < 8; mode++) {
        if (mode != 0 && mode != 4) {
            CHECK_EQ(send(0xFF, 0, 0, mode << 8 | 0x41), inval);
        }
    }
    CHECK_EQ(machine.events, 5);
}

// KV-IPI-7, KV-IPI-8, KV-IPI-9: disabled APICs; a vector that waits already; running targets.
static void who_accepts(void)
{
    start(4);
    machine_vp(2)->apic_enabled = 0;
    pv_vp_run(machine_vp(3));
    CHECK_EQ(send(0xF, 0, 0, 0x41), 3);
    CHECK_EQ(send(0xF, 0, 0, 0x41), 3);
    CHECK_EQ(send(4, 0, 0, 0x41), 0);
    CHECK_EQ(send(4, 0, 0, 0x05), 0);
    CHECK(!machine_vector_pending(2, 0x41));
    CHECK_EQ(machine.count[EVENT_KICK], 2);
    CHECK_EQ(machine.count[EVENT_WAKE], 4);
    CHECK_EQ(machine.count[EVENT_WAIT], 0);
}

// KV-KICK-1, KV-KICK-2, KV-YIELD-1..3
static void kicks_and_yields(void)
{
    start(4);
    CHECK_EQ(make(caller(5, UINT64_MAX, 2, 0, 0)), 0);
    CHECK_EQ(machine.events, 2);
    CHECK(machine.event[0].kind == EVENT_UNHALT && machine.event[0].vp_index == 2);
    CHECK(machine.event[1].kind == EVENT_YIELD_TO && machine.event[1].vp_index == 2);
    machine_clear_log();
    CHECK_EQ(make(caller(5, 0, garbage | 3, 0, 0)), 0); // the low 32 bits count
    CHECK(machine.events == 2 && machine.event[1].vp_index == 3);
    machine_clear_log();
    CHECK_EQ(make(caller(5, 0, 0, 0, 0)), 0); // itself
    CHECK(machine.events == 1 && machine.event[0].kind == EVENT_UNHALT && machine.event[0].vp_index == 0);
    machine_clear_log();
    CHECK_EQ(make(caller(11, 1, 0, 0, 0)), 0);
    CHECK(machine.events == 1 && machine.event[0].kind == EVENT_YIELD_TO && machine.event[0].vp_index == 1);
    machine_clear_log();
    static const uint64_t nobody[] = {0, 4, 255, 256, 32767, 32768, 0xFFFFFFFF, 0x100000001, UINT64_MAX};
    for (unsigned i = 0; i < sizeof nobody / sizeof nobody[0]; i++) {
        CHECK_EQ(make(caller(11, nobody[i], 1, 1, 1)), 0);
    }
    for (uint64_t id = 4; id < 0x100000000; id *= 2) {
        CHECK_EQ(make(caller(5, 1, id, 1, 1)), 0);
    }
    quiet();
    struct pv_call call = caller(garbage + 11, garbage + 1, 0, 0, 0);
    call.long_mode = 0;
    CHECK_EQ(make(call), 0);
    CHECK_EQ(machine.count[EVENT_YIELD_TO], 1);
}

// KV-MSR-1..4
static void msr_writes(void)
{
    static const struct {
        uint32_t msr, feature;
        uint64_t reserved;
    } rows[] = {
        {0x11, PV_KVM_CLOCKSOURCE, 0},         {0x12, PV_KVM_CLOCKSOURCE, 0},
        {0x4B564D00, PV_KVM_CLOCKSOURCE2, 0},  {0x4B564D01, PV_KVM_CLOCKSOURCE2, 0},
        {0x4B564D03, PV_KVM_STEAL_TIME, 0x3E}, {0x4B564D04, PV_KVM_PV_EOI, 2},
    };
    static const uint32_t unknown[] = {0,          0x10,       0x13,       0x4B564CFF, 0x4B564D02,
                                       0x4B564D05, 0x4B564D06, 0x40000000, 0xFFFFFFFF};
    start(1);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(set_up(0x40000000, ALL_FEATURES, 256));
        for (unsigned bit = 0; bit < 64; bit++) {
            const uint64_t value = (uint64_t)1 << bit;
            CHECK_EQ(pv_kvm_msr_check(&kvm, rows[i].msr, value),
                     (value & rows[i].reserved) != 0 ? PV_MSR_FAULT_GP : PV_MSR_DONE);
        }
        CHECK_EQ(pv_kvm_msr_check(&kvm, rows[i].msr, ~rows[i].reserved), PV_MSR_DONE);
        const uint32_t without = (uint32_t)ALL_FEATURES & ~rows[i].feature;
        CHECK(set_up(
            0x40000000,
            rows[i].feature == PV_KVM_STEAL_TIME ? without & ~(uint32_t)PV_KVM_PV_TLB_FLUSH : without, 256));
        CHECK_EQ(pv_kvm_msr_check(&kvm, rows[i].msr, 0), PV_MSR_FAULT_GP);
    }
    for (unsigned i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        CHECK_EQ(pv_kvm_msr_check(&kvm, unknown[i], 0), PV_MSR_UNKNOWN);
    }
}

// KV-STEAL-1..4
static void preempted_byte(void)
{
    for (unsigned old = 0; old < 256; old++) {
        uint8_t record[3] = {0x77, (uint8_t)old, 0x77};
        CHECK_EQ(pv_kvm_steal_enter(&record[1]), (old & 2) != 0);
        CHECK(record[0] == 0x77 && record[1] == 0 && record[2] == 0x77);
        record[1] = (uint8_t)old;
        pv_kvm_steal_leave(&record[1]);
        CHECK(record[0] == 0x77 && record[1] == (old == 0 ? 1 : old) && record[2] == 0x77);
    }
}

static void one_frequency(uint64_t hz)
{
    uint32_t mul = 0;
    int8_t shift = 99;
    pv_kvm_clock_scale(hz, &mul, &shift);
    CHECK(mul >= 0x80000000u && shift >= -32 && shift < 32);
    const unsigned __int128 nanoseconds = 1000000000;
    for (unsigned bit = 0; bit < 64; bit += 3) {
        const uint64_t ticks = (uint64_t)1 << bit | 5;
        const unsigned __int128 shifted =
            shift >= 0 ? (unsigned __int128)ticks << shift : (unsigned __int128)(ticks >> -shift);
        const unsigned __int128 read = shifted * mul >> 32, passed = ticks * nanoseconds; // in 1/hz ns
        CHECK(read * hz <= passed);
        CHECK(passed - read * hz <= 2 * (unsigned __int128)hz + (passed >> 31));
    }
}

// KV-CLOCK-1, KV-CLOCK-2
static void clock_scales(void)
{
    for (unsigned bit = 0; bit <= 40; bit++) {
        const uint64_t hz = (uint64_t)1 << bit;
        one_frequency(hz);
        one_frequency(hz < 2 ? 1 : hz - 1);
        one_frequency(bit < 40 ? hz + 1 : hz);
    }
    static const uint64_t usual[] = {1000,       24000000,   999999999, 1000000000, 1000000001,
                                     2400000000, 3000000000, 499999999, 500000000,  500000001};
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        one_frequency(usual[i]);
    }
    uint32_t mul;
    int8_t shift;
    pv_kvm_clock_scale(1000000000, &mul, &shift); // one tick, one nanosecond
    CHECK(mul == 0x80000000u && shift == 1);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"set up, or refused", set_up_or_refused},
        {"CPUID leaves", leaves},
        {"numbers, gates, privilege", numbers},
        {"SEND_IPI as seen", send_ipi_as_seen},
        {"each bit is an APIC id", each_bit_is_an_apic_id},
        {"APIC ids do not wrap", identifiers_do_not_wrap},
        {"F28 last APIC ids", f28_last_identifiers},
        {"clamped index", clamped_index},
        {"delivery modes", delivery_modes},
        {"who accepts", who_accepts},
        {"kicks and yields", kicks_and_yields},
        {"MSR writes", msr_writes},
        {"preempted byte", preempted_byte},
        {"clock scales", clock_scales},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
