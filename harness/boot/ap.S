// SPDX-License-Identifier: BSD-2-Clause
// Start of the other processors. This code is copied to AP_BASE below 1 MiB; a start-up IPI sets CS:IP to it in real
// mode. The first processor puts the stack into ap_stack and waits until the new one has said that it lives.
    .set AP_BASE, 0x8000

    .section .rodata
    .globl ap_code, ap_code_end
    .align 16
    .code16
ap_code:
    cli
    cld
    xor %ax, %ax
    mov %ax, %ds
    lgdtl AP_BASE + (ap_gdt_pointer - ap_code)
    mov %cr0, %eax
    or $1, %eax
    and $0x9FFFFFFF, %eax                   // caches on: CD and NW are set after INIT
    mov %eax, %cr0
    ljmpl $0x18, $AP_BASE + (ap_code32 - ap_code)
    .code32
ap_code32:
    mov $0x10, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    mov ap_stack, %esp
    mov $ap_start32, %eax
    jmp *%eax
    .align 8
ap_gdt_pointer:
    .word 0x1F
    .long AP_BASE + (ap_gdt - ap_code)
    .align 8
ap_gdt:
    .quad 0
    .quad 0x00AF9B000000FFFF
    .quad 0x00CF93000000FFFF
    .quad 0x00CF9B000000FFFF
ap_code_end:

    .text
    .code32
ap_start32:
    call enter_long_mode_tables
    ljmp $0x08, $ap_start64
    .code64
ap_start64:
    mov $0x10, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    xor %eax, %eax
    mov %ax, %fs
    mov %ax, %gs
    mov ap_stack, %rsp
    xor %ebp, %ebp
    call pcpu_ap_main
1:  hlt
    jmp 1b

    .bss
    .globl ap_stack
    .align 8
ap_stack: .skip 8
    .section .note.GNU-stack, "", @progbits
