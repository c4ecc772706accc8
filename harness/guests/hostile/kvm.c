// SPDX-License-Identifier: BSD-2-Clause
// Persona kvm: hypercalls with numbers, sets and targets of all sorts; records that the harness writes, at all sorts of
// places, and changed by other VPs meanwhile.
#include "attacks.h"

enum { KICK_CPU = 5, SEND_IPI = 10, SCHED_YIELD = 11 };
enum { WALL_CLOCK = 0x4B564D00, SYSTEM_TIME = 0x4B564D01, STEAL_TIME = 0x4B564D03, PV_EOI = 0x4B564D04 };
enum { VECTOR = 0x70 };

static uint64_t call(uint64_t number, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct registers r = {
        .rax = number, .rbx = a0, .rcx = a1, .rdx = a2, .rsi = a3, .page = (uintptr_t)raw_call};
    call_64(&r);
    return r.rax;
}

static void every_number(void)
{
    for (uint64_t n = 0; n < 0x2000; n++)
        if (n != SEND_IPI)
            call(n, ~0ull, ~0ull, ~0ull, ~0ull);
    for (uint32_t bit = 4; bit < 64; bit++)
        call(1ull << bit, (uintptr_t)operands, 0, 0, 0);
}
static void every_lowest_id(void)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        call(SEND_IPI, ~0ull, ~0ull, (1ull << bit) - 1, VECTOR);
        call(SEND_IPI, ~0ull, ~0ull, ~0ull << bit, VECTOR);
        call(SEND_IPI, 1ull << bit, 1ull << bit, 0x7FC0, VECTOR);
    }
    for (uint64_t low = 0; low < 0x9000; low += 61)
        call(SEND_IPI, ~0ull, ~0ull, low, VECTOR);
}
static void
every_icr(void) // vectors 0..15 too: they are never delivered; 16..31 would look like exceptions here
{
    for (uint32_t mode = 0; mode < 8; mode++)
        for (uint32_t vector = 0; vector < 256; vector += mode == 0 ? 1 : 15)
            if (vector < 16 || vector > 31)
                call(SEND_IPI, 1, 0, 0, mode << 8 | vector | 0xFF000000);
    for (uint32_t bit = 11; bit < 64; bit++)
        call(SEND_IPI, 1, 0, 0, 1ull << bit | VECTOR);
}
static void kick_and_yield_everybody(void)
{
    for (uint64_t id = 0; id < 0x10000; id += 17) {
        call(KICK_CPU, id, id, id, id);
        call(SCHED_YIELD, id, id, id, id);
    }
    for (uint32_t bit = 0; bit < 64; bit++) {
        call(KICK_CPU, ~0ull, 1ull << bit, 0, 0);
        call(SCHED_YIELD, 1ull << bit, 0, 0, 0);
    }
}
static void let_it_run(void) // exits, at which the harness looks at the records, and a slice or two
{
    for (uint32_t i = 0; i < 8; i++) {
        call(SEND_IPI, 1, 0, 0, VECTOR);
        interrupts_on();
        interrupts_off();
    }
    for (uint32_t i = 0; i < 40; i++)
        cpuid(0, 0);
}

static uint32_t msr;
static uint64_t value;
static void write_msr(void)
{
    wrmsr(msr, value);
}
// The machine's memory is elsewhere for the harness: whatever is named there must be the guest's own or nothing.
static void records_everywhere(void)
{
    static const uint32_t all[] = {WALL_CLOCK, SYSTEM_TIME, STEAL_TIME, PV_EOI, 0x11, 0x12};
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        msr = all[i];
        for (uint32_t bit = 24; bit < 64; bit++) // above 16 MiB: the guest's own things are below
            for (int near = -1; near <= 1; near++) {
                value = ((1ull << bit) + (uint64_t)(int64_t)near * 64) | 1;
                if (catch_fault(write_msr) < 0)
                    let_it_run();
            }
        value = 0;
        catch_fault(write_msr);
    }
}
static void records_on_devices(void)
{
    static const uint64_t places[] = {0xFEC00000, 0xFEE00000, 0xFEE00FC0,
                                      0xFFFFFFC0, 0xC0000000, 0xFFFFFFFFF000};
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++)
        for (msr = WALL_CLOCK; msr <= PV_EOI; msr++) {
            value = places[i] | 1;
            if (catch_fault(write_msr) < 0)
                let_it_run();
            value = 0;
            catch_fault(write_msr);
        }
}
static void every_bit_of_a_register(void)
{
    for (msr = WALL_CLOCK - 1; msr < WALL_CLOCK + 16; msr++) {
        for (uint32_t bit = 0; bit < 64; bit++) {
            value = 1ull << bit;
            if (bit < 12 || bit > 23)
                catch_fault(write_msr);
        }
        value = 0;
        catch_fault(write_msr);
    }
}
// All records in the block that the other VPs write all the time, and all in one another's place.
static void records_that_change(void)
{
    uint64_t at = (uintptr_t)operands;
    wrmsr(SYSTEM_TIME, at | 1);
    wrmsr(STEAL_TIME, at | 1);
    wrmsr(PV_EOI, at | 16 | 1);
    __atomic_store_n(&racing, 1u, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < 20; i++)
        let_it_run();
    __atomic_store_n(&racing, 0u, __ATOMIC_SEQ_CST);
    wrmsr(SYSTEM_TIME, 0);
    wrmsr(STEAL_TIME, 0);
    wrmsr(PV_EOI, 0);
    for (uint32_t i = 0; i < 8; i++)
        eoi(); // what the word has left in service
}

const struct attack attacks_kvm[] = {
    ATTACK(every_number, NOTHING),
    ATTACK(every_lowest_id, NOTHING),
    ATTACK(every_icr, NOTHING),
    ATTACK(kick_and_yield_everybody, NOTHING),
    ATTACK(records_everywhere, ANY),
    ATTACK(records_on_devices, ANY),
    ATTACK(every_bit_of_a_register, ANY),
    ATTACK(records_that_change, NOTHING),
    {0, 0, 0},
};
