// SPDX-License-Identifier: BSD-2-Clause
#include "flush.h"
#include "../base/bits.h"

/*@ // As flush_told, before the waiting.
    predicate flush_asked{L}(integer v, integer flush) =
      pv_j_asked[v] == flush && pv_j_posted[v] == 0 && pv_j_woken[v] == 0 && pv_j_looked[v] == 1 &&
      0 <= pv_j_ran[v] <= 1 && pv_j_kicked[v] == pv_j_ran[v] && pv_j_waited[v] == 0;

    // And before the kick.
    predicate flush_seen{L}(integer v, integer flush) =
      pv_j_asked[v] == flush && pv_j_posted[v] == 0 && pv_j_woken[v] == 0 && pv_j_looked[v] == 1 &&
      0 <= pv_j_ran[v] <= 1 && pv_j_kicked[v] == 0 && pv_j_waited[v] == 0; */

// Asks one VP. Returns whether it was in the guest after that.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && \valid_read(ask);
    requires ok: ranges_ok(ask) && context < 2;
    requires kind: kind == 1 || kind == 2 || kind == 4 || kind == 9;
    requires blank: untold(vp->vp_index) && pv_j_held == 0;
    assigns  pv_j_lock, pv_j_held, pv_j_asked[vp->vp_index], pv_j_under[vp->vp_index], pv_j_looked[vp->vp_index],
             pv_j_ran[vp->vp_index];
    ensures  fl_pub_3: flush_seen(vp->vp_index, asked_as(kind, context));
    ensures  fl_cover_2: kind == 4 ==> pages_asked(vp->vp_index, ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_kick_1: \result <==> pv_j_ran[vp->vp_index] == 1; */
PV_HELPER bool ask_vp(struct pv_vp *vp, uint32_t context, uint32_t kind, const struct pv_ranges *ask)
{
    if (kind == PV_FLUSH_RANGES) {
        struct pv_ranges queue;
        pv_shared_lock(vp, context, &queue);
        //@ assert kept: ranges_kept{Pre, Here}(ask);
        //@ ghost Locked:;
        pv_ranges_join(&queue, ask);
        //@ assert same: ranges_kept{Locked, Here}(ask);
        pv_shared_publish(vp, context, ask, &queue);
        //@ assert pages: pages_asked(vp->vp_index, ask);
    } else {
        pv_shared_mark(vp, context, kind);
    }
    return pv_shared_running(vp);
}

// Asks the VPs of one bank, and kicks those that were in the guest; the result has the bits of these.
/*@ requires ok: vps_ok(p) && ranges_ok(ask) && \valid_read(ask) && context < 2 && bank < 64;
    requires exist: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> set_has(&p->present, 64 * bank + i);
    requires kind: kind == 1 || kind == 2 || kind == 4 || kind == 9;
    requires blank: (\forall integer v; 64 * bank <= v < 64 * bank + 64 ==> untold(v)) && pv_j_waiting == 0;
    requires free: pv_j_held == 0;
    assigns  pv_j_lock, pv_j_held, pv_j_under[64 * bank .. 64 * bank + 63],
             pv_j_asked[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
             pv_j_ran[64 * bank .. 64 * bank + 63], pv_j_kicked[64 * bank .. 64 * bank + 63];
    ensures  fl_pub_4: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> mbit(word, v % 64) ==>
               flush_asked(v, asked_as(kind, context));
    ensures  fl_cover_3: kind == 4 ==> \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> mbit(word, v % 64) ==>
               pages_asked(v, ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_only_2: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> !mbit(word, v % 64) ==> untold(v);
    ensures  fl_kick_2: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
               (mbit(\result, v % 64) <==> mbit(word, v % 64) && pv_j_ran[v] == 1); */
PV_HELPER uint64_t ask_bank(struct pv_partition *p, uint32_t bank, uint64_t word, uint32_t context, uint32_t kind,
                            const struct pv_ranges *ask)
{
    const uint32_t base = bank * PV_BANK_VPS;
    //@ assert base: base == 64 * bank;
    const uint16_t *const position = p->position + base;
    uint64_t left = word;
    uint64_t ran = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(word, i));
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + next ==> mbit(word, v % 64) ==>
                         flush_seen(v, asked_as(kind, context));
        loop invariant kind == 4 ==> \forall integer v; 64 * bank <= v < 64 * bank + next ==> mbit(word, v % 64) ==>
                         pages_asked(v, ask);
        loop invariant pv_j_held == 0;
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
                         (64 * bank + next <= v || !mbit(word, v % 64)) ==> untold(v);
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
                         (mbit(ran, v % 64) <==>
                          v < 64 * bank + next && mbit(word, v % 64) && pv_j_ran[v] == 1);
        loop assigns left, ran, next, pv_j_lock, pv_j_held, pv_j_under[64 * bank .. 64 * bank + 63],
                     pv_j_asked[64 * bank .. 64 * bank + 63], pv_j_looked[64 * bank .. 64 * bank + 63],
                     pv_j_ran[64 * bank .. 64 * bank + 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        //@ ghost uint32_t v = bank * 64 + i;
        //@ assert at: v % 64 == i && v / 64 == bank;
        //@ assert places: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w / 64 == bank && w % 64 == w - 64 * bank;
        struct pv_vp *vp = &p->vps[position[i]];
        left = pv_bit_drop_lowest(left);
        //@ assert exists: set_has(&p->present, v);
        //@ assert there: vp->vp_index == v;
        //@ assert gap: \forall integer w; 64 * bank + next <= w < v ==> !mbit(word, w % 64);
        //@ ghost Begin:;
        if (ask_vp(vp, context, kind, ask)) {
            ran = pv_bit_set(ran, i);
        }
        /*@ assert frame: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w != v ==>
              pv_j_asked[w] == \at(pv_j_asked[w], Begin) && pv_j_looked[w] == \at(pv_j_looked[w], Begin) &&
              pv_j_ran[w] == \at(pv_j_ran[w], Begin) && pv_j_under[w] == \at(pv_j_under[w], Begin); */
        //@ assert pages: kind == 4 ==> pages_asked(v, ask);
        /*@ assert pages_before: kind == 4 ==> \forall integer w; 64 * bank <= w < v ==> mbit(word, w % 64) ==>
              pages_asked(w, ask); */
        //@ assert now: flush_seen(v, asked_as(kind, context));
        /*@ assert before: \forall integer w; 64 * bank <= w < v ==> mbit(word, w % 64) ==>
              flush_seen(w, asked_as(kind, context)); */
        /*@ assert after: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w != v ==>
              (v < w || !mbit(word, w % 64)) ==> untold(w); */
        //@ assert meant: mbit(word, v % 64);
        //@ ghost next = i + 1;
    }
    //@ assert all: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> mbit(word, v % 64) ==> flush_seen(v, asked_as(kind, context));
    //@ assert none: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> !mbit(word, v % 64) ==> untold(v);
    /*@ assert running: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
          (mbit(ran, v % 64) <==> mbit(word, v % 64) && pv_j_ran[v] == 1); */
    left = ran;
    //@ ghost next = 0;
    /*@ loop invariant 0 <= next <= 64;
        loop invariant position == p->position + 64 * bank;
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(ran, i));
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + next ==> mbit(ran, v % 64) ==> pv_j_kicked[v] == 1;
        loop invariant \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
                         (64 * bank + next <= v || !mbit(ran, v % 64)) ==> pv_j_kicked[v] == 0;
        loop assigns left, next, pv_j_kicked[64 * bank .. 64 * bank + 63];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        struct pv_vp *vp = &p->vps[position[i]];
        left = pv_bit_drop_lowest(left);
        //@ assert place_2: vp == p->vps + p->position[64 * bank + i];
        //@ ghost uint32_t v = bank * 64 + i;
        //@ assert v_2: v == 64 * bank + i;
        //@ assert at_2: v % 64 == i && v / 64 == bank;
        //@ assert places_2: \forall integer w; 64 * bank <= w < 64 * bank + 64 ==> w / 64 == bank && w % 64 == w - 64 * bank;
        //@ assert ran_2: mbit(ran, v % 64) && mbit(word, v % 64);
        //@ assert exists_2: set_has(&p->present, v);
        //@ assert there_2: vp->vp_index == v;
        //@ assert valid_2: \valid(vp);
        //@ assert seen_2: pv_j_looked[v] == 1 && pv_j_ran[v] == 1;
        pv_platform_kick(p, vp);
        //@ ghost next = i + 1;
    }
    /*@ assert kicked: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> mbit(word, v % 64) ==>
          pv_j_kicked[v] == pv_j_ran[v]; */
    return ran;
}

