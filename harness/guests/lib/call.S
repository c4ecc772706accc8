// SPDX-License-Identifier: BSD-2-Clause
// A hypercall with all registers that an interface of 64-bit or of 32-bit callers names: void call_64(struct registers *),
// void call_32(struct registers *). The layout is that of lib.h.
    .set RAX, 0
    .set RBX, 8
    .set RCX, 16
    .set RDX, 24
    .set RSI, 32
    .set RDI, 40
    .set R8, 48
    .set XMM, 56
    .set PAGE, 152

    .text
    .code64
    .globl call_64, call_32, raw_call
call_64:
    push %rbx
    push %rbp
    mov %rdi, %rbp
    call load_xmm
    mov RAX(%rbp), %rax
    mov RBX(%rbp), %rbx
    mov RCX(%rbp), %rcx
    mov RDX(%rbp), %rdx
    mov RSI(%rbp), %rsi
    mov RDI(%rbp), %rdi
    mov R8(%rbp), %r8
    call *PAGE(%rbp)
    jmp store

call_32:
    push %rbx
    push %rbp
    mov %rdi, %rbp
    call load_xmm
    mov R8(%rbp), %r8
    lcall *compatibility(%rip)
store:
    mov %rax, RAX(%rbp)
    mov %rbx, RBX(%rbp)
    mov %rcx, RCX(%rbp)
    mov %rdx, RDX(%rbp)
    mov %rsi, RSI(%rbp)
    mov %rdi, RDI(%rbp)
    mov %r8, R8(%rbp)
    pop %rbp
    pop %rbx
    ret

load_xmm:
    movdqu XMM(%rbp), %xmm0
    movdqu XMM + 16(%rbp), %xmm1
    movdqu XMM + 32(%rbp), %xmm2
    movdqu XMM + 48(%rbp), %xmm3
    movdqu XMM + 64(%rbp), %xmm4
    movdqu XMM + 80(%rbp), %xmm5
    ret

// The instruction, without the hypercall page.
raw_call:
    vmmcall
    ret

    .code32
in_32:
    mov RAX(%ebp), %eax
    mov RBX(%ebp), %ebx
    mov RCX(%ebp), %ecx
    mov RDX(%ebp), %edx
    mov RSI(%ebp), %esi
    mov RDI(%ebp), %edi
    call *PAGE(%ebp)
    lret

    .section .rodata
    .align 8
compatibility:
    .long in_32
    .word 0x18                              // 32-bit code segment of start.S
    .section .note.GNU-stack, "", @progbits
