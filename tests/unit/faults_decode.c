// SPDX-License-Identifier: BSD-2-Clause
// Known faults of other implementations in taking a call apart: reserved bits, sizes, places, modes, registers.
#include "check.h"
#include "machine.h"

static const uint64_t codes[] = {0x02, 0x03, 0x08, 0x0B, 0x13, 0x14, 0x15};
enum { CODES = sizeof codes / sizeof codes[0] };

static bool is_rep(uint64_t code)
{
    return code == 0x03 || code == 0x14;
}
static bool is_ex(uint64_t code)
{
    return code >= 0x13;
}

// A well-formed call of each code with its operands at GPA 0x1000; every existing VP is meant.
static uint64_t good_call(uint64_t code)
{
    machine_put(0x1000, code == 0x0B || code == 0x15 ? 0x40 : 0);
    machine_put(0x1008, code == 0x0B ? ~(uint64_t)0 : code == 0x15 ? 1 : 1);
    machine_put(0x1010, code == 0x15 ? 0 : 1);
    machine_put(0x1018, is_rep(code) && !is_ex(code) ? 0x7000 : 0);
    machine_put(0x1020, 0x7000);
    return control(code, 0, is_rep(code) ? 1 : 0, 0);
}

static bool untouched(void)
{
    return machine_flushed() == 0 && machine_interrupted(0x40) == 0 && machine.count[EVENT_KICK] == 0 &&
           machine.count[EVENT_WAKE] == 0 && machine.count[EVENT_YIELD] == 0;
}

// HC-RSVD-1, HC-RSVD-2
static void f01_reserved_bits(void)
{
    static const unsigned bits[] = {27, 28, 29, 30, 31, 44, 45, 46, 47, 60, 61, 62, 63};
    for (unsigned c = 0; c < CODES; c++) {
        for (unsigned b = 0; b < sizeof bits / sizeof bits[0]; b++) {
            machine_simple(4);
            const uint64_t word = good_call(codes[c]) | (uint64_t)1 << bits[b];
            CHECK_EQ(machine_call(word, 0x1000, 0), 3);
            CHECK(untouched());
            CHECK_EQ(machine.count[EVENT_READ], 0);
        }
        machine_simple(4);
        CHECK_EQ(status_of(machine_call(good_call(codes[c]), 0x1000, 0)), 0);
    }
}

// HC-SHAPE-4
static void f02_variable_header_on_a_fixed_call(void)
{
    machine_simple(4);
    for (unsigned c = 0; c < CODES; c++) {
        if (!is_ex(codes[c])) {
            const uint64_t word = good_call(codes[c]);
            for (uint64_t var = 1; var < 1024; var++) {
                CHECK_EQ(machine_call(word | var << 17, 0x1000, 0), 3);
            }
            CHECK(untouched());
        }
    }
}

// HC-XMM-1, HC-SHAPE-5: six XMM registers are twelve qwords.
static void f03_banks_in_xmm_registers(void)
{
    for (unsigned ipi = 0; ipi < 2; ipi++) {
        for (unsigned banks = 1; banks <= 13; banks++) {
            machine_simple(832);
            struct pv_call call =
                machine_caller(control(ipi ? 0x15 : 0x13, banks, 0, 0) | FAST, ipi ? 0x40 : 0, 0);
            const uint64_t mask = ((uint64_t)1 << banks) - 1;
            call.xmm[0] = ipi ? mask : 0;
            for (unsigned i = 1; i < PV_XMM_QWORDS; i++) {
                call.xmm[i] = 1;
            }
            if (!ipi) {
                call.xmm[1] = mask;
            }
            const unsigned most = ipi ? 11 : 10;
            CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_DONE);
            CHECK_EQ(call.rax, banks <= most ? 0 : 3);
            CHECK_EQ(ipi ? machine_interrupted(0x40) : machine_flushed(), banks <= most ? banks : 0);
        }
    }
}

// HC-MODE-1, HC-XMM-2, HC-GATE-1: what is refused without a look at the operands.
static void f05_xmm_not_offered_and_access_refused(void)
{
    struct pv_config config = machine_config();
    config.offers = PV_OFFER_ALL & ~(uint32_t)PV_OFFER_XMM_INPUT;
    machine_reset(&config);
    machine_add(0, 0);
    static const uint64_t needs_xmm[] = {0x02, 0x03, 0x13, 0x14, 0x15};
    for (unsigned i = 0; i < 5; i++) {
        struct pv_call call = machine_caller(good_call(needs_xmm[i]) | FAST, 0x40, 0);
        const struct pv_call before = call;
        CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_FAULT_UD);
        CHECK(memcmp(&call, &before, sizeof call) == 0);
    }
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 1), 0); // two registers are enough
    for (unsigned c = 0; c < CODES; c++) {
        config.offers = PV_OFFER_ALL & ~((uint32_t)1 << c | (uint32_t)PV_OFFER_XMM_INPUT);
        machine_reset(&config);
        machine_add(0, 0);
        CHECK_EQ(machine_call(good_call(codes[c]), 0x1000, 0), 6);
        CHECK_EQ(machine_call(good_call(codes[c]) | FAST, 0x40, 0), 6); // before the XMM form is looked at
        CHECK_EQ(machine.count[EVENT_READ], 0);
        CHECK(untouched());
    }
}

