// SPDX-License-Identifier: BSD-2-Clause
// One function for each reason to leave the guest that takes more than a line.
#ifndef HARNESS_EXITS_H
#define HARNESS_EXITS_H

#include <stdbool.h>
#include <stdint.h>

struct vp;
struct pcpu;

// What the run loop does after an exit.
enum after_exit {
    AFTER_CONTINUE, // enter again
    AFTER_SLEEP,    // the VP has halted
    AFTER_GIVE_WAY  // another VP may have the pCPU
};

enum after_exit exit_handle(struct pcpu *me, struct vp *vp);

void exit_cpuid(struct vp *vp);
enum after_exit exit_msr(struct vp *vp);
void exit_io(struct vp *vp);
void exit_npf(struct vp *vp);
enum after_exit exit_vmmcall(struct pcpu *me, struct vp *vp);

extern bool persona_hyperv, persona_kvm; // both: KVM's leaves stand behind Hyper-V's; none: neither
extern uint64_t guest_cr4_allowed;       // CR4 bits that the guest's CPUID offers
extern uint32_t guest_address_bits;      // width of a guest physical address
void cpuid_init(void);

#endif
