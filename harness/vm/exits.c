// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "exits.h"
#include "guest.h"
#include "nested.h"
#include "sched.h"
#include "vp.h"
#include "../base/end.h"
#include "../base/pcpu.h"
#include "../svm/svm.h"

enum { SPINS_BEFORE_YIELD = 1 }; // each is an exit, which costs more than to switch (harness/experiments)
enum { INSN_INT3 = 0xCC, INSN_INT = 0xCD, INSN_INTO = 0xCE };

// MOV CRn, register: 0F 22 /n. What it writes, and its length; 0: it is something else.
static uint32_t written_to_cr(struct vp *vp, uint64_t *value)
{
    uint8_t bytes[15];
    uint32_t n = guest_fetch(vp, bytes, sizeof bytes), i = 0;
    uint8_t rex = 0;
    while (i < n && bytes[i] != 0x0F) {
        rex = (bytes[i] & 0xF0) == 0x40 && vp_is_64bit(vp) ? bytes[i] : 0;
        i++;
    }
    if (i + 2 >= n || bytes[i + 1] != 0x22)
        return 0;
    *value = *vp_reg(vp, (bytes[i + 2] & 7u) | (rex & 1u) << 3);
    if (!vp_is_64bit(vp))
        *value = (uint32_t)*value;
    return i + 3;
}

// Bits that CPUID does not offer are #GP; hardware checks the rest at the next entry.
static bool guest_writes_cr4(struct vp *vp, uint64_t value)
{
    struct pv_vmcb *v = vp->vmcb;
    bool leaves_long_mode = (v->efer & EFER_LMA) != 0 && (value & CR4_PAE) == 0;
    if ((value & ~guest_cr4_allowed) != 0 || leaves_long_mode)
        return false;
    v->cr4 = value;
    vp_set_lme(vp);
    asid_flush(vp); // PGE, PSE, PAE, SMEP: all of them change what translations mean (APM vol. 2, 5.5.3)
    return true;
}

// The task priority: L2's virtual one with V_INTR_MASKING, else the APIC's.
static bool guest_writes_cr8(struct vp *vp, uint64_t value)
{
    if (value > 15)
        return false;
    vp->vmcb->v_intr = (vp->vmcb->v_intr & ~V_TPR_MASK) | value;
    if (!vp->in_l2 || (vp->nested->copy.v_intr & V_INTR_MASKING) == 0)
        vp->apic.tpr = (uint32_t)value << 4;
    return true;
}

static void guest_writes_cr(struct vp *vp, uint32_t code)
{
    uint64_t value = 0;
    uint32_t length = written_to_cr(vp, &value);
    if (length == 0 ||
        !(code == EXIT_CR8_WRITE ? guest_writes_cr8(vp, value) : guest_writes_cr4(vp, value))) {
        vp_inject_gp(vp);
        return;
    }
    vp->vmcb->rip += length;
    vp->vmcb->interrupt_state = 0;
}

static enum after_exit halt(struct vp *vp)
{
    guest_skip(vp, 1);
    vp->activity = VP_HALTED;
    vp->idle_ignores_if = false;
    return AFTER_SLEEP;
}

static enum after_exit spin(struct vp *vp)
{
    guest_skip(vp, 1); // F3 90: one prefix and one byte
    if (++vp->pauses < SPINS_BEFORE_YIELD || !sched_others_ready())
        return AFTER_CONTINUE;
    this_pcpu()->count.events[EV_YIELD]++;
    return AFTER_GIVE_WAY;
}

// A VP that used up its slice executes INT n, INT3 or INTO (the run loop has asked for this exit). Does memory hold such an
// instruction there? QEMU 7.2 can keep the translation of a byte that another processor changed while it was being
// translated; Linux, which changes its code by way of INT3, then meets a breakpoint that is no more, goes back to execute
// anew, and so for ever. A write to the byte makes QEMU forget the translation. One look is enough: the VP executes on.
static void look_at_code(struct pcpu *me, struct vp *vp)
{
    uint64_t gpa;
    vp->vmcb->intercepts3 &= ~(uint32_t)I3_SWINT;
    if (!guest_translate(vp, guest_rip(vp), &gpa, 0))
        return;
    uint8_t *byte = guest_at(gpa, 1);
    if (byte == 0 || npt_page(gpa) != byte - gpa % PAGE)
        return;
    uint8_t holds = __atomic_load_n(byte, __ATOMIC_RELAXED);
    if (holds == INSN_INT3 || holds == INSN_INT || holds == INSN_INTO)
        return;
    __asm__ volatile("lock orb $0, %0" : "+m"(*byte) : : "cc");
    me->count.events[EV_STALE_CODE]++;
}

