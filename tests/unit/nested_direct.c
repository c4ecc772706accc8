// SPDX-License-Identifier: BSD-2-Clause
// The enlightened part of a VMCB, and flushes of an L2's that L1 does not see.
#include "check.h"
#include "machine.h"
#include "nested/direct.h"
#include "nested/types.h"

static struct pv_enlightened area(uint32_t offers, uint32_t controls, uint32_t vp_id, uint64_t vm_id,
                                  uint64_t page)
{
    const uint64_t words[4] = {controls | (uint64_t)vp_id << 32, vm_id, page, 0};
    struct pv_enlightened e;
    pv_enlightened_read(offers, words, &e);
    return e;
}

// NE-AREA-1: what is not offered is not used, whatever L1 writes; reserved bits mean nothing.
static void what_l1_writes(void)
{
    for (uint32_t controls = 0; controls < 16; controls++) {
        const struct pv_enlightened e =
            area(PV_OFFER_EVERY, controls | 0xFFFFFFF0, 0xFFFFFFFF, ~(uint64_t)0, 0x5000);
        CHECK_EQ(e.controls, controls & 7);
        CHECK_EQ(e.vp_id, 0xFFFFFFFF);
        CHECK_EQ(e.vm_id, ~(uint64_t)0);
        CHECK_EQ(e.assist_page, 0x5000);
        CHECK_EQ(area(PV_OFFER_ALL, controls, 1, 1, 0).controls, 0);
        CHECK_EQ(area(PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_NESTING, controls, 1, 1, 0).controls, 0);
        CHECK_EQ(area(PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_DIRECT_FLUSH, controls, 1, 1, 0).controls,
                 controls & 6);
        CHECK_EQ(area(PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_MSR_BITMAP, controls, 1, 1, 0).controls,
                 controls & 5);
        CHECK_EQ(area(PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_NPT_TLB, controls, 1, 1, 0).controls,
                 controls & 3);
    }
}

// NE-DIRECT-1: each of the conditions.
static void which_calls_are_ours(void)
{
    const struct pv_enlightened e = area(PV_OFFER_EVERY, 1, 0, 1, 0x5000);
    for (uint32_t code = 0; code < 0x10000; code++) {
        const bool flush = code == 2 || code == 3 || code == 0x13 || code == 0x14;
        CHECK(pv_direct_wanted(&e, 0xFFFFFFFF, code) == flush);
        CHECK(!pv_direct_wanted(&e, 0xFFFFFFFE, code));
    }
    const struct pv_enlightened off = area(PV_OFFER_EVERY, 6, 0, 1, 0x5000);
    CHECK(!pv_direct_wanted(&off, 1, 2));
    for (unsigned bit = 0; bit < 12; bit++) {
        const struct pv_enlightened odd = area(PV_OFFER_EVERY, 1, 0, 1, 0x5000 ^ 1u << bit);
        CHECK(!pv_direct_wanted(&odd, 1, 2));
    }
}

// NE-BITMAP-1, NE-TLB-1.
static void what_l1_vouches_for(void)
{
    for (uint32_t controls = 0; controls < 8; controls++) {
        const struct pv_enlightened e = area(PV_OFFER_EVERY, controls, 0, 1, 0);
        CHECK(pv_bitmap_kept(&e, 0x80000000, true) == ((controls & 2) != 0));
        CHECK(!pv_bitmap_kept(&e, 0x7FFFFFFF, true));
        CHECK(!pv_bitmap_kept(&e, 0xFFFFFFFF, false));
        CHECK_EQ(pv_asid_flush_sync(&e), controls & 4 ? PV_SYNC_TAG : PV_SYNC_TAG | PV_SYNC_TABLES);
    }
}

// NE-LOAD-1: a change of name flushes, the same name again does not; an L2 without a name is no target.
static void loading(void)
{
    machine_simple(1);
    struct pv_vp *vp = machine_vp(0);
    const struct pv_enlightened a = area(PV_OFFER_EVERY, 1, 3, 7, 0), b = area(PV_OFFER_EVERY, 1, 4, 7, 0),
                                c = area(PV_OFFER_EVERY, 1, 3, 8, 0), none = area(PV_OFFER_EVERY, 0, 3, 7, 0);
    CHECK(!pv_direct_load(vp, &none));
    CHECK(pv_direct_load(vp, &a));
    CHECK_EQ(vp->l2_vm, 7);
    CHECK_EQ(vp->l2_vp, 3);
    CHECK(!pv_direct_load(vp, &a));
    CHECK(pv_direct_load(vp, &b));
    CHECK(pv_direct_load(vp, &c));
    CHECK(pv_direct_load(vp, &a));
    CHECK(!pv_direct_load(vp, &none));
    CHECK_EQ(vp->l2_named, 0);
    CHECK(pv_direct_load(vp, &a)); // what it knew may be older than a flush that passed it over
}

