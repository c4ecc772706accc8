// SPDX-License-Identifier: BSD-2-Clause
#include "idt.h"
#include "end.h"
#include "lapic.h"
#include "log.h"
#include "pcpu.h"
#include "x86.h"
#include "../vm/vp.h"

struct gate {
    uint16_t offset_low, selector, attributes, offset_mid;
    uint32_t offset_high, reserved;
};
static struct gate idt[256];
extern const char interrupt_stubs[]; // boot/isr.S: 16 bytes each

// What boot/isr.S leaves on the stack.
struct interrupt_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};
void interrupt(struct interrupt_frame *f);

void idt_build(void)
{
    for (uint32_t v = 0; v < 256; v++) {
        uintptr_t stub = (uintptr_t)interrupt_stubs + v * 16;
        idt[v] = (struct gate){.offset_low = (uint16_t)stub,
                               .selector = 0x08,
                               .attributes = 0x8E00, // present, interrupt gate
                               .offset_mid = (uint16_t)(stub >> 16),
                               .offset_high = (uint32_t)(stub >> 32)};
    }
}

void idt_load(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {sizeof idt - 1, (uintptr_t)idt};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

static uint64_t read_cr2(void)
{
    uint64_t v;
    __asm__ volatile("mov %%cr2, %0" : "=r"(v));
    return v;
}

// Return addresses by the frame pointers; every step stays on the pCPU's stack.
static void backtrace(uint64_t rbp, uint64_t rsp)
{
    uint64_t base = rsp & ~((uint64_t)STACK_SIZE - 1);
    print("  called from");
    for (uint32_t i = 0; i < 16 && rbp > base && rbp + 16 <= base + STACK_SIZE && rbp % 8 == 0; i++) {
        const uint64_t *p = (const uint64_t *)rbp;
        print(" %lx", p[1]);
        if (p[0] <= rbp)
            break;
        rbp = p[0];
    }
    print("\n");
}

static _Noreturn void fault(const struct interrupt_frame *f)
{
    const struct pcpu *me = this_pcpu();
    log_seize();
    print("proviso: fault %lu (error %lx) on pCPU %u at %lx, cr2 %lx\n", f->vector, f->error, me->index,
          f->rip, read_cr2());
    print("  rax %016lx rbx %016lx rcx %016lx rdx %016lx\n", f->rax, f->rbx, f->rcx, f->rdx);
    print("  rsi %016lx rdi %016lx rbp %016lx rsp %016lx\n", f->rsi, f->rdi, f->rbp, f->rsp);
    print("  r8  %016lx r9  %016lx r10 %016lx r11 %016lx\n", f->r8, f->r9, f->r10, f->r11);
    print("  r12 %016lx r13 %016lx r14 %016lx r15 %016lx\n", f->r12, f->r13, f->r14, f->r15);
    print("  rflags %lx", f->rflags);
    if (me->loaded != 0)
        print(", last exit of VP %u %lx, now at %lx", me->loaded->index, me->loaded->vmcb->exit_code,
              me->loaded->vmcb->rip);
    print("\n");
    backtrace(f->rbp, f->rsp);
    end_run(END_HARNESS_FAULT, "the harness itself failed");
}

void interrupt(struct interrupt_frame *f)
{
    switch (f->vector) {
    case VECTOR_KICK: // having come here is all that a kick wants
        lapic_eoi();
        break;
    case VECTOR_TIMER: // the run loop looks at the clock by itself
        this_pcpu()->timer_set = ~0ull;
        lapic_eoi();
        break;
    case VECTOR_SPURIOUS:
        break;
    default:
        fault(f);
    }
}
