// SPDX-License-Identifier: BSD-2-Clause
// Virtual interrupts: V_IRQ, its priority, V_TPR, and the intercept that tells when L2 would take one (APM vol. 2, 15.21).
#include "l1.h"

enum { VECTOR = 0x51, PRIO = 5 };

static void l2_stop(void)
{
    vmmcall();
}
static void l2_opens(void)
{
    __asm__ volatile("sti; nop");
    vmmcall();
}
static void l2_halts(void)
{
    __asm__ volatile("sti; hlt");
    vmmcall();
}
static void l2_halt(void)
{
    __asm__ volatile("hlt");
    vmmcall();
}
static void l2_lowers(void)
{
    __asm__ volatile("mov %0, %%cr8; nop" : : "r"(0ull));
    vmmcall();
}
static void offer(void (*entry)(void), bool open, uint64_t more)
{
    l2_watched(0, entry);
    l2_gates(0);
    block[0].v_intr =
        V_INTR_MASKING | V_IRQ | (uint64_t)PRIO << V_PRIO_SHIFT | (uint64_t)VECTOR << V_VECTOR_SHIFT | more;
    if (open)
        block[0].rflags |= FLAG_IF;
    l2_run(0);
}

// It was taken at `entry` plus as many bytes, and is no longer requested.
static bool taken(void (*entry)(void), uint64_t most)
{
    const struct l2_frame *f = l2_frame(0);
    return f != 0 && f->vector == VECTOR && f->rip >= (uintptr_t)entry && f->rip <= (uintptr_t)entry + most &&
           (block[0].v_intr & V_IRQ) == 0;
}

static bool left(void)
{
    return block[0].exit_code == EXIT_VMMCALL && l2_frame(0) == 0 && (block[0].v_intr & V_IRQ) != 0;
}

static void step_priority(void)
{
    offer(l2_stop, true, 0);
    bool good = taken(l2_stop, 0);
    block[0].rip += 3;
    expect(good && l2_run(0) == EXIT_VMMCALL && l2_frame(0) == 0,
           "V_IRQ with IF set: taken once, before L2's first instruction (NV-VINTR-1)");
    offer(l2_stop, true, PRIO - 1);
    expect(taken(l2_stop, 0), "V_TPR below its priority: taken");
    offer(l2_stop, true, PRIO + 1);
    expect(left(), "V_TPR above its priority: not taken, and V_IRQ stays (NV-VBACK-1)");
    if (on_proviso) {
        offer(l2_stop, true, PRIO);
        expect(left(), "V_TPR of its priority: the same");
    } else {
        skip("V_TPR of its priority: not taken", "QEMU takes it: it compares with >= where the manual has >");
    }
    offer(l2_stop, true, PRIO | V_IGN_TPR);
    expect(taken(l2_stop, 0), "V_IGN_TPR: taken in spite of V_TPR");
    if (on_proviso) {
        offer(l2_lowers, true, 9);
        expect(taken(l2_lowers, 32) && (block[0].v_intr & 15) == 0, "L2 lowers CR8: taken, and V_TPR is 0");
    } else {
        skip(
            "L2 lowers CR8 while V_IRQ waits",
            "QEMU 7.2 ends itself (an assertion) when CR8 is written while a virtual interrupt may be taken");
    }
    offer(l2_stop, false, 0);
    expect(left(), "L2's IF clear: not taken");
    offer(l2_opens, false, 0);
    expect(taken(l2_opens, 16) && l2_frame(0)->rip > (uintptr_t)l2_opens, "L2 sets IF: taken then");
    offer(l2_halts, false, 0);
    expect(taken(l2_halts, 16), "it ends L2's HLT");
}

// A block whose shadow of STI lies over a HLT: the interrupt ends the HLT, and does not come before it.
static void step_shadow(void)
{
    skip("the shadow of STI over any other instruction",
         "QEMU does not look at it at VMRUN, so nothing above QEMU can");
    if (!on_proviso) {
        skip("the shadow of STI over a HLT", "QEMU does not look at it at VMRUN");
        return;
    }
    l2_watched(0, l2_halt);
    l2_gates(0);
    block[0].v_intr =
        V_INTR_MASKING | V_IRQ | (uint64_t)PRIO << V_PRIO_SHIFT | (uint64_t)VECTOR << V_VECTOR_SHIFT;
    block[0].rflags |= FLAG_IF;
    block[0].interrupt_state = 1;
    l2_run(0);
    bool good = taken(l2_halt, 1) && l2_frame(0)->rip == (uintptr_t)l2_halt + 1;
    block[0].rip += 3;
    expect(l2_run(0) == EXIT_VMMCALL && l2_frame(0) == 0 && good, "the shadow of STI over a HLT");
}

static void step_window(void)
{
    l2_watched(0, l2_stop);
    offer(l2_stop, false, 0);
    block[0].rip = (uintptr_t)l2_stop;
    block[0].intercepts3 |= I3_VINTR;
    expect(l2_run(0) == EXIT_VMMCALL, "VINTR with IF clear: no exit");
    block[0].rip = (uintptr_t)l2_stop;
    block[0].rflags |= FLAG_IF;
    expect(l2_run(0) == EXIT_VINTR && block[0].rip == (uintptr_t)l2_stop && (block[0].v_intr & V_IRQ) != 0,
           "VINTR with IF set: an exit before it is taken");
    block[0].intercepts3 &= ~(uint32_t)I3_VINTR;
    l2_run(0);
    expect(taken(l2_stop, 0), "without the intercept it is taken");
    offer(l2_opens, false, 0);
    block[0].rip = (uintptr_t)l2_opens;
    block[0].rflags = 2;
    block[0].v_intr |= V_IRQ;
    block[0].intercepts3 |= I3_VINTR;
    expect(l2_run(0) == EXIT_VINTR && block[0].rip > (uintptr_t)l2_opens, "VINTR once L2 has set IF");
}

static void step_fault(void)
{
    uint64_t *e = window_entry(0, 1), whole = *e;
    l2_watched(0, l2_stop);
    l2_gates(0);
    block[0].v_intr = V_INTR_MASKING | V_IRQ | V_IGN_TPR | (uint64_t)VECTOR << V_VECTOR_SHIFT;
    block[0].rflags |= FLAG_IF;
    block[0].rsp = (uintptr_t)window + 2 * PAGE - 64;
    block[0].tlb_control = 1;
    *e = 0;
    l2_run(0);
    *e = whole;
    block[0].tlb_control = 1;
    if (on_proviso)
        expect(block[0].exit_code == EXIT_NPF && block[0].exit_int_info == (EVENT_VALID | VECTOR) &&
                   (block[0].v_intr & V_IRQ) == 0,
               "a nested fault while it is delivered: EXITINTINFO names it, V_IRQ is gone");
    else
        skip("EXITINTINFO of a virtual interrupt", "QEMU tells type 3 for it, and leaves V_IRQ set");
}

void steps_virtual(void)
{
    attempt("virtual interrupts", step_priority);
    attempt("the shadow of STI", step_shadow);
    attempt("VINTR", step_window);
    attempt("a virtual interrupt that meets a missing page", step_fault);
}
