// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "ioapic.h"
#include "vapic.h"

enum { REG_ID = 0, REG_VERSION = 1, REG_ARBITRATION = 2, REG_TABLE = 0x10 };
enum { ENTRY_LOGICAL = 1 << 11, ENTRY_MASKED = 1 << 16 };
#define ENTRY_WRITABLE 0xFF0000000001AFFFull // but for delivery status and remote IRR

static struct {
    struct lock lock;
    uint32_t index, id;
    uint64_t entry[IOAPIC_PINS];
} ioapic;

void ioapic_init(void)
{
    for (uint32_t i = 0; i < IOAPIC_PINS; i++)
        ioapic.entry[i] = ENTRY_MASKED;
}

uint32_t ioapic_read(uint32_t offset)
{
    uint32_t v = 0;
    lock(&ioapic.lock);
    if (offset == 0) {
        v = ioapic.index;
    } else if (offset == 0x10) {
        if (ioapic.index == REG_ID || ioapic.index == REG_ARBITRATION)
            v = ioapic.id << 24;
        else if (ioapic.index == REG_VERSION)
            v = 0x11 | (IOAPIC_PINS - 1) << 16;
        else if (ioapic.index >= REG_TABLE && ioapic.index < REG_TABLE + 2 * IOAPIC_PINS)
            v = (uint32_t)(ioapic.entry[(ioapic.index - REG_TABLE) / 2] >> (ioapic.index % 2 * 32));
    }
    unlock(&ioapic.lock);
    return v;
}

void ioapic_write(uint32_t offset, uint32_t value)
{
    lock(&ioapic.lock);
    if (offset == 0) {
        ioapic.index = value & 0xFF;
    } else if (offset == 0x10) {
        if (ioapic.index == REG_ID) {
            ioapic.id = value >> 24 & 0xF;
        } else if (ioapic.index >= REG_TABLE && ioapic.index < REG_TABLE + 2 * IOAPIC_PINS) {
            uint64_t *e = &ioapic.entry[(ioapic.index - REG_TABLE) / 2];
            unsigned shift = ioapic.index % 2 * 32;
            uint64_t mask = 0xFFFFFFFFull << shift & ENTRY_WRITABLE;
            *e = (*e & ~mask) | ((uint64_t)value << shift & mask);
        }
    }
    unlock(&ioapic.lock);
}

void ioapic_raise(uint32_t pin)
{
    lock(&ioapic.lock);
    uint64_t e = ioapic.entry[pin];
    unlock(&ioapic.lock);
    if ((e & ENTRY_MASKED) == 0)
        vapic_deliver((uint32_t)(e >> 56), (e & ENTRY_LOGICAL) != 0, (uint32_t)(e >> 8 & 7),
                      (uint32_t)(e & 0xFF));
}
