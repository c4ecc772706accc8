// SPDX-License-Identifier: BSD-2-Clause
#include "send.h"
#include "../base/bits.h"
#include "../base/clamp.h"
#include "../base/laws.h"
#include "../base/shared.h"
#include "../platform.h"
#include "abi.h"
#include "laws.h"

// One VP; true if it accepted.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096;
    requires blank: unheard(vp->vp_index) && pv_j_waiting == 0;
    assigns  pv_j_posted[vp->vp_index], pv_j_looked[vp->vp_index], pv_j_ran[vp->vp_index], pv_j_kicked[vp->vp_index],
             pv_j_woken[vp->vp_index], pv_j_deaf[vp->vp_index], pv_j_nmi[vp->vp_index];
    ensures  kv_ipi_9: sent(vp->vp_index, icr);
    ensures  kv_ipi_7: \result <==> accepted(vp->vp_index, icr); */
PV_HELPER bool send_vp(const struct pv_partition *p, struct pv_vp *vp, uint64_t icr)
{
    if (pv_icr_nmi(icr)) {
        pv_platform_nmi(p, vp);
        return true;
    }
    const uint32_t vector = pv_icr_vector(icr);
    if (vector < 16) { // KV-IPI-10: no interrupt has such a vector
        return pv_shared_apic_enabled(vp);
    }
    return pv_ipi_tell(p, vp, vector);
}

// The VP with this APIC id, if there is one; true if it accepted.
/*@ requires ok: kvm_ok(p, k) && id < k->ids;
    requires blank: pv_j_waiting == 0 && \forall integer v; has_id(p, v, id) ==> unheard(v);
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095];
    ensures  sent: \forall integer v; has_id(p, v, id) ==> sent(v, icr);
    ensures  same: \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, id) ==> sent_same{Pre, Post}(v);
    ensures  took: \forall integer v; has_id(p, v, id) ==> (\result <==> accepted(v, icr));
    ensures  somebody: \result ==> id_used(p, id); */
PV_HELPER bool send_id(struct pv_partition *p, const struct pv_kvm *k, uint32_t id, uint64_t icr)
{
    const uint32_t place = k->place[pv_index_clamp(id, k->ids)];
    if (place >= p->vp_count) {
        //@ assert nobody: \forall integer v; !has_id(p, v, id);
        return false;
    }
    struct pv_vp *vp = &p->vps[pv_index_clamp(place, p->vp_count)];
    //@ ghost uint32_t v = vp->vp_index;
    //@ assert there: has_id(p, v, id) && v < 4096;
    //@ assert only: \forall integer w; has_id(p, w, id) ==> w == v;
    return send_vp(p, vp, icr);
}

// The VPs of one word, whose bit 0 is APIC id `first`: those that accepted, as the same bits.
/*@ requires ok: kvm_ok(p, k) && first < 8589934592;
    requires blank: pv_j_waiting == 0 && \forall integer v; set_has(&p->present, v) ==>
               in_word(word, first, 64, apic_of(p, v)) ==> unheard(v);
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095];
    ensures  sent: \forall integer v; set_has(&p->present, v) ==> in_word(word, first, 64, apic_of(p, v)) ==>
               sent(v, icr);
    ensures  same: \forall integer v; 0 <= v < 4096 ==>
               !(set_has(&p->present, v) && in_word(word, first, 64, apic_of(p, v))) ==> sent_same{Pre, Post}(v);
    ensures  kv_ipi_8: took_all(p, \result, word, first, 64, icr);
    ensures  only: took_only(p, \result, word, first, 64); */
