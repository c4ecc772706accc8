// SPDX-License-Identifier: BSD-2-Clause
// Interrupts and exceptions while L2 runs. L1's interrupts end L2 if L1 intercepts them; else L2 gets them itself. V_IRQ and V_TPR
// are L1's way to interrupt L2, and the processor's to carry out.
#include "../base/x86.h"
#include "guest.h"
#include "nested.h"
#include "../base/lapic.h"
#include "../base/pcpu.h"
#include "../svm/svm.h"

// Do interrupts of L1 count now? With V_INTR_MASKING L1's own IF says so, as it was at VMRUN; else L2's (APM vol. 2, 15.21.1). An L2
// that may execute CLGI holds them back with it, and virtual ones too (15.17).
static bool is_open(const struct vp *vp)
{
    const struct nested *n = vp->nested;
    if (!vp->gif)
        return false;
    if ((n->copy.v_intr & V_INTR_MASKING) != 0)
        return (n->vmcb01->rflags & FLAG_IF) != 0;
    return (vp->vmcb->rflags & FLAG_IF) != 0 && (vp->vmcb->interrupt_state & 1) == 0;
}

static bool nmi_waits(const struct vp *vp)
{
    return vp->nmi_pending && !vp->nmi_blocked && vp->gif;
}

bool nested_wants_init(const struct vp *vp)
{
    return vp->in_l2 && (vp->nested->copy.intercepts3 & I3_INIT) != 0;
}

static bool init_waits(const struct vp *vp)
{
    return vp->gif && nested_wants_init(vp) &&
           (__atomic_load_n(&vp->events, __ATOMIC_RELAXED) & EVENT_INIT) != 0;
}

bool nested_ends_idling(const struct vp *vp)
{
    const struct pv_vmcb *v = vp->vmcb;
    if (init_waits(vp) || nmi_waits(vp) || (is_open(vp) && vapic_pending(vp) >= 0))
        return true;
    return vp->gif && (v->v_intr & V_IRQ) != 0 && (v->rflags & FLAG_IF) != 0 &&
           ((v->v_intr & V_IGN_TPR) != 0 || (v->v_intr >> V_PRIO_SHIFT & 15) > (v->v_intr & 15));
}

// The exit that L1 asks for because of what waits, or 0.
static uint32_t asked_exit(const struct vp *vp)
{
    const struct nested *n = vp->nested;
    if (init_waits(vp))
        return EXIT_INIT;
    if (nmi_waits(vp))
        return (n->copy.intercepts3 & I3_NMI) != 0 ? EXIT_NMI : 0;
    return (n->copy.intercepts3 & I3_INTR) != 0 && is_open(vp) && vapic_pending(vp) >= 0 ? EXIT_INTR : 0;
}

uint32_t nested_interrupted(const struct vp *vp)
{
    return vp->inject != 0 ? 0
                           : asked_exit(vp); // an event that is being given comes first (APM vol. 2, 15.20)
}

void nested_flush(struct vp *vp, uint32_t flush)
{
    struct nested *n = vp->nested;
    if ((flush & PV_FLUSH_NESTED) != 0) {
        pv_nested_forget_tables(&n->core);
        return;
    }
    for (uint32_t i = 0; i < PV_MMUS; i++)
        pv_roots_owe(&n->core.mmu[i], PV_SYNC_TAG);
}

void nested_prepare(struct vp *vp)
{
    struct nested *n = vp->nested;
    uint64_t npt = __atomic_load_n(&npt_generation, __ATOMIC_ACQUIRE);
    if (n->npt_generation != npt) {
        n->npt_generation = npt;
        pv_nested_forget_tables(&n->core);
    }
    struct pv_root *root = n->root;
    if (root->sync != 0) {
        if ((root->sync & PV_SYNC_TABLES) != 0 && n->context == PV_MMU_GUEST) {
            pv_pool_drop(&n->pool, n->slot);
            this_pcpu()->count.events[EV_SHADOW_DROP]++;
        }
        asid_flush(vp);
        root->sync = 0;
    }
}

// QEMU takes a virtual interrupt at V_TPR of its priority already; the manual has it wait. Writes to CR8 are exits.
static void hold_v_irq(const struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pv_vmcb *v = vp->vmcb;
    uint64_t priority = v->v_intr >> V_PRIO_SHIFT & 15;
    bool blocked = (v->v_intr & V_IGN_TPR) == 0 && priority <= (v->v_intr & 15);
    n->v_irq_held = (v->v_intr & V_IRQ) != 0 && (blocked || !vp->gif);
    if (n->v_irq_held)
        v->v_intr &= ~V_IRQ;
}

