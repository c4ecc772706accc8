// SPDX-License-Identifier: BSD-2-Clause
// The edges of L1's maps of ports and MSRs (APM vol. 2, 15.10 and 15.11).
#include "l1.h"

static volatile uint32_t msr;
static volatile uint16_t port;

static void l2_read_msr(void)
{
    uint32_t a, d;
    __asm__ volatile("rdmsr" : "=a"(a), "=d"(d) : "c"(msr));
    vmmcall();
}
static void l2_write_msr(void)
{
    __asm__ volatile("wrmsr" : : "a"(0), "d"(0), "c"(msr));
    vmmcall();
}
static void l2_out32(void)
{
    out32(port, 0);
    vmmcall();
}
static void l2_in8(void)
{
    in8(port);
    vmmcall();
}

static void set(uint8_t *map, uint32_t n, bool on)
{
    map[n / 8] = (uint8_t)(on ? map[n / 8] | 1u << n % 8 : map[n / 8] & ~(1u << n % 8));
}

static bool exits(void (*entry)(void), uint32_t intercept, uint64_t code)
{
    l2_watched(0, entry);
    block[0].intercepts3 |= intercept;
    return l2_run(0) == code;
}

// The register at `place`/2 of the map: only the bit of this access counts.
static void edge(uint32_t number, uint32_t place, const char *name)
{
    msr = number;
    set(msr_map, place, true);
    bool good = exits(l2_read_msr, I3_MSR, EXIT_MSR) && block[0].exit_info1 == 0;
    set(msr_map, place, false);
    set(msr_map, place + 1, true);
    good = good && exits(l2_write_msr, I3_MSR, EXIT_MSR) && block[0].exit_info1 == 1;
    set(msr_map, place + 1, false);
    expect(good, joined(name, "each of its bits counts (NV-MSR-1)"));
}

static void step_msrs(void)
{
    edge(0, 0, "MSR 0");
    edge(0x1FFF, 0x3FFE, "MSR 1FFF");
    edge(0xC0000000, 0x4000, "MSR C0000000");
    edge(0xC0001FFF, 0x7FFE, "MSR C0001FFF");
    edge(0xC0010000, 0x8000, "MSR C0010000");
    edge(0xC0011FFF, 0xBFFE, "MSR C0011FFF");
    static const uint32_t outside[] = {0x2000, 0xBFFFFFFF, 0xC0002000, 0xC000FFFF, 0xC0012000, 0xFFFFFFFF};
    bool good = true;
    for (uint32_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        msr = outside[i];
        good = exits(l2_read_msr, I3_MSR, EXIT_MSR) && good;
    }
    expect(good, "registers just outside of the map's ranges always exit");
}

static void step_ports(void)
{
    port = 0xFFFF;
    set(io_map, 0xFFFF, true);
    expect(exits(l2_in8, I3_IO, EXIT_IO) && block[0].exit_info1 >> 16 == 0xFFFF, "port FFFF (NV-IO-1)");
    set(io_map, 0xFFFF, false);
    expect(exits(l2_in8, I3_IO, EXIT_VMMCALL), "port FFFF with its bit clear");
    for (uint32_t i = 0; i < 4; i++) {
        set(io_map, 0xFFFF + i, true);
        bool good = exits(l2_out32, I3_IO, EXIT_IO);
        set(io_map, 0xFFFF + i, false);
        expect(good, "four bytes at port FFFF, of which one has its bit set");
    }
    set(io_map, 0xFFFF + 4, true);
    expect(exits(l2_out32, I3_IO, EXIT_VMMCALL), "and the bit behind them");
    set(io_map, 0xFFFF + 4, false);
}

void steps_maps(void)
{
    attempt("the map of MSRs", step_msrs);
    attempt("the map of ports", step_ports);
}
