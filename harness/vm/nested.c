// SPDX-License-Identifier: BSD-2-Clause
// The way into L2 and out of it.
#include "../base/x86.h"
#include "nested.h"
#include "guest.h"
#include "../base/end.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/string.h"
#include "../svm/svm.h"
#include "../../src/nested/check.h"
#include "../../src/nested/enlightened.h"
#include "../../src/nested/instruction.h"
#include "../../src/nested/layout.h"
#include "../../src/nested/map.h"
#include "../../src/nested/merge.h"
#include "../../src/nested/route.h"

#define NO_BLOCK (~0ull)

bool nested_offered;

void nested_make(struct vp *vp)
{
    struct nested *n = memory_aligned(sizeof *n, 64);
    vp->nested = n;
    n->vmcb01 = vp->vmcb;
    n->vmcb01_pa = vp->vmcb_pa;
    n->vmcb02 = memory_pages(1);
    n->vmcb02_pa = (uintptr_t)n->vmcb02;
    n->msrpm = memory_pages(2);
    memset(n->msrpm, 0xFF, 2 * PAGE);
    n->pool.word = memory_pages(NESTED_POOL_PAGES);
    n->pool.base = (uintptr_t)n->pool.word;
    n->pool.count = NESTED_POOL_PAGES;
    pv_pool_init(&n->pool);
    pv_nested_reset(&n->core);
}

// Each control block keeps its tag, and VMCB02 the tags of all roots in turn. From L1's to that of the root which has been chosen...
static void take_l2_tag(struct vp *vp)
{
    struct nested *n = vp->nested;
    n->l1_tag_owner = vp->asid_owner;
    n->l2_tag = &n->tag[n->context][n->slot];
    n->vmcb02->asid = n->l2_tag->asid;
    vp->asid_owner = n->l2_tag->owner;
}

// ...and back.
static void take_l1_tag(struct vp *vp)
{
    struct nested *n = vp->nested;
    *n->l2_tag = (struct nested_tag){vp->asid_owner, n->vmcb02->asid};
    vp->asid_owner = n->l1_tag_owner;
}

static void back_to_l1(struct vp *vp)
{
    struct nested *n = vp->nested;
    take_l1_tag(vp);
    pv_nested_leave(&n->core);
    vp->vmcb = n->vmcb01;
    vp->vmcb_pa = n->vmcb01_pa;
    vp->in_l2 = false;
    vp->wants_long_mode = n->l1_wants_long_mode;
    // An NMI that L2 has taken is over with the next IRET, be it L1's.
    bool awaits_iret = vp->nmi_blocked && !vp->nmi_in_iret;
    vp->vmcb->intercepts3 =
        (vp->vmcb->intercepts3 & ~(uint32_t)I3_IRET) | (awaits_iret ? (uint32_t)I3_IRET : 0);
    vp->gif = false;
    vp->inject = 0;
}

void nested_reset(struct vp *vp)
{
    struct nested *n = vp->nested;
    vp->gif = true;
    if (n == 0)
        return;
    if (vp->in_l2)
        back_to_l1(vp);
    vp->gif = true;
    pv_nested_reset(&n->core);
    n->svme = false;
    n->vm_cr = n->hsave_pa = 0;
    n->window = false;
    n->event = 0;
    n->msrpm_of.vmcb12 = NO_BLOCK;
}

