// SPDX-License-Identifier: BSD-2-Clause
// The host's interrupt descriptor table. Nothing in it uses the interrupt stack table or changes the privilege
// level, so the task register, which holds the guest's value, is never looked at.
#ifndef HARNESS_IDT_H
#define HARNESS_IDT_H

void idt_build(void); // once
void idt_load(void);  // on each pCPU

// Lets pending interrupts of the host in: the only place where they are on, besides the idle loop and the guest.
static inline void take_interrupts(void)
{
    __asm__ volatile("sti; nop; cli" : : : "memory");
}

#endif