// HC-MODE-1, HC-MODE-2
static void f06_illegal_mode_changes_nothing(void)
{
    machine_simple(2);
    for (uint32_t mode = 0; mode < 16; mode++) {
        struct pv_call call = machine_caller(good_call(0x02), 0x1000, 0);
        call.cpl = mode % 4;
        call.protected_mode = mode / 4 % 2;
        call.long_mode = mode / 8;
        call.rax = 2; // for a 32-bit caller the control word
        call.rdx = mode / 8 ? call.rdx : 0;
        const struct pv_call before = call;
        const bool legal = call.cpl == 0 && call.protected_mode;
        const enum pv_outcome outcome =
            pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch);
        CHECK_EQ(outcome, legal ? PV_DONE : PV_FAULT_UD);
        CHECK(legal || memcmp(&call, &before, sizeof call) == 0);
    }
}

// HC-REPS-1, HC-PAGE-1: 509 entries fill the page behind the header.
static void f07_reps_completed(void)
{
    static const uint64_t counts[] = {1, 2, 3, 16, 17, 509};
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        machine_simple(3);
        good_call(0x03);
        CHECK_EQ(machine_call(control(0x03, 0, counts[i], 0), 0x1000, 0), counts[i] << 32);
        CHECK_EQ(machine_flushed(), 3);
    }
    machine_simple(3);
    good_call(0x03);
    CHECK_EQ(machine_call(control(0x03, 0, 510, 0), 0x1000, 0), 4);
    CHECK(untouched());
    CHECK_EQ(machine_call(control(0x03, 0, 5, 3), 0x1000, 0), (uint64_t)5 << 32); // counted from element 0
}

// VS-FMT-3, VS-VAR-1: every malformed set has a status of the list.
static void f09_malformed_sets_have_a_status(void)
{
    machine_simple(8);
    uint64_t x = 0x1234567;
    for (unsigned i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint64_t code = codes[4 + i % 3];
        machine_put(0x1000, 0x40);
        machine_put(0x1008, code == 0x15 ? x % 4 : x >> 61);
        machine_put(0x1010, code == 0x15 ? x >> (x % 64) : x % 4);
        machine_put(0x1018, x >> (i % 64));
        const uint64_t result =
            machine_call(control(code, x >> 20 & (i % 2 ? 1023 : 7), code == 0x14, 0), 0x1000, 0);
        CHECK(result == 0 || result == 3 || result == 4 || result == 5 ||
              result == (code == 0x14 ? (uint64_t)1 << 32 : 0));
    }
}

// VS-VAR-1: the size counts the banks and nothing else.
static void f10_fixed_part_is_not_counted(void)
{
    static const uint64_t banks[] = {1, 2, 64};
    for (unsigned i = 0; i < 3; i++) {
        for (uint64_t more = 0; more < 3; more++) {
            machine_simple(8);
            machine_put(0x1018, banks[i] == 64 ? ~(uint64_t)0 : ((uint64_t)1 << banks[i]) - 1);
            for (uint64_t b = 0; b < banks[i]; b++) {
                machine_put(0x1020 + 8 * b, 3);
            }
            CHECK_EQ(machine_call(control(0x13, banks[i] + more, 0, 0), 0x1000, 0), more == 0 ? 0 : 3);
            CHECK_EQ(machine_flushed(), more == 0 ? 2 : 0);
        }
    }
}

// HC-CONT-1, HC-CONT-2: while a call goes on, only the start index has changed.
static void f20_restart_leaves_the_registers(void)
{
    struct pv_config config = machine_config();
    config.rep_budget = 2;
    for (unsigned long_mode = 0; long_mode < 2; long_mode++) {
        machine_reset(&config);
        machine_add(0, 0);
        good_call(0x03);
        struct pv_call call = machine_caller(control(0x03, 0, 5, 0), 0x1000, 0);
        call.long_mode = long_mode;
        if (!long_mode) {
            call.rdx = 5; // EDX:EAX is the control word, EBX:ECX the place of the operands
            call.rax = 0x03;
            call.rbx = 0;
            call.rcx = 0x1000;
        }
        for (uint64_t start = 2; start < 5; start += 2) {
            struct pv_call want = call;
            if (long_mode) {
                want.rcx = control(0x03, 0, 5, start);
            } else {
                want.rdx = start << 16 | 5;
                want.rax = 0x03;
            }
            CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_CONTINUE);
            CHECK(memcmp(&call, &want, sizeof call) == 0);
        }
        CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_DONE);
        CHECK_EQ(long_mode ? call.rax : call.rdx << 32 | call.rax, (uint64_t)5 << 32);
    }
}

