// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "guest.h"
#include "kvm.h"
#include "nested.h"
#include "vp.h"
#include "sched.h"
#include "timer.h"
#include "topology.h"
#include "../base/end.h"
#include "../base/lapic.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/string.h"
#include "../svm/svm.h"

struct vp *vps;
uint32_t vp_count;
struct pv_partition *partition;
uint64_t tsc_offset;

static void make_vmcb(struct vp *vp)
{
    struct pv_vmcb *v = vp->vmcb;
    v->cr_intercepts = FLOOR_CR;
    v->exception_intercepts = FLOOR_EXCEPTIONS;
    v->intercepts3 = FLOOR3;
    v->intercepts4 = FLOOR4;
    v->iopm_base = svm_iopm_pa;
    v->msrpm_base = svm_msrpm_pa;
    v->tsc_offset = tsc_offset;
    v->nested_control = 1;
    v->nested_cr3 = npt_root_pa;
}

void vp_make(uint32_t count, const struct pv_config *config)
{
    vps = memory_aligned(sizeof(struct vp) * count, 64);
    partition = memory_aligned(sizeof *partition, 64);
    struct pv_vp *cores = memory_aligned(sizeof(struct pv_vp) * count, 64);
    if (!pv_config_valid(config))
        end_run(END_HARNESS_FAULT, "the core refuses the partition's configuration");
    pv_partition_init(partition, config, cores, count);
    for (uint32_t i = 0; i < count; i++) {
        struct vp *vp = &vps[i];
        vp->index = i;
        vp->apic_id = topology_apic_id(i);
        vp->core = &cores[i];
        vp->vmcb = memory_pages(1);
        vp->vmcb_pa = (uintptr_t)vp->vmcb;
        vp->own = vp->vmcb;
        vp->timer_at = ~0ull;
        vp->timer_list = TIMER_NONE;
        sched_init_vp(vp);
        guest_forget_fetches(vp);
        make_vmcb(vp);
        vp->hidden_pa = vp->vmcb_pa;
        if (nested_offered)
            nested_make(vp);
        vp_reset(vp);
        if (!pv_partition_add_vp(partition, topology_vp_index(i), vp->apic_id))
            end_run(END_HARNESS_FAULT, "the core refuses VP %u", i);
        vapic_reset(vp, true);
    }
    vp_count = count;
}

void vp_reset(struct vp *vp)
{
    nested_reset(vp);
    struct pv_vmcb *v = vp->vmcb;
    memory_zero(vp->gpr, sizeof vp->gpr);
    vp->gpr[2] = cpuid(1, 0).eax; // RDX: family, model, stepping
    const struct pv_segment data = {0, SEG_DATA16, 0xFFFF, 0};
    v->es = v->ss = v->ds = v->fs = v->gs = data;
    v->cs = (struct pv_segment){0xF000, SEG_CODE16, 0xFFFF, 0xFFFF0000};
    v->gdtr = v->idtr = (struct pv_segment){0, 0, 0xFFFF, 0};
    v->ldtr = (struct pv_segment){0, SEG_LDT, 0xFFFF, 0};
    v->tr = (struct pv_segment){0, SEG_TSS, 0xFFFF, 0};
    v->efer = EFER_SVME; // seen by the guest as 0: vm/msr.c
    vp->wants_long_mode = false;
    v->cr0 = CR0_ET | CR0_CD | CR0_NW;
    v->cr2 = v->cr3 = v->cr4 = 0;
    v->dr6 = 0xFFFF0FF0;
    v->dr7 = 0x400;
    v->rflags = 2;
    v->rip = 0xFFF0;
    v->rsp = v->rax = 0;
    v->star = v->lstar = v->cstar = v->sfmask = v->kernel_gs_base = 0;
    v->sysenter_cs = v->sysenter_esp = v->sysenter_eip = 0;
    v->g_pat = 0x0007040600070406;
    v->interrupt_state = v->event_inject = v->v_intr = 0;
    memory_zero(vp->fx, sizeof vp->fx);
    *(uint16_t *)(void *)vp->fx = 0x37F;         // x87 control word
    *(uint32_t *)(void *)(vp->fx + 24) = 0x1F80; // MXCSR
    memory_zero(vp->dr, sizeof vp->dr);
    vp->activity = VP_WAIT_SIPI;
    vp->nmi_pending = vp->nmi_blocked = vp->nmi_in_iret = false;
    vp->unhalted = false;
    vapic_eoi_word(vp, 0);
    vp->assist_page = 0;
    kvm_forget(vp);
    vp->inject = 0;
    v->intercepts3 &= ~(uint32_t)I3_IRET;
    asid_flush(vp);
}

void vp_start_at(struct vp *vp, uint32_t page)
{
    vp->vmcb->cs.selector = (uint16_t)(page << 8);
    vp->vmcb->cs.base = (uint64_t)page << 12;
    vp->vmcb->rip = 0;
    vp->activity = VP_ACTIVE;
}

static bool is_contributory(uint32_t vector)
{
    return vector == 0 || (vector >= 10 && vector <= EXC_PF);
}

