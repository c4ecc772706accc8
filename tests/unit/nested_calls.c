// SPDX-License-Identifier: BSD-2-Clause
// Calls 0x00AF and 0x00B0, and CPUID leaf 0x4000000A.
#include "check.h"
#include "machine.h"

static struct pv_cpuid leaf(uint32_t number)
{
    struct pv_cpuid out = {1, 1, 1, 1};
    pv_cpuid(&machine.partition, number, &out);
    return out;
}

static void nesting(uint32_t offers, uint32_t vps)
{
    struct pv_config config = machine_config();
    config.offers = offers;
    config.rep_budget = 16;
    machine_reset(&config);
    for (uint32_t v = 0; v < vps; v++) {
        machine_add(v, v);
    }
}

static uint64_t flush_space(uint64_t root, uint64_t flags)
{
    machine_put(0x1000, root);
    machine_put(0x1008, flags);
    return machine_call(control(0xAF, 0, 0, 0), 0x1000, 0);
}

static uint32_t renewed(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine.partition.vp_count; i++) {
        count += machine.vps[i].mark[PV_CONTEXT_L2] == (PV_FLUSH_FULL | PV_FLUSH_NESTED);
    }
    return count;
}

// NE-ALL-1, NE-COVER-1, NE-SYNC-1: every VP, its L2's context and no other; who runs is kicked and waited for, nobody is
// woken.
static void every_vp_is_told(void)
{
    nesting(PV_OFFER_EVERY, 70);
    pv_vp_run(machine_vp(5));
    pv_vp_run(machine_vp(69));
    CHECK_EQ(flush_space(0x7000, 0), 0);
    CHECK_EQ(renewed(), 70);
    CHECK_EQ(machine_flushed(), 0);
    CHECK_EQ(machine.count[EVENT_KICK], 2);
    CHECK_EQ(machine.count[EVENT_WAIT], 2);
    CHECK_EQ(machine.count[EVENT_WAKE], 0);
    struct pv_work work;
    CHECK(!pv_vp_take(machine_vp(3), PV_CONTEXT_L1, &work));
    CHECK(pv_vp_take(machine_vp(3), PV_CONTEXT_L2, &work));
    CHECK_EQ(work.flush, PV_FLUSH_FULL | PV_FLUSH_NESTED);
    CHECK(!pv_vp_take(machine_vp(3), PV_CONTEXT_L2, &work));
}

// NE-ROOT-1, NE-FLAG-1 (F39): a name with configuration bits is refused, not passed over in silence; any address that can
// be a root's is flushed for.
static void names_of_nested_tables(void)
{
    nesting(PV_OFFER_EVERY, 2);
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t root = (uint64_t)1 << bit;
        const bool good = bit >= 12 && bit < 52;
        CHECK_EQ(flush_space(root, 0), good ? 0 : 5);
        CHECK_EQ(renewed(), good ? 2 : 0);
        machine_vp(0)->mark[PV_CONTEXT_L2] = machine_vp(1)->mark[PV_CONTEXT_L2] = 0;
        CHECK_EQ(flush_space(0x7000, root), 5);
        CHECK_EQ(renewed(), 0);
    }
    CHECK_EQ(flush_space(0x701E, 0), 5);
    CHECK_EQ(flush_space(0, 0), 0);
}

// NE-LIST-1: a list flushes no less than the whole; it is counted, and continued, like any other.
static void lists(void)
{
    nesting(PV_OFFER_EVERY, 3);
    machine_put(0x1000, 0x7000);
    machine_put(0x1010, 0x123456000); // one page
    CHECK_EQ(machine_call(control(0xB0, 0, 1, 0), 0x1000, 0), UINT64_C(1) << 32);
    CHECK_EQ(renewed(), 3);
    struct pv_call call = machine_caller(control(0xB0, 0, 40, 0), 0x1000, 0);
    uint32_t times = 1;
    while (pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch) == PV_CONTINUE) {
        CHECK_EQ(call.rcx, control(0xB0, 0, 40, 16 * times));
        CHECK_EQ(renewed(), 3);
        machine_vp(2)->mark[PV_CONTEXT_L2] = 0;
        times++;
    }
    CHECK_EQ(times, 3);
    CHECK_EQ(call.rax, UINT64_C(40) << 32);
    CHECK_EQ(renewed(), 3);
    machine_put(0x1000, 0x7008);
    CHECK_EQ(machine_call(control(0xB0, 0, 1, 0), 0x1000, 0), 5);
}

