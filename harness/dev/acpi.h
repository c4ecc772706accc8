// SPDX-License-Identifier: BSD-2-Clause
#ifndef HARNESS_ACPI_H
#define HARNESS_ACPI_H

#include <stdint.h>

enum { ACPI_BASE = 0xE0000, ACPI_END = 0x100000 };

// Writes the tables into guest memory at ACPI_BASE: RSDP, XSDT, FADT, DSDT, MADT with `vp_count` processors.
// Returns the guest physical address of the RSDP.
uint64_t acpi_make(uint32_t vp_count);

#endif
