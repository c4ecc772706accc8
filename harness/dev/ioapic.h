// SPDX-License-Identifier: BSD-2-Clause
// An IOAPIC with 24 edge-triggered inputs at 0xFEC00000 (82093AA), as far as one serial port needs it.
#ifndef HARNESS_IOAPIC_H
#define HARNESS_IOAPIC_H

#include <stdint.h>

enum { IOAPIC_BASE = 0xFEC00000, IOAPIC_PINS = 24 };

uint32_t ioapic_read(uint32_t offset);
void ioapic_write(uint32_t offset, uint32_t value);
void ioapic_raise(uint32_t pin);
void ioapic_init(void);

#endif
