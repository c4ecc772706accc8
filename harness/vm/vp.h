// SPDX-License-Identifier: BSD-2-Clause
// A virtual processor of the harness: what the core does not know about. The core's part is vp->core.
//
// Who may touch what: while a pCPU runs a VP, or has it in its hands between two runs, it alone uses the VP's
// registers and APIC. Everybody else leaves a message (vp_post_*), which the VP's pCPU takes at the next entry.
#ifndef HARNESS_VP_H
#define HARNESS_VP_H

#include "../../src/proviso.h"
#include "../base/x86.h"
#include "../svm/vmcb.h"
#include "../dev/vapic.h"

enum vp_state {
    VP_RUNNING, // a pCPU has it
    VP_READY,   // in the run queue
    VP_ASLEEP   // halted, or waiting for its start-up IPI
};

// Messages, beside interrupt vectors (bits of vp->events)
enum { EVENT_NMI = 1, EVENT_INIT = 2, EVENT_SIPI = 4, EVENT_UNHALT = 8 };

// Why a VP does not execute instructions
enum vp_activity { VP_ACTIVE, VP_HALTED, VP_WAIT_SIPI };

// Where instructions were fetched lately (vm/guest.c): valid while CR3 and the page's own entry are the same.
enum { FETCH_PAGES = 8 };
struct fetch_page {
    uint64_t cr3, page, entry, npt;
    const uint64_t *entry_at;
    const uint8_t *host;
};

struct vp {
    uint64_t gpr[16]; // numbered as the processor does; RAX and RSP live in the VMCB
    uint8_t fx[512] __attribute__((aligned(16)));
    uint64_t dr[4];
    struct pv_vmcb *vmcb;
    uint64_t vmcb_pa;
    struct pv_vmcb *own; // of what runs in the VP itself: vmcb, but while a guest of its own runs
    uint64_t hidden_pa;  // of the block in which VMLOAD and VMSAVE keep what VMRUN does not switch
    struct pv_vp *core;
    uint32_t index; // place in the array; the VP index is core->vp_index
    uint32_t apic_id;

    // The mailbox: anybody may write.
    uint64_t posted[4];
    uint32_t events;
    uint32_t sipi_page;
    uint32_t mail; // not 0: something of the above is there

    // The scheduler's (vm/sched.c)
    uint32_t state;
    uint32_t pcpu;        // where it runs or ran last
    uint32_t ready_class; // the queue it is in (vm/sched.c)
    struct vp *next_ready, *last_ready;
    bool slice_used;  // it asked to give way
    bool just_loaded; // this is its first entry since it was asleep or in the queue

    // TLB tag (svm/asid.c)
    uint64_t asid_owner; // the pCPU and its generation, as struct pcpu has it; 0: the VP needs a new one

    // Timer (vm/timer.c)
    uint64_t timer_at;   // host TSC, ~0: not armed
    uint32_t timer_list; // the pCPU that watches it, or TIMER_NONE
    uint32_t timer_slot; // where in its list

    // The VP's own
    enum vp_activity activity;
    bool wants_long_mode;  // EFER.LME as the guest sees it (vp_set_lme)
    bool idle_ignores_if;  // halted by the guest-idle MSR: any interrupt that has come wakes it
    bool gif;              // the global interrupt flag, as L1 of a nested VP has it; else set
    bool in_l2;            // vmcb is the one of a guest of this VP
    struct nested *nested; // null: nesting is not offered (vm/nested.h)
    bool nmi_pending;
    bool nmi_blocked;
    bool nmi_in_iret; // the IRET that unblocks is at nmi_iret_rip
    uint64_t nmi_iret_rip;
    uint64_t inject; // event to give at the next entry, in EVENTINJ's format; 0: none
    int offered;     // vector given as a virtual interrupt at this entry, or -1
    uint32_t pauses; // spins since it was last given the processor
    struct vapic apic;
    uint64_t assist_page; // MSR 0x40000073
    bool unhalted;        // the next HLT does not halt it (KICK_CPU)
    uint32_t
        *eoi_word; // in guest memory: bit 0 says that the next EOI need not be told; null: none (dev/vapic.c)
    bool eoi_spared; // the bit is set, for the one interrupt that is given or in service

