// SPDX-License-Identifier: BSD-2-Clause
// Known faults of other implementations in flushing: who, what, and when it is done.
#include "check.h"
#include "machine.h"

static uint64_t flush_space(uint64_t flags, uint64_t mask)
{
    machine_put(0x1000, 0);
    machine_put(0x1008, flags);
    machine_put(0x1010, mask);
    return machine_call(0x02, 0x1000, 0);
}

// The list call with these entries, to every VP.
static uint64_t flush_list(uint64_t flags, const uint64_t *entries, unsigned count)
{
    machine_put(0x1000, 0);
    machine_put(0x1008, flags | 1);
    machine_put(0x1010, 0);
    for (unsigned i = 0; i < count; i++) {
        machine_put(0x1018 + 8 * i, entries[i]);
    }
    return machine_call(control(0x03, 0, count, 0), 0x1000, 0);
}

static struct pv_work take(uint32_t vp_index, uint32_t context)
{
    struct pv_work work;
    pv_vp_take(machine_vp(vp_index), context, &work);
    return work;
}

// True iff the work flushes this page.
static bool flushes(const struct pv_work *work, uint64_t page)
{
    if (work->flush & PV_FLUSH_FULL) {
        return true;
    }
    for (uint32_t i = 0; (work->flush & PV_FLUSH_RANGES) && i < work->ranges.count; i++) {
        if (page >= work->ranges.first[i] && page - work->ranges.first[i] < work->ranges.pages[i]) {
            return true;
        }
    }
    return false;
}

static uint64_t pages_of(const struct pv_work *work)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < work->ranges.count; i++) {
        pages += work->ranges.pages[i];
    }
    return pages;
}

// VS-EMPTY-2, FL-ALL-1: nobody and everybody are never the same request.
static void f13_nobody_and_everybody(void)
{
    machine_simple(70);
    for (uint64_t format = 0; format < 2; format++) {
        machine_put(0x1008, 0);
        machine_put(0x1010, format);
        machine_put(0x1018, 0);
        CHECK_EQ(machine_call(0x13, 0x1000, 0), 0);
        CHECK_EQ(machine_flushed(), format == 0 ? 0 : 70);
    }
    machine_simple(70);
    machine_put(0x1018, 2); // a bank that names nobody
    machine_put(0x1020, 0);
    CHECK_EQ(machine_call(control(0x13, 1, 0, 0), 0x1000, 0), 0);
    CHECK_EQ(machine_flushed(), 0);
    CHECK_EQ(flush_space(0, 0), 0); // FL-ZERO-1: a guest relies on it
    CHECK_EQ(machine_flushed(), 70);
    machine_simple(70);
    machine_put(0x1008, 1); // the flag with an empty set
    machine_put(0x1018, 0);
    CHECK_EQ(machine_call(0x13, 0x1000, 0), 0);
    CHECK_EQ(machine_flushed(), 70);
}

// GV-CAN-1, GV-SKIP-1
static void f19_pages_without_an_address(void)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        struct pv_config config = machine_config();
        config.gva_bits = wide ? 57 : 48;
        machine_reset(&config);
        machine_add(0, 0);
        const uint64_t low_last = wide ? 0x00FFFFFFFFFFF000 : 0x00007FFFFFFFF000;
        const uint64_t high_first = wide ? 0xFF00000000000000 : 0xFFFF800000000000;
        const uint64_t entries[] = {
            0x8000000000000000,        // in the hole
            low_last + 0x1000,         // the hole's first page
            low_last | 1,              // the last page before the hole, and the hole's first
            0x5000,                    // a neighbour that must be flushed all the same
            (high_first - 0x1000) | 1, // the hole's last page, and the first behind it
            0xFFFFFFFFFFFFF000 | 0xFF, // past the end of the space
        };
        CHECK_EQ(flush_list(0, entries, 6), (uint64_t)6 << 32);
        const struct pv_work work = take(0, PV_CONTEXT_L1);
        CHECK_EQ(work.flush, PV_FLUSH_RANGES);
        CHECK_EQ(pages_of(&work), 4);
        CHECK(flushes(&work, low_last >> 12) && flushes(&work, 5));
        CHECK(flushes(&work, high_first >> 12) && flushes(&work, 0xFFFFFFFFFFFFF));
    }
}

