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

// HC-REPS-1, HC-IDENT-1: what is switched on, and in which order, does not matter: VPs before or after the identity,
// the hypercall page and the offers, or in between.
static void f07_order_of_switching_on(void)
{
    static const uint64_t lists[] = {0x03, 0x14};
    for (unsigned order = 0; order < 8; order++) {
        struct pv_config config = machine_config();
        config.offers = order & 4 ? 0 : PV_OFFER_ALL;
        machine_reset(&config);
        CHECK_EQ(pv_msr_write(&machine.partition, 0x40000000, 0), PV_MSR_DONE_PAGE); // as after a reset
        for (uint32_t vp = 0; vp < 70; vp++) {
            if (vp == (order & 1 ? 70 : 0) || (vp == 35 && order & 2)) {
                CHECK_EQ(pv_msr_write(&machine.partition, 0x40000000, 1), PV_MSR_DONE);
                CHECK_EQ(pv_msr_write(&machine.partition, 0x40000001, 0x5001), PV_MSR_DONE_PAGE);
            }
            machine_add(vp, vp);
        }
        CHECK_EQ(pv_msr_write(&machine.partition, 0x40000000, 1), PV_MSR_DONE);
        CHECK_EQ(pv_msr_write(&machine.partition, 0x40000001, 0x6001), PV_MSR_DONE_PAGE);
        machine.partition.config.offers = PV_OFFER_ALL;
        for (unsigned i = 0; i < 2; i++) {
            good_call(lists[i]);
            for (uint64_t count = 1; count <= 5; count++) {
                CHECK_EQ(machine_call(control(lists[i], 0, count, 0), 0x1000, 0), count << 32);
            }
        }
        CHECK_EQ(machine_flushed(), 70);
        machine_add(70, 70); // and one more, while the partition is in use
        CHECK_EQ(machine_call(control(0x03, 0, 3, 0), 0x1000, 0), (uint64_t)3 << 32);
        CHECK(machine_flush_pending(70, PV_CONTEXT_L1));
    }
}