    // Persona kvm (vm/kvm.c): MSRs, and the records in guest memory that they name; null: not in use
    uint64_t kvm_clock_msr, kvm_steal_msr, kvm_eoi_msr;
    struct kvm_clock *kvm_clock;
    struct kvm_steal *kvm_steal;
    uint64_t ready_since; // host TSC since when it waits for a pCPU; 0: not counted

    struct fetch_page fetch[FETCH_PAGES]; // by the low bits of the page number
};

extern struct vp *vps; // vps[0..vp_count-1]
extern uint32_t vp_count;
extern struct pv_partition *partition;
extern uint64_t tsc_offset; // guest TSC = host TSC + this

// Makes `count` VPs in the state after INIT; VP 0 is the one that starts.
void vp_make(uint32_t count, const struct pv_config *config);

// Real mode, waiting for a start-up IPI. (APM vol. 2, 14.1.3)
void vp_reset(struct vp *vp);
void vp_start_at(struct vp *vp, uint32_t page);

// A register by its number, wherever it lives.
static inline uint64_t *vp_reg(struct vp *vp, uint32_t n)
{
    return n == 0 ? &vp->vmcb->rax : n == 4 ? &vp->vmcb->rsp : &vp->gpr[n];
}
static inline bool vp_is_64bit(const struct vp *vp)
{
    return (vp->vmcb->efer & EFER_LMA) != 0 && (vp->vmcb->cs.attrib & SEG_L) != 0;
}
static inline uint32_t vp_cpl(const struct vp *vp)
{
    return (vp->vmcb->ss.attrib >> 5) & 3; // SS.DPL: QEMU looks at nothing else
}

// The processor gets EFER.LME only together with CR4.PAE: QEMU's #VMEXIT cannot set CR0.PG again when it meets LME without
// PAE, and goes on with the host's paging, and then the nested one, off. To call when one of the two has changed.
static inline void vp_set_lme(struct vp *vp)
{
    struct pv_vmcb *v = vp->vmcb;
    if ((v->cr0 & CR0_PG) != 0)
        return; // neither can change what LME means now
    bool lme = vp->wants_long_mode && (v->cr4 & CR4_PAE) != 0;
    v->efer = (v->efer & ~EFER_LME) | (lme ? EFER_LME : 0);
}

// Faults for the guest at its current instruction.
void vp_inject_gp(struct vp *vp);
void vp_inject_ud(struct vp *vp);

// The global interrupt flag changes. What was held while it was clear is looked at again (APM vol. 2, 15.17).
static inline void vp_set_gif(struct vp *vp, bool set)
{
    vp->gif = set;
    if (set && __atomic_load_n(&vp->events, __ATOMIC_SEQ_CST) != 0)
        __atomic_store_n(&vp->mail, 1u, __ATOMIC_SEQ_CST);
}

// Messages. They follow the order of the flush protocol: publish, full barrier, then look where the VP is.
void vp_post_vector(struct vp *vp, uint32_t vector);
void vp_post_timer(struct vp *vp, uint32_t vector); // by the VP's own timer
void vp_post_event(struct vp *vp, uint32_t event);
static inline bool vp_has_mail(const struct vp *vp)
{
    return __atomic_load_n(&vp->mail, __ATOMIC_SEQ_CST) != 0;
}
void vp_take_vectors(struct vp *vp); // the vectors only: they go to the APIC's request register
void vp_take_mail(
    struct vp *vp); // everything: INIT and start-up change the VP, so only right before an entry

struct vp *vp_by_apic_id(uint32_t apic_id); // null: none

// Loads a VP's registers into this pCPU and back into memory.
void vp_load(struct vp *vp);
void vp_save(struct vp *vp);

// Kicks every VP but those of this pCPU out of the guest and waits until each has been outside.
void vp_leave_guest_all(void);

#endif