// FL-GLB-1: global translations stay only if the caller says that they may.
static void f21_global_translations(void)
{
    machine_simple(2);
    CHECK_EQ(flush_space(4, 1), 0);
    CHECK_EQ(take(0, PV_CONTEXT_L1).flush, PV_FLUSH_NONGLOBAL);
    CHECK_EQ(flush_space(0, 1), 0);
    CHECK(take(0, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
    CHECK_EQ(flush_space(4, 1), 0);
    CHECK_EQ(flush_space(0, 1), 0);
    CHECK_EQ(flush_space(4, 1), 0);
    CHECK(take(0, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
    const uint64_t entry = 0x5000;
    CHECK_EQ(flush_list(4, &entry, 1), 5); // without a meaning on a list
    CHECK_EQ(machine_flushed(), 0);
}

// FQ-EQ-1, FQ-SUP-1, FQ-CAP-1, FQ-DRAIN-1
static void f22_queue_and_its_overflow(void)
{
    for (unsigned count = 1; count <= 40; count++) {
        machine_simple(2);
        uint64_t entries[40];
        for (unsigned i = 0; i < count; i++) {
            entries[i] = (uint64_t)(i * 10 + 100) << 12 | 2; // three pages, no two lists touch
        }
        CHECK_EQ(flush_list(0, entries, count), (uint64_t)count << 32);
        struct pv_work work = take(1, PV_CONTEXT_L1);
        for (unsigned i = 0; i < count; i++) {
            CHECK(flushes(&work, i * 10 + 100) && flushes(&work, i * 10 + 102));
        }
        if (count <= PV_QUEUE_RANGES) {
            CHECK_EQ(work.flush, PV_FLUSH_RANGES);
            CHECK_EQ(pages_of(&work), 3 * count);
        } else {
            CHECK(work.flush & PV_FLUSH_FULL);
        }
        struct pv_work empty;
        memset(&empty, 0xFF, sizeof empty);
        CHECK(!pv_vp_take(machine_vp(1), PV_CONTEXT_L1, &empty)); // drained
        CHECK_EQ(empty.flush, 0);
        CHECK_EQ(empty.ranges.count, 0);
    }
}

// FL-SYNC-1: whoever runs is kicked, then waited for; whoever does not is left alone.
static void f24_running_targets_are_waited_for(void)
{
    machine_simple(6);
    pv_vp_run(machine_vp(1));
    pv_vp_run(machine_vp(4));
    pv_vp_run(machine_vp(5));
    CHECK_EQ(flush_space(0, 0x1E), 0); // VPs 1 to 4
    CHECK_EQ(machine.count[EVENT_KICK], 2);
    CHECK_EQ(machine.count[EVENT_WAIT], 2);
    CHECK_EQ(machine.count[EVENT_WAKE], 0);
    unsigned kicked = 0;
    for (unsigned i = 0; i < machine.events; i++) {
        const struct event *e = &machine.event[i];
        CHECK(e->kind == EVENT_READ || e->vp_index == 1 || e->vp_index == 4);
        kicked += e->kind == EVENT_KICK;
        CHECK(e->kind != EVENT_WAIT || kicked == 2); // all are kicked before one is waited for
    }
    CHECK_EQ(machine_vp(1)->run % 2, 0);
    CHECK_EQ(machine_vp(5)->run % 2, 1);
}

// FL-COVER-1, FQ-DRAIN-1: something pending is told, once; nothing pending is nothing to do.
static void f25_pending_is_told_and_only_then(void)
{
    machine_simple(1);
    struct pv_work work;
    pv_vp_run(machine_vp(0));
    CHECK(!pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK_EQ(work.flush, 0);
    pv_vp_stop(machine_vp(0));
    CHECK_EQ(flush_space(0, 1), 0);
    pv_vp_run(machine_vp(0));
    CHECK(pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK(work.flush & PV_FLUSH_FULL);
    CHECK(!pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK_EQ(work.flush, 0);
}

// FL-COVER-1: an entry that is given up before it has taken the request leaves it; one that comes after is seen.
static void f26_cancelled_entry_keeps_the_request(void)
{
    machine_simple(1);
    CHECK_EQ(flush_space(0, 1), 0);
    pv_vp_run(machine_vp(0));
    pv_vp_stop(machine_vp(0));
    CHECK(machine_flush_pending(0, PV_CONTEXT_L1));
    pv_vp_run(machine_vp(0));
    CHECK(take(0, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
    CHECK_EQ(flush_space(0, 1), 0); // between the look and the entry
    CHECK_EQ(machine.count[EVENT_KICK], 1);
    CHECK(take(0, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
}

// PR-TAKE-1, FL-COVER-1: the same with an embedder whose run fails at any point of an entry. What it has taken it owes:
// it flushes that whether the guest runs or not. `translation` plays the target's TLB: the pages it still holds.
enum { HELD = 24 };
static bool translation[HELD];
static void hold_all(void)
{
    memset(translation, true, sizeof translation);
}
static void drop(const struct pv_work *work)
{
    for (uint64_t page = 0; page < HELD; page++) {
        translation[page] &= !flushes(work, page) && !(work->flush & PV_FLUSH_NONGLOBAL && page % 2 == 0);
    }
}
// Enters the guest, or fails after so many steps; true if the guest ran. An embedder that forgets what it owes
// when it fails is there to show that this test would see it.
static bool enter(unsigned steps, bool forgets)
{
    struct pv_vp *vp = machine_vp(0);
    struct pv_work work;
    unsigned step = 0;
    pv_vp_run(vp);
    bool failed = step++ == steps;
    while (!failed && pv_vp_take(vp, PV_CONTEXT_L1, &work)) {
        failed = step++ == steps; // taken, not yet flushed
        if (!failed || !forgets) {
            drop(&work);
        }
        failed = failed || step++ == steps;
    }
    pv_vp_stop(vp);
    return !failed;
}
static void f26_run_that_fails_at_any_point(void)
{
    static const uint64_t list[] = {0x3000, 0x7001, 0xF000};
    unsigned lost = 0;
    for (unsigned forgets = 0; forgets < 2; forgets++) {
        for (unsigned what = 0; what < 4; what++) {
            for (unsigned steps = 0; steps < 4; steps++) {
                machine_simple(1);
                hold_all();
                if (what == 0 || what == 3) { // full, also behind a list
                    CHECK_EQ(flush_list(0, list, 1), (uint64_t)1 << 32);
                    CHECK_EQ(flush_space(0, 1), 0);
                } else if (what == 1) {
                    CHECK_EQ(flush_space(4, 1), 0);
                } else {
                    CHECK_EQ(flush_list(0, list, 3), (uint64_t)3 << 32);
                }
                bool ran = enter(steps, forgets);
                if (!ran && what == 3) { // more comes between the failure and the next try
                    CHECK_EQ(flush_list(0, list, 3), (uint64_t)3 << 32);
                }
                while (!ran) {
                    ran = enter(10, false);
                }
                for (uint64_t page = 0; page < HELD; page++) {
                    const bool stale = what == 1   ? page % 2 == 0
                                       : what == 2 ? page == 3 || page == 7 || page == 8 || page == 15
                                                   : true;
                    CHECK(forgets || translation[page] == !stale);
                    lost += stale && translation[page];
                }
            }
        }
    }
    CHECK(lost > 0);
}

// FL-COVER-1: a later request never takes an earlier one back.
static void f33_marks_are_never_cleared_by_a_store(void)
{
    machine_simple(1);
    const uint64_t entry = 0x5000;
    CHECK_EQ(flush_space(0, 1), 0);
    CHECK_EQ(flush_list(0, &entry, 1), (uint64_t)1 << 32);
    CHECK_EQ(flush_space(4, 1), 0);
    CHECK(take(0, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
    CHECK_EQ(flush_list(0, &entry, 1), (uint64_t)1 << 32);
    CHECK_EQ(flush_space(4, 1), 0);
    const struct pv_work work = take(0, PV_CONTEXT_L1);
    CHECK((work.flush & PV_FLUSH_FULL) || ((work.flush & PV_FLUSH_NONGLOBAL) && flushes(&work, 5)));
    for (uint64_t vector = 0x10; vector < 0x100; vector++) {
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, vector, 1), 0);
    }
    const struct pv_work all = take(0, PV_CONTEXT_L1);
    CHECK_EQ(all.vector[0], ~(uint64_t)0xFFFF);
    CHECK(all.vector[1] == ~(uint64_t)0 && all.vector[2] == ~(uint64_t)0 && all.vector[3] == ~(uint64_t)0);
}

// FL-COVER-1: contexts that take turns in any order, flushes for either in between, while it runs or not: no context runs
// with a translation that a flush for it took away, whether that flush came just before or many turns ago.
static void f37_no_switch_loses_a_flush(void)
{
    bool stale[PV_CONTEXTS][HELD] = {{false}};
    uint64_t x = 88172645463325252;
    unsigned dropped = 0;
    machine_simple(1);
    for (unsigned n = 0; n < 100000; n++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint32_t context = (uint32_t)(x >> 8) % PV_CONTEXTS;
        const uint64_t first = (x >> 16) % 20, more = (x >> 24) % 4;
        if (x % 4 != 0) { // a flush: a list, all, or what is not global (even pages here)
            const unsigned kind = (x >> 32) % 8 < 6 ? 2 : (unsigned)(x >> 32) % 8 - 6;
            machine_put(0x1000, 0);
            machine_put(0x1008, kind == 1 ? 4 : 0);
            machine_put(0x1010, 1);
            machine_put(0x1018, first << 12 | more);
            struct pv_call call = machine_caller(kind == 2 ? control(0x03, 0, 1, 0) : 0x02, 0x1000, 0);
            CHECK_EQ(pv_hypercall(&machine.partition, context, &call, &machine.scratch), PV_DONE);
            CHECK_EQ(status_of(call.rax), 0);
            for (uint64_t page = 0; page < HELD; page++) {
                stale[context][page] |= kind == 0 || (kind == 1 && page % 2 == 0) ||
                                        (kind == 2 && page >= first && page <= first + more);
            }
        } else { // the context runs
            const struct pv_work work = take(0, context);
            for (uint64_t page = 0; page < HELD; page++) {
                const bool gone = flushes(&work, page) || (work.flush & PV_FLUSH_NONGLOBAL && page % 2 == 0);
                CHECK(gone || !stale[context][page]);
                dropped += stale[context][page];
                stale[context][page] = false;
            }
        }
        machine_clear_log();
    }
    CHECK(dropped > 1000);
}

// FL-COVER-1: a request is served in the context that it was meant for, whatever runs meanwhile.
static void f41_flush_waits_for_its_own_context(void)
{
    machine_simple(1);
    CHECK_EQ(flush_space(0, 1), 0);
    struct pv_work work;
    CHECK(!pv_vp_take(machine_vp(0), PV_CONTEXT_L2, &work)); // L2 runs first
    CHECK_EQ(work.flush, 0);
    CHECK(pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK(work.flush & PV_FLUSH_FULL);
}

static void f43_each_context_has_its_own_queue(void)
{
    machine_simple(1);
    struct pv_call call = machine_caller(0x02, 0x1000, 0);
    machine_put(0x1008, 0);
    machine_put(0x1010, 1);
    CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L2, &call, &machine.scratch), PV_DONE);
    CHECK_EQ(call.rax, 0);
    CHECK(!machine_flush_pending(0, PV_CONTEXT_L1));
    const uint64_t entry = 0x5000;
    CHECK_EQ(flush_list(0, &entry, 1), (uint64_t)1 << 32);
    CHECK(take(0, PV_CONTEXT_L2).flush & PV_FLUSH_FULL);
    const struct pv_work work = take(0, PV_CONTEXT_L1);
    CHECK_EQ(work.flush, PV_FLUSH_RANGES);
    CHECK_EQ(pages_of(&work), 1);
}

// FL-COVER-1, FL-PUB-1, FL-PUB-2: every flush call, made for either context, lands in that context and is taken there;
// the other has nothing to do, or what it was asked itself. Also while a list is pending in the other.
static void f43_every_call_in_either_context(void)
{
    for (uint32_t context = 0; context < PV_CONTEXTS; context++) {
        for (unsigned which = 0; which < 4; which++) {
            for (unsigned busy = 0; busy < 2; busy++) {
                const uint32_t other = 1 - context;
                const bool list = which % 2 == 1, set = which >= 2;
                machine_simple(2);
                for (unsigned turn = 0; turn < 1 + busy; turn++) { // first the other's list, then the call
                    const bool mine = turn == busy;
                    machine_put(0x1000, 0);
                    machine_put(0x1008, mine && !list ? 4 : 0); // to tell it from a list that overflowed
                    machine_put(0x1010, mine && set ? 0 : 1);
                    machine_put(0x1018, mine && set ? 1 : 0x5001);
                    machine_put(0x1020, 1);
                    machine_put(0x1028, 0x5001);
                    const uint64_t word = !mine ? control(0x03, 0, 1, 0)
                                          : set ? control(list ? 0x14 : 0x13, 1, list, 0)
                                                : control(list ? 0x03 : 0x02, 0, list, 0);
                    struct pv_call call = machine_caller(word, 0x1000, 0);
                    if (!mine) {
                        machine_put(0x1018, 0x9000);
                    }
                    CHECK_EQ(
                        pv_hypercall(&machine.partition, mine ? context : other, &call, &machine.scratch),
                        PV_DONE);
                    CHECK_EQ(call.rax, word >> 32 << 32);
                }
                CHECK(machine_flush_pending(0, context));
                CHECK_EQ(machine_flush_pending(0, other), busy);
                CHECK(!machine_flush_pending(1, context) && !machine_flush_pending(1, other));
                struct pv_work work = take(0, other); // the other runs first, and it takes its own
                CHECK_EQ(work.flush, busy ? PV_FLUSH_RANGES : 0);
                CHECK_EQ(pages_of(&work), busy);
                CHECK(busy == 0 || flushes(&work, 9));
                CHECK(machine_flush_pending(0, context));
                work = take(0, context);
                CHECK_EQ(work.flush, list ? PV_FLUSH_RANGES : PV_FLUSH_NONGLOBAL);
                CHECK_EQ(pages_of(&work), list ? 2 : 0);
                CHECK(!list || (flushes(&work, 5) && flushes(&work, 6)));
                CHECK(!machine_flush_pending(0, context) && !machine_flush_pending(0, other));
            }
        }
    }
}

// FL-COVER-1, FL-SYNC-1: L1 flushes a VP that is inside L2: the VP leaves L2, and before L1 runs there again, however
// often L2 does in between, L1's translations are flushed.
static void f43_call_from_l1_for_a_vp_in_l2(void)
{
    machine_simple(2);
    pv_vp_run(machine_vp(1));
    CHECK_EQ(take(1, PV_CONTEXT_L2).flush, 0); // it runs L2
    CHECK_EQ(flush_space(0, 2), 0);
    CHECK_EQ(machine.count[EVENT_KICK], 1);
    CHECK_EQ(machine.count[EVENT_WAIT], 1);
    CHECK_EQ(machine_vp(1)->run % 2, 0);
    for (unsigned n = 0; n < 3; n++) {
        pv_vp_run(machine_vp(1));
        CHECK_EQ(take(1, PV_CONTEXT_L2).flush, 0);
        pv_vp_stop(machine_vp(1));
    }
    pv_vp_run(machine_vp(1));
    CHECK(take(1, PV_CONTEXT_L1).flush & PV_FLUSH_FULL);
    CHECK_EQ(take(1, PV_CONTEXT_L1).flush, 0);
}

// GV-EXT-1..3: the extended form, and what it cannot say.
static void extended_ranges(void)
{
    static const struct {
        uint64_t entry, first, pages; // no pages: everything
    } rows[] = {
        {0xFFFF800012345000, 0xFFFF800012345, 1},
        {0x5000 | 0x7FF, 5, 2048},
        {0xFFFF800012200802, 0xFFFF800012200, 3 * 512},
        {0xFFFF800040001800, 0xFFFF800040000, 262144},
        {0xFFFF800012202800, 0, 0},
        {0xFFFF800040201800, 0, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        machine_simple(1);
        CHECK_EQ(flush_list(8, &rows[i].entry, 1), (uint64_t)1 << 32);
        const struct pv_work work = take(0, PV_CONTEXT_L1);
        if (rows[i].pages == 0) {
            CHECK(work.flush & PV_FLUSH_FULL);
        } else {
            CHECK_EQ(work.flush, PV_FLUSH_RANGES);
            CHECK_EQ(pages_of(&work), rows[i].pages);
            CHECK(flushes(&work, rows[i].first) && flushes(&work, rows[i].first + rows[i].pages - 1));
        }
    }
}

// FL-FLAG-5: flags without a meaning are refused, and nothing is flushed.
static void unknown_flags(void)
{
    machine_simple(1);
    for (unsigned bit = 3; bit < 64; bit++) {
        CHECK_EQ(flush_space((uint64_t)1 << bit, 1), 5);
    }
    const uint64_t entry = 0x5000;
    for (unsigned bit = 4; bit < 64; bit++) {
        CHECK_EQ(flush_list((uint64_t)1 << bit, &entry, 1), 5);
    }
    CHECK_EQ(machine_flushed(), 0);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"F13 nobody and everybody", f13_nobody_and_everybody},
        {"F19 pages without an address", f19_pages_without_an_address},
        {"F21 global translations", f21_global_translations},
        {"F22 queue and its overflow", f22_queue_and_its_overflow},
        {"F24 running targets are waited for", f24_running_targets_are_waited_for},
        {"F25 pending is told, and only then", f25_pending_is_told_and_only_then},
        {"F26 cancelled entry keeps the request", f26_cancelled_entry_keeps_the_request},
        {"F26 run that fails at any point", f26_run_that_fails_at_any_point},
        {"F33 marks are never cleared by a store", f33_marks_are_never_cleared_by_a_store},
        {"F37 no switch loses a flush", f37_no_switch_loses_a_flush},
        {"F41 flush waits for its own context", f41_flush_waits_for_its_own_context},
        {"F43 each context has its own queue", f43_each_context_has_its_own_queue},
        {"F43 every call in either context", f43_every_call_in_either_context},
        {"F43 call from L1 for a VP in L2", f43_call_from_l1_for_a_vp_in_l2},
        {"extended ranges", extended_ranges},
        {"unknown flags", unknown_flags},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