static struct pv_enlightened caller; // VM 7

// VPs 0..n-1 have loaded VP 2 * v of VM 7 if v is even, and of VM 8 if it is odd; VP 1 has none.
static void load_all(uint32_t n, uint32_t offers)
{
    struct pv_config config = machine_config();
    config.offers = offers;
    config.rep_budget = 2;
    machine_reset(&config);
    for (uint32_t v = 0; v < n; v++) {
        machine_add(v, v);
        const struct pv_enlightened e = area(PV_OFFER_EVERY, v != 1, 2 * v, 7 + v % 2, 0);
        pv_direct_load(machine_vp(v), &e);
    }
    machine.partition.guest_os_id = 0; // who L2 is, L1 knows
    caller = area(PV_OFFER_EVERY, 1, 0, 7, 0x5000);
}

static enum pv_direct_outcome direct(struct pv_call *call, bool mapped, uint64_t page)
{
    return pv_direct_flush(&machine.partition, &caller, call, mapped, page, &machine.scratch);
}

static bool told(uint32_t v)
{
    CHECK(!machine_flush_pending(v, PV_CONTEXT_L1));
    return machine_flush_pending(v, PV_CONTEXT_L2);
}

// NE-TARGET-1: by L1's numbers, in this VM only; the caller's own VP too. NE-SYNC-1.
static void targets(void)
{
    load_all(70, PV_OFFER_EVERY);
    pv_vp_run(machine_vp(2));
    pv_vp_run(machine_vp(3));
    struct pv_call call = machine_caller(0x2, 0x1230, 0);
    machine_put(0x3230, 0xABC000);
    machine_put(0x3238, 0);
    machine_put(0x3240, 1 << 0 | 1 << 4 | 1 << 6 | 1 << 9 | 1ull << 60); // VP 0, 2, and 30 of ours
    CHECK_EQ(direct(&call, true, 0x3FFF), PV_DIRECT_FLUSHED);
    CHECK_EQ(call.rax, 0);
    for (uint32_t v = 0; v < 70; v++) {
        CHECK(told(v) == (v == 0 || v == 2 || v == 30));
    }
    CHECK_EQ(machine.count[EVENT_KICK], 1);
    CHECK_EQ(machine.count[EVENT_WAIT], 1);
    CHECK_EQ(machine.count[EVENT_READ], 1);
    CHECK_EQ(machine.event[0].gpa, 0x3230);

    // a sparse set: 132 in bank 2 is VP 66; everyone: all of VM 7
    load_all(70, PV_OFFER_EVERY);
    machine_put(0x3008, 0);
    machine_put(0x3010, 0);
    machine_put(0x3018, 1 << 2);
    machine_put(0x3020, 1 << 4);
    call = machine_caller(control(0x13, 1, 0, 0), 0x9000, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_FLUSHED);
    for (uint32_t v = 0; v < 70; v++) {
        CHECK(told(v) == (v == 66));
    }
    machine_put(0x3008, 1);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_FLUSHED);
    for (uint32_t v = 0; v < 70; v++) {
        CHECK(told(v) == (v % 2 == 0));
    }
}

// Numbers that no set can hold are met by "everyone" alone.
static void large_numbers(void)
{
    load_all(2, PV_OFFER_EVERY);
    const struct pv_enlightened e = area(PV_OFFER_EVERY, 1, 4096, 7, 0);
    pv_direct_load(machine_vp(0), &e);
    machine_put(0x3008, 0);
    machine_put(0x3010, 0);
    machine_put(0x3018, ~(uint64_t)0);
    for (unsigned i = 0; i < 64; i++) {
        machine_put(0x3020 + 8 * i, ~(uint64_t)0);
    }
    struct pv_call call = machine_caller(control(0x13, 64, 0, 0), 0x9000, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_FLUSHED);
    CHECK(!told(0));
    machine_put(0x3010, 1);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_FLUSHED);
    CHECK(told(0));
    CHECK(!told(1));
}