static uint64_t bits_of(uint64_t mask)
{
    uint64_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

// The one right result of an Ex call at 0x1000 whose vector is 0x40 and whose flags are below 8.
static uint64_t set_result(uint64_t code, uint64_t var)
{
    const uint64_t *q = machine.memory + 0x1000 / 8;
    const uint64_t format = code == 0x15 ? q[1] : q[2], mask = code == 0x15 ? q[2] : q[3];
    const uint64_t qwords = (code == 0x15 ? 3 : 4) + var + (code == 0x14);
    if (8 * qwords > 4096) {
        return 4;
    }
    if ((format == 0 && var != bits_of(mask)) || (format == 1 && var != 0 && var != bits_of(mask))) {
        return 3;
    }
    if (format > 1 || (code == 0x14 && q[1] & 4)) {
        return 5;
    }
    return code == 0x14 ? (uint64_t)1 << 32 : 0;
}

// VS-FMT-3, VS-VAR-1: every malformed set has its status, and every good one is served: never a result in between.
static void f09_malformed_sets_have_a_status(void)
{
    machine_simple(8);
    unsigned seen[6] = {0};
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
        const uint64_t mask = code == 0x15 ? x >> (x % 64) : x >> (i % 64);
        const uint64_t var = i % 5 == 0 ? bits_of(mask) : x >> 20 & (i % 2 ? 1023 : 7);
        const uint64_t result = machine_call(control(code, var, code == 0x14, 0), 0x1000, 0);
        CHECK_EQ(result, set_result(code, var));
        seen[status_of(result) < 6 ? status_of(result) : 1]++;
    }
    CHECK(seen[0] > 1000 && seen[3] > 1000 && seen[4] > 1000 && seen[5] > 1000);
    CHECK_EQ(seen[1] + seen[2], 0);
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

// HC-CONT-3, FL-COVER-1: a list restarted at every point at which it can stop, its target entering the guest at each of
// them: what the entries have flushed by then and what is pending cover all that was reported as done. When the
// call says success, every page of the list is among them.
static void f20_restart_at_every_point(void)
{
    enum { COUNT = 40 };
    static const uint64_t lists[] = {0x03, 0x14};
    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t budget = 1; budget <= COUNT; budget++) {
            struct pv_config config = machine_config();
            config.rep_budget = budget;
            machine_reset(&config);
            machine_add(0, 0);
            good_call(lists[i]);
            for (unsigned k = 0; k < COUNT; k++) {
                machine_put((i == 0 ? 0x1018 : 0x1020) + 8 * k, (uint64_t)(16 * k + 0x100) << 12);
            }
            bool flushed[COUNT] = {false};
            struct pv_call call = machine_caller(control(lists[i], 0, COUNT, 0), 0x1000, 0);
            const struct pv_call before = call;
            enum pv_outcome outcome = PV_CONTINUE;
            for (uint64_t part = 0; outcome == PV_CONTINUE; part++) {
                CHECK(part <= COUNT);
                outcome = pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch);
                struct pv_call same = call;
                same.rcx = before.rcx;
                same.rax = outcome == PV_DONE ? before.rax : call.rax;
                CHECK(memcmp(&same, &before, sizeof same) == 0);
                struct pv_work work;
                CHECK(pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
                for (unsigned k = 0; k < COUNT; k++) {
                    for (uint32_t r = 0; r < work.ranges.count; r++) {
                        flushed[k] |= work.ranges.first[r] == 16 * k + 0x100;
                    }
                    flushed[k] |= (work.flush & PV_FLUSH_FULL) != 0;
                    const uint64_t done = outcome == PV_DONE ? COUNT : call.rcx >> 48;
                    CHECK(k >= done || flushed[k]);
                }
            }
            CHECK_EQ(outcome, PV_DONE);
            CHECK_EQ(call.rax, (uint64_t)COUNT << 32);
        }
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

// HC-ALIGN-1, HC-PAGE-1, HC-GPA-1: every call, every length, at offsets that end just inside the page and just
// outside, in the guest's memory, in its last page, and behind it.
static void f23_every_call_and_length(void)
{
    static const uint64_t fixed[CODES] = {3, 3, 1, 2, 4, 4, 3};
    static const uint64_t more[] = {0, 1, 2, 5, 63, 64, 100, 444, 507, 508, 509, 510, 1023};
    static const uint64_t bases[] = {0x1000, 0xF000, 0x10000, 0x7FFFF000, (uint64_t)1 << 51};
    machine_simple(2);
    for (unsigned c = 0; c < CODES; c++) {
        for (unsigned m = 0; m < sizeof more / sizeof more[0]; m++) {
            const bool listed = is_rep(codes[c]), set = is_ex(codes[c]);
            if (m > 0 && !listed && !set) {
                continue;
            }
            const uint64_t var = set && !listed ? more[m] : 0, count = listed ? more[m] + 1 : 0;
            const uint64_t bytes = 8 * (fixed[c] + var + count), end = bytes < 4096 ? 4096 - bytes : 0;
            const uint64_t offsets[] = {
                0, 1, 4, 7, 8, 0xFF8, 0xFFC, end, end + 1, end + 8, end ? end - 8 : 0};
            for (unsigned b = 0; b < sizeof bases / sizeof bases[0]; b++) {
                for (unsigned o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
                    const uint64_t gpa = bases[b] + offsets[o];
                    const bool good =
                        gpa % 8 == 0 && gpa % 4096 + bytes <= 4096 && gpa + bytes <= MACHINE_BYTES;
                    memset(machine.memory, 0, MACHINE_BYTES);
                    if (good) { // every VP of format "all", or of an empty mask; a vector
                        machine_put(gpa, codes[c] == 0x0B || codes[c] == 0x15 ? 0x40 : 0);
                        if (codes[c] == 0x15) {
                            machine_put(gpa + 8, 1);
                            machine_put(gpa + 16, var >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << var) - 1);
                        } else if (set) {
                            machine_put(gpa + 16, 1);
                            machine_put(gpa + 24, var >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << var) - 1);
                        }
                    }
                    const uint64_t want = !good ? 4 : set && var > 64 ? 3 : count << 32;
                    CHECK_EQ(machine_call(control(codes[c], var, count, 0), gpa, 0), want);
                }
            }
        }
    }
}

