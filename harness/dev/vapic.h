// SPDX-License-Identifier: BSD-2-Clause
// The virtual local APIC of a VP (APM vol. 2, chapter 16): xAPIC registers in memory and x2APIC MSRs are two views of
// the same registers, named here by their offset divided by 16, as the MSR numbers are.
#ifndef HARNESS_VAPIC_H
#define HARNESS_VAPIC_H

#include <stdbool.h>
#include <stdint.h>

struct vp;

enum { VAPIC_BASE = 0xFEE00000 };
enum { LVT_TIMER, LVT_THERMAL, LVT_PERF, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVTS };
enum { VAPIC_HZ = 1000000000 }; // the timer's input clock

struct vapic {
    uint64_t irr[4], isr[4];
    uint64_t base_msr;
    uint32_t tpr, ldr, dfr, svr, esr, esr_new;
    uint64_t icr;
    uint32_t lvt[LVTS];
    uint32_t divide;
    uint32_t initial_count;
    uint64_t count_start;    // host TSC at which the count began
    uint64_t deadline_guest; // TSC-deadline MSR as the guest wrote it
};

void vapic_reset(struct vp *vp, bool power_on);

bool vapic_enabled(const struct vp *vp); // by the base MSR
bool vapic_is_x2(const struct vp *vp);

// Register access. False: no such register, or a reserved bit is set (a fault in x2APIC mode, ignored in memory).
bool vapic_read(struct vp *vp, uint32_t reg, uint64_t *value);
bool vapic_write(struct vp *vp, uint32_t reg, uint64_t value);

// MSR 0x1B: false for a change that the architecture forbids.
bool vapic_write_base(struct vp *vp, uint64_t value);

// TSC-deadline MSR.
uint64_t vapic_read_deadline(const struct vp *vp);
void vapic_write_deadline(struct vp *vp, uint64_t value);

// The word in guest memory whose bit 0 spares the next EOI (KVM's PV EOI, Hyper-V's "no EOI required"); null: none.
void vapic_eoi_word(struct vp *vp, uint32_t *word);
// Before an entry: sets the bit when the offered interrupt will be the only one, takes it back when another one waits.
void vapic_spare_eoi(struct vp *vp);
// After an exit: has the guest made use of it?
void vapic_look_for_spared_eoi(struct vp *vp, bool taken);

// End of interrupt, without and with the check of the written value.
void vapic_eoi(struct vp *vp);
// An interrupt command, in the form of the x2APIC register: destination in 63:32.
void vapic_command(struct vp *vp, uint64_t icr);

// The highest vector of a set, or -1.
int vapic_highest(const uint64_t set[4]);

// The vector that is to be delivered next, or -1: above the priority of what is in service and of the TPR.
int vapic_pending(const struct vp *vp);
// The highest requested vector above what is in service, TPR aside, or -1.
int vapic_highest_requested(const struct vapic *a);
static inline int vapic_requested(const struct vapic *a)
{
    return (a->irr[0] | a->irr[1] | a->irr[2] | a->irr[3]) == 0 ? -1 : vapic_highest_requested(a);
}
// The vector goes from requested to in service.
void vapic_accept(struct vp *vp, uint32_t vector);

// The VP's timer is due: posts its interrupt; the next moment (host TSC), ~0 for none.
uint64_t vapic_timer_fired(struct vp *vp, uint64_t due, uint64_t now);

// An interrupt from the outside (IOAPIC).
void vapic_deliver(uint32_t destination, bool logical, uint32_t mode, uint32_t vector);

#endif
