// SPDX-License-Identifier: BSD-2-Clause
// The run loop of a pCPU. The order inside enter() is that of the flush protocol (src/proviso.h): mark the VP as in
// the guest, then take what is pending, then run; a message that comes after the look finds the mark and kicks.
#include "svm.h"
#include "vmcb.h"
#include "../base/end.h"
#include "../base/idt.h"
#include "../base/lapic.h"
#include "../base/log.h"
#include "../base/pcpu.h"
#include "../base/trace.h"
#include "../base/x86.h"
#include "../dev/console.h"
#include "../vm/exits.h"
#include "../vm/guest.h"
#include "../vm/kvm.h"
#include "../vm/nested.h"
#include "../vm/sched.h"
#include "../vm/timer.h"
#include "../vm/vp.h"

enum { SLICES_PER_SECOND = 200, INVLPGA_AT_MOST = 32 };

static void flush_pages(struct vp *vp, const struct pv_ranges *ranges)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        pages += ranges->pages[i];
    this_pcpu()->count.events[EV_FLUSH_PAGES] += pages;
    if (ranges->overflow != 0 || pages > INVLPGA_AT_MOST) {
        asid_flush(vp);
        return;
    }
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t k = 0; k < ranges->pages[i]; k++)
            __asm__ volatile("invlpga %0, %1"
                             :
                             : "a"((ranges->first[i] + k) << 12), "c"(vp->vmcb->asid)
                             : "memory");
}

// Is there anything for pv_vp_take? It looks at the same words; after pv_vp_run, so that what comes later kicks.
static inline bool is_asked(const struct pv_vp *core, uint32_t context)
{
    return (__atomic_load_n(&core->mark[context], __ATOMIC_ACQUIRE) |
            __atomic_load_n(&core->vector[0], __ATOMIC_ACQUIRE) |
            __atomic_load_n(&core->vector[1], __ATOMIC_ACQUIRE) |
            __atomic_load_n(&core->vector[2], __ATOMIC_ACQUIRE) |
            __atomic_load_n(&core->vector[3], __ATOMIC_ACQUIRE)) != 0;
}

// What other VPs have asked of this one. True when it was a flush.
static __attribute__((noinline)) bool do_work(struct vp *vp, const struct pv_work *work,
                                              struct counters *count)
{
    if ((work->flush & PV_FLUSH_FULL) != 0)
        count->events[EV_FLUSH_FULL]++;
    else if ((work->flush & PV_FLUSH_NONGLOBAL) != 0)
        count->events[EV_FLUSH_NONGLOBAL]++;
    if ((work->flush & PV_FLUSH_RANGES) != 0)
        count->events[EV_FLUSH_RANGES]++;
    if ((work->flush & (PV_FLUSH_FULL | PV_FLUSH_NONGLOBAL)) != 0)
        asid_flush(vp);
    else if ((work->flush & PV_FLUSH_RANGES) != 0) {
        // A tag of another pCPU: the VP may be there again before it ever enters here (PR-TAG-1).
        if (vp->asid_owner == this_pcpu()->asid_owner)
            flush_pages(vp, &work->ranges);
        else
            asid_flush(vp);
    }
    if (work->flush != 0 && vp->in_l2)
        nested_flush(vp, work->flush);
    if ((work->vector[0] | work->vector[1] | work->vector[2] | work->vector[3]) != 0)
        for (uint32_t i = 0; i < 4; i++) {
            vp->apic.irr[i] |= work->vector[i];
            for (uint64_t rest = work->vector[i]; rest != 0; rest &= rest - 1)
                count->events[EV_IPI_HYPERCALL]++;
        }
    if (work->flush != 0)
        trace(TRACE_TAKE, vp->index, work->flush);
    return work->flush != 0;
}

// HLT ends with an interrupt that the VP takes. Hyper-V's guest-idle register lets go when one has come, taken or not: Linux
// waits there for a lock, also in a handler that has not yet told its EOI, and is called by an interrupt of the same class.
static bool interrupt_ends_idling(const struct vp *vp)
{
    if (vp->in_l2)
        return nested_ends_idling(vp);
    if (!vp->gif)
        return false;
    if (vp->idle_ignores_if)
        return vapic_highest(vp->apic.irr) >= 0;
    return (vp->vmcb->rflags & FLAG_IF) != 0 && vapic_pending(vp) >= 0;
}

// A halted VP goes on when something comes that it would take.
static bool idles_on(struct vp *vp)
{
    if (vp->activity == VP_HALTED && vp->unhalted) {
        vp->unhalted = false;
        vp->activity = VP_ACTIVE;
        return false;
    }
    if (vp->activity == VP_HALTED && vp->inject == 0 && !(vp->nmi_pending && !vp->nmi_blocked && vp->gif) &&
        !interrupt_ends_idling(vp))
        return true;
    if (vp->activity == VP_WAIT_SIPI)
        return true;
    vp->activity = VP_ACTIVE;
    return false;
}

