// SPDX-License-Identifier: BSD-2-Clause
// Entry stubs for the host's 256 interrupt vectors, 16 bytes each. Every path ends in interrupt(frame) with one
// layout, struct interrupt_frame: the stub adds a zero where the processor pushes no error code.
    .text
    .code64
    .align 16
    .globl interrupt_stubs
interrupt_stubs:
    .set vector, 0
    .rept 256
    .align 16
    .if !((vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30))
    pushq $0
    .endif
    pushq $vector
    jmp interrupt_common
    .set vector, vector + 1
    .endr

interrupt_common:
    push %rax
    push %rbx
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %rbp
    push %r8
    push %r9
    push %r10
    push %r11
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, %rdi
    mov %rsp, %rbx
    and $-16, %rsp
    cld
    call interrupt
    mov %rbx, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rbp
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rbx
    pop %rax
    add $16, %rsp
    iretq
    .section .note.GNU-stack, "", @progbits
