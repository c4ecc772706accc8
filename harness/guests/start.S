// SPDX-License-Identifier: BSD-2-Clause
// Start of the bare-metal guests: multiboot, 32-bit, no paging -> 64-bit with an identity map of the first 4 GiB.
// The other VPs come through the code at AP_BASE by INIT and start-up IPI, all at once or one by one; each takes the
// stack that belongs to its number, which it finds by its APIC id.
    .set AP_BASE, 0x8000

    .section .multiboot, "a"
    .align 4
    .long 0x1BADB002, 0x3, -(0x1BADB002 + 0x3)

    .text
    .code32
    .globl entry
entry:
    cli
    cld
    mov 16(%ebx), %esi                      // command line
    mov %esi, guest_command_line
    mov 8(%ebx), %esi
    mov %esi, guest_memory_kib
    mov $pdpt + 0x3, %eax
    mov %eax, pml4
    mov $pd + 0x3, %eax
    mov $pdpt, %edx
    mov $4, %ecx
1:  mov %eax, (%edx)
    add $0x1000, %eax
    add $8, %edx
    loop 1b
    mov $0x83, %eax
    mov $pd, %edx
    mov $2048, %ecx
2:  mov %eax, (%edx)
    add $0x200000, %eax
    add $8, %edx
    loop 2b
    mov $ap_code, %esi                      // the way in for the others
    mov $AP_BASE, %edi
    mov $ap_code_end - ap_code, %ecx
    rep movsb
    mov $first_stack_end, %esp
    call long_mode
    ljmp $0x08, $bsp64

long_mode:
    mov $0x6A0, %eax                        // PAE, PGE, OSFXSR, OSXMMEXCPT
    mov %eax, %cr4
    mov $pml4, %eax
    mov %eax, %cr3
    mov $0xC0000080, %ecx
    rdmsr
    or $0x900, %eax                         // LME, NXE
    wrmsr
    mov $0x80010033, %eax
    mov %eax, %cr0
    lgdt gdt_pointer
    ret

    .code64
bsp64:
    call segments
    mov $first_stack_end, %rsp
    call guest_start
1:  hlt
    jmp 1b

segments:
    mov $0x10, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    xor %eax, %eax
    mov %ax, %fs
    mov %ax, %gs
    ret

    .code32
ap32:
    mov $0x10, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    mov $0xB, %eax                          // own APIC id: CPUID 0xB, EDX
    xor %ecx, %ecx
    cpuid
    mov number_of_id, %eax
    movzwl (%eax,%edx,2), %edi
    mov %edi, %esp
    inc %esp
    shl $12, %esp                           // AP_STACK bytes each
    add ap_stacks, %esp
    call long_mode
    ljmp $0x08, $ap64
    .code64
ap64:
    call segments
    mov %esp, %esp
    call guest_start_ap                     // the number is in EDI
1:  hlt
    jmp 1b

    .section .rodata
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
    and $0x9FFFFFFF, %eax
    mov %eax, %cr0
    ljmpl $0x18, $ap32
    .align 8
ap_gdt_pointer:
    .word 0x1F
    .long AP_BASE + (ap_gdt - ap_code)
    .align 8
ap_gdt:
    .quad 0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF, 0x00CF9B000000FFFF
ap_code_end:
    .align 8
gdt_pointer:
    .word gdt_end - gdt - 1
    .long gdt, 0

    .data
    .align 16
    .globl gdt
gdt:
    .quad 0
    .quad 0x00AF9B000000FFFF                // 0x08 code, 64-bit
    .quad 0x00CF93000000FFFF                // 0x10 data
    .quad 0x00CF9B000000FFFF                // 0x18 code, 32-bit
    .quad 0x00CFF3000000FFFF                // 0x20 data, CPL 3
    .quad 0x00AFFB000000FFFF                // 0x28 code, 64-bit, CPL 3
    .quad 0, 0                              // 0x30 TSS, filled in by lib.c
gdt_end:

// Interrupts: one stub a vector, then guest_interrupt(frame).
    .text
    .code64
    .align 16
    .globl guest_stubs
guest_stubs:
    .set vector, 0
    .rept 256
    .align 16
    .if !((vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30))
    pushq $0
    .endif
    pushq $vector
    jmp common
    .set vector, vector + 1
    .endr
common:
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
    call guest_interrupt
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

    .bss
    .globl pml4, pdpt, pd, guest_command_line, guest_memory_kib
    .align 4096
pml4: .skip 4096
pdpt: .skip 4096
pd:   .skip 4096 * 4
    .skip 16384
first_stack_end:
guest_command_line: .skip 8
guest_memory_kib: .skip 8
    .section .note.GNU-stack, "", @progbits