// QEMU forgets the shadow of STI at VMRUN: a virtual interrupt would come before the HLT that it is to end, and its wake-up be lost.
// So that HLT is carried out here, as L1's own is (svm/loop.c).
static void skip_shadowed_halt(struct vp *vp)
{
    struct pv_vmcb *v = vp->vmcb;
    uint8_t b;
    if ((vp->nested->copy.intercepts3 & I3_HLT) == 0 && guest_fetch(vp, &b, 1) == 1 && b == 0xF4) {
        v->rip++;
        v->interrupt_state = 0;
    }
}

void nested_give_events(struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pv_vmcb *v = vp->vmcb;
    vp->offered = -1;
    n->window = false;
    v->intercepts3 =
        FLOOR3 | n->copy.intercepts3 | (vp->nmi_blocked && !vp->nmi_in_iret ? (uint32_t)I3_IRET : 0);
    if ((n->copy.v_intr & V_INTR_MASKING) == 0)
        v->v_intr = (v->v_intr & ~15ull) | vp->apic.tpr >> 4;
    hold_v_irq(vp);
    v->event_inject = vp->inject;
    vp->inject = 0;
    if ((v->interrupt_state & 1) != 0 && v->event_inject == 0 &&
        ((v->v_intr & V_IRQ) != 0 || ((n->copy.v_intr & V_INTR_MASKING) == 0 && vapic_pending(vp) >= 0)))
        skip_shadowed_halt(vp);
    if (v->event_inject == 0 && nmi_waits(vp)) {
        vp->nmi_pending = false;
        vp->nmi_blocked = true;
        v->intercepts3 |= I3_IRET;
        v->event_inject = EVENT_VALID | EVENT_TYPE_NMI | EXC_NMI;
    }
    if (v->event_inject != 0 && asked_exit(vp) != 0)
        lapic_kick(this_pcpu()->apic_id); // behind the event we are back, and L2 ends
    n->given = v->event_inject;
    n->given_rip = v->rip;
    int vector = vapic_requested(&vp->apic) < 0 ? -1 : vapic_pending(vp);
    if (vector < 0 || !vp->gif) // STGI is an exit
        return;
    if ((n->copy.intercepts3 & I3_INTR) == 0 && is_open(vp) && v->event_inject == 0) {
        vapic_accept(vp, (uint32_t)vector);
        this_pcpu()->count.events[EV_INJECT]++;
        n->given = v->event_inject = EVENT_VALID | EVENT_INTR | (uint32_t)vector;
        return;
    }
    // It has to wait for L2's IF. V_IRQ tells when; one of L1's own waits for the same, and comes after it.
    if ((n->copy.v_intr & V_INTR_MASKING) == 0) {
        n->v_irq_held |= (v->v_intr & V_IRQ) != 0;
        v->v_intr |= V_IRQ | V_IGN_TPR | 15ull << V_PRIO_SHIFT;
        v->intercepts3 |= I3_VINTR;
        n->window = true;
    }
}

void nested_after_guest(struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pv_vmcb *v = vp->vmcb;
    uint64_t event = v->exit_int_info;
    if (n->window) {
        v->v_intr = (v->v_intr & 0xFF) | (n->copy.v_intr & ~(0xFFull | V_IRQ)) | V_INTR_MASKING;
        n->window = (uint32_t)v->exit_code == EXIT_VINTR;
    }
    if (n->v_irq_held)
        v->v_intr |= V_IRQ;
    if (vp->eoi_spared)
        vapic_look_for_spared_eoi(vp, true);
    if (vp->nmi_in_iret && v->rip != vp->nmi_iret_rip)
        vp->nmi_blocked = vp->nmi_in_iret = false;
    n->event = 0;
    if ((event & EVENT_VALID) == 0)
        return;
    uint32_t vector = (uint32_t)event & 0xFF;
    if ((event & EVENT_TYPE_MASK) == EVENT_EXCEPTION && vector > 31) { // QEMU's name for a virtual interrupt
        event &= ~EVENT_TYPE_MASK;
        v->v_intr &= ~V_IRQ;
    }
    n->event = event;
    // If the exit is not L1's the event is given again; instructions that raise one execute again.
    const uint64_t name = EVENT_VALID | EVENT_TYPE_MASK | 0xFF;
    bool was_given = (event & name) == (n->given & name) && v->rip == n->given_rip;
    if (was_given || ((event & EVENT_TYPE_MASK) != EVENT_SOFTWARE && vector != EXC_BP && vector != 4))
        vp->inject = event;
}
