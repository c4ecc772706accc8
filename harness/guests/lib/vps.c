// SPDX-License-Identifier: BSD-2-Clause
// The VPs of the machine, as ACPI's table of processors (MADT) names them: who they are, their memory, their start.
#include "../lib.h"

enum { FIRMWARE = 0xE0000, FIRMWARE_END = 0x100000, RSDP_XSDT = 24, HEADER = 36 };
enum { LOCAL_APIC = 0, LOCAL_X2APIC = 9, MADT_ENTRIES = HEADER + 8 };
enum { INIT = 0xC500, INIT_OFF = 0x8500, STARTUP = 0x4608, ALL_OTHERS = 3 << 18 };
enum { AP_STACK = 4096 };

uint32_t vp_total;
uint32_t *apic_ids;
volatile uint32_t (*interrupts)[256];

// start.S: a VP's number by its APIC id, and the end of VP 0's part of the stacks
uint16_t *number_of_id;
uint8_t *ap_stacks;

static volatile uint32_t *alive;
static uint32_t alive_count;
extern uint32_t guest_memory_kib; // above 1 MiB
extern char image_end[];
void idt_load(void);
void guest_start_ap(uint32_t number);

void *allocate(uint64_t size)
{
    static uint8_t *next = (uint8_t *)image_end;
    uint8_t *p = next;
    next += (size + 4095) & ~4095ull;
    if ((uintptr_t)next > 0x100000 + (uint64_t)guest_memory_kib * 1024) {
        put("no memory: %lu bytes\n", size);
        failure(98);
    }
    return p;
}

static uint64_t get(const uint8_t *at, uint32_t size)
{
    uint64_t v = 0;
    while (size-- > 0)
        v = v << 8 | at[size];
    return v;
}

static bool is_called(const uint8_t *at, const char *name)
{
    for (; *name != 0; name++, at++)
        if (*at != (uint8_t)*name)
            return false;
    return true;
}

static const uint8_t *find_madt(void)
{
    for (uintptr_t at = FIRMWARE; at < FIRMWARE_END; at += 16) {
        if (!is_called((const uint8_t *)at, "RSD PTR "))
            continue;
        const uint8_t *xsdt = (const uint8_t *)get((const uint8_t *)at + RSDP_XSDT, 8);
        for (uint64_t i = HEADER; i < get(xsdt + 4, 4); i += 8) {
            const uint8_t *table = (const uint8_t *)get(xsdt + i, 8);
            if (is_called(table, "APIC"))
                return table;
        }
    }
    put("no table of processors\n");
    failure(97);
}

void vps_find(void)
{
    const uint8_t *madt = find_madt(), *end = madt + get(madt + 4, 4);
    apic_ids = allocate((uint64_t)(end - madt) / 8 * sizeof *apic_ids); // no entry is shorter than 8 bytes
    uint32_t last = 0;
    for (const uint8_t *e = madt + MADT_ENTRIES; e < end; e += e[1]) {
        if (e[0] != LOCAL_APIC && e[0] != LOCAL_X2APIC)
            continue;
        uint32_t id = e[0] == LOCAL_APIC ? e[3] : (uint32_t)get(e + 4, 4);
        apic_ids[vp_total++] = id;
        last = id > last ? id : last;
    }
    number_of_id = allocate((last + 1ull) * sizeof *number_of_id);
    for (uint32_t i = 0; i < vp_total; i++)
        number_of_id[apic_ids[i]] = (uint16_t)i;
    interrupts = allocate(vp_total * sizeof *interrupts);
    alive = allocate(vp_total * sizeof *alive);
    ap_stacks = allocate(vp_total * (uint64_t)AP_STACK);
}

uint32_t me(void)
{
    return (uint32_t)rdmsr(MSR_KERNEL_GS_BASE);
}

void start_others(uint32_t count)
{
    if (count > vp_total) {
        put("%u VPs wanted, %u are there\n", count, vp_total);
        failure(96);
    }
    for (uint32_t i = 1; i < count; i++) {
        ipi(apic_ids[i], INIT);
        ipi(apic_ids[i], INIT_OFF);
        ipi(apic_ids[i], STARTUP);
        while (alive[i] == 0)
            pause();
    }
}

void start_all(void)
{
    ipi(0, ALL_OTHERS | INIT);
    ipi(0, ALL_OTHERS | STARTUP);
    while (__atomic_load_n(&alive_count, __ATOMIC_ACQUIRE) + 1 < vp_total)
        pause();
}

void guest_start_ap(uint32_t number)
{
    idt_load();
    apic_on();
    wrmsr(MSR_KERNEL_GS_BASE, number);
    alive[number] = 1;
    __atomic_fetch_add(&alive_count, 1u, __ATOMIC_RELEASE);
    guest_ap(number);
    for (;;)
        __asm__ volatile("hlt");
}
