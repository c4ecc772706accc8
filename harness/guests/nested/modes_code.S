// SPDX-License-Identifier: BSD-2-Clause
// What L2 does in each mode: reads at ESI, asks CPUID, writes CR4 and a port, and tells the value in EAX, CPUID's EBX in EBX.
    .macro look
    movl (%esi), %edi
    xorl %eax, %eax
    cpuid
    outb %al, $0x80
    movl %edi, %eax
    vmmcall
    .endm

    .text
    .globl l2_look16, l2_look32, l2_look64, l2_boot, l2_boot_lme_first
    .code16
l2_look16:
    mov %cr4, %eax
    mov %eax, %cr4
    look
    .code32
l2_look32:
    mov %cr4, %eax
    mov %eax, %cr4
    look
    .code64
l2_look64:
    mov %cr4, %rax
    mov %rax, %cr4
    movl (%rsi), %edi
    xorl %eax, %eax
    cpuid
    outb %al, $0x80
    movl %edi, %eax
    vmmcall

// From protected mode without paging to 64-bit mode, with CR3 from EBX; CPUID (which L1 intercepts) on the way.
    .code32
l2_boot_lme_first:
    mov $0xC0000080, %ecx
    rdmsr
    or $0x100, %eax
    wrmsr
    cpuid                                   // LME, no PAE
l2_boot:
    mov %cr4, %eax
    or $0x20, %eax
    mov %eax, %cr4
    mov %ebx, %cr3
    mov $0xC0000080, %ecx
    rdmsr
    or $0x100, %eax
    wrmsr
    cpuid                                   // LME and PAE
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    cpuid                                   // long mode, 32-bit code
    ljmp $0x08, $1f
    .code64
1:  movl (%rsi), %eax
    vmmcall
    .section .note.GNU-stack, "", @progbits
