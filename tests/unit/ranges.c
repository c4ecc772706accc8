// SPDX-License-Identifier: BSD-2-Clause
// Page ranges and lists of a flush, against a set of pages.
#include "check.h"
#include "flush/list.h"

enum { PAGES = 400 };

static uint64_t state = 88172645463325252;
static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct pv_ranges ranges, other;
static bool asked[PAGES];

static bool means(const struct pv_ranges *r, uint64_t page)
{
    bool found = r->overflow != 0;
    for (uint32_t i = 0; i < r->count; i++) {
        found |= page >= r->first[i] && page - r->first[i] < r->pages[i];
    }
    return found;
}

// Superset always, equal while not overflowed (FQ-SUP-1, FQ-EQ-1).
static void covers(void)
{
    CHECK(ranges.count <= PV_QUEUE_RANGES);
    for (uint64_t page = 0; page < PAGES; page++) {
        CHECK(!asked[page] || means(&ranges, page));
        CHECK(ranges.overflow || asked[page] == means(&ranges, page));
    }
}

static void push(uint64_t first, uint32_t pages)
{
    pv_ranges_push(&ranges, first, pages);
    for (uint64_t page = first; page < first + pages; page++) {
        asked[page] = true;
    }
}

static void start(void)
{
    memset(&ranges, 0xFF, sizeof ranges);
    pv_ranges_clear(&ranges);
    memset(asked, 0, sizeof asked);
}

static void pushes(void)
{
    for (unsigned n = 0; n < 3000; n++) {
        start();
        covers();
        uint64_t next = any() % PAGES;
        for (unsigned k = (unsigned)(any() % 30); k > 0; k--) {
            const uint32_t pages = (uint32_t)(any() % 6);
            next = any() % 2 ? (next + any() % 8) % (PAGES - 8) : any() % (PAGES - 8);
            push(next, pages);
            covers();
        }
    }
}

// FQ-MERGE-1: neighbours on either side become one range; FQ-CAP-1: the 17th range is everything.
static void merging_and_capacity(void)
{
    start();
    push(10, 5);
    push(15, 5); // behind
    push(5, 5);  // before
    push(8, 2);  // inside
    CHECK_EQ(ranges.count, 1);
    CHECK_EQ(ranges.first[0], 5);
    CHECK_EQ(ranges.pages[0], 15);
    push(21, 1); // not next to it
    CHECK_EQ(ranges.count, 2);
    start();
    for (unsigned i = 0; i < PV_QUEUE_RANGES; i++) {
        push(10 * i, 1);
    }
    CHECK_EQ(ranges.count, PV_QUEUE_RANGES);
    CHECK_EQ(ranges.overflow, 0);
    push(10 * (PV_QUEUE_RANGES - 1) + 1, 1); // still fits in the newest
    CHECK_EQ(ranges.overflow, 0);
    push(10 * PV_QUEUE_RANGES + 5, 1);
    CHECK_EQ(ranges.overflow, 1);
    push(0, 1); // final until drained
    CHECK_EQ(ranges.overflow, 1);
    pv_ranges_clear(&ranges);
    CHECK(ranges.count == 0 && ranges.overflow == 0);
}

// A range holds at most 2^32-1 pages; what would be longer stays two.
static void longest_range(void)
{
    start();
    pv_ranges_push(&ranges, 0, UINT32_MAX);
    pv_ranges_push(&ranges, UINT32_MAX, 1);
    CHECK_EQ(ranges.count, 2);
    CHECK(means(&ranges, 0) && means(&ranges, UINT32_MAX - 1) && means(&ranges, UINT32_MAX) &&
          !means(&ranges, (uint64_t)UINT32_MAX + 1));
    start();
    pv_ranges_push(&ranges, 1, UINT32_MAX - 1);
    pv_ranges_push(&ranges, 0, 1);
    CHECK_EQ(ranges.count, 1);
    CHECK_EQ(ranges.pages[0], UINT32_MAX);
}

// FQ-JOIN-1
static void joining(void)
{
    for (unsigned n = 0; n < 2000; n++) {
        start();
        for (unsigned k = (unsigned)(any() % 18); k > 0; k--) {
            push(any() % (PAGES - 8), (uint32_t)(any() % 5));
        }
        pv_ranges_copy(&other, &ranges);
        pv_ranges_clear(&ranges);
        for (unsigned k = (unsigned)(any() % 10); k > 0; k--) {
            push(any() % (PAGES - 8), (uint32_t)(any() % 5));
        }
        pv_ranges_join(&ranges, &other);
        covers();
        CHECK(!other.overflow || ranges.overflow);
    }
}

// GV-PLAIN-1, GV-PLAIN-2, GV-SKIP-1: pages 1 .. 399 at the start of either half, and both ends of the hole.
static void lists(void)
{
    for (unsigned n = 0; n < 2000; n++) {
        uint64_t list[24];
        const uint32_t length = 1 + (uint32_t)(any() % 24), first = (uint32_t)(any() % length);
        memset(asked, 0, sizeof asked);
        for (uint32_t i = 0; i < length; i++) {
            const uint64_t page = any() % (PAGES - 8), more = any() % 5;
            list[i] = page << 12 | more;
            for (uint64_t p = page; i >= first && p <= page + more; p++) {
                asked[p] = true;
            }
        }
        memset(&ranges, 0xFF, sizeof ranges);
        pv_list_collect(&ranges, list, first, length, 0, n % 2 ? 48 : 57);
        covers();
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"pushes cover what was asked", pushes},
        {"merging and capacity", merging_and_capacity},
        {"longest range", longest_range},
        {"joining", joining},
        {"lists", lists},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
