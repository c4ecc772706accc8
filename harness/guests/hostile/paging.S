// SPDX-License-Identifier: BSD-2-Clause
// void long_mode_without_pae(void): leaves the guest twice with EFER.LME = 1 while paging and PAE are off, a state that
// the architecture allows, and goes back to 64-bit mode. The processor's caches of translations hold nothing here.
    .text
    .code64
    .globl long_mode_without_pae
long_mode_without_pae:
    push %rbx
    lcall *there(%rip)
    pop %rbx
    ret

    .code32
in_32:
    mov %cr4, %edi
    mov %cr0, %esi
    mov %esi, %eax
    and $0x7FFFFFFF, %eax                   // PG
    mov %eax, %cr0
    mov %edi, %eax
    and $~0x20, %eax                        // PAE
    mov %eax, %cr4
    xor %eax, %eax
    cpuid
    xor %eax, %eax
    cpuid
    mov %edi, %eax
    mov %eax, %cr4
    mov %esi, %eax
    mov %eax, %cr0
    lret

    .section .rodata
    .align 8
there:
    .long in_32
    .word 0x18                              // 32-bit code segment of start.S
    .section .note.GNU-stack, "", @progbits