// HC-CODE-1, IPI-VTL-1: a level that is not there is not served: no call asks about it, and no interrupt goes to it.
static void f18_level_that_is_not_enabled(void)
{
    machine_simple(4);
    for (uint64_t fast = 0; fast < 2;
         fast++) { // VP index by APIC id, and the calls on other levels' registers
        CHECK_EQ(machine_call(control(0x9A, 0, 1, 0) | fast * FAST, 0x1000, 0), 2);
        CHECK_EQ(machine_call(control(0x50, 0, 1, 0) | fast * FAST, 0x1000, 0), 2);
        CHECK_EQ(machine_call(control(0x51, 0, 1, 0) | fast * FAST, 0x1000, 0), 2);
    }
    for (uint64_t level = 1; level < 256; level++) { // bits 3:0 the level, bit 4 that it counts
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40 | level << 32, 0xF), 5);
        machine_put(0x1000, 0x40 | level << 32);
        machine_put(0x1008, 1);
        machine_put(0x1010, 0);
        CHECK_EQ(machine_call(0x15, 0x1000, 0), 5);
        machine_put(0x1008, 0xF);
        CHECK_EQ(machine_call(0x0B, 0x1000, 0), 5);
    }
    CHECK_EQ(machine_interrupted(0x40), 0);
}

// HC-COPY-1: nothing about guest memory is remembered from one call to the next: where it lies, and how much there is.
static void f34_memory_that_moves_between_calls(void)
{
    static uint64_t elsewhere[MACHINE_BYTES / 8];
    machine_simple(4);
    machine_put(0x1008, 0);
    machine_put(0x1010, 1);
    CHECK_EQ(machine_call(0x02, 0x1000, 0), 0);
    CHECK(machine_flush_pending(0, PV_CONTEXT_L1) && machine_flushed() == 1);
    uint64_t *const before = machine.memory;
    memset(before, 0xFF, MACHINE_BYTES); // what was there says other things now
    machine.memory = elsewhere;
    machine_put(0x1010, 4);
    CHECK_EQ(machine_call(0x02, 0x1000, 0), 0);
    CHECK(machine_flush_pending(2, PV_CONTEXT_L1) && machine_flushed() == 2);
    machine.memory_bytes = 0x1000; // gone: no promise is made
    CHECK_EQ(machine_call(0x02, 0x1000, 0), 4);
    CHECK_EQ(machine_flushed(), 2);
    machine.memory_bytes = MACHINE_BYTES;
    machine_put(0x1010, 8);
    CHECK_EQ(machine_call(0x02, 0x1000, 0), 0);
    CHECK(machine_flush_pending(3, PV_CONTEXT_L1) && machine_flushed() == 3);
    CHECK_EQ(machine.count[EVENT_READ], 4);
}

