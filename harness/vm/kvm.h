// SPDX-License-Identifier: BSD-2-Clause
// The persona "kvm": hypercalls, CPUID leaves and the legality of MSR writes are the core's (src/kvm/); clocks, the steal
// time record and the EOI word, which the core leaves to its embedder, are here.
#ifndef HARNESS_KVM_H
#define HARNESS_KVM_H

#include "../../src/proviso.h"
#include "exits.h"

extern struct pv_kvm kvm;

// After the clocks are known and the partition is made.
void kvm_init(void);

// False: not one of this persona's registers, or #GP.
bool kvm_msr_read(const struct vp *vp, uint32_t msr, uint64_t *value);
bool kvm_msr_write(struct vp *vp, uint32_t msr, uint64_t value);

// VMMCALL by KVM's register map.
enum after_exit kvm_call(struct pcpu *me, struct vp *vp);

// The VP's records in guest memory are forgotten: it was reset.
void kvm_forget(struct vp *vp);

// The VP's TSC has another offset.
void kvm_clock_moved(struct vp *vp);

// The VP, whose steal time record is in use, has a pCPU again / loses it between two guest instructions to a host interrupt.
void kvm_runs_again(struct vp *vp);
void kvm_preempted(struct vp *vp);

#endif