static inline bool still_idle(struct vp *vp)
{
    return vp->activity != VP_ACTIVE && idles_on(vp);
}

// STI; HLT with an exit in between: QEMU forgets the shadow of STI at VMRUN, and an interrupt that came in before
// HLT would leave the VP halted with its wake-up already spent. So the HLT is carried out here.
static void skip_shadowed_halt(struct vp *vp)
{
    uint8_t b;
    if (guest_fetch(vp, &b, 1) == 1 && b == 0xF4) {
        vp->vmcb->rip++;
        vp->vmcb->interrupt_state = 0;
    }
}

// Chooses what is given at this entry: an exception or NMI by EVENTINJ (APM vol. 2, 15.20), an interrupt as a virtual
// interrupt, V_IRQ (15.21). EVENTINJ could carry interrupts too, but QEMU 7.2 then keeps the vector as a pending
// exception and may deliver it a second time. What cannot be given now gets a window: V_IRQ with its intercept.
static inline __attribute__((always_inline)) void give_events(struct vp *vp)
{
    struct pv_vmcb *v = vp->vmcb;
    uint64_t tpr = vp->apic.tpr >> 4;
    v->v_intr = tpr | V_INTR_MASKING;
    vp->offered = -1;
    v->intercepts3 &= ~(uint32_t)I3_VINTR;
    v->event_inject = vp->inject;
    vp->inject = 0;
    if (v->event_inject == 0 && vp->nmi_pending && !vp->nmi_blocked && vp->gif) {
        vp->nmi_pending = false;
        vp->nmi_blocked = true;
        v->intercepts3 |= I3_IRET;
        v->event_inject = EVENT_VALID | EVENT_TYPE_NMI | EXC_NMI;
    }
    int requested = vapic_requested(&vp->apic);
    if (requested < 0 || !vp->gif || vapic_pending(vp) != requested)
        return; // none; or the TPR holds it back, and each way to write that is an exit
    if ((v->interrupt_state & 1) != 0 && v->event_inject == 0)
        skip_shadowed_halt(vp);
    v->v_intr |= V_IRQ | V_IGN_TPR | ((uint64_t)(unsigned)requested >> 4) << V_PRIO_SHIFT;
    if (v->event_inject == 0 && (v->rflags & FLAG_IF) != 0 && (v->interrupt_state & 1) == 0) {
        v->v_intr |= (uint64_t)(unsigned)requested << V_VECTOR_SHIFT;
        vp->offered = requested;
    } else {
        v->intercepts3 |= I3_VINTR;
    }
}

static void after_guest(struct vp *vp, struct counters *count)
{
    struct pv_vmcb *v = vp->vmcb;
    uint64_t event = v->exit_int_info;
    uint32_t vector = (uint32_t)event & 0xFF;
    bool during_delivery = (event & EVENT_VALID) != 0;
    if (!during_delivery && vp->offered < 0 && !vp->nmi_in_iret && !vp->eoi_spared)
        return;
    bool taken = vp->offered < 0; // the interrupt whose EOI is spared: long ago
    if ((event & EVENT_TYPE_MASK) == EVENT_EXCEPTION && vector > 31)
        event &= ~EVENT_TYPE_MASK; // QEMU's name for a virtual interrupt

    // The offered interrupt was taken when V_IRQ is gone, or when its delivery was what came to an exit.
    bool was_interrupt = during_delivery && (event & EVENT_TYPE_MASK) == EVENT_INTR;
    if (vp->offered >= 0 && ((v->v_intr & V_IRQ) == 0 || was_interrupt)) {
        taken = true;
        vapic_accept(vp, (uint32_t)vp->offered);
        count->events[EV_INJECT]++;
        trace(TRACE_INJECT, vp->index, (uint32_t)vp->offered);
    }
    if (vp->eoi_spared)
        vapic_look_for_spared_eoi(vp, taken);
    if (vp->nmi_in_iret && v->rip != vp->nmi_iret_rip)
        vp->nmi_blocked = vp->nmi_in_iret = false;
    // An event whose delivery was interrupted is given again; instructions that raise one execute again.
    if (during_delivery && (event & EVENT_TYPE_MASK) != EVENT_SOFTWARE && vector != EXC_BP && vector != 4)
        vp->inject = event;
}