// NE-TAB-1: their shape.
static void shapes(void)
{
    nesting(PV_OFFER_EVERY, 1);
    CHECK_EQ(machine_call(control(0xAF, 0, 1, 0), 0x1000, 0), 3);
    CHECK_EQ(machine_call(control(0xAF, 1, 0, 0), 0x1000, 0), 3);
    CHECK_EQ(machine_call(control(0xB0, 0, 0, 0), 0x1000, 0), 3);
    CHECK_EQ(machine_call(control(0xB0, 1, 1, 0), 0x1000, 0), 3);
    CHECK_EQ(machine_call(control(0xB0, 0, 2, 2), 0x1000, 0), 3);
    CHECK_EQ(machine_call(control(0xB0, 0, 510, 509), 0x1000, 0), UINT64_C(510) << 32);
    CHECK_EQ(machine_call(control(0xB0, 0, 511, 510), 0x1000, 0), 4);
    CHECK_EQ(machine_call(control(0xAF, 0, 0, 0), 0x1004, 0), 4);
    CHECK_EQ(machine_call(control(0xAF, 0, 0, 0), MACHINE_BYTES, 0), 4);
    CHECK_EQ(machine_call(control(0xAF, 0, 0, 0) | FAST, 0x7000, 0), 0);
    CHECK_EQ(machine_call(control(0xB0, 0, 12, 0) | FAST, 0x7000, 0), UINT64_C(12) << 32);
    CHECK_EQ(machine_call(control(0xB0, 0, 13, 0) | FAST, 0x7000, 0), 3);
    CHECK_EQ(renewed(), 1);
    // without XMM input a list does not fit, and the other call does
    nesting(PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_XMM_INPUT, 1);
    CHECK_EQ(machine_call(control(0xAF, 0, 0, 0) | FAST, 0x7000, 0), 0);
    struct pv_call call = machine_caller(control(0xB0, 0, 1, 0) | FAST, 0x7000, 0);
    CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_FAULT_UD);
}

// NE-LEAF-1..4, NE-GATE-1 (F54): each bit with each choice of offers: shown, and the call is served; not shown, and it is
// refused with nothing done; without nesting there is no leaf and none of the calls.
static void each_bit_has_its_call(void)
{
    for (uint32_t high = 0; high < 64; high++) {
        for (uint32_t low = 0; low < 3; low++) {
            static const uint32_t lows[] = {0, PV_OFFER_ALL,
                                            PV_OFFER_ALL & ~(uint32_t)PV_OFFER_FLUSH_LIST_EX};
            nesting(high << 11 | lows[low], 1);
            const bool nested = high & 4, space = nested && high & 1, list = nested && high & 2;
            CHECK_EQ(leaf(0x40000000).eax, nested ? 0x4000000A : 0x40000006);
            const struct pv_cpuid out = leaf(0x4000000A);
            CHECK_EQ(out.ebx | out.ecx | out.edx, 0);
            uint32_t shown = nested && high & 8 && low == 1 ? 1 << 17 : 0;
            shown |= space && list ? 1 << 18 : 0;
            shown |= nested && high & 16 ? 1 << 19 : 0;
            shown |= space && list && high & 32 ? 1 << 22 : 0;
            CHECK_EQ(out.eax, shown);
            CHECK_EQ(flush_space(0x7000, 0), space ? 0 : 6);
            CHECK_EQ(renewed(), space);
            CHECK_EQ(machine_call(control(0xB0, 0, 1, 0), 0x1000, 0), list ? UINT64_C(1) << 32 : 6);
            CHECK_EQ(renewed(), space || list);
            CHECK_EQ(leaf(0x4000000B).eax, 0);
            CHECK_EQ(leaf(0x40000009).eax, 0);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"every VP is told", every_vp_is_told},
        {"F39 names of nested tables", names_of_nested_tables},
        {"lists", lists},
        {"shapes", shapes},
        {"F54 each nested bit has its call", each_bit_has_its_call},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