// Waits for the VPs of one bank, all of which were kicked.
/*@ requires ok: vps_ok(p) && bank < 64;
    requires exist: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> set_has(&p->present, 64 * bank + i);
    requires kicked: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> pv_j_kicked[64 * bank + i] == 1;
    assigns  pv_j_waited[64 * bank .. 64 * bank + 63], pv_j_waiting;
    ensures  fl_wait_1: \forall integer i; 0 <= i < 64 ==> mbit(word, i) ==> pv_j_waited[64 * bank + i] == 1;
    ensures  fl_wait_2: \forall integer i; 0 <= i < 64 ==> !mbit(word, i) ==>
               pv_j_waited[64 * bank + i] == \old(pv_j_waited[64 * bank + i]); */
static void wait_bank(struct pv_partition *p, uint32_t bank, uint64_t word)
{
    uint64_t left = word;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer i; 0 <= i < 64 ==> (mbit(left, i) <==> next <= i && mbit(word, i));
        loop invariant \forall integer i; 0 <= i < next ==> mbit(word, i) ==> pv_j_waited[64 * bank + i] == 1;
        loop invariant \forall integer i; 0 <= i < 64 ==> (next <= i || !mbit(word, i)) ==>
                         pv_j_waited[64 * bank + i] == \at(pv_j_waited[64 * bank + i], Pre);
        loop assigns left, next, pv_j_waited[64 * bank .. 64 * bank + 63], pv_j_waiting;
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        left = pv_bit_drop_lowest(left);
        struct pv_vp *vp = &p->vps[p->position[bank * PV_BANK_VPS + i]];
        //@ assert exists: set_has(&p->present, 64 * bank + i);
        //@ assert there: vp->vp_index == 64 * bank + i;
        pv_platform_wait(p, vp);
        //@ ghost next = i + 1;
    }
}

