// SPDX-License-Identifier: BSD-2-Clause
// The old devices, as far as guests look at them: PIC (mask registers only), PIT channel 2 for calibration, ACPI
// power management block, reset ports.
#ifndef HARNESS_LEGACY_H
#define HARNESS_LEGACY_H

#include <stdbool.h>
#include <stdint.h>

// Ports of the ACPI block that the FADT names (dev/acpi.c)
enum { PM1_EVENT = 0x600, PM1_CONTROL = 0x604, PM_TIMER = 0x608, PM_END = 0x60C };
enum { S5_TYPE = 5 };

void legacy_init(void);

// False: no such port. `size` is 1, 2 or 4 bytes.
bool legacy_read(uint16_t port, uint32_t size, uint32_t *value);
bool legacy_write(uint16_t port, uint32_t size, uint32_t value);

#endif
