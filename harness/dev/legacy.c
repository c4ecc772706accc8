// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "legacy.h"
#include "../base/end.h"
#include "../base/lapic.h"
#include "../base/rtc.h"

enum { PIT_HZ = 1193182, PM_HZ = 3579545 };

static uint64_t pit_per_tsc, pm_per_tsc; // 32 fraction bits
static uint8_t pic_mask[2] = {0xFF, 0xFF};
static uint8_t port61;
static uint16_t pm1_enable;
static uint8_t cmos_index;
static struct {
    uint64_t began;
    uint16_t start;
    uint8_t low, written, latched_low, mode;
    bool high_next, read_high;
} pit2;

void legacy_init(void)
{
    pit_per_tsc = ((uint64_t)PIT_HZ << 32) / tsc_hz;
    pm_per_tsc = ((uint64_t)PM_HZ << 32) / tsc_hz;
}

// Counts since the gate went up; channel 2 only, which is what kernels measure with.
static uint64_t pit2_gone(void)
{
    return (port61 & 1) == 0 ? 0 : mul_shift(rdtsc() - pit2.began, pit_per_tsc, 32);
}

static uint8_t pit2_read(void)
{
    uint16_t count = (uint16_t)(pit2.start - pit2_gone());
    if (!pit2.read_high)
        pit2.latched_low = (uint8_t)(count >> 8);
    uint8_t v = pit2.read_high ? pit2.latched_low : (uint8_t)count;
    pit2.read_high = !pit2.read_high;
    return v;
}

static void pit2_write(uint8_t v)
{
    if (!pit2.high_next) {
        pit2.low = v;
    } else {
        pit2.start = (uint16_t)(pit2.low | v << 8);
        pit2.began = rdtsc();
        pit2.read_high = false;
    }
    pit2.high_next = !pit2.high_next;
}

bool legacy_read(uint16_t port, uint32_t size, uint32_t *value)
{
    switch (port) {
    case 0x20:
    case 0xA0:
        *value = 0;
        return true;
    case 0x21:
        *value = pic_mask[0];
        return true;
    case 0xA1:
        *value = pic_mask[1];
        return true;
    case 0x42:
        *value = pit2_read();
        return true;
    case 0x61: // bit 5: output of channel 2, which goes high when it has counted down
        *value = (uint32_t)(port61 & 3) | (pit2.start != 0 && pit2_gone() >= pit2.start ? 0x20 : 0);
        return true;
    case 0x71: // the machine's clock, to be read; a kernel that finds none waits for it for a second
        *value = rtc_register(cmos_index);
        return true;
    case PM1_EVENT: // status and enable; no event ever comes
        *value = size == 4 ? (uint32_t)pm1_enable << 16 : 0;
        return true;
    case PM1_EVENT + 2:
        *value = pm1_enable;
        return true;
    case PM1_CONTROL:
        *value = 1; // SCI_EN: ACPI mode from the start
        return true;
    case PM_TIMER:
        *value = (uint32_t)mul_shift(rdtsc(), pm_per_tsc, 32) & 0xFFFFFF;
        return true;
    default:
        return false;
    }
}

bool legacy_write(uint16_t port, uint32_t size, uint32_t value)
{
    (void)size;
    switch (port) {
    case 0x20:
    case 0xA0:
        return true;
    case 0x21:
        pic_mask[0] = (uint8_t)value;
        return true;
    case 0xA1:
        pic_mask[1] = (uint8_t)value;
        return true;
    case 0x40:
        return true;
    case 0x42:
        pit2_write((uint8_t)value);
        return true;
    case 0x43:
        if (value >> 6 == 2)
            pit2.high_next = pit2.read_high = false;
        return true;
    case 0x61:
        if ((value & 1) != 0 && (port61 & 1) == 0)
            pit2.began = rdtsc();
        port61 = (uint8_t)value;
        return true;
    case 0x64:
        if (value == 0xFE)
            end_run(END_RESET, "the guest asks for a reset (keyboard controller)");
        return true;
    case 0x70:
        cmos_index = value & 0x7F;
        return true;
    case 0xCF9:
        if ((value & 4) != 0)
            end_run(END_RESET, "the guest asks for a reset (port cf9)");
        return true;
    case PM1_EVENT + 2:
        pm1_enable = (uint16_t)value;
        return true;
    case PM1_EVENT:
        return true;
    case PM1_CONTROL: // SLP_EN with the type of S5
        if ((value & 1u << 13) != 0 && (value >> 10 & 7) == S5_TYPE)
            end_run(END_SHUTDOWN, "the guest has switched itself off");
        return true;
    default:
        return false;
    }
}
