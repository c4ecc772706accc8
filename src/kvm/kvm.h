// SPDX-License-Identifier: BSD-2-Clause
// The KVM persona: what a guest gets that finds the signature "KVMKVMKVM". Set-up, CPUID leaves, hypercalls (KICK_CPU,
// SEND_IPI, SCHED_YIELD), legality of MSR writes, the preempted byte of the steal time record, and the clock's scale.
#ifndef PV_KVM_H
#define PV_KVM_H

#include "../types.h"

// Makes *k the persona of *p: fills place[0..ids-1] from the VPs that p has now. False, and nothing in *k or place may be
// used, when base is neither 0x40000000 nor 0x40000100, features has an unknown bit or PV_KVM_PV_TLB_FLUSH without
// PV_KVM_STEAL_TIME, ids is not 1..PV_APIC_IDS, a VP's APIC id is ids or above, or two VPs have the same. (KV-SET-1)
bool pv_kvm_init(struct pv_kvm *k, const struct pv_partition *p, uint32_t base, uint32_t features, uint32_t hints,
                 uint16_t *place, uint32_t ids);

// CPUID leaves base..base+0xFF: signature and features; all zero for a leaf that is not implemented.
void pv_kvm_cpuid(const struct pv_kvm *k, uint32_t leaf, struct pv_cpuid *out);

// The guest executed the hypercall instruction; the contract stands in call.h. Only call->rax changes; the embedder goes on behind the instruction (3
// bytes), whatever the answer is.
void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call);

// Is this a legal write of one of the persona's MSRs? PV_MSR_DONE, PV_MSR_FAULT_GP or PV_MSR_UNKNOWN; what it does is the
// embedder's.
enum pv_msr_result pv_kvm_msr_check(const struct pv_kvm *k, uint32_t msr, uint64_t value);

// The byte `preempted` of a VP's steal time record, in guest memory. Before the VP runs: clears it, and is true when the
// VP must flush all its translations, after this call and before its next guest instruction. (KV-STEAL-1)
bool pv_kvm_steal_enter(uint8_t *preempted);

// The VP is kept from running, and stands between two guest instructions: says so in the byte, if that is 0. Nothing else
// may ever write to the byte. (KV-STEAL-4)
void pv_kvm_steal_leave(uint8_t *preempted);

// The scale of a clock of hz (1..2^40) ticks a second: shift and mul (2^31..2^32-1), such that a guest that reads
// ((ticks shifted by shift) * mul) >> 32 has the nanoseconds. It never reads more than have passed, and less by no more
// than 2 and one in 2^31. (KV-CLOCK-1)
void pv_kvm_clock_scale(uint64_t hz, uint32_t *mul, int8_t *shift);

#endif