// HC-ALIGN-1, HC-PAGE-1, HC-GPA-1
static void f23_place_of_the_operands(void)
{
    machine_simple(2);
    static const uint64_t bad[] = {0x1001,
                                   0x1002,
                                   0x1004,
                                   0x1007,
                                   0x1FF0,
                                   0x1FF8,
                                   0x1FFC,
                                   0xFFF8,
                                   0x10000,
                                   0x10000000,
                                   (uint64_t)1 << 52,
                                   ~(uint64_t)0,
                                   ~(uint64_t)7,
                                   ~(uint64_t)0xFFF};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQ(machine_call(0x02, bad[i], 0), 4);
    }
    CHECK(untouched());
    machine_put(0x1FE8 + 8, 1);
    CHECK_EQ(machine_call(0x02, 0x1FE8, 0), 0); // the last 24 bytes of a page
    CHECK_EQ(machine_flushed(), 2);
    CHECK_EQ(machine_call(0x02, 0xFFE8, 0), 0); // and of the memory
}

// HC-IDENT-1: a call, a read, a write as the very first thing.
static void f47_first_action_on_a_new_vp(void)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    CHECK_EQ(pv_msr_write(&machine.partition, 0x40000000, 0), PV_MSR_DONE_PAGE);
    for (unsigned c = 0; c < CODES; c++) { // nobody has said who he is, and there is no VP
        struct pv_call call = machine_caller(good_call(codes[c]), 0x1000, 0);
        CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_FAULT_UD);
    }
    machine_reset(&config);
    for (unsigned c = 0; c < CODES; c++) {
        CHECK_EQ(status_of(machine_call(good_call(codes[c]), 0x1000, 0)), 0);
    }
    machine_add(0, 0);
    struct pv_work work;
    CHECK(!pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    uint64_t value = 1;
    CHECK_EQ(pv_msr_read(&machine.partition, machine_vp(0), 0x40000002, &value), PV_MSR_DONE);
    CHECK_EQ(value, 0);
}

// HC-REG-1: no call here has output; the output pointer is not looked at.
static void f60_output_pointer_is_ignored(void)
{
    static const uint64_t pointers[] = {0, 0x2000, 0x2001, 0x1FFC, ~(uint64_t)0};
    for (unsigned c = 0; c < CODES; c++) {
        for (unsigned i = 0; i < 5; i++) {
            machine_simple(2);
            CHECK_EQ(status_of(machine_call(good_call(codes[c]), 0x1000, pointers[i])), 0);
            CHECK_EQ(machine.count[EVENT_READ], 1);
        }
    }
}

// HC-COPY-1: memory that changes during the call changes nothing.
static void scribble(void)
{
    memset(machine.memory, 0xFF, MACHINE_BYTES);
}
static void operands_are_read_once(void)
{
    for (unsigned c = 0; c < CODES; c++) {
        machine_simple(4);
        const uint64_t word = good_call(codes[c]);
        machine.on_read = scribble;
        CHECK_EQ(status_of(machine_call(word, 0x1000, 0)), 0);
        CHECK_EQ(machine.count[EVENT_READ], 1);
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"F01 reserved bits of the input value", f01_reserved_bits},
        {"F02 variable header on a fixed-size call", f02_variable_header_on_a_fixed_call},
        {"F03 banks passed in XMM registers", f03_banks_in_xmm_registers},
        {"F05 XMM input not offered, access refused", f05_xmm_not_offered_and_access_refused},
        {"F06 illegal mode changes no register", f06_illegal_mode_changes_nothing},
        {"F07 reps completed", f07_reps_completed},
        {"F09 malformed sets have a status", f09_malformed_sets_have_a_status},
        {"F10 header size counts banks only", f10_fixed_part_is_not_counted},
        {"F20 registers of a restarted call", f20_restart_leaves_the_registers},
        {"F23 place of the operands", f23_place_of_the_operands},
        {"F47 first action on a new VP", f47_first_action_on_a_new_vp},
        {"F60 output pointer of a call without output", f60_output_pointer_is_ignored},
        {"operands are read once", operands_are_read_once},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
