// SPDX-License-Identifier: BSD-2-Clause
// L1's APIC. The library knows x2APIC only; QEMU alone has none.
#include "l1.h"

enum { SVR = 0xF, EOI = 0xB, ICR = 0x30, ICR_HIGH = 0x31, NMI = 4 << 8, XAPIC = 0xFEE00000 };

static bool x2apic;
extern uint16_t *number_of_id; // lib/vps.c

void apic_write(uint32_t reg, uint32_t value)
{
    if (x2apic)
        wrmsr(MSR_X2APIC + reg, value);
    else
        *(volatile uint32_t *)(uintptr_t)(XAPIC + reg * 16) = value;
}

uint32_t apic_read(uint32_t reg)
{
    return x2apic ? (uint32_t)rdmsr(MSR_X2APIC + reg) : *(volatile uint32_t *)(uintptr_t)(XAPIC + reg * 16);
}

static void memory_eoi(uint32_t vector)
{
    (void)vector;
    apic_write(EOI, 0);
}

// The library knows x2APIC only, and numbers VPs by the table that the harness makes.
void l1_apic_on(void)
{
    static uint32_t counts[1][256];
    static uint16_t zero;
    x2apic = (cpuid(1, 0).ecx & 1u << 21) != 0;
    if (x2apic)
        return;
    interrupts = counts;
    number_of_id = &zero;
    on_interrupt = memory_eoi;
    out8(0x21, 0xFF); // the old interrupt controller, whose timer the firmware has left on
    out8(0xA1, 0xFF);
    apic_write(SVR, 0x1FF);
}

static void command(uint32_t low)
{
    if (x2apic) {
        ipi(my_id(), low);
        return;
    }
    apic_write(ICR_HIGH, 0);
    apic_write(ICR, low);
}

void self_ipi(uint32_t vector)
{
    command(vector);
}

void self_nmi(void)
{
    command(NMI);
}

uint32_t came(uint32_t vector)
{
    return interrupts[me()][vector];
}
