// SPDX-License-Identifier: BSD-2-Clause
// Where L2's interrupts and exceptions go: each tells L1 its vector, by VMMCALL with the frame on the stack, and returns if L1 lets it.
    .text
    .code64
    .align 16
    .globl l2_gate_stubs, l2_gate_stubs_end
l2_gate_stubs:
    .set vector, 0
    .rept 256
    .align 16
    .if !((vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30))
    pushq $0
    .endif
    pushq $vector
    jmp told
    .set vector, vector + 1
    .endr
told:
    vmmcall
    add $16, %rsp
    iretq
l2_gate_stubs_end:
    .section .note.GNU-stack, "", @progbits
