// SPDX-License-Identifier: BSD-2-Clause
// The hypercalls of the KVM persona.
#include "call.h"
#include "kvm.h"
#include "../base/clamp.h"
#include "../platform.h"
#include "abi.h"
#include "calls.h"
#include "laws.h"

// The place of the VP with this APIC id; vp_count if there is none.
/*@ requires ok: kvm_ok(p, k);
    assigns  \nothing;
    ensures  kv_idx_1: \result <= p->vp_count;
    ensures  found: \result < p->vp_count ==> has_id(p, p->vps[\result].vp_index, id) &&
               p->position[p->vps[\result].vp_index] == \result;
    ensures  nobody: \result == p->vp_count ==> \forall integer v; !has_id(p, v, id); */
PV_HELPER uint32_t place_of_id(const struct pv_partition *p, const struct pv_kvm *k, uint64_t id)
{
    if (id >= k->ids) {
        return p->vp_count;
    }
    const uint32_t place = k->place[pv_index_clamp((uint32_t)id, k->ids)];
    return place < p->vp_count ? place : p->vp_count;
}

// Gives the caller's time to another VP.
/*@ requires valid: \valid(vp) && vp->vp_index < 4096 && \valid_read(caller);
    requires blank: pv_j_yielded[vp->vp_index] == 0;
    assigns  pv_j_yielded[vp->vp_index];
    ensures  kv_yield_3: pv_j_yielded[vp->vp_index] ==
               (vp->vp_index == caller->vp_index ? 0 : 1 + pv_j_unhalted[vp->vp_index]); */
PV_HELPER void yield_to(const struct pv_partition *p, const struct pv_vp *caller, struct pv_vp *vp)
{
    if (vp->vp_index != caller->vp_index) {
        pv_platform_yield_to(p, vp);
    }
}

// KICK_CPU.
/*@ requires ok: kvm_ok(p, k) && \valid_read(caller);
    requires blank: unheard_by_all;
    assigns  pv_j_unhalted[0 .. 4095], pv_j_yielded[0 .. 4095];
    ensures  kv_kick_1: \forall integer v; has_id(p, v, id) ==> kicked(v, caller->vp_index);
    ensures  only: \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, id) ==> unheard(v); */
PV_HELPER void kick(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller, uint64_t id)
{
    const uint32_t place = place_of_id(p, k, id);
    if (place < p->vp_count) {
        struct pv_vp *vp = &p->vps[pv_index_clamp(place, p->vp_count)];
        //@ ghost uint32_t v = vp->vp_index;
        //@ assert there: has_id(p, v, id) && v < 4096 && unheard(v);
        //@ assert only: \forall integer w; has_id(p, w, id) ==> w == v;
        pv_platform_unhalt(p, vp);
        yield_to(p, caller, vp);
        //@ assert told: kicked(v, caller->vp_index);
    }
}

// SCHED_YIELD.
/*@ requires ok: kvm_ok(p, k) && \valid_read(caller);
    requires blank: unheard_by_all;
    assigns  pv_j_yielded[0 .. 4095];
    ensures  kv_yield_1: \forall integer v; has_id(p, v, id) ==> yielded(v, caller->vp_index);
    ensures  only: \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, id) ==> unheard(v); */
PV_HELPER void give_way(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller, uint64_t id)
{
    const uint32_t place = place_of_id(p, k, id);
    if (place < p->vp_count) {
        struct pv_vp *vp = &p->vps[pv_index_clamp(place, p->vp_count)];
        //@ ghost uint32_t v = vp->vp_index;
        //@ assert there: has_id(p, v, id) && v < 4096 && unheard(v);
        //@ assert only: \forall integer w; has_id(p, w, id) ==> w == v;
        yield_to(p, caller, vp);
        //@ assert told: yielded(v, caller->vp_index);
    }
}

// SEND_IPI: how many accepted.
/*@ requires ok: kvm_ok(p, k) && \valid_read(call);
    requires blank: unheard_by_all && pv_j_waiting == 0;
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095], pv_j_took_low, pv_j_took_high;
    ensures  kv_ipi_1: \forall integer v; set_has(&p->present, v) ==> sends_to(call, apic_of(p, v)) ==>
               sent(v, call->rsi);
    ensures  kv_ipi_6: \forall integer v; 0 <= v < 4096 ==>
               !(set_has(&p->present, v) && sends_to(call, apic_of(p, v))) ==> unheard(v);
    ensures  kv_ipi_8: took_right(p, call);
    ensures  count: \result == popcount(pv_j_took_low) + popcount(pv_j_took_high) && \result <= 128; */
