// SPDX-License-Identifier: BSD-2-Clause
#include "pcpu.h"
#include "idt.h"
#include "lapic.h"
#include "log.h"
#include "memory.h"
#include "string.h"
#include "x86.h"
#include "../svm/svm.h"

enum { AP_BASE = 0x8000, AP_WAIT_US = 2000000 };

struct pcpu *pcpus[MAX_PCPUS];
uint32_t pcpu_count;

extern uint8_t boot_stack[STACK_SIZE];
extern const uint8_t ap_code[], ap_code_end[];
extern uint64_t ap_stack;
_Noreturn void pcpu_ap_main(void);

static struct pcpu boot_pcpu;

static void init(struct pcpu *p, uint8_t *stack, uint32_t index)
{
    *(struct pcpu **)(void *)stack = p;
    p->index = index;
    p->apic_id = index; // QEMU's machines number their processors so, one socket of a kind
    p->timer_set = p->first_timer = ~0ull;
    p->asid_owner = (uint64_t)index << 48 | 1;
    p->next_asid = 1;
    pcpus[index] = p;
}

void pcpu_init_boot(void)
{
    init(&boot_pcpu, boot_stack, 0);
    pcpu_count = 1;
}

bool pcpu_start_others(uint32_t count)
{
    // The first page below 1 MiB that the start-up IPI can name is ours: nothing else of the harness lies there.
    memory_copy((void *)(uintptr_t)AP_BASE, ap_code, (size_t)(ap_code_end - ap_code));
    for (uint32_t i = 1; i < count; i++) {
        struct pcpu *p = memory_aligned(sizeof *p, 64);
        uint8_t *stack = memory_aligned(STACK_SIZE, STACK_SIZE);
        init(p, stack, i);
        ap_stack = (uintptr_t)stack + STACK_SIZE;
        lapic_init_ipi(p->apic_id);
        delay_us(200);
        for (uint32_t attempt = 0; attempt < 2 && __atomic_load_n(&p->alive, __ATOMIC_ACQUIRE) == 0;
             attempt++) {
            lapic_startup_ipi(p->apic_id, AP_BASE / PAGE);
            uint64_t end = rdtsc() + (tsc_hz / 1000000) * AP_WAIT_US;
            while (__atomic_load_n(&p->alive, __ATOMIC_ACQUIRE) == 0 && rdtsc() < end)
                pause();
        }
        if (__atomic_load_n(&p->alive, __ATOMIC_ACQUIRE) == 0)
            return false;
        pcpu_count = i + 1;
    }
    return true;
}

static uint32_t go; // the others wait here until the guest has been made

_Noreturn void pcpu_ap_main(void)
{
    idt_load();
    lapic_init();
    svm_enable();
    __atomic_store_n(&this_pcpu()->alive, 1u, __ATOMIC_RELEASE);
    while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) == 0)
        pause();
    svm_run_forever();
}

void pcpu_release_others(void)
{
    __atomic_store_n(&go, 1u, __ATOMIC_RELEASE);
}
