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
        //@ assert only: \forall integer v; has_id(p, v, id) ==> v == vp->vp_index;
        pv_platform_unhalt(p, vp);
        yield_to(p, caller, vp);
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
        //@ assert only: \forall integer v; has_id(p, v, id) ==> v == vp->vp_index;
        yield_to(p, caller, vp);
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

void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call)
{
    const uint32_t mode = call->long_mode;
    const uint64_t number = pv_kvm_reg(mode, call->rax);
    int32_t result = pv_kvm_verdict(call->cpl, k->features, number, call->rsi);

    if (result == 0) {
        switch (number) {
        case CALL_KICK_CPU:
            kick(p, k, caller, pv_kvm_u32(call->rcx));
            break;
        case CALL_SCHED_YIELD:
            give_way(p, k, caller, pv_kvm_reg(mode, call->rbx));
            break;
        case CALL_SEND_IPI:
            result = (int32_t)send(p, k, call);
            break;
        default: // VAPIC_POLL_IRQ
            break;
        }
    }
    call->rax = pv_kvm_result(mode, result);
}
