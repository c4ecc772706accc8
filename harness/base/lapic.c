// SPDX-License-Identifier: BSD-2-Clause
#include "lapic.h"
#include "log.h"
#include "x86.h"

enum { LAPIC = 0xFEE00000 };
// Offsets of the memory-mapped registers (APM vol. 2, table 16-2)
enum {
    REG_ID = 0x20,
    REG_TPR = 0x80,
    REG_EOI = 0xB0,
    REG_SPURIOUS = 0xF0,
    REG_ICR_LOW = 0x300,
    REG_ICR_HIGH = 0x310,
    REG_LVT_TIMER = 0x320,
    REG_LVT_LINT0 = 0x350,
    REG_LVT_LINT1 = 0x360,
    REG_INITIAL = 0x380,
    REG_CURRENT = 0x390,
    REG_DIVIDE = 0x3E0
};
enum { MASKED = 0x10000, DIVIDE_BY_1 = 0xB };
enum { PIT_HZ = 1193182 };

uint64_t tsc_hz;
static uint64_t timer_per_tsc; // timer ticks for a TSC tick, 32 fraction bits
static uint64_t us_per_tsc;    // microseconds for a TSC tick, 32 fraction bits

static uint32_t get(uint32_t reg)
{
    return *(volatile uint32_t *)(uintptr_t)(LAPIC + reg);
}

static void set(uint32_t reg, uint32_t v)
{
    *(volatile uint32_t *)(uintptr_t)(LAPIC + reg) = v;
}

void lapic_init(void)
{
    wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 0x800);
    set(REG_TPR, 0);
    set(REG_LVT_LINT0, MASKED);
    set(REG_LVT_LINT1, MASKED);
    set(REG_DIVIDE, DIVIDE_BY_1);
    set(REG_LVT_TIMER, VECTOR_TIMER);
    set(REG_INITIAL, 0);
    set(REG_SPURIOUS, 0x100 | VECTOR_SPURIOUS);
}

uint32_t lapic_id(void)
{
    return get(REG_ID) >> 24;
}

void lapic_eoi(void)
{
    set(REG_EOI, 0);
}

static void command(uint32_t apic_id, uint32_t low)
{
    while ((get(REG_ICR_LOW) & (1u << 12)) != 0) // delivery status: the last one is still under way
        pause();
    set(REG_ICR_HIGH, apic_id << 24);
    set(REG_ICR_LOW, low);
}

void lapic_kick(uint32_t apic_id)
{
    command(apic_id, 0x4000 | VECTOR_KICK);
}

void lapic_init_ipi(uint32_t apic_id)
{
    command(apic_id, 0xC500);
}

void lapic_startup_ipi(uint32_t apic_id, uint8_t page)
{
    command(apic_id, 0x4600u | page);
}

// One measurement: TSC and APIC timer ticks while the PIT counts 1/PARTS s.
enum { PARTS = 100, TRIES = 5, BETWEEN_LOOKS = 100 };
static uint64_t measure(uint32_t *ticks)
{
    // Channel 2, mode 0, counts down once; its output is bit 5 of port 0x61.
    uint32_t count = PIT_HZ / PARTS;
    out8(0x61, (uint8_t)((in8(0x61) & ~2u) | 1u));
    out8(0x43, 0xB0);
    out8(0x42, (uint8_t)count);
    out8(0x42, (uint8_t)(count >> 8));
    uint64_t began = rdtsc();
    set(REG_INITIAL, 0xFFFFFFFF);
    while ((in8(0x61) & 0x20) == 0) // a look takes QEMU long when it counts instructions
        for (volatile uint32_t i = 0; i < BETWEEN_LOOKS; i++)
            ;
    *ticks = 0xFFFFFFFF - get(REG_CURRENT);
    return rdtsc() - began;
}

void clock_calibrate(void)
{
    uint64_t tsc = ~0ull;
    uint32_t timer = 0;
    set(REG_LVT_TIMER, MASKED | VECTOR_TIMER);
    for (uint32_t i = 0; i < TRIES;
         i++) { // whoever disturbs a measurement makes it longer, so the shortest counts
        uint32_t ticks;
        uint64_t t = measure(&ticks);
        if (t < tsc) {
            tsc = t;
            timer = ticks;
        }
    }
    set(REG_INITIAL, 0);
    set(REG_LVT_TIMER, VECTOR_TIMER);
    tsc_hz = tsc * PARTS;
    timer_per_tsc = ((uint64_t)timer << 32) / tsc;
    us_per_tsc = (1000000ull << 32) / tsc_hz;
    say("clocks: TSC %lu kHz, APIC timer %lu kHz", tsc_hz / 1000, (uint64_t)timer * PARTS / 1000);
}

void lapic_timer(uint64_t tsc)
{
    if (tsc == ~0ull) {
        set(REG_INITIAL, 0);
        return;
    }
    uint64_t now = rdtsc();
    uint64_t ticks = tsc > now ? mul_shift(tsc - now, timer_per_tsc, 32) + 1 : 1;
    set(REG_INITIAL, ticks > 0xFFFFFFFF ? 0xFFFFFFFF : (uint32_t)ticks);
}

uint64_t tsc_to_us(uint64_t ticks)
{
    return mul_shift(ticks, us_per_tsc, 32);
}

void delay_us(uint64_t us)
{
    uint64_t end = rdtsc() + us * (tsc_hz / 1000000);
    while (rdtsc() < end)
        pause();
}
