// SPDX-License-Identifier: BSD-2-Clause
#include "shadow.h"

#define ENTRY_NX 0x8000000000000000ull
enum {
    ENTRY_LINK = 0x27,
    ENTRY_LEAF = 0x25,
    ENTRY_WRITE = 0x42,
    ENTRY_LARGE = 0x80
}; // P, U, A; with W (link); W and D

/*@ requires valid: pool_valid(pool);
    requires page: i < pool->count && pool->count <= PV_POOL_MAX;
    assigns  pool->word[512 * i .. 512 * i + 511];
    ensures  clear: \forall integer w; 512 * i <= w < 512 * i + 512 ==> pool->word[w] == 0; */
static void clear_page(struct pv_pool *pool, uint32_t i)
{
    uint64_t *const page = pool->word + 512 * i;
    /*@ loop invariant range: 0 <= at <= 512;
        loop invariant clear: \forall integer w; 512 * i <= w < 512 * i + at ==> pool->word[w] == 0;
        loop assigns at, pool->word[512 * i .. 512 * i + 511];
        loop variant 512 - at; */
    for (uint32_t at = 0; at < 512; at++)
        page[at] = 0;
}

void pv_pool_init(struct pv_pool *pool)
{
    //@ assert row: \forall integer w; 0 <= w < 512 * PV_ROOTS ==> 0 <= w / 512 < PV_ROOTS;
    /*@ loop invariant range: 0 <= i <= pool->count;
        loop invariant roots: \forall integer j; 0 <= j < i ==> j < PV_ROOTS ==> pool->owner[j] == j && pool->level[j] == 4;
        loop invariant free: \forall integer j; PV_ROOTS <= j < i ==> pool->owner[j] == PV_NO_OWNER;
        loop assigns i, pool->owner[0 .. PV_POOL_MAX - 1], pool->level[0 .. PV_POOL_MAX - 1];
        loop variant pool->count - i; */
    for (uint32_t i = 0; i < pool->count; i++) {
        pool->owner[i] = i < PV_ROOTS ? (uint8_t)i : PV_NO_OWNER;
        pool->level[i] = 4;
    }
    /*@ loop invariant range: 0 <= i <= PV_ROOTS;
        loop invariant clear: \forall integer w; 0 <= w < 512 * i ==> pool->word[w] == 0;
        loop assigns i, pool->word[0 .. 512 * pool->count - 1];
        loop variant PV_ROOTS - i; */
    for (uint32_t i = 0; i < PV_ROOTS; i++)
        clear_page(pool, i);
    pool->low = PV_ROOTS;
    //@ assert free: \forall integer w; 512 * PV_ROOTS <= w < 512 * pool->count ==> PV_ROOTS <= w / 512 < pool->count;
}