// Copies `n` qwords of a control block, each once, whatever other VPs do meanwhile. A string instruction takes one step for each; for one
// or two it takes longer than plain moves.
static inline __attribute__((always_inline)) void copy(void *to_block, const void *from_block, uint32_t at,
                                                       uint32_t n)
{
    uint64_t *to = (uint64_t *)(void *)((char *)to_block + at);
    const uint64_t *from = (const uint64_t *)(const void *)((const char *)from_block + at);
    if (n > 3)
        __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    else
        for (uint32_t i = 0; i < n; i++)
            __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

// Of the state save area, what VMRUN loads and #VMEXIT stores.
static inline __attribute__((always_inline)) void copy_state(void *to, const void *from)
{
    copy(to, from, 0x400, 8); // ES, CS, SS, DS
    copy(to, from, 0x460, 2); // GDTR
    copy(to, from, 0x480, 2); // IDTR
    copy(to, from, 0x4C8, 2); // CPL, EFER
    copy(to, from, 0x548, 7); // CR4, CR3, CR0, DR7, DR6, RFLAGS, RIP
    copy(to, from, 0x5D8, 1); // RSP
    copy(to, from, 0x5F8, 1); // RAX
    copy(to, from, 0x640, 1); // CR2
}

// What #VMEXIT writes into L1's control block of its own, from the copy; null: the block is not in memory.
static inline __attribute__((always_inline)) struct pv_vmcb *tell_l1(const struct nested *n)
{
    struct pv_vmcb *to = guest_at(n->vmcb12, PAGE);
    if (to == 0)
        return 0;
    copy(to, &n->copy, 0x060, 6); // virtual interrupt, shadow, exit code and its information
    copy(to, &n->copy, 0x0A8, 1); // EVENTINJ
    copy(to, &n->copy, 0x4C8, 1); // CPL
    copy(to, &n->copy, 0x570, 1); // RFLAGS
    return to;
}

bool pv_platform_vmcb_read(const struct pv_partition *p, uint64_t gpa, struct pv_vmcb *to)
{
    (void)p;
    const void *from = guest_at(gpa, PAGE);
    if (from == 0)
        return false;
    copy(to, from, 0x000, 26); // control
    copy(to, from, 0x3E0, 4);  // Hyper-V's enlightenments
    copy_state(to, from);
    copy(to, from, 0x668, 1); // G_PAT
    return true;
}

// L1 has said that its map of MSRs is as it was, and the one that we have was made of that (NE-BITMAP-1).
static bool keeps_msrpm(struct nested *n)
{
    const struct msrpm_of of = {n->vmcb12, n->copy.msrpm_base, n->copy.intercepts3 & I3_MSR};
    bool same = of.vmcb12 == n->msrpm_of.vmcb12 && of.base == n->msrpm_of.base && of.used == n->msrpm_of.used;
    n->msrpm_of = of;
    return pv_bitmap_kept(&n->enlightened, n->copy.clean, same);
}

static void vmrun(struct vp *vp, uint64_t gpa)
{
    struct nested *n = vp->nested;
    struct pv_vmcb *v1 = n->vmcb01;
    const struct pv_svm_caps caps = {guest_cr4_allowed, guest_address_bits, NESTED_ASIDS, 1};
    enum pv_vmrun verdict = pv_vmcb_take(partition, gpa, &caps, &n->copy);
    if (verdict == PV_VMRUN_FAULT_GP) {
        vp_inject_gp(vp);
        return;
    }
    guest_skip(vp, 3);
    n->vmcb12 = gpa;
    this_pcpu()->count.events[EV_NESTED_RUN]++;
    if (verdict == PV_VMRUN_INVALID) {
        pv_vmcb_exit_invalid(&n->copy);
        tell_l1(n);
        vp->gif = false;
        this_pcpu()->count.events[EV_NESTED_INVALID]++;
        return;
    }
    bool np = (n->copy.nested_control & PV_NP_ENABLE) != 0;
    struct pv_enlightened *const e = &n->enlightened;
    pv_enlightened_read(partition->config.offers,
                        (const uint64_t *)(const void *)((const char *)&n->copy + 0x3E0), e);
    bool known = pv_nested_enter(&n->core, np, n->copy.nested_cr3, v1->cr4, v1->efer, n->copy.asid,
                                 n->copy.tlb_control, (e->controls & PV_ENLIGHTENED_NPT_TLB) != 0);
    if (((e->controls & PV_ENLIGHTENED_FLUSH) | vp->core->l2_named) != 0)
        nested_direct_load(vp);
    n->context = pv_nested_current(&n->core);
    n->slot = pv_nested_slot(&n->core);
    n->root = pv_nested_root(&n->core);
    this_pcpu()->count.events[known ? EV_ROOT_HIT : EV_ROOT_MISS]++;
    if ((e->controls & PV_ENLIGHTENED_MSR_BITMAP) == 0)
        n->msrpm_of.vmcb12 = NO_BLOCK;
    if ((e->controls & PV_ENLIGHTENED_MSR_BITMAP) == 0 || !keeps_msrpm(n))
        pv_msrpm_merge(partition, &n->copy, (uint32_t *)(void *)n->msrpm);
    const struct pv_vmcb_floor floor = {
        .cr_intercepts = FLOOR_CR,
        .exception_intercepts = FLOOR_EXCEPTIONS,
        .intercepts3 = FLOOR3,
        .intercepts4 = FLOOR4,
        .iopm_base = svm_iopm_pa,
        .msrpm_base = (uintptr_t)n->msrpm,
        .nested_cr3 = np ? n->pool.base + (uint64_t)n->slot * PAGE : npt_root_pa,
        .g_pat = v1->g_pat,
        .tsc_offset = v1->tsc_offset,
    };
    pv_vmcb_merge_intercepts(n->vmcb02, &n->copy, &floor);
    pv_vmcb_merge_control(n->vmcb02, &n->copy, &floor);
    pv_vmcb_merge_rest(n->vmcb02, &n->copy, &floor);
    pv_vmcb_segments(n->vmcb02, &n->copy);
    pv_vmcb_registers(n->vmcb02, &n->copy);
    // LMA is nobody's to choose (APM vol. 2, 15.5.1); QEMU takes it as it stands.
    bool is_long = (n->copy.efer & EFER_LME) != 0 && (n->copy.cr0 & CR0_PG) != 0;
    n->vmcb02->efer = (n->copy.efer & ~EFER_LMA) | (is_long ? EFER_LMA : 0);
    vp->inject = n->copy.event_inject;
    vp->vmcb = n->vmcb02;
    vp->vmcb_pa = n->vmcb02_pa;
    vp->in_l2 = true;
    take_l2_tag(vp);
    n->l1_wants_long_mode = vp->wants_long_mode;
    vp->wants_long_mode = (n->copy.efer & EFER_LME) != 0;
    vp_set_lme(vp);
    vp_set_gif(vp, true);
    n->window = false;
    n->event = 0;
}

// With a nested table L2 has a PAT of its own, which #VMEXIT stores (APM vol. 3, VMRUN); else it is L1's.
static inline __attribute__((always_inline)) void leave_pat(struct nested *n, struct pv_vmcb *to)
{
    struct pv_vmcb *of = (n->copy.nested_control & PV_NP_ENABLE) != 0 ? to : n->vmcb01;
    if (of != 0)
        of->g_pat = n->vmcb02->g_pat;
}

// The state that L2 leaves goes to L1's block and nowhere else: it is never read again before the next VMRUN.
static inline __attribute__((always_inline)) void leave_l2(struct vp *vp, uint64_t code, uint64_t info1,
                                                           uint64_t info2)
{
    struct nested *n = vp->nested;
    if ((uint32_t)code == EXIT_INVALID) {
        pv_vmcb_exit_invalid(&n->copy);
        tell_l1(n);
    } else {
        if (vp->wants_long_mode)
            vp->vmcb->efer |= EFER_LME;
        const struct pv_exit exit = {code, info1, info2, vp->inject != 0 ? vp->inject : n->event};
        pv_vmcb_exit(&n->copy, vp->vmcb, &exit);
        struct pv_vmcb *to = tell_l1(n);
        leave_pat(n, to);
        if (to != 0) {
            pv_vmcb_segments(to, vp->vmcb);
            pv_vmcb_registers(to, vp->vmcb);
        }
    }
    back_to_l1(vp);
    n->event = 0;
    if (!pv_vmcb_host(n->vmcb01, guest_address_bits))
        end_run(END_TRIPLE_FAULT, "shutdown of VP %u: its L2 has ended, and the state to go back to is none",
                vp->index);
    this_pcpu()->count.events[EV_NESTED_EXIT]++;
}

void nested_vmexit(struct vp *vp, uint64_t code, uint64_t info1, uint64_t info2)
{
    leave_l2(vp, code, info1, info2);
}

// ---- the instructions -------------------------------------------------------------------------------------------

// The part of a control block that only VMLOAD and VMSAVE move.
static void copy_hidden(struct pv_vmcb *to, const struct pv_vmcb *from)
{
    to->fs = from->fs;
    to->gs = from->gs;
    to->tr = from->tr;
    to->ldtr = from->ldtr;
    to->star = from->star;
    to->lstar = from->lstar;
    to->cstar = from->cstar;
    to->sfmask = from->sfmask;
    to->kernel_gs_base = from->kernel_gs_base;
    to->sysenter_cs = from->sysenter_cs;
    to->sysenter_esp = from->sysenter_esp;
    to->sysenter_eip = from->sysenter_eip;
}

static void vmload(struct nested *n, const struct pv_vmcb *from)
{
    copy_hidden(n->vmcb01, from);
    __asm__ volatile("vmload" : : "a"(n->vmcb01_pa) : "memory");
}

static void vmsave(struct nested *n, struct pv_vmcb *to)
{
    __asm__ volatile("vmsave" : : "a"(n->vmcb01_pa) : "memory");
    copy_hidden(to, n->vmcb01);
}

static void invlpga(struct vp *vp)
{
    uint32_t asid = (uint32_t)vp->gpr[1];
    if (asid == 0)
        vp->nested->l1_tag_owner = 0; // L1's own: it runs on a new tag
    else
        pv_nested_invlpga(&vp->nested->core, asid);
    if (asid == 0 && !vp->in_l2)
        asid_flush(vp);
    guest_skip(vp, 3);
}

void nested_instruction(struct vp *vp, uint32_t code)
{
    struct nested *n = vp->nested;
    const struct pv_vmcb *v = vp->vmcb;
    const struct pv_svm_mode mode = {.svme = n != 0 && (n->svme || vp->in_l2),
                                     .protected_mode = (v->cr0 & CR0_PE) != 0,
                                     .v86 = (v->rflags & FLAG_VM) != 0,
                                     .cpl = vp_cpl(vp),
                                     .address_bits = guest_address_bits,
                                     .rax = vp_is_64bit(vp) ? v->rax : (uint32_t)v->rax};
    enum pv_svm_fault fault = pv_svm_fault(&mode, code);
    bool takes_vmcb = code == EXIT_VMRUN || code == EXIT_VMLOAD || code == EXIT_VMSAVE;
    void *page = takes_vmcb && fault == PV_SVM_GO_ON ? guest_at(mode.rax, PAGE) : 0;
    if (fault == PV_SVM_FAULT_UD) {
        vp_inject_ud(vp);
        return;
    }
    if (fault == PV_SVM_FAULT_GP || (takes_vmcb && page == 0)) {
        vp_inject_gp(vp);
        return;
    }
    switch (code) {
    case EXIT_VMRUN:
        vmrun(vp, mode.rax);
        return;
    case EXIT_VMLOAD:
        vmload(n, page);
        break;
    case EXIT_VMSAVE:
        vmsave(n, page);
        break;
    case EXIT_STGI:
        vp_set_gif(vp, true);
        break;
    case EXIT_CLGI:
        vp_set_gif(vp, false);
        break;
    default:
        invlpga(vp);
        return;
    }
    guest_skip(vp, 3);
}

// ---- exits ------------------------------------------------------------------------------------------------------

bool nested_address(const struct vp *vp, uint64_t gpa, uint64_t *l1)
{
    if (pv_nested_current(&vp->nested->core) == PV_MMU_GUEST)
        return pv_nested_address(partition, &vp->nested->core, guest_address_bits, gpa, l1);
    *l1 = gpa;
    return true;
}

// A nested page fault. Who is at fault: L1's table, or the shadow that had no entry yet?
static void page_fault(struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pv_nested_fault fault;
    struct counters *count = &this_pcpu()->count;
    switch (pv_nested_page_fault(partition, &n->core, &n->pool, guest_address_bits, vp->vmcb->exit_info1,
                                 vp->vmcb->exit_info2, &fault)) {
    case PV_NPF_RETRY:
        n->event = 0;
        count->events[EV_SHADOW_FILL]++;
        return;
    case PV_NPF_REFLECT:
        vp->inject = 0;
        count->events[EV_NESTED_FAULT]++;
        nested_vmexit(vp, EXIT_NPF, fault.info1, fault.info2);
        return;
    default:
        n->event = 0;
        vp->vmcb->exit_info2 = fault.info2;
        exit_npf(vp);
    }
}

bool nested_exception(struct vp *vp, uint32_t vector, uint64_t error)
{
    struct nested *n = vp->nested;
    if ((n->copy.exception_intercepts >> vector & 1) == 0)
        return false;
    nested_vmexit(vp, EXIT_EXCEPTION + vector, error, 0);
    return true;
}

// QEMU takes INVD (0F 08) for WBINVD (0F 09). Which is it?
static uint32_t code_of(const struct vp *vp)
{
    uint32_t code = (uint32_t)vp->vmcb->exit_code;
    if (code != EXIT_WBINVD)
        return code;
    uint8_t bytes[15];
    uint32_t n = guest_fetch(vp, bytes, sizeof bytes), i = 0;
    while (i < n && bytes[i] != 0x0F)
        i++;
    return i + 1 < n && bytes[i + 1] == 0x08 ? EXIT_INVD : EXIT_WBINVD;
}

bool nested_exit(struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pv_vmcb *v = vp->vmcb;
    uint32_t code = code_of(vp);
    if (code == EXIT_VINTR && n->window) {
        n->event = 0;
        return true;
    }
    if (code == EXIT_VMMCALL && (n->enlightened.controls & PV_ENLIGHTENED_FLUSH) != 0 &&
        nested_direct_call(vp)) {
        n->event = 0;
        return true;
    }
    if (code == EXIT_INVALID ||
        pv_exit_is_l1s(partition, &n->copy, code, v->exit_info1, (uint32_t)vp->gpr[1])) {
        vp->inject = 0; // it goes to L1 with the exit
        leave_l2(vp, code, v->exit_info1, v->exit_info2);
        return true;
    }
    if (code == EXIT_NPF && n->context == PV_MMU_GUEST) {
        page_fault(vp);
        return true;
    }
    n->event = 0; // what of it is to be given again is in vp->inject
    if (code == EXIT_VMMCALL) {
        vp_inject_ud(vp);
        return true;
    }
    return false;
}
