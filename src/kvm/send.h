// SPDX-License-Identifier: BSD-2-Clause
// SEND_IPI: an interrupt for the VPs whose APIC ids stand in a bitmap.
#ifndef PV_KVM_SEND_H
#define PV_KVM_SEND_H

#include "../ipi/ipi.h"
#include "ids.h"

/*@ // No call of the KVM persona told VP v anything.
    predicate unheard{L}(integer v) =
      untold(v) && pv_j_nmi[v] == 0 && pv_j_unhalted[v] == 0 && pv_j_yielded[v] == 0;

    predicate unheard_by_all{L} = \forall integer v; 0 <= v < 4096 ==> unheard(v);

    // VP v got what the ICR value says (KV-IPI-6, KV-IPI-9, KV-IPI-10).
    predicate sent{L}(integer v, integer icr) =
      pv_j_unhalted[v] == 0 && pv_j_yielded[v] == 0 &&
      (icr_nmi(icr) ==> untold(v) && pv_j_nmi[v] == 1) &&
      (!icr_nmi(icr) ==> pv_j_nmi[v] == 0) &&
      (icr_hollow(icr) ==> untold(v)) &&
      (!icr_nmi(icr) ==> !icr_hollow(icr) ==> ipi_told(v, icr_vector(icr)));

    // VP v accepted it (KV-IPI-7).
    predicate accepted{L}(integer v, integer icr) = kvm_accepts(icr, pv_j_deaf[v]);

    // Nothing was sent to VP v between two moments.
    predicate sent_same{K, L}(integer v) =
      \at(pv_j_posted[v], K) == \at(pv_j_posted[v], L) && \at(pv_j_looked[v], K) == \at(pv_j_looked[v], L) &&
      \at(pv_j_ran[v], K) == \at(pv_j_ran[v], L) && \at(pv_j_kicked[v], K) == \at(pv_j_kicked[v], L) &&
      \at(pv_j_woken[v], K) == \at(pv_j_woken[v], L) && \at(pv_j_deaf[v], K) == \at(pv_j_deaf[v], L) &&
      \at(pv_j_nmi[v], K) == \at(pv_j_nmi[v], L);

    // Of a word of SEND_IPI, the VPs that accepted, as the same bits (KV-IPI-8): whoever accepted is in it, and whoever is
    // in it is a VP that was named.
    predicate took_all{L}(struct pv_partition *p, integer took, integer word, integer first, integer size, integer icr) =
      \forall integer v, a; has_id(p, v, a) ==> in_word(word, first, size, a) ==>
        (mbit(took, a - first) <==> accepted(v, icr));
    predicate took_only{L}(struct pv_partition *p, integer took, integer word, integer first, integer size) =
      \forall integer i; 0 <= i < 64 ==> mbit(took, i) ==>
        in_word(word, first, size, first + i) && id_used(p, first + i); */

// Sends what `icr` says to the VPs that the two words name from APIC id `least` on. How many accepted it.
/*@ requires ok: kvm_ok(p, k);
    requires words: long_mode == 0 ==> low < 4294967296 && high < 4294967296;
    requires blank: unheard_by_all && pv_j_waiting == 0;
    assigns  pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095],
             pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095], pv_j_nmi[0 .. 4095], pv_j_took_low, pv_j_took_high;
    ensures  kv_ipi_1: \forall integer v; set_has(&p->present, v) ==>
               kvm_sent(long_mode, icr, low, high, least, apic_of(p, v)) ==> sent(v, icr);
    ensures  kv_ipi_6: \forall integer v; 0 <= v < 4096 ==>
               !(set_has(&p->present, v) && kvm_sent(long_mode, icr, low, high, least, apic_of(p, v))) ==> unheard(v);
    ensures  kv_ipi_8: \result == popcount(pv_j_took_low) + popcount(pv_j_took_high);
    ensures  took_low: !icr_void(icr) ==>
               took_all(p, pv_j_took_low, low, least, word_size(long_mode), icr) &&
               took_only(p, pv_j_took_low, low, least, word_size(long_mode));
    ensures  took_high: !icr_void(icr) ==>
               took_all(p, pv_j_took_high, high, least + word_size(long_mode), word_size(long_mode), icr) &&
               took_only(p, pv_j_took_high, high, least + word_size(long_mode), word_size(long_mode));
    ensures  nobody: icr_void(icr) ==> \result == 0; */
PV_INNER uint32_t pv_kvm_send(struct pv_partition *p, const struct pv_kvm *k, uint32_t long_mode, uint64_t low,
                              uint64_t high, uint32_t least, uint64_t icr);

#endif
