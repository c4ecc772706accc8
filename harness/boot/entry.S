// SPDX-License-Identifier: BSD-2-Clause
// Start of the first processor: multiboot 1 hands over in 32-bit protected mode without paging; we build an identity
// map of the first 4 GiB from 2 MiB pages and go on in 64-bit mode. (AMD APM vol. 2, 14.6: enabling long mode)
    .set MULTIBOOT_MAGIC, 0x1BADB002
    .set MULTIBOOT_FLAGS, 0x00000003        // page-aligned modules, memory map

    .section .multiboot, "a"
    .align 4
    .long MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

    .text
    .code32
    .globl entry
entry:
    cli
    cld
    mov %eax, %esi                          // multiboot magic
    mov %ebx, %edi                          // multiboot information
    mov $boot_stack_end, %esp

    mov $0x80000000, %eax                   // is there long mode at all?
    cpuid
    cmp $0x80000001, %eax
    jb no_long_mode
    mov $0x80000001, %eax
    cpuid
    bt $29, %edx
    jnc no_long_mode

    mov $host_pdpt + 0x3, %eax              // PML4[0] -> PDPT, PDPT[0..3] -> 4 page directories
    mov %eax, host_pml4
    mov $host_pd + 0x3, %eax
    mov $host_pdpt, %edx
    mov $4, %ecx
1:  mov %eax, (%edx)
    add $0x1000, %eax
    add $8, %edx
    loop 1b
    mov $0x83, %eax                         // present, writable, 2 MiB
    mov $host_pd, %edx
    mov $2048, %ecx
2:  mov %eax, (%edx)
    add $0x200000, %eax
    add $8, %edx
    loop 2b

    call enter_long_mode_tables
    ljmp $0x08, $start64

// Loads CR4, CR3, EFER and CR0 for long mode with the host's page tables. Used by every processor.
    .globl enter_long_mode_tables
enter_long_mode_tables:
    mov $0x6A0, %eax                        // CR4: PAE, PGE, OSFXSR, OSXMMEXCPT
    mov %eax, %cr4
    mov $host_pml4, %eax
    mov %eax, %cr3
    mov $0xC0000080, %ecx                   // EFER: LME, NXE
    rdmsr
    or $0x900, %eax
    wrmsr
    mov $0x80010033, %eax                   // CR0: PG, WP, NE, ET, MP, PE
    mov %eax, %cr0
    lgdt host_gdt_pointer
    ret

// A processor that has no long mode gets one line on COM1 and the exit code for "no SVM".
no_long_mode:
    mov $no_long_mode_text, %ebx
3:  mov $0x3FD, %dx
    in %dx, %al
    test $0x20, %al
    jz 3b
    mov (%ebx), %al
    test %al, %al
    jz 4f
    mov $0x3F8, %dx
    out %al, %dx
    inc %ebx
    jmp 3b
4:  mov $0x20, %eax                         // END_NO_SVM
    mov $0xF4, %dx
    out %eax, %dx
5:  hlt
    jmp 5b

    .code64
start64:
    mov $0x10, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    xor %eax, %eax
    mov %ax, %fs
    mov %ax, %gs
    mov $boot_stack_end, %rsp
    xor %ebp, %ebp
    xchg %rdi, %rsi                         // main(magic, information)
    mov %edi, %edi
    mov %esi, %esi
    call harness_main
6:  hlt
    jmp 6b

    .section .rodata
no_long_mode_text:
    .asciz "proviso: this processor has no long mode\r\n"
    .align 8
    .globl host_gdt_pointer
host_gdt_pointer:
    .word host_gdt_end - host_gdt - 1
    .long host_gdt, 0
    .align 8
host_gdt:
    .quad 0
    .quad 0x00AF9B000000FFFF                // 0x08 code, 64-bit
    .quad 0x00CF93000000FFFF                // 0x10 data
    .quad 0x00CF9B000000FFFF                // 0x18 code, 32-bit
host_gdt_end:

    .bss
    .globl host_pml4, host_pdpt, host_pd
    .align 4096
host_pml4: .skip 4096
host_pdpt: .skip 4096
host_pd:   .skip 4096 * 4
// A pCPU finds its own structure through the lowest word of its stack (base/pcpu.h), so stacks are aligned.
    .globl boot_stack
    .align 32768
boot_stack: .skip 32768
boot_stack_end:
    .section .note.GNU-stack, "", @progbits