// A fault while another one was being delivered is a double fault, and then the end (APM vol. 2, 8.2.9).
static void raise(struct vp *vp, uint32_t vector, uint64_t code_flag)
{
    uint64_t during = vp->vmcb->exit_int_info;
    uint32_t first = (uint32_t)during & 0xFF;
    if ((during & EVENT_VALID) != 0 && (during & EVENT_TYPE_MASK) == EVENT_EXCEPTION && first < 32) {
        if (first == EXC_DF && vp->in_l2 && (vp->nested->copy.intercepts3 & I3_SHUTDOWN) != 0) {
            nested_vmexit(vp, EXIT_SHUTDOWN, 0, 0);
            return;
        }
        if (first == EXC_DF)
            end_run(END_TRIPLE_FAULT, "triple fault of VP %u", vp->index);
        if (is_contributory(first) && is_contributory(vector)) {
            vector = EXC_DF;
            code_flag = EVENT_CODE;
        }
    }
    if (vp->in_l2 && nested_exception(vp, vector, 0))
        return;
    vp->inject = EVENT_VALID | EVENT_EXCEPTION | code_flag | vector;
}

void vp_inject_gp(struct vp *vp)
{
    raise(vp, EXC_GP, EVENT_CODE);
}

void vp_inject_ud(struct vp *vp)
{
    raise(vp, EXC_UD, 0);
}

// Tells the VP of a message. What left it was a locked operation, so a full barrier lies between it and this look.
static void notify(struct vp *vp, void (*wake)(struct vp *))
{
    if ((__atomic_load_n(&vp->core->run, __ATOMIC_SEQ_CST) & 1) != 0)
        pv_platform_kick(partition, vp->core);
    else
        wake(vp);
}

static void leave_vector(struct vp *vp, uint32_t vector)
{
    __atomic_fetch_or(&vp->posted[vector / 64], 1ull << (vector % 64), __ATOMIC_SEQ_CST);
    __atomic_store_n(&vp->mail, 1u, __ATOMIC_SEQ_CST);
}

void vp_post_vector(struct vp *vp, uint32_t vector)
{
    leave_vector(vp, vector);
    notify(vp, sched_wake);
}

void vp_post_timer(struct vp *vp, uint32_t vector)
{
    leave_vector(vp, vector);
    notify(vp, sched_wake_by_timer);
}

void vp_post_event(struct vp *vp, uint32_t event)
{
    __atomic_fetch_or(&vp->events, event, __ATOMIC_SEQ_CST);
    __atomic_store_n(&vp->mail, 1u, __ATOMIC_SEQ_CST);
    notify(vp, sched_wake);
}

void vp_take_vectors(struct vp *vp)
{
    for (uint32_t i = 0; i < 4; i++)
        if (__atomic_load_n(&vp->posted[i], __ATOMIC_RELAXED) != 0)
            vp->apic.irr[i] |= __atomic_exchange_n(&vp->posted[i], 0ull, __ATOMIC_SEQ_CST);
}

void vp_take_mail(struct vp *vp)
{
    __atomic_store_n(&vp->mail, 0u,
                     __ATOMIC_SEQ_CST); // before the look: who comes after it sets the flag again
    vp_take_vectors(vp);
    if (__atomic_load_n(&vp->events, __ATOMIC_RELAXED) == 0)
        return;
    uint32_t events = __atomic_exchange_n(&vp->events, 0u, __ATOMIC_SEQ_CST);
    if ((!vp->gif || nested_wants_init(vp)) &&
        (events & (EVENT_INIT | EVENT_SIPI)) != 0) { // held until GIF is set (APM vol. 2, 15.17)
        __atomic_fetch_or(&vp->events, events & (EVENT_INIT | EVENT_SIPI), __ATOMIC_SEQ_CST);
        events &= ~(uint32_t)(EVENT_INIT | EVENT_SIPI);
    }
    if ((events & EVENT_NMI) != 0)
        vp->nmi_pending = true;
    if ((events & EVENT_UNHALT) != 0)
        vp->unhalted = true;
    if ((events & EVENT_INIT) != 0) {
        vp_reset(vp);
        vapic_reset(vp, false);
        vp_load(vp); // the processor still holds the old FPU and hidden state
    }
    if ((events & EVENT_SIPI) != 0 && vp->activity == VP_WAIT_SIPI)
        vp_start_at(vp, __atomic_load_n(&vp->sipi_page, __ATOMIC_RELAXED));
}

struct vp *vp_by_apic_id(uint32_t apic_id)
{
    uint32_t place = apic_id < topology.ids ? place_of_apic_id[apic_id] : (uint32_t)NOBODY;
    return place != NOBODY ? &vps[place] : 0;
}

void vp_load(struct vp *vp)
{
    __asm__ volatile("vmload" : : "a"(vp->hidden_pa) : "memory");
    __asm__ volatile("fxrstor64 %0" : : "m"(vp->fx));
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr1; mov %2, %%dr2; mov %3, %%dr3"
                     :
                     : "r"(vp->dr[0]), "r"(vp->dr[1]), "r"(vp->dr[2]), "r"(vp->dr[3]));
}

void vp_save(struct vp *vp)
{
    __asm__ volatile("vmsave" : : "a"(vp->hidden_pa) : "memory");
    __asm__ volatile("fxsave64 %0" : "=m"(vp->fx));
    __asm__ volatile("mov %%dr0, %0; mov %%dr1, %1; mov %%dr2, %2; mov %%dr3, %3"
                     : "=r"(vp->dr[0]), "=r"(vp->dr[1]), "=r"(vp->dr[2]), "=r"(vp->dr[3]));
}

void vp_leave_guest_all(void)
{
    for (uint32_t i = 0; i < vp_count; i++)
        if ((__atomic_load_n(&vps[i].core->run, __ATOMIC_SEQ_CST) & 1) != 0)
            pv_platform_kick(partition, vps[i].core);
    for (uint32_t i = 0; i < vp_count; i++)
        if ((__atomic_load_n(&vps[i].core->run, __ATOMIC_SEQ_CST) & 1) != 0)
            pv_platform_wait(partition, vps[i].core);
}