// FL-SPACE-1, HC-CODE-1: an address space with other bits in it names nothing else: low bits, PCID, high bits, none
// narrows a flush. The calls on a nested root are not there, and say so rather than succeed.
static void f39_address_space_with_other_bits(void)
{
    static const uint64_t spaces[] = {
        0,           0x1000,       0x101E,      0x1FFF,           (uint64_t)1 << 63 | 0x1000,
        0x100001000, ~(uint64_t)0, 0xFFFFF001E, (uint64_t)1 << 52};
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        for (uint64_t flags = 0; flags < 4; flags++) {
            for (unsigned c = 0; c < CODES; c++) {
                if (codes[c] == 0x08 || codes[c] == 0x0B || codes[c] == 0x15) {
                    continue;
                }
                machine_simple(3);
                const uint64_t word = good_call(codes[c]);
                machine_put(0x1000, spaces[i]);
                machine_put(0x1008, flags);
                if (!is_ex(codes[c])) {
                    machine_put(0x1010, 7);
                }
                CHECK_EQ(status_of(machine_call(word, 0x1000, 0)), 0);
                CHECK_EQ(machine_flushed(), 3);
            }
        }
    }
    machine_simple(3);
    for (uint64_t low = 0; low < 0x1000; low += 0x1E) {
        machine_put(0x1000, 0x7000 | low);
        machine_put(0x1008, 0);
        CHECK_EQ(machine_call(0xAF, 0x1000, 0), 6);
        CHECK_EQ(machine_call(control(0xB0, 0, 1, 0), 0x1000, 0), 6);
    }
    CHECK(untouched());
}

// HC-REG-4, HC-COPY-1: a call depends on the registers that it has and on nothing else: neither on the others, nor on
// what working memory holds.
static void f64_nothing_else_counts(void)
{
    for (unsigned c = 0; c < CODES; c++) {
        for (unsigned fast = 0; fast < 2; fast++) {
            struct pv_call results[4];
            uint32_t flushed[4], interrupted[4];
            for (unsigned fill = 0; fill < 4; fill++) {
                machine_simple(9);
                const uint64_t word = good_call(codes[c]) | (fast ? FAST : 0);
                memset(&machine.scratch, (int)(0x55 * fill), sizeof machine.scratch);
                const uint64_t *q = machine.memory + 0x1000 / 8;
                struct pv_call call = machine_caller(word, fast ? q[0] : 0x1000, fast ? q[1] : 0x55 * fill);
                call.rax = call.rbx = call.rsi = call.rdi = 0x5555555555555555 * (uint64_t)fill;
                for (unsigned i = 0; i < PV_XMM_QWORDS; i++) {
                    call.xmm[i] = fast && i < 3 ? q[2 + i] : 0x5555555555555555 * (uint64_t)fill;
                }
                const struct pv_call before = call;
                CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_DONE);
                results[fill] = before;
                results[fill].rax = call.rax;
                CHECK(memcmp(&call, &results[fill], sizeof call) == 0); // RAX, and only RAX
                flushed[fill] = machine_flushed();
                interrupted[fill] = machine_interrupted(0x40);
                CHECK_EQ(call.rax, results[0].rax);
                CHECK_EQ(status_of(call.rax), 0);
                CHECK_EQ(flushed[fill], flushed[0]);
                CHECK_EQ(interrupted[fill], interrupted[0]);
            }
            CHECK_EQ(flushed[0] + interrupted[0], codes[c] == 0x08 ? 0 : 9);
        }
    }
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
        {"F07 order of switching on", f07_order_of_switching_on},
        {"F09 malformed sets have a status", f09_malformed_sets_have_a_status},
        {"F10 header size counts banks only", f10_fixed_part_is_not_counted},
        {"F18 level that is not enabled", f18_level_that_is_not_enabled},
        {"F20 registers of a restarted call", f20_restart_leaves_the_registers},
        {"F20 restart at every point", f20_restart_at_every_point},
        {"F23 place of the operands", f23_place_of_the_operands},
        {"F23 every call and length", f23_every_call_and_length},
        {"F34 memory that moves between calls", f34_memory_that_moves_between_calls},
        {"F39 address space with other bits", f39_address_space_with_other_bits},
        {"F47 first action on a new VP", f47_first_action_on_a_new_vp},
        {"F60 output pointer of a call without output", f60_output_pointer_is_ignored},
        {"F64 nothing else counts", f64_nothing_else_counts},
        {"operands are read once", operands_are_read_once},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