void pv_pool_drop(struct pv_pool *pool, uint32_t root)
{
    clear_page(pool, root);
    //@ ghost pv_j_dropped[root] = pv_j_grants;
    /*@ loop invariant range: PV_ROOTS <= i <= pool->count;
        loop invariant done: \forall integer j; PV_ROOTS <= j < i ==>
          pool->owner[j] == (\at(pool->owner[j], Pre) == root ? PV_NO_OWNER : \at(pool->owner[j], Pre));
        loop invariant todo: \forall integer j; i <= j < pool->count ==> pool->owner[j] == \at(pool->owner[j], Pre);
        loop invariant low: pool->low <= pool->count;
        loop invariant full: \forall integer j; PV_ROOTS <= j < pool->low ==> pool->owner[j] != PV_NO_OWNER;
        loop assigns i, pool->owner[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
        loop variant pool->count - i; */
    for (uint32_t i = PV_ROOTS; i < pool->count; i++)
        if (pool->owner[i] == root) {
            pool->owner[i] = PV_NO_OWNER;
            if (i < pool->low)
                pool->low = i;
        }
    //@ assert row: \forall integer w; 0 <= w < 512 * pool->count ==> w / 512 == root ==> 512 * root <= w < 512 * root + 512;
    /*@ assert kept: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != root ==>
          pool->owner[w / 512] == \at(pool->owner[w / 512], Pre) && pool->owner[w / 512] != root && pool->word[w] == \at(pool->word[w], Pre); */
    /*@ assert pages: \forall integer i; 0 <= i < pool->count ==> \at(pool->owner[i], Pre) != root ==>
          pool->owner[i] == \at(pool->owner[i], Pre); */
    /*@ assert before: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != root ==>
          entry_ok{Pre}(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    /*@ assert after: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != root ==>
          entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
}

// A cleared page that belongs to the root from now on; `count` when there is none.
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS && 1 <= level <= 3;
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  ok: pool_ok(pool);
    ensures  none: \result == pool->count ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  same: \result == pool->count ==> \forall integer w; 0 <= w < 512 * pool->count ==> pool->word[w] == \old(pool->word[w]);
    ensures  one: \result != pool->count ==> PV_ROOTS <= \result < pool->count && \old(pool->owner[\result]) == PV_NO_OWNER &&
               pool->owner[\result] == root && pool->level[\result] == level;
    ensures  others: \forall integer i; 0 <= i < pool->count ==> i != \result ==>
               pool->owner[i] == \old(pool->owner[i]) && pool->level[i] == \old(pool->level[i]);
    ensures  words: \forall integer w; 0 <= w < 512 * pool->count ==> w / 512 != \result ==> pool->word[w] == \old(pool->word[w]); */
static uint32_t take_page(struct pv_pool *pool, uint32_t root, uint32_t level)
{
    uint32_t i = pool->low < PV_ROOTS ? PV_ROOTS : pool->low;
    /*@ loop invariant range: PV_ROOTS <= i <= pool->count;
        loop invariant full: \forall integer j; PV_ROOTS <= j < i ==> pool->owner[j] != PV_NO_OWNER;
        loop assigns i;
        loop variant pool->count - i; */
    while (i < pool->count && pool->owner[i] != PV_NO_OWNER)
        i++;
    pool->low = i;
    if (i == pool->count)
        return i;
    clear_page(pool, i);
    pool->owner[i] = (uint8_t)root;
    pool->level[i] = (uint8_t)level;
    //@ assert page: \forall integer w; 0 <= w < 512 * pool->count ==> w / 512 == i ==> 512 * i <= w < 512 * i + 512;
    /*@ assert kept: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != i ==>
          pool->owner[w / 512] == \at(pool->owner[w / 512], Pre) && pool->level[w / 512] == \at(pool->level[w / 512], Pre) &&
          pool->word[w] == \at(pool->word[w], Pre); */
    /*@ assert pages: \forall integer j; 0 <= j < pool->count ==> \at(pool->owner[j], Pre) != PV_NO_OWNER ==>
          pool->owner[j] == \at(pool->owner[j], Pre) && pool->level[j] == \at(pool->level[j], Pre); */
    /*@ assert before: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != i ==>
          entry_ok{Pre}(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    /*@ assert after: \forall integer w; 0 <= w < 512 * pool->count ==> pool->owner[w / 512] != PV_NO_OWNER ==> w / 512 != i ==>
          entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
    return i;
}

/*@ requires place: base % 4096 == 0 && i < PV_POOL_MAX && base + 4096 * i < 4503599627370496;
    assigns  \nothing;
    ensures  nw_link_1: \result == link_entry(base, i) && \result == base + 4096 * i + 39;
    ensures  address: s_address(\result) == base + 4096 * i;
    ensures  child: s_child(base, \result) == i;
    ensures  kind: !s_large(\result); */
static uint64_t link_word(uint64_t base, uint32_t i)
{
    //@ assert rows: base == 4096 * (base / 4096);
    //@ assert even: \forall integer k; 0 <= k ==> (32 * k) % 2 == 0;
    //@ assert row: (base + 4096 * i + 39) / 4096 == base / 4096 + i;
    //@ assert bit7: (base + 4096 * i + 39) / 128 == 32 * (base / 4096 + i);
    return base + 4096 * (uint64_t)i + ENTRY_LINK;
}

// The page that a link leads to.
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires page: page < pool->count && pool->owner[page] < PV_ROOTS && 2 <= pool->level[page] && at < 512;
    requires link: present(pool->word[512 * page + at]) && !s_large(pool->word[512 * page + at]);
    assigns  \nothing;
    ensures  nw_link_1: \result == s_child(pool->base, pool->word[512 * page + at]);
    ensures  nw_link_2: \result < pool->count && pool->owner[\result] == pool->owner[page] &&
               pool->level[\result] == pool->level[page] - 1; */
static uint32_t follow(const struct pv_pool *pool, uint32_t page, uint32_t at)
{
    //@ assert row: (512 * page + at) / 512 == page;
    const uint64_t e = pool->word[512 * page + at];
    //@ assert link: link_ok(pool, pool->owner[page], pool->level[page], e);
    //@ assert inside: pool->base <= s_address(e) < pool->base + 4096 * pool->count;
    const uint64_t to = e / 4096 % 0x10000000000ull * 4096;
    //@ assert address: to == s_address(e);
    //@ assert range: 0 <= (to - pool->base) / 4096 < pool->count;
    return (uint32_t)((to - pool->base) / 4096);
}

/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires page: page < pool->count && pool->owner[page] < PV_ROOTS && at < 512;
    requires entry: entry_ok(pool, pool->owner[page], pool->level[page], e);
    assigns  pool->word[512 * page + at];
    ensures  ok: pool_ok(pool);
    ensures  put: pool->word[512 * page + at] == e; */
static void put_entry(struct pv_pool *pool, uint32_t page, uint32_t at, uint64_t e)
{
    //@ assert row: (512 * page + at) / 512 == page;
    pool->word[512 * page + at] = e;
    //@ assert base: pool->base == \at(pool->base, Pre) && pool->word == \at(pool->word, Pre);
    //@ assert entry: entry_ok(pool, pool->owner[page], pool->level[page], e);
    /*@ assert others: \forall integer w; 0 <= w < 512 * pool->count ==> w != 512 * page + at ==>
          pool->word[w] == \at(pool->word[w], Pre); */
    /*@ assert sound: \forall integer w; 0 <= w < 512 * pool->count ==> w != 512 * page + at ==>
          pool->owner[w / 512] != PV_NO_OWNER ==>
          entry_ok(pool, pool->owner[w / 512], pool->level[w / 512], pool->word[w]); */
}

/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires page: page < pool->count && pool->owner[page] < PV_ROOTS && at < 512 && 2 <= pool->level[page];
    requires below: below < pool->count && pool->owner[below] == pool->owner[page] &&
                    pool->level[below] == pool->level[page] - 1;
    assigns  pool->word[512 * page + at];
    ensures  ok: pool_ok(pool);
    ensures  nw_link_1: s_child(pool->base, pool->word[512 * page + at]) == below; */
static void put_link(struct pv_pool *pool, uint32_t page, uint32_t at, uint32_t below)
{
    put_entry(pool, page, at, link_word(pool->base, below));
}

// The table page of level n - 1 below entry `at` of page `page`, made if there is none; `count` when no page is free.
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS && 2 <= n <= 4 && at < 512;
    requires page: page < pool->count && pool->owner[page] == root && pool->level[page] == n;
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  ok: pool_ok(pool);
    ensures  nw_pool_2: \result == pool->count ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  nw_link_1: \result != pool->count ==> s_child(pool->base, pool->word[512 * page + at]) == \result;
    ensures  nw_link_2: \result != pool->count ==> \result < pool->count && pool->owner[\result] == root &&
               pool->level[\result] == n - 1;
    ensures  others: \forall integer i; 0 <= i < pool->count ==> \old(pool->owner[i]) != PV_NO_OWNER ==>
               pool->owner[i] == \old(pool->owner[i]) && pool->level[i] == \old(pool->level[i]);
    ensures  nw_pool_3: taken{Pre, Post}(pool, pool->count, root);
    ensures  words: \forall integer w; 0 <= w < 512 * pool->count ==> w != 512 * page + at ==>
               \old(pool->owner[w / 512]) != PV_NO_OWNER ==> pool->word[w] == \old(pool->word[w]); */
static uint32_t step_down(struct pv_pool *pool, uint32_t root, uint32_t page, uint32_t n, uint32_t at)
{
    //@ assert row: (512 * page + at) / 512 == page;
    const uint64_t e = pool->word[512 * page + at];
    if (e % 2 == 1 && e / 128 % 2 == 0)
        return follow(pool, page, at);
    const uint32_t below = take_page(pool, root, n - 1);
    if (below != pool->count)
        put_link(pool, page, at, below);
    return below;
}

/*@ requires shape: hpa % 4096 == 0 && hpa < 4503599627370496 && rights <= 7;
    assigns  \nothing;
    ensures  nw_leaf_1: \result == leaf_entry(hpa, rights, large ? 1 : 0);
    ensures  address: s_address(\result) == hpa;
    ensures  large: s_large(\result) <==> large;
    ensures  write: \result / 2 % 2 == 1 <==> may_write(rights);
    ensures  run: \result < 9223372036854775808 <==> may_run(rights); */
static uint64_t leaf_word(uint64_t hpa, uint32_t rights, bool large)
{
    const uint64_t low = (uint64_t)ENTRY_LEAF + (rights / 2 % 2 == 1 ? ENTRY_WRITE : 0) + (large ? ENTRY_LARGE : 0);
    const uint64_t high = hpa + (rights / 4 % 2 == 1 ? 0 : ENTRY_NX);
    //@ assert rows: hpa == 4096 * (hpa / 4096) && high == 4096 * (high / 4096);
    //@ assert parts: low < 4096 && (high + low) / 4096 == high / 4096;
    //@ assert top: high / 4096 == hpa / 4096 + (rights / 4 % 2 == 1 ? 0 : 2251799813685248);
    //@ assert wrap: (high + low) / 4096 % 1099511627776 == hpa / 4096;
    //@ assert even: \forall integer k; 0 <= k ==> (32 * k) % 2 == 0 && (32 * k + 1) % 2 == 1;
    //@ assert bit7: (high + low) / 128 == 32 * (high / 4096) + (large ? 1 : 0);
    //@ assert bit7_is: (high + low) / 128 % 2 == (large ? 1 : 0);
    //@ assert bit1: (high + low) / 2 == 2 * (1024 * (high / 4096) + low / 4) + (rights / 2 % 2);
    //@ assert bit1_is: (high + low) / 2 % 2 == rights / 2 % 2;
    return high + low;
}

/*@ requires level: 1 <= n <= 4;
    assigns  \nothing;
    ensures  index: \result == s_index(gpa, n) && \result < 512; */
static uint32_t shadow_index(uint64_t gpa, uint32_t n)
{
    if (n == 1)
        return (uint32_t)(gpa / 0x1000 % 512);
    if (n == 2)
        return (uint32_t)(gpa / 0x200000 % 512);
    return n == 3 ? (uint32_t)(gpa / 0x40000000 % 512) : (uint32_t)(gpa / 0x8000000000ull % 512);
}

// The pages of levels 3, 2 and 1 on the way of `gpa`, made if need be; `count` when no page is free.
/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS;
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  ok: pool_ok(pool);
    ensures  nw_pool_2: \result == pool->count ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  nw_pool_3: taken{Pre, Post}(pool, pool->count, root);
    ensures  way: \result != pool->count ==> way3(pool, root, gpa, \result); */
static uint32_t third_page(struct pv_pool *pool, uint32_t root, uint64_t gpa)
{
    return step_down(pool, root, root, 4, shadow_index(gpa, 4));
}

/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS;
    requires way: way3(pool, root, gpa, third);
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  ok: pool_ok(pool);
    ensures  nw_pool_2: \result == pool->count ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  nw_pool_3: taken{Pre, Post}(pool, pool->count, root);
    ensures  way: \result != pool->count ==> way3(pool, root, gpa, third) && way2(pool, root, gpa, third, \result); */
static uint32_t second_page(struct pv_pool *pool, uint32_t root, uint64_t gpa, uint32_t third)
{
    const uint32_t at = shadow_index(gpa, 3);
    //@ assert row: (512 * root + s_index(gpa, 4)) / 512 == root && 0 <= s_index(gpa, 4) < 512;
    return step_down(pool, root, third, 3, at);
}

/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: root < PV_ROOTS;
    requires page: second < pool->count && pool->owner[second] == root && pool->level[second] == 2;
    assigns  pool->word[0 .. 512 * pool->count - 1], pool->owner[PV_ROOTS .. PV_POOL_MAX - 1],
             pool->level[PV_ROOTS .. PV_POOL_MAX - 1], pool->low;
    ensures  ok: pool_ok(pool);
    ensures  nw_pool_2: \result == pool->count ==> \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
    ensures  nw_pool_3: taken{Pre, Post}(pool, pool->count, root);
    ensures  way: \result != pool->count ==> way1(pool, root, gpa, second, \result); */
static uint32_t first_page(struct pv_pool *pool, uint32_t root, uint64_t gpa, uint32_t second)
{
    return step_down(pool, root, second, 2, shadow_index(gpa, 2));
}

/*@ requires valid: pool_valid(pool);
    requires ok: pool_ok(pool);
    requires root: pool->owner[page] < PV_ROOTS && at < 512;
    requires page: page < pool->count && pool->level[page] == (shift == 21 ? 2 : 1);
    requires leaf: leaf_shape(hpa, shift, rights) && leaf_granted(pool->owner[page], hpa, shift, rights);
    assigns  pool->word[512 * page + at];
    ensures  ok: pool_ok(pool);
    ensures  nw_leaf_1: pool->word[512 * page + at] == leaf_entry(hpa, rights, shift == 21 ? 1 : 0); */
static void put_leaf(struct pv_pool *pool, uint32_t page, uint32_t at, uint64_t hpa, uint32_t shift, uint32_t rights)
{
    //@ assert rows: shift == 21 ==> hpa == 4096 * (512 * (hpa / 2097152));
    //@ assert turn: \forall integer k; 0 <= k ==> (4096 * k) % 4096 == 0;
    //@ assert whole: hpa % 4096 == 0;
    const uint64_t e = leaf_word(hpa, rights, shift == 21);
    //@ assert small: shift == 12 ==> s_address(e) - s_address(e) % 4096 == hpa;
    //@ assert large: shift == 21 ==> s_address(e) - s_address(e) % 2097152 == hpa;
    //@ assert place: s_address(e) - s_address(e) % frame_bytes(shift) == hpa;
    //@ assert begins: grant_frame(pv_j_grants) <= s_address(e) - s_address(e) % frame_bytes(shift);
    /*@ assert ends: s_address(e) - s_address(e) % frame_bytes(shift) + frame_bytes(shift) <=
          grant_frame(pv_j_grants) + frame_bytes(grant_shift(pv_j_grants)); */
    //@ assert write: e / 2 % 2 == 0 || may_write(grant_rights(pv_j_grants));
    //@ assert run: e >= 9223372036854775808 || may_run(grant_rights(pv_j_grants));
    //@ assert within: s_within(e, frame_bytes(shift), grant_frame(pv_j_grants), frame_bytes(grant_shift(pv_j_grants)), grant_rights(pv_j_grants));
    //@ assert granted: granted(pool->owner[page], e, frame_bytes(shift));
    put_entry(pool, page, at, e);
}

bool pv_pool_map(struct pv_pool *pool, uint32_t root, uint64_t gpa, const struct pv_leaf *leaf)
{
    const uint64_t hpa = leaf->hpa;
    const uint32_t shift = leaf->shift, rights = leaf->rights;
    const uint32_t third = third_page(pool, root, gpa);
    //@ assert owners_third: taken{Pre, Here}(pool, pool->count, root);
    if (third == pool->count) {
        //@ assert full_third: \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
        return false;
    }
    const uint32_t second = second_page(pool, root, gpa, third);
    //@ assert owners_second: taken{Pre, Here}(pool, pool->count, root);
    if (second == pool->count) {
        //@ assert full_second: \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
        return false;
    }
    if (shift == 21) {
        put_leaf(pool, second, shadow_index(gpa, 2), hpa, 21, rights);
        //@ assert owners_large: taken{Pre, Here}(pool, pool->count, root);
        //@ assert large: leaf_at(pool, root, second, gpa, hpa, 21, rights);
        return true;
    }
    const uint32_t first = first_page(pool, root, gpa, second);
    //@ assert owners_first: taken{Pre, Here}(pool, pool->count, root);
    if (first == pool->count) {
        //@ assert full_first: \forall integer i; 0 <= i < pool->count ==> pool->owner[i] != PV_NO_OWNER;
        return false;
    }
    put_leaf(pool, first, shadow_index(gpa, 1), hpa, 12, rights);
    //@ assert owners_small: taken{Pre, Here}(pool, pool->count, root);
    //@ assert small: leaf_at(pool, root, first, gpa, hpa, 12, rights);
    return true;
}
