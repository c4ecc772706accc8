// SPDX-License-Identifier: BSD-2-Clause
// The smallest set of ACPI tables with which kernels find processors, IOAPIC, PM timer and the way to switch off.
// (ACPI 6.4: 5.2.5 RSDP, 5.2.8 XSDT, 5.2.9 FADT, 5.2.12 MADT)
#include "acpi.h"
#include "ioapic.h"
#include "legacy.h"
#include "vapic.h"
#include "../vm/topology.h"
#include "../base/memory.h"
#include "../base/string.h"

enum { HEADER = 36, FADT_SIZE = 244 };

static uint8_t *base; // host view of ACPI_BASE
static uint32_t used;

static void put(uint8_t *at, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void put_sum(uint8_t *table, uint32_t size, uint32_t at)
{
    uint8_t sum = 0;
    table[at] = 0;
    for (uint32_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + table[i]);
    table[at] = (uint8_t)(0 - sum);
}

static uint8_t *begin(const char *signature, uint8_t revision)
{
    used = (used + 15) & ~15u;
    uint8_t *t = base + used;
    memory_copy(t, signature, 4);
    t[8] = revision;
    memory_copy(t + 10, "PROVISHARNESS ", 14); // OEM id (6), OEM table id (8)
    put(t + 24, 1, 4);
    memory_copy(t + 28, "PRVS", 4);
    put(t + 32, 1, 4);
    return t;
}

static uint64_t finish(uint8_t *t, uint32_t size)
{
    put(t + 4, size, 4);
    put_sum(t, size, 9);
    used += size;
    return ACPI_BASE + (uint64_t)(t - base);
}

static uint64_t make_dsdt(void)
{
    // Name (\_S5, Package () {5, 5, 0, 0}): the sleep type that PM1_CONTROL takes for "off"
    static const uint8_t s5[] = {0x08, 0x5C, '_',     'S',  '5',     '_',  0x12, 0x08,
                                 0x04, 0x0A, S5_TYPE, 0x0A, S5_TYPE, 0x00, 0x00};
    uint8_t *t = begin("DSDT", 2);
    memory_copy(t + HEADER, s5, sizeof s5);
    return finish(t, HEADER + sizeof s5);
}

static uint64_t make_fadt(uint64_t dsdt)
{
    uint8_t *t = begin("FACP", 5);
    put(t + 40, dsdt, 4);
    put(t + 46, 9, 2);           // SCI_INT
    put(t + 56, PM1_EVENT, 4);   // PM1a_EVT_BLK
    put(t + 64, PM1_CONTROL, 4); // PM1a_CNT_BLK
    put(t + 76, PM_TIMER, 4);    // PM_TMR_BLK
    t[88] = 4;                   // lengths of the three
    t[89] = 2;
    t[91] = 4;
    put(t + 96, 0xFFF, 2); // P_LVL2_LAT, P_LVL3_LAT: no C2, no C3
    put(t + 98, 0xFFF, 2);
    put(t + 109, 1 << 0 | 1 << 2 | 1 << 5, 2);           // legacy devices; no VGA; no CMOS clock
    put(t + 112, 1 << 0 | 1 << 4 | 1 << 5 | 1 << 10, 4); // WBINVD, no power or sleep button, reset register
    t[116] = 1;                                          // RESET_REG: system I/O, 8 bits
    t[117] = 8;
    t[119] = 1;
    put(t + 120, 0xCF9, 8);
    t[128] = 6;            // RESET_VALUE
    t[131] = 1;            // minor version
    put(t + 140, dsdt, 8); // X_DSDT
    return finish(t, FADT_SIZE);
}

static uint64_t make_madt(uint32_t vp_count)
{
    uint8_t *t = begin("APIC", 4), *p = t + HEADER;
    put(p, VAPIC_BASE, 4);
    put(p + 4, 1, 4); // there are 8259s
    p += 8;
    for (uint32_t i = 0; i < vp_count; i++) {
        uint32_t id = topology_apic_id(i);
        if (id < 255 && i < 255) { // type 0: local APIC
            p[0] = 0;
            p[1] = 8;
            p[2] = (uint8_t)i; // the processor in the name space: its place
            p[3] = (uint8_t)id;
            put(p + 4, 1, 4);
            p += 8;
        } else { // type 9: x2APIC
            p[0] = 9;
            p[1] = 16;
            put(p + 4, id, 4);
            put(p + 8, 1, 4);
            put(p + 12, i, 4);
            p += 16;
        }
    }
    p[0] = 1; // type 1: IOAPIC
    p[1] = 12;
    put(p + 4, IOAPIC_BASE, 4);
    p += 12;
    p[0] = 4; // type 4: NMI at LINT1 of every local APIC
    p[1] = 6;
    p[2] = 0xFF;
    p[5] = 1;
    p += 6;
    return finish(t, (uint32_t)(p - t));
}

uint64_t acpi_make(uint32_t vp_count)
{
    base = guest_base + ACPI_BASE;
    memory_zero(base, ACPI_END - ACPI_BASE);
    used = 64; // the RSDP comes first
    uint64_t fadt = make_fadt(make_dsdt()), madt = make_madt(vp_count);
    uint8_t *xsdt = begin("XSDT", 1);
    put(xsdt + HEADER, fadt, 8);
    put(xsdt + HEADER + 8, madt, 8);
    uint64_t xsdt_at = finish(xsdt, HEADER + 16);

    memory_copy(base, "RSD PTR ", 8);
    memory_copy(base + 9, "PROVIS", 6);
    base[15] = 2;
    put(base + 20, 36, 4);
    put(base + 24, xsdt_at, 8);
    put_sum(base, 20, 8);
    put_sum(base, 36, 32);
    return ACPI_BASE;
}