// Asks all banks; `kicked` becomes the set of those that were in the guest.
/*@ requires ok: vps_ok(p) && ranges_ok(ask) && context < 2;
    requires valid: \valid_read(targets) && \valid(kicked) && \valid_read(ask);
    requires apart: \separated(kicked, targets, ask, p, p->vps + (0 .. p->vp_count - 1));
    requires exist: \forall integer v; set_has(targets, v) ==> set_has(&p->present, v);
    requires kind: kind == 1 || kind == 2 || kind == 4 || kind == 9;
    requires blank: journal_told_nobody;
    assigns  *kicked, pv_j_asked[0 .. 4095], pv_j_under[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095],
             pv_j_kicked[0 .. 4095], pv_j_lock, pv_j_held;
    ensures  fl_pub_5: \forall integer v; 0 <= v < 4096 ==> set_has{Pre}(targets, v) ==> flush_asked(v, asked_as(kind, context));
    ensures  fl_cover_4: kind == 4 ==> \forall integer v; 0 <= v < 4096 ==> set_has{Pre}(targets, v) ==> pages_asked(v, ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_only_3: \forall integer v; 0 <= v < 4096 ==> !set_has{Pre}(targets, v) ==> untold(v);
    ensures  fl_kick_3: \forall integer v; 0 <= v < 4096 ==>
               (set_has(kicked, v) <==> set_has{Pre}(targets, v) && pv_j_ran[v] == 1); */
