// SPDX-License-Identifier: BSD-2-Clause
// VP sets, against an array of 4096 truth values.
#include "check.h"
#include "vpset/vpset.h"

static uint64_t state = 88172645463325252;
static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct pv_vp_set set, present;
static bool is[PV_MAX_VPS], exists[PV_MAX_VPS];

static void same(void)
{
    for (uint32_t v = 0; v < PV_MAX_VPS; v++) {
        CHECK_EQ(pv_vp_set_has(&set, v), is[v]);
    }
    CHECK(!pv_vp_set_has(&set, PV_MAX_VPS) && !pv_vp_set_has(&set, UINT32_MAX));
}

// Words of clear banks hold rubbish, which must not count (the summary word says what counts).
static void rubbish(struct pv_vp_set *s)
{
    memset(s, 0xFF, sizeof *s);
    pv_vp_set_clear(s);
}

static void make_present(void)
{
    rubbish(&present);
    memset(exists, 0, sizeof exists);
    for (unsigned n = (unsigned)(any() % 300); n > 0; n--) {
        const uint32_t v = (uint32_t)(any() % 3 ? any() % 200 : any() % PV_MAX_VPS);
        pv_vp_set_add(&present, v);
        exists[v] = true;
    }
}

// VS-EMPTY-1, VS-MEM-1
static void add_and_has(void)
{
    rubbish(&set);
    memset(is, 0, sizeof is);
    same();
    for (unsigned n = 0; n < 600; n++) {
        const uint32_t v = (uint32_t)(n == 0 ? PV_MAX_VPS - 1 : n == 1 ? 0 : any() % PV_MAX_VPS);
        pv_vp_set_add(&set, v);
        is[v] = true;
        if (n % 60 == 0) {
            same();
        }
    }
    same();
    pv_vp_set_clear(&set);
    memset(is, 0, sizeof is);
    same();
}

// VS-FMT-2
static void all(void)
{
    for (unsigned n = 0; n < 100; n++) {
        make_present();
        rubbish(&set);
        pv_vp_set_all(&set, &present);
        memcpy(is, exists, sizeof is);
        same();
    }
}

// VS-MEM-2, VS-ABS-1
static void from_mask(void)
{
    for (unsigned n = 0; n < 200; n++) {
        make_present();
        rubbish(&set);
        const uint64_t mask = n == 0 ? 0 : n == 1 ? ~(uint64_t)0 : any();
        pv_vp_set_from_mask(&set, mask, &present);
        for (uint32_t v = 0; v < PV_MAX_VPS; v++) {
            is[v] = exists[v] && v < 64 && mask >> v % 64 & 1;
        }
        same();
    }
}

// VS-BANK-2: contents are packed; the word of a bank stands at the number of set bits below it.
static void from_sparse(void)
{
    for (unsigned n = 0; n < 300; n++) {
        uint64_t words[PV_BANKS];
        const uint64_t mask = n == 0 ? 0 : n == 1 ? ~(uint64_t)0 : n % 2 ? any() & any() & any() : any();
        make_present();
        rubbish(&set);
        memset(is, 0, sizeof is);
        unsigned used = 0;
        for (unsigned bank = 0; bank < PV_BANKS; bank++) {
            if (mask >> bank & 1) {
                words[used] = any() % 4 ? any() : 0;
                for (unsigned i = 0; i < 64; i++) {
                    is[bank * 64 + i] = words[used] >> i & 1 && exists[bank * 64 + i];
                }
                used++;
            }
        }
        pv_vp_set_from_sparse(&set, mask, words, &present);
        same();
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"add, has, clear", add_and_has},
        {"everyone", all},
        {"from a plain mask", from_mask},
        {"from a sparse set", from_sparse},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
