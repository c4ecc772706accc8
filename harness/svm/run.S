// SPDX-License-Identifier: BSD-2-Clause
// void svm_vmrun(uint64_t vmcb_pa, uint64_t *gpr)
// The only way into the guest. VMRUN switches RAX, RSP, RIP, RFLAGS and the segments that C depends on; we switch the
// other general registers. With GIF = 0 and IF = 1 a host interrupt waits for VMRUN and then leaves the guest at
// once (APM vol. 2, 15.17 and 15.21), so a kick that comes at any moment before VMRUN is not lost.
    .text
    .code64
    .globl svm_vmrun
svm_vmrun:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rsi
    mov %rdi, %rax
    clgi
    sti
    nop                     // ends the shadow of STI, which QEMU would carry into the guest
    mov 8(%rsi), %rcx
    mov 16(%rsi), %rdx
    mov 24(%rsi), %rbx
    mov 40(%rsi), %rbp
    mov 56(%rsi), %rdi
    mov 64(%rsi), %r8
    mov 72(%rsi), %r9
    mov 80(%rsi), %r10
    mov 88(%rsi), %r11
    mov 96(%rsi), %r12
    mov 104(%rsi), %r13
    mov 112(%rsi), %r14
    mov 120(%rsi), %r15
    mov 48(%rsi), %rsi
    vmrun
    cli
    xchg %rsi, (%rsp)       // the guest's RSI against our pointer
    mov %rcx, 8(%rsi)
    mov %rdx, 16(%rsi)
    mov %rbx, 24(%rsi)
    mov %rbp, 40(%rsi)
    mov %rdi, 56(%rsi)
    mov %r8, 64(%rsi)
    mov %r9, 72(%rsi)
    mov %r10, 80(%rsi)
    mov %r11, 88(%rsi)
    mov %r12, 96(%rsi)
    mov %r13, 104(%rsi)
    mov %r14, 112(%rsi)
    mov %r15, 120(%rsi)
    pop 48(%rsi)
    cld
    stgi
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .section .note.GNU-stack, "", @progbits
