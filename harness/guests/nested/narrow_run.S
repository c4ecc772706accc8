// SPDX-License-Identifier: BSD-2-Clause
// narrow_run(block, cr3, cr4, esi): L1 leaves long mode, runs the control block with paging by CR3 and CR4, and comes back. No interrupt
// or exception may come meanwhile.
    .text
    .code64
    .globl narrow_run
narrow_run:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, kept_rsp
    mov %cr4, %rax
    mov %rax, kept_cr4
    mov %cr3, %rax
    mov %rax, kept_cr3
    mov %edi, %ebx
    mov %edx, %edi
    mov %ecx, %ebp
    clgi
    pushq $0x18
    pushq $1f
    lretq
    .code32
1:  mov %cr0, %eax
    and $0x7FFFFFFF, %eax
    mov %eax, %cr0
    mov $0xC0000080, %ecx
    rdmsr
    and $0xFFFFFEFF, %eax                   // LME
    wrmsr
    mov %edi, %cr4
    mov %esi, %cr3
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    mov %ebp, %esi
    mov %ebx, %eax
    vmrun
    mov %cr0, %eax
    and $0x7FFFFFFF, %eax
    mov %eax, %cr0
    mov kept_cr4, %eax
    mov %eax, %cr4
    mov kept_cr3, %eax
    mov %eax, %cr3
    mov $0xC0000080, %ecx
    rdmsr
    or $0x100, %eax
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    ljmp $0x08, $2f
    .code64
2:  mov kept_rsp, %rsp
    stgi
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

    .bss
    .align 8
kept_rsp: .skip 8
kept_cr4: .skip 8
kept_cr3: .skip 8
    .section .note.GNU-stack, "", @progbits
