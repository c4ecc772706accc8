// SPDX-License-Identifier: BSD-2-Clause
// The KVM persona: what a guest gets that finds the signature "KVMKVMKVM". Set-up, CPUID leaves, hypercalls (KICK_CPU,
// SEND_IPI, SCHED_YIELD), legality of MSR writes, the preempted byte of the steal time record, and the clock's scale.
#ifndef PV_KVM_H
#define PV_KVM_H

#include "../types.h"
#include "../base/journal.h"
#include "../setup/partition.h"
#include "ids.h"

// Makes *k the persona of *p: fills place[0..ids-1] from the VPs that p has now. False, and nothing in *k or place may be
// used, when base is neither 0x40000000 nor 0x40000100, features has an unknown bit or PV_KVM_PV_TLB_FLUSH without
// PV_KVM_STEAL_TIME, ids is not 1..PV_APIC_IDS, a VP's APIC id is ids or above, or two VPs have the same. (KV-SET-1)
/*@ requires valid: \valid(k) && \valid(p) && \valid(place + (0 .. ids - 1));
    requires apart: \separated(k, p, place + (0 .. ids - 1)) && \separated(k, p->vps + (0 .. p->vp_capacity - 1)) &&
                    \separated(place + (0 .. ids - 1), p->vps + (0 .. p->vp_capacity - 1));
    requires ok: partition_ok(p);
    assigns  *k, place[0 .. ids - 1];
    ensures  kv_set_1: \result <==> kvm_config(base, features, ids) && ids_fit(p, ids);
    ensures  kv_set_2: \result ==> kvm_ok(p, k);
    ensures  as_said: \result ==> k->base == base && k->features == features && k->hints == hints && k->ids == ids &&
               k->place == place; */
bool pv_kvm_init(struct pv_kvm *k, const struct pv_partition *p, uint32_t base, uint32_t features, uint32_t hints,
                 uint16_t *place, uint32_t ids);

// CPUID leaves base..base+0xFF: signature and features; all zero for a leaf that is not implemented.
/*@ requires valid: \valid_read(k) && \valid(out) && \separated(k, out);
    requires config: kvm_config(k->base, k->features, k->ids);
    assigns  *out;
    ensures  kv_leaf_1: out->eax == kvm_eax(k->base, k->features, leaf) && out->ebx == kvm_ebx(k->base, leaf);
    ensures  kv_leaf_2: out->ecx == kvm_ecx(k->base, leaf) && out->edx == kvm_edx(k->base, k->hints, leaf); */
void pv_kvm_cpuid(const struct pv_kvm *k, uint32_t leaf, struct pv_cpuid *out);

// The guest executed the hypercall instruction; the contract stands in call.h. Only call->rax changes; the embedder goes on behind the instruction (3
// bytes), whatever the answer is.
void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call);

// Is this a legal write of one of the persona's MSRs? PV_MSR_DONE, PV_MSR_FAULT_GP or PV_MSR_UNKNOWN; what it does is the
// embedder's.
/*@ requires valid: \valid_read(k);
    assigns  \nothing;
    ensures  kv_msr_1: \result == kvm_msr_result(k->features, msr, value); */
enum pv_msr_result pv_kvm_msr_check(const struct pv_kvm *k, uint32_t msr, uint64_t value);

// The byte `preempted` of a VP's steal time record, in guest memory. Before the VP runs: clears it, and is true when the
// VP must flush all its translations, after this call and before its next guest instruction. (KV-STEAL-1)
/*@ requires valid: \valid(preempted);
    assigns  pv_j_preempted, pv_j_steal;
    ensures  kv_steal_1: pv_j_steal == 1;
    ensures  kv_steal_2: \result <==> flush_wanted(pv_j_preempted); */
bool pv_kvm_steal_enter(uint8_t *preempted);

// The VP is kept from running, and stands between two guest instructions: says so in the byte, if that is 0. Nothing else
// may ever write to the byte. (KV-STEAL-4)
/*@ requires valid: \valid(preempted);
    assigns  pv_j_steal;
    ensures  kv_steal_4: pv_j_steal == 2; */
void pv_kvm_steal_leave(uint8_t *preempted);

// The scale of a clock of hz (1..2^40) ticks a second: shift and mul (2^31..2^32-1), such that a guest that reads
// ((ticks shifted by shift) * mul) >> 32 has the nanoseconds. It never reads more than have passed, and less by no more
// than 2 and one in 2^31. (KV-CLOCK-1)
/*@ requires valid: \valid(mul) && \valid(shift);
    requires hz: 1 <= hz <= 1099511627776;
    assigns  *mul, *shift;
    ensures  kv_clock_1: clock_right(hz, *mul, *shift);
    ensures  kv_clock_2: -10 <= *shift <= 30; */
void pv_kvm_clock_scale(uint64_t hz, uint32_t *mul, int8_t *shift);

#endif
