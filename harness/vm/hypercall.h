// SPDX-License-Identifier: BSD-2-Clause
// The registers of a Hyper-V call, from the guest that runs (L1, or L2) and back.
#ifndef HARNESS_HYPERCALL_H
#define HARNESS_HYPERCALL_H

#include "vp.h"
#include "../base/string.h"
#include "../base/x86.h"
#include "../svm/svm.h"

// Bit 16 of the input value: operands in registers. Then the larger calls read the XMM registers.
enum { INPUT_FAST = 1 << 16 };

static inline bool call_reads_xmm(uint64_t input)
{
    return (uint16_t)input != 0x0008 && (uint16_t)input != 0x000B &&
           (uint16_t)input != 0x00AF; // these fit into RDX and R8
}

static inline uint64_t call_input(const struct pv_call *call)
{
    return call->long_mode ? call->rcx : (call->rdx << 32 | (uint32_t)call->rax);
}

static inline __attribute__((always_inline)) void call_read(struct vp *vp, struct pv_call *call)
{
    const struct pv_vmcb *v = vp->vmcb;
    // Field by field: the XMM part is filled only when the call may look at it.
    call->rax = v->rax;
    call->rbx = vp->gpr[3];
    call->rcx = vp->gpr[1];
    call->rdx = vp->gpr[2];
    call->rsi = vp->gpr[6];
    call->rdi = vp->gpr[7];
    call->r8 = vp->gpr[8];
    call->cpl = vp_cpl(vp);
    call->long_mode = vp_is_64bit(vp);
    call->protected_mode = call->long_mode || ((v->cr0 & CR0_PE) != 0 && (v->rflags & FLAG_VM) == 0);
    const uint64_t input = call_input(call);
    if ((input & INPUT_FAST) != 0 &&
        call_reads_xmm(input)) { // the guest's XMM registers are live in the processor
        __asm__ volatile("fxsave64 %0" : "=m"(vp->fx));
        memory_copy(call->xmm, vp->fx + 160, sizeof call->xmm);
    }
}

// Of the registers only RAX changes, unless the caller is a 32-bit one or the call goes on later.
static inline __attribute__((always_inline)) void call_write(struct vp *vp, const struct pv_call *call,
                                                             bool goes_on)
{
    vp->vmcb->rax = call->rax;
    if (!call->long_mode || goes_on) {
        vp->gpr[1] = call->rcx;
        vp->gpr[2] = call->rdx;
    }
}

#endif
