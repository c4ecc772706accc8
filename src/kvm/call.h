// SPDX-License-Identifier: BSD-2-Clause
// What pv_kvm_hypercall does, in the model's words.
#ifndef PV_KVM_CALL_H
#define PV_KVM_CALL_H

#include "kvm.h"
#include "ids.h"
#include "send.h"

/*@ logic integer kvm_number{L}(struct pv_call *call) = kvm_reg(call->long_mode, call->rax);

    // KV-CPL-1, KV-NUM-2, KV-IPI-2
    logic integer kvm_verdict_of{L}(struct pv_kvm *k, struct pv_call *call) =
      kvm_verdict(call->cpl, k->features, kvm_reg(call->long_mode, call->rax), call->rsi);

    // SEND_IPI in these registers names APIC id a, and something is sent (KV-IPI-1, KV-IPI-4).
    predicate sends_to{L}(struct pv_call *call, integer a) =
      kvm_sent(call->long_mode, call->rsi, kvm_reg(call->long_mode, call->rbx), kvm_reg(call->long_mode, call->rcx),
               kvm_u32(call->rdx), a);

    // The bits of those that accepted, of both words (KV-IPI-8).
    predicate took_right{L}(struct pv_partition *p, struct pv_call *call) =
      !icr_void(call->rsi) ==>
      took_all(p, pv_j_took_low, kvm_reg(call->long_mode, call->rbx), kvm_u32(call->rdx), word_size(call->long_mode),
               call->rsi) &&
      took_only(p, pv_j_took_low, kvm_reg(call->long_mode, call->rbx), kvm_u32(call->rdx),
                word_size(call->long_mode)) &&
      took_all(p, pv_j_took_high, kvm_reg(call->long_mode, call->rcx), kvm_u32(call->rdx) + word_size(call->long_mode),
               word_size(call->long_mode), call->rsi) &&
      took_only(p, pv_j_took_high, kvm_reg(call->long_mode, call->rcx),
                kvm_u32(call->rdx) + word_size(call->long_mode), word_size(call->long_mode));

    // KV-KICK-1: VP v goes on behind its HLT. KV-KICK-3: and then it is given the caller's time, unless it is the caller.
    predicate kicked{L}(integer v, integer caller) =
      untold(v) && pv_j_nmi[v] == 0 && pv_j_unhalted[v] == 1 && pv_j_yielded[v] == (v == caller ? 0 : 2);

    // KV-YIELD-1: VP v is given the caller's time; KV-YIELD-3: unless it is the caller.
    predicate yielded{L}(integer v, integer caller) =
      untold(v) && pv_j_nmi[v] == 0 && pv_j_unhalted[v] == 0 && pv_j_yielded[v] == (v == caller ? 0 : 1); */

/*@ requires ok: kvm_ok(p, k) && \valid(call) && \valid_read(caller) && caller->vp_index < 4096;
    requires apart: \separated(call, p, k, caller) && \separated(call, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(call, k->place + (0 .. k->ids - 1));
    requires blank: journal_blank && unheard_by_all;
    assigns  call->rax, pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095], pv_j_unhalted[0 .. 4095],
             pv_j_yielded[0 .. 4095], pv_j_took_low, pv_j_took_high;
    ensures  kv_abi_2: \old(kvm_number(call)) != 10 || \old(kvm_verdict_of(k, call)) != 0 ==>
               call->rax == kvm_result(call->long_mode, \old(kvm_verdict_of(k, call)));
    ensures  kv_num_2: \old(kvm_verdict_of(k, call)) != 0 ==> unheard_by_all;
    ensures  kv_poll_1: \old(kvm_number(call)) != 5 ==> \old(kvm_number(call)) != 10 ==> \old(kvm_number(call)) != 11 ==>
               unheard_by_all;
    ensures  kv_kick_1: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 5 ==>
               \forall integer v; has_id(p, v, kvm_kick_id(call->rcx)) ==> kicked(v, caller->vp_index);
    ensures  kv_kick_2: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 5 ==>
               \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, kvm_kick_id(call->rcx)) ==> unheard(v);
    ensures  kv_yield_1: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 11 ==>
               \forall integer v; has_id(p, v, kvm_yield_id(call->long_mode, call->rbx)) ==>
                 yielded(v, caller->vp_index);
    ensures  kv_yield_2: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 11 ==>
               \forall integer v; 0 <= v < 4096 ==> !has_id(p, v, kvm_yield_id(call->long_mode, call->rbx)) ==>
                 unheard(v);
    ensures  kv_ipi_1: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 10 ==>
               \forall integer v; set_has(&p->present, v) ==> sends_to(call, apic_of(p, v)) ==> sent(v, call->rsi);
    ensures  kv_ipi_6: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 10 ==>
               \forall integer v; 0 <= v < 4096 ==>
                 !(set_has(&p->present, v) && sends_to(call, apic_of(p, v))) ==> unheard(v);
    ensures  kv_ipi_8: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 10 ==>
               took_right(p, call);
    ensures  kv_abi_4: \old(kvm_verdict_of(k, call)) == 0 ==> \old(kvm_number(call)) == 10 ==>
               call->rax == kvm_result(call->long_mode, popcount(pv_j_took_low) + popcount(pv_j_took_high)); */
void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call);

#endif