PV_HELPER void ask_all(struct pv_partition *p, const struct pv_vp_set *targets, uint32_t context, uint32_t kind,
                       const struct pv_ranges *ask, struct pv_vp_set *kicked)
{
    uint64_t left = targets->banks;
    uint64_t ran_banks = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant targets->banks == \at(targets->banks, Pre);
        loop invariant \forall integer b; 0 <= b < 64 ==> targets->word[b] == \at(targets->word[b], Pre);
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(targets->banks, b));
        loop invariant \forall integer b; next <= b < 64 ==> !mbit(ran_banks, b);
        loop invariant \forall integer v; 0 <= v < 64 * next ==> set_has{Pre}(targets, v) ==> flush_asked(v, asked_as(kind, context));
        loop invariant kind == 4 ==> \forall integer v; 0 <= v < 64 * next ==> set_has{Pre}(targets, v) ==> pages_asked(v, ask);
        loop invariant pv_j_held == 0;
        loop invariant \forall integer v; 0 <= v < 4096 ==> (64 * next <= v || !set_has{Pre}(targets, v)) ==> untold(v);
        loop invariant \forall integer v; 0 <= v < 64 * next ==>
                         (mbit(ran_banks, v / 64) && mbit(kicked->word[v / 64], v % 64) <==>
                          set_has{Pre}(targets, v) && pv_j_ran[v] == 1);
        loop assigns left, ran_banks, next, kicked->word[0 .. 63], pv_j_asked[0 .. 4095], pv_j_under[0 .. 4095],
                     pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_lock, pv_j_held;
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        const uint64_t word = targets->word[bank];
        //@ assert place: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> v / 64 == bank && v % 64 == v - 64 * bank;
        /*@ assert members: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has{Pre}(targets, v) <==> mbit(word, v % 64)); */
        //@ assert passed: \forall integer v; 64 * next <= v < 64 * bank ==> !set_has{Pre}(targets, v);
        left = pv_bit_drop_lowest(left);
        //@ ghost Begin:;
        const uint64_t ran = ask_bank(p, bank, word, context, kind, ask);
        /*@ assert frame: \forall integer v; 0 <= v < 64 * bank || 64 * bank + 64 <= v < 4096 ==>
              pv_j_asked[v] == \at(pv_j_asked[v], Begin) && pv_j_looked[v] == \at(pv_j_looked[v], Begin) &&
              pv_j_ran[v] == \at(pv_j_ran[v], Begin) && pv_j_kicked[v] == \at(pv_j_kicked[v], Begin) &&
              pv_j_under[v] == \at(pv_j_under[v], Begin); */
        /*@ assert pages: kind == 4 ==> \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> set_has{Pre}(targets, v) ==>
              pages_asked(v, ask); */
        /*@ assert old_pages: kind == 4 ==> \forall integer v; 0 <= v < 64 * bank ==> set_has{Pre}(targets, v) ==>
              pages_asked(v, ask); */
        //@ assert same_targets: targets->banks == \at(targets->banks, Pre);
        //@ assert same_words: \forall integer b; 0 <= b < 64 ==> targets->word[b] == \at(targets->word[b], Pre);
        /*@ assert now: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has{Pre}(targets, v) ==> flush_asked(v, asked_as(kind, context))) && (!set_has{Pre}(targets, v) ==> untold(v)) &&
              (mbit(ran, v % 64) <==> set_has{Pre}(targets, v) && pv_j_ran[v] == 1); */
        //@ assert old_asked: \forall integer v; 0 <= v < 64 * bank ==> set_has{Pre}(targets, v) ==> flush_asked(v, asked_as(kind, context));
        /*@ assert old_untold: \forall integer v; 0 <= v < 64 * bank || 64 * bank + 64 <= v < 4096 ==>
              (64 * bank <= v || !set_has{Pre}(targets, v)) ==> untold(v); */
        //@ assert none: ran == 0 ==> \forall integer i; 0 <= i < 64 ==> !mbit(ran, i);
        if (ran != 0) {
            kicked->word[bank] = ran;
            ran_banks = pv_bit_set(ran_banks, bank);
        }
        //@ assert ask_kept: ranges_kept{Begin, Here}(ask);
        /*@ assert all_pages: kind == 4 ==> \forall integer v; 0 <= v < 64 * bank + 64 ==> set_has{Pre}(targets, v) ==>
              pages_asked(v, ask); */
        //@ assert kept: \forall integer b; 0 <= b < 64 ==> b != bank ==> kicked->word[b] == \at(kicked->word[b], Begin);
        /*@ assert banks: \forall integer b; 0 <= b < 64 ==> b != bank ==>
              (mbit(ran_banks, b) <==> mbit(\at(ran_banks, Begin), b)); */
        //@ assert here: mbit(ran_banks, bank) <==> ran != 0;
        //@ assert word: ran != 0 ==> kicked->word[bank] == ran;
        /*@ assert this: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (mbit(ran_banks, v / 64) && mbit(kicked->word[v / 64], v % 64) <==> mbit(ran, v % 64)); */
        //@ assert below: \forall integer v; 0 <= v < 64 * bank ==> 0 <= v / 64 < bank;
        /*@ assert gap: \forall integer v; 64 * \at(next, Here) <= v < 64 * bank ==> next <= v / 64 && !mbit(ran_banks, v / 64); */
        /*@ assert old: \forall integer v; 0 <= v < 64 * bank ==>
              (mbit(ran_banks, v / 64) && mbit(kicked->word[v / 64], v % 64) <==>
               set_has{Pre}(targets, v) && pv_j_ran[v] == 1); */
        //@ ghost next = bank + 1;
    }
    //@ assert rest: \forall integer v; 64 * next <= v < 4096 ==> !set_has{Pre}(targets, v) && !mbit(ran_banks, v / 64);
    //@ assert every: kind == 4 ==> \forall integer v; 0 <= v < 4096 ==> set_has{Pre}(targets, v) ==> pages_asked(v, ask);
    //@ ghost End:;
    kicked->banks = ran_banks;
    //@ assert ask_end: ranges_kept{End, Here}(ask);
}