static void reinject_exception(struct vp *vp, uint32_t vector)
{
    if (vector == EXC_MC)
        end_run(END_HARNESS_FAULT, "machine check");
    vp->inject = EVENT_VALID | EVENT_EXCEPTION | EVENT_CODE | vector; // #AC: error code 0
}

static uint32_t row_of(uint32_t code)
{
    return code < COUNT_EXIT_NPF ? code
           : code == EXIT_NPF    ? (uint32_t)COUNT_EXIT_NPF
                                 : (uint32_t)COUNT_EXIT_INVALID;
}

enum after_exit exit_handle(struct pcpu *me, struct vp *vp)
{
    uint64_t code = vp->vmcb->exit_code;
    uint32_t low = (uint32_t)code;
    if (__builtin_expect(vp->in_l2, false) && nested_exit(vp)) {
        me->count.exits[row_of(low)]++;
        return AFTER_CONTINUE;
    }
    if (low == EXIT_VMMCALL) { // first: it is what we are here for
        me->count.exits[EXIT_VMMCALL]++;
        return exit_vmmcall(me, vp);
    }
    me->count.exits[row_of(low)]++;

    switch (low) {
    case EXIT_INTR: // the run loop lets the interrupt in and looks at the clock
    case EXIT_VINTR:
        return AFTER_CONTINUE;
    case EXIT_HLT:
        return halt(vp);
    case EXIT_MSR:
        return exit_msr(vp);
    case EXIT_CPUID:
        exit_cpuid(vp);
        return AFTER_CONTINUE;
    case EXIT_IO:
        exit_io(vp);
        return AFTER_CONTINUE;
    case EXIT_NPF:
        exit_npf(vp);
        return AFTER_CONTINUE;
    case EXIT_CR4_WRITE:
    case EXIT_CR8_WRITE:
        guest_writes_cr(vp, low);
        return AFTER_CONTINUE;
    case EXIT_PAUSE:
        return spin(vp);
    case EXIT_IRET: // NMIs are open again once this IRET is done (APM vol. 2, 8.3.1)
        vp->nmi_in_iret = true;
        vp->nmi_iret_rip = vp->vmcb->rip;
        vp->vmcb->intercepts3 &= ~(uint32_t)I3_IRET;
        return AFTER_CONTINUE;
    case EXIT_SWINT:
        look_at_code(me, vp);
        return AFTER_CONTINUE;
    case EXIT_WBINVD: // memory is coherent without it, and it would stall the machine for everybody
    case EXIT_INVD:
        guest_skip(vp, 2);
        return AFTER_CONTINUE;
    case EXIT_RDPMC:
        vp_inject_gp(vp);
        return AFTER_CONTINUE;
    case EXIT_VMRUN:
    case EXIT_VMLOAD:
    case EXIT_VMSAVE:
    case EXIT_STGI:
    case EXIT_CLGI:
    case EXIT_SKINIT:
    case EXIT_INVLPGA:
        nested_instruction(vp, low);
        return AFTER_CONTINUE;
    case EXIT_RDTSCP: // the guest's CPUID has none of these
    case EXIT_MONITOR:
    case EXIT_MWAIT:
    case EXIT_XSETBV:
    case EXIT_RDPRU:
        vp_inject_ud(vp);
        return AFTER_CONTINUE;
    case EXIT_EXCEPTION + EXC_AC:
    case EXIT_EXCEPTION + EXC_MC:
        reinject_exception(vp, low - EXIT_EXCEPTION);
        return AFTER_CONTINUE;
    case EXIT_SHUTDOWN:
        end_run(END_TRIPLE_FAULT, "triple fault of VP %u", vp->index);
    case EXIT_NMI:
        end_run(END_HARNESS_FAULT, "NMI of the machine below");
    case EXIT_INVALID:
        end_run(END_UNEXPECTED, "VP %u has a state that the processor does not run", vp->index);
    default:
        end_run(END_UNEXPECTED, "unexpected exit %lx of VP %u", code, vp->index);
    }
}