PV_HELPER uint32_t send(struct pv_partition *p, const struct pv_kvm *k, const struct pv_call *call)
{
    const uint32_t mode = call->long_mode;
    const uint64_t low = pv_kvm_reg(mode, call->rbx);
    const uint64_t high = pv_kvm_reg(mode, call->rcx);
    return pv_kvm_send(p, k, mode, low, high, pv_kvm_u32(call->rdx), call->rsi);
}

// The whole call but for its result register.
/*@ requires ok: kvm_ok(p, k) && \valid_read(call) && \valid_read(caller) && caller->vp_index < 4096;
    requires blank: journal_blank && unheard_by_all;
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095], pv_j_unhalted[0 .. 4095],
             pv_j_yielded[0 .. 4095], pv_j_took_low, pv_j_took_high;
    ensures  range: -1000 <= \result <= 1000;
    ensures  kv_num_2: kvm_verdict_of(k, call) != 0 ==> unheard_by_all;
    ensures  error: kvm_number(call) != 10 || kvm_verdict_of(k, call) != 0 ==> \result == kvm_verdict_of(k, call);
    ensures  kv_poll_1: kvm_number(call) != 5 ==> kvm_number(call) != 10 ==> kvm_number(call) != 11 ==> unheard_by_all;
    ensures  kv_kick_1: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 5 ==>
               \forall integer v; has_id(p, v, kvm_kick_id(call->rcx)) ==> kicked(v, caller->vp_index);
    ensures  kv_kick_2: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 5 ==>
               \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, kvm_kick_id(call->rcx)) ==> unheard(v);
    ensures  kv_yield_1: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 11 ==>
               \forall integer v; has_id(p, v, kvm_yield_id(call->long_mode, call->rbx)) ==>
                 yielded(v, caller->vp_index);
    ensures  kv_yield_2: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 11 ==>
               \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, kvm_yield_id(call->long_mode, call->rbx)) ==>
                 unheard(v);
    ensures  kv_ipi_1: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 10 ==>
               \forall integer v; set_has(&p->present, v) ==> sends_to(call, apic_of(p, v)) ==> sent(v, call->rsi);
    ensures  kv_ipi_6: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 10 ==>
               \forall integer v; 0 <= v < 4096 ==>
                 !(set_has(&p->present, v) && sends_to(call, apic_of(p, v))) ==> unheard(v);
    ensures  kv_ipi_8: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 10 ==> took_right(p, call);
    ensures  count: kvm_verdict_of(k, call) == 0 ==> kvm_number(call) == 10 ==>
               \result == popcount(pv_j_took_low) + popcount(pv_j_took_high); */
PV_HELPER int32_t serve(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller,
                        const struct pv_call *call)
{
    const uint32_t mode = call->long_mode;
    const uint64_t number = pv_kvm_reg(mode, call->rax);
    const int32_t verdict = pv_kvm_verdict(call->cpl, k->features, number, call->rsi);

    if (verdict != 0) {
        return verdict;
    }
    switch (number) {
    case CALL_KICK_CPU:
        kick(p, k, caller, pv_kvm_u32(call->rcx));
        return 0;
    case CALL_SCHED_YIELD:
        give_way(p, k, caller, pv_kvm_reg(mode, call->rbx));
        return 0;
    case CALL_SEND_IPI:
        return (int32_t)send(p, k, call);
    default: // VAPIC_POLL_IRQ
        return 0;
    }
}

void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call)
{
    const int32_t result = serve(p, k, caller, call);
    //@ ghost Told:;
    call->rax = pv_kvm_result(call->long_mode, result);
    //@ assert words: \forall integer b; 0 <= b < 64 ==> p->present.word[b] == \at(p->present.word[b], Told);
    //@ assert banks: p->present.banks == \at(p->present.banks, Told);
    //@ assert members: \forall integer v; set_has(&p->present, v) <==> set_has{Told}(&p->present, v);
    //@ assert ids: \forall integer v, a; has_id(p, v, a) <==> has_id{Told}(p, v, a);
    //@ assert used: \forall integer a; id_used(p, a) <==> id_used{Told}(p, a);
    //@ assert arguments: call->rbx == \at(call->rbx, Told) && call->rcx == \at(call->rcx, Told);
    //@ assert more: call->rdx == \at(call->rdx, Told) && call->rsi == \at(call->rsi, Told);
    /*@ assert kept_all: \forall integer t, w, f, s, i; took_all{Told}(p, t, w, f, s, i) ==> took_all(p, t, w, f, s, i); */
    /*@ assert kept_only: \forall integer t, w, f, s; took_only{Told}(p, t, w, f, s) ==> took_only(p, t, w, f, s); */
    //@ assert kept: took_right{Told}(p, call) ==> took_right(p, call);
}