PV_HELPER uint64_t send_word(struct pv_partition *p, const struct pv_kvm *k, uint64_t word, uint64_t first,
                             uint64_t icr)
{
    uint64_t left = word;
    uint64_t took = 0;
    //@ ghost uint32_t next = 0;

    /*@ loop invariant range: 0 <= next <= 64;
        loop invariant left: \forall integer b; 0 <= b < 64 ==> (mbit(left, b) <==> next <= b && mbit(word, b));
        loop invariant sent: \forall integer v; set_has(&p->present, v) ==> in_word(word, first, next, apic_of(p, v)) ==>
                         sent(v, icr);
        loop invariant same: \forall integer v; 0 <= v < 4096 ==>
                         !(set_has(&p->present, v) && in_word(word, first, next, apic_of(p, v))) ==>
                         sent_same{Pre, Here}(v);
        loop invariant took: took_all(p, took, word, first, next, icr);
        loop invariant only: took_only(p, took, word, first, next);
        loop assigns left, took, next, pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095],
                     pv_j_kicked[0 .. 4095], pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095];
        loop variant 64 - next; */
    while (left != 0) {
        const uint32_t i = pv_bit_lowest(left);
        const uint64_t id = first + i;
        if (id >= k->ids) {
            break; // and so are all that follow
        }
        left = pv_bit_drop_lowest(left);
        //@ assert more: \forall integer a; in_word(word, first, i + 1, a) <==> in_word(word, first, next, a) || a == id;
        //@ ghost uint64_t before = took;
        //@ ghost Before:;
        const bool accepted = send_id(p, k, (uint32_t)id, icr);
        took = accepted ? pv_bit_set(took, i) : took;
        //@ assert bits: \forall integer b; 0 <= b < 64 ==> (mbit(took, b) <==> mbit(before, b) || (accepted && b == i));
        //@ assert clear: \forall integer b; next <= b < 64 ==> !mbit(before, b);
        /*@ assert old_bits: \forall integer b; 0 <= b < 64 ==> mbit(before, b) ==>
              in_word(word, first, i + 1, first + b) && id_used(p, first + b); */
        //@ assert new_bit: accepted ==> in_word(word, first, i + 1, first + i) && id_used(p, first + i);
        /*@ assert all_bits: \forall integer b; 0 <= b < 64 ==> mbit(took, b) ==>
              in_word(word, first, i + 1, first + b) && id_used(p, first + b); */
        //@ assert only: took_only(p, took, word, first, i + 1);
        //@ assert now: \forall integer v; has_id(p, v, id) ==> (mbit(took, id - first) <==> accepted(v, icr));
        /*@ assert then: \forall integer v, a; has_id(p, v, a) ==> in_word(word, first, next, a) ==>
              a != id && sent_same{Before, Here}(v) && (mbit(took, a - first) <==> mbit(before, a - first)); */
        /*@ assert still: \forall integer v, a; has_id(p, v, a) ==> in_word(word, first, next, a) ==>
              (mbit(took, a - first) <==> accepted(v, icr)); */
        //@ assert all: took_all(p, took, word, first, i + 1, icr);
        //@ ghost next = i + 1;
    }
    /*@ assert rest: \forall integer v; set_has(&p->present, v) ==>
          (in_word(word, first, 64, apic_of(p, v)) <==> in_word(word, first, next, apic_of(p, v))); */
    //@ assert wider: \forall integer a; in_word(word, first, next, a) ==> in_word(word, first, 64, a);
    return took;
}

uint32_t pv_kvm_send(struct pv_partition *p, const struct pv_kvm *k, uint32_t long_mode, uint64_t low, uint64_t high,
                     uint32_t least, uint64_t icr)
{
    //@ ghost pv_j_took_low = 0;
    //@ ghost pv_j_took_high = 0;
    if (pv_icr_void(icr)) {
        return 0;
    }
    const uint64_t size = long_mode != 0 ? 64 : 32;
    const uint64_t first = send_word(p, k, low, least, icr);
    //@ ghost pv_j_took_low = first;
    //@ assert size: size == word_size(long_mode);
    //@ ghost First:;
    //@ assert short: long_mode == 0 ==> \forall integer b; 32 <= b ==> !mbit(low, b) && !mbit(high, b);
    //@ assert all_low: \forall integer a; in_word(low, least, 64, a) <==> in_word(low, least, size, a);
    /*@ assert all_high: \forall integer a; in_word(high, least + size, 64, a) <==>
          in_word(high, least + size, size, a); */
    //@ assert apart: \forall integer a; !(in_word(low, least, 64, a) && in_word(high, least + size, 64, a));
    /*@ assert named: \forall integer a; kvm_sent(long_mode, icr, low, high, least, a) <==>
          in_word(low, least, 64, a) || in_word(high, least + size, 64, a); */
    const uint64_t second = send_word(p, k, high, least + size, icr);
    //@ ghost pv_j_took_high = second;
    //@ assert high_all: took_all(p, second, high, least + size, size, icr);
    //@ assert high_only: took_only(p, second, high, least + size, size);
    /*@ assert kept: \forall integer v; set_has(&p->present, v) ==> in_word(low, least, 64, apic_of(p, v)) ==>
          sent_same{First, Here}(v); */
    /*@ assert still: \forall integer v; set_has(&p->present, v) ==> in_word(low, least, 64, apic_of(p, v)) ==>
          sent(v, icr) && (accepted(v, icr) <==> accepted{First}(v, icr)); */
    return pv_bit_count(first) + pv_bit_count(second);
}