// NE-ORDER-1, NE-MEM-1: errors change nothing but the result.
static void errors(void)
{
    load_all(4, PV_OFFER_EVERY);
    struct pv_call call = machine_caller(0x2, 0x1230, 0);
    CHECK_EQ(direct(&call, false, 0), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 3);
    CHECK_EQ(machine.count[EVENT_READ], 0);
    CHECK_EQ(direct(&call, true, MACHINE_BYTES), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 3);
    call = machine_caller(0x2, 0x1FF0, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 4);
    call = machine_caller(0x2, 0x1004, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 4);
    machine_put(0x3008, 1 << 4);
    call = machine_caller(0x2, 0x1000, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 5);
    call = machine_caller(control(0x3, 0, 0, 0), 0x1000, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 3);
    call = machine_caller(0x2, 0x1000, 0);
    call.cpl = 3;
    struct pv_call before = call;
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_FAULT_UD);
    CHECK(memcmp(&call, &before, sizeof call) == 0);
    load_all(4, PV_OFFER_EVERY & ~(uint32_t)PV_OFFER_FLUSH_SPACE);
    call = machine_caller(0x2, 0x1000, 0);
    CHECK_EQ(direct(&call, true, 0x3000), PV_DIRECT_DONE);
    CHECK_EQ(call.rax, 6);
    for (uint32_t v = 0; v < 4; v++) {
        CHECK(!told(v));
    }
}

// Lists: pages as they are, in L2's context; continued at the budget; operands in registers.
static void lists(void)
{
    load_all(1, PV_OFFER_EVERY);
    struct pv_call call = machine_caller(control(0x3, 0, 3, 0) | FAST, 0, 1);
    call.xmm[0] = 0;
    call.xmm[1] = 0x1000;
    call.xmm[2] = 0x5000;
    call.xmm[3] = 0x9000;
    uint64_t gpa = 0;
    CHECK(!pv_direct_address(&call, &gpa));
    CHECK_EQ(direct(&call, false, 0), PV_DIRECT_CONTINUE);
    CHECK_EQ(call.rcx, control(0x3, 0, 3, 2) | FAST);
    CHECK_EQ(machine_vp(0)->queue[PV_CONTEXT_L2].count, 2);
    CHECK_EQ(direct(&call, false, 0), PV_DIRECT_FLUSHED);
    CHECK_EQ(call.rax, UINT64_C(3) << 32);
    CHECK_EQ(machine_vp(0)->queue[PV_CONTEXT_L2].count, 3);
    CHECK_EQ(machine_vp(0)->queue[PV_CONTEXT_L2].first[2], 9);
    call = machine_caller(control(0x3, 0, 3, 0), 0x1230, 1);
    CHECK(pv_direct_address(&call, &gpa));
    CHECK_EQ(gpa, 0x1230);
    // a list without a canonical page tells nobody
    load_all(1, PV_OFFER_EVERY);
    call = machine_caller(control(0x3, 0, 1, 0) | FAST, 0, 1);
    call.xmm[1] = 0x1000000000000000;
    CHECK_EQ(direct(&call, false, 0), PV_DIRECT_FLUSHED);
    CHECK(!told(0));
}

// NE-LOCK-1, NE-EXIT-1: 32 bits count; a page that can't be read is invalid input.
static void lock_of_the_assist_page(void)
{
    struct pv_call call = machine_caller(0x2, 0, 0);
    call.rax = UINT64_C(7) << 32;
    CHECK(!pv_direct_finish(&call, true, 0));
    CHECK(!pv_direct_finish(&call, true, 0xFFFFFFFF00000000));
    CHECK(pv_direct_finish(&call, true, 1));
    CHECK(pv_direct_finish(&call, true, 0x80000000));
    CHECK_EQ(call.rax, UINT64_C(7) << 32);
    CHECK(!pv_direct_finish(&call, false, 1));
    CHECK_EQ(call.rax, 3);
    CHECK_EQ(PV_EXIT_ENLIGHTENED, 0xF0000000u);
    CHECK_EQ(PV_EXIT_INFO1_FLUSHED, 1);
    CHECK_EQ(PV_EXIT_INFO2_FLUSHED, 0);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"what L1 writes", what_l1_writes},
        {"which calls are ours", which_calls_are_ours},
        {"what L1 vouches for", what_l1_vouches_for},
        {"loading", loading},
        {"targets", targets},
        {"large numbers", large_numbers},
        {"errors", errors},
        {"lists", lists},
        {"lock of the assist page", lock_of_the_assist_page},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