// Waits for every member of `kicked`.
/*@ requires ok: vps_ok(p) && \valid_read(kicked);
    requires exist: \forall integer v; set_has(kicked, v) ==> set_has(&p->present, v);
    requires kicked: \forall integer v; set_has(kicked, v) ==> pv_j_kicked[v] == 1;
    assigns  pv_j_waited[0 .. 4095], pv_j_waiting;
    ensures  fl_wait_3: \forall integer v; 0 <= v < 4096 ==> set_has(kicked, v) ==> pv_j_waited[v] == 1;
    ensures  fl_wait_4: \forall integer v; 0 <= v < 4096 ==> !set_has(kicked, v) ==> pv_j_waited[v] == \old(pv_j_waited[v]); */
PV_HELPER void wait_all(struct pv_partition *p, const struct pv_vp_set *kicked)
{
    uint64_t left = kicked->banks;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant 0 <= next <= 64;
        loop invariant \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(kicked->banks, b));
        loop invariant \forall integer v; 0 <= v < 64 * next ==> set_has(kicked, v) ==> pv_j_waited[v] == 1;
        loop invariant \forall integer v; 0 <= v < 4096 ==> (64 * next <= v || !set_has(kicked, v)) ==>
                         pv_j_waited[v] == \at(pv_j_waited[v], Pre);
        loop assigns left, next, pv_j_waited[0 .. 4095], pv_j_waiting;
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t bank = pv_bit_lowest(left);
        const uint64_t word = kicked->word[bank];
        //@ assert place: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==> v / 64 == bank && v % 64 == v - 64 * bank;
        /*@ assert members: \forall integer v; 64 * bank <= v < 64 * bank + 64 ==>
              (set_has(kicked, v) <==> mbit(word, v % 64)); */
        //@ assert passed: \forall integer v; 64 * next <= v < 64 * bank ==> !set_has(kicked, v);
        left = pv_bit_drop_lowest(left);
        wait_bank(p, bank, word);
        //@ ghost next = bank + 1;
    }
    //@ assert rest: \forall integer v; 64 * next <= v < 4096 ==> !set_has(kicked, v);
}

void pv_flush_perform(struct pv_partition *p, const struct pv_vp_set *targets, uint32_t context, uint32_t kind,
                      const struct pv_ranges *ask, struct pv_vp_set *kicked)
{
    if (targets->banks == 1) { // up to 64 VPs: the usual case, worth a shorter way
        const uint64_t word = targets->word[0];
        //@ assert place: \forall integer v; 0 <= v < 4096 ==> (v / 64 == 0 <==> v < 64) && 0 <= v / 64 < 64;
        //@ assert same: \forall integer v; 0 <= v < 64 ==> v % 64 == v;
        //@ assert members: \forall integer v; set_has{Pre}(targets, v) <==> 0 <= v < 64 && mbit(word, v % 64);
        const uint64_t ran = ask_bank(p, 0, word, context, kind, ask);
        //@ assert beyond: \forall integer v; 64 <= v < 4096 ==> untold(v);
        //@ assert asked: \forall integer v; 0 <= v < 64 ==> mbit(word, v % 64) ==> flush_asked(v, asked_as(kind, context));
        //@ assert others: \forall integer v; 0 <= v < 64 ==> !mbit(word, v % 64) ==> untold(v);
        //@ assert running: \forall integer v; 0 <= v < 64 ==> (mbit(ran, v % 64) <==> mbit(word, v % 64) && pv_j_ran[v] == 1);
        //@ assert pages: kind == 4 ==> \forall integer v; 0 <= v < 64 ==> mbit(word, v % 64) ==> pages_asked(v, ask);
        //@ assert kicked: \forall integer v; 0 <= v < 64 ==> mbit(ran, v) ==> v % 64 == v && pv_j_kicked[v] == 1;
        //@ ghost Asked:;
        if (ran != 0) {
            wait_bank(p, 0, ran);
        }
        //@ assert none: ran == 0 ==> \forall integer v; 0 <= v < 64 ==> !mbit(ran, v % 64);
        //@ assert waited: \forall integer v; 0 <= v < 64 ==> mbit(ran, v % 64) ==> pv_j_waited[v] == 1;
        /*@ assert kept: \forall integer v; 0 <= v < 64 ==> !mbit(ran, v % 64) ==>
              pv_j_waited[v] == \at(pv_j_waited[v], Asked); */
        //@ assert told: \forall integer v; 0 <= v < 64 ==> mbit(word, v % 64) ==> flush_told(v, asked_as(kind, context));
        //@ assert only: \forall integer v; 0 <= v < 64 ==> !mbit(word, v % 64) ==> untold(v);
        //@ assert still: \forall integer v; 64 <= v < 4096 ==> untold(v);
        return;
    }
    ask_all(p, targets, context, kind, ask, kicked);
    wait_all(p, kicked);
}