enum entry { SLEEPS, RAN, SWITCHED };
static inline __attribute__((always_inline)) enum entry enter(struct pcpu *me, struct vp *vp,
                                                              const uint32_t context)
{
    struct pv_work work;
    bool flushed = false;
    pv_vp_run(vp->core);
    while (is_asked(vp->core, context) && pv_vp_take(vp->core, context, &work))
        flushed |= do_work(vp, &work, &me->count);
    if (flushed && vp->just_loaded)
        me->count.events[EV_FLUSH_DEFERRED]++;
    vp->just_loaded = false;
    if (vp_has_mail(vp)) {
        vp_take_mail(vp);
        if (vp->in_l2 !=
            (context == PV_CONTEXT_L2)) { // INIT has ended L2: the flushes of L1 are still to be taken
            pv_vp_stop(vp->core);
            return SWITCHED;
        }
    }
    if (still_idle(vp)) {
        pv_vp_stop(vp->core);
        return SLEEPS;
    }
    if (context == PV_CONTEXT_L2) {
        const uint32_t code = nested_interrupted(vp);
        if (code != 0) {
            pv_vp_stop(vp->core);
            nested_vmexit(vp, code, 0, 0);
            return SWITCHED;
        }
        nested_prepare(vp);
        nested_give_events(vp);
    } else {
        give_events(vp);
    }
    if (vp->eoi_word != 0)
        vapic_spare_eoi(vp);
    // A VP that spins matters to us only while another one waits for its pCPU.
    if (sched_others_ready())
        vp->vmcb->intercepts3 |= I3_PAUSE;
    else if (context == PV_CONTEXT_L1)
        vp->vmcb->intercepts3 &= ~(uint32_t)I3_PAUSE;
    asid_prepare(me, vp);
    trace(TRACE_ENTER, vp->index, 0);
    svm_vmrun(vp->vmcb_pa, vp->gpr);
    trace(TRACE_EXIT, vp->index, vp->vmcb->exit_code);
    pv_vp_stop(vp->core);
    if (context == PV_CONTEXT_L2)
        nested_after_guest(vp);
    else
        after_guest(vp, &me->count);
    return RAN;
}

// The way into an L2, in a place of its own: what the way into all others costs must not depend on it.
static __attribute__((noinline)) enum entry enter_l2(struct pcpu *me, struct vp *vp)
{
    return enter(me, vp, PV_CONTEXT_L2);
}

// Runs one VP until it sleeps or gives way.
static enum after_exit run(struct pcpu *me, struct vp *vp)
{
    for (;;) {
        timer_program(me, me->slice_end);
        enum entry entry =
            __builtin_expect(vp->in_l2, false) ? enter_l2(me, vp) : enter(me, vp, PV_CONTEXT_L1);
        if (entry == SWITCHED)
            continue;
        if (entry == SLEEPS)
            return AFTER_SLEEP;
        uint64_t code = vp->vmcb->exit_code; // of the control block that ran: the next one may be another
        enum after_exit after = exit_handle(me, vp);
        if (code == EXIT_INTR) {
            take_interrupts();
            end_park();
            timer_expire(me);
            console_poll(me);
            if (rdtsc() >= me->slice_end) {
                vp->vmcb->intercepts3 |= I3_SWINT; // vm/exits.c, look_at_code
                if (sched_others_ready()) {
                    me->count.events[EV_PREEMPT]++;
                    if (vp->kvm_steal != 0)
                        kvm_preempted(vp);
                    return AFTER_GIVE_WAY;
                }
                me->slice_end = rdtsc() + tsc_hz / SLICES_PER_SECOND;
            }
        }
        if (after == AFTER_GIVE_WAY)
            return after;
        // AFTER_SLEEP: the next entry decides, as something may be pending already.
    }
}

_Noreturn void svm_run_forever(void)
{
    struct pcpu *me = this_pcpu();
    for (;;) {
        struct vp *vp = sched_next(me);
        __atomic_store_n(&vp->pcpu, me->index, __ATOMIC_RELEASE);
        me->loaded = vp;
        me->count.events[EV_SWITCH]++;
        trace(TRACE_LOAD, vp->index, 0);
        vp_load(vp);
        timer_follow(vp);
        if (vp->kvm_steal != 0)
            kvm_runs_again(vp);
        vp->pauses = 0;
        vp->slice_used = false;
        vp->just_loaded = true;
        me->slice_end = rdtsc() + tsc_hz / SLICES_PER_SECOND;
        enum after_exit after = run(me, vp);
        vp_save(vp);
        trace(after == AFTER_GIVE_WAY ? TRACE_GIVE : TRACE_SLEEP, vp->index, 0);
        me->loaded = 0;
        if (after == AFTER_GIVE_WAY)
            sched_give_way(vp);
        else
            sched_sleep(vp);
    }
}
