// SPDX-License-Identifier: BSD-2-Clause
// What L1 lets pass: MSRs, ports, instructions of SVM.
#include "l2.h"

// They are L1's own, and no more.
static void l2_wrmsr(void)
{
    wrmsr((uint32_t)seen[1], seen[0]);
    vmmcall();
}
static void msr_flood(void)
{
    static const uint32_t msrs[] = {0x00000000, 0x0000003A, 0x00000079, 0x00000174, 0x0000019A, 0x000001D9,
                                    0x00000277, 0x000002FF, 0x00000400, 0x00001000, 0x40000080, 0x40000FFF,
                                    0xC0000083, 0xC0000103, 0xC0010010, 0xC0010015, 0xC0010114, 0xC0010117,
                                    0xC0010130, 0xC001011B, 0xFFFFFFFF};
    uint64_t area = rdmsr(MSR_VM_HSAVE_PA);
    for (uint32_t i = 0; i < sizeof msrs / sizeof *msrs; i++)
        for (uint32_t k = 0; k < 4; k++) {
            l2_caged(l2_wrmsr);
            block[0].intercepts3 &= ~(uint32_t)I3_MSR;
            seen[1] = msrs[i];
            seen[0] = k == 0 ? 0 : k == 1 ? ~0ull : random();
            uint64_t exit = l2_go();
            want(exit == EXIT_VMMCALL || exit == EXIT_EXCEPTION + EXC_GP, "WRMSR of L2");
        }
    wrmsr(MSR_VM_HSAVE_PA, area);
}
static void l2_ports(void)
{
    for (uint32_t port = 0x80; port < 0x10000; port += 67)
        if ((port & 0xFF0) != 0xF0 && port != 0xCF9 && port >> 8 != 6 && port >> 8 != 3)
            seen[2] += in32((uint16_t)port);
    vmmcall();
}
static void port_flood(void)
{
    l2_caged(l2_ports);
    block[0].intercepts3 &= ~(uint32_t)I3_IO;
    uint64_t exit = l2_go();
    want(exit == EXIT_VMMCALL || exit == EXIT_INTR, "ports");
}
// Maps of zeros open nothing of the machine below: L2 sees what L1 would see.
static void open_body(void)
{
    seen[0] = in32(0xF400); // a count of the harness (base/count.h); the machine has nothing there
    seen[2] = rdmsr(MSR_VM_HSAVE_PA);
    vmmcall();
}
static void open_maps(void)
{
    l2_caged(open_body);
    for (uint32_t i = 0; i < sizeof io_map; i++)
        io_map[i] = 0;
    for (uint32_t i = 0; i < sizeof msr_map; i++)
        msr_map[i] = 0;
    uint64_t area = rdmsr(MSR_VM_HSAVE_PA);
    want(l2_go() == EXIT_VMMCALL && seen[0] != 0xFFFFFFFF && seen[2] == area, "maps of zeros");
}

static void msr_body(void)
{
    rdmsr(MSR_EFER);
    vmmcall();
}
static void port_body(void)
{
    in32(0x80);
    vmmcall();
}
static void maps_that_cannot_be_read(void) // count as ones
{
    static const uint64_t places[] = {0xC8000000, 0xFEE00000, 0xFFFFFFC000};
    for (uint32_t i = 0; i < 6; i++) {
        l2_caged((i & 1) != 0 ? msr_body : port_body);
        block[0].iopm_base = block[0].msrpm_base = places[i / 2];
        want(l2_go() == ((i & 1) != 0 ? EXIT_MSR : EXIT_IO), "a map that cannot be read");
    }
}

// The TSC that L2 writes is that of L1's processor, and L2 sees it with its own offset.
static void tsc_body(void)
{
    wrmsr(MSR_TSC, seen[1]);
    seen[2] = rdtsc();
    vmmcall();
}
static void tsc_of_l1(void)
{
    uint64_t to = 1ull << 60, offset = 1ull << 55;
    l2_caged(tsc_body);
    block[0].intercepts3 &= ~(uint32_t)I3_MSR;
    block[0].tsc_offset = offset;
    seen[1] = to;
    uint64_t start = rdtsc(), exit = l2_go(), end = rdtsc();
    wrmsr(MSR_TSC, start);
    want(exit == EXIT_VMMCALL && end >= to && end - to < 1ull << 40 && seen[2] >= to + offset &&
             seen[2] - to - offset < 1ull << 40,
         "the TSC that L2 writes");
}

const struct attack attacks_passed[] = {
    ATTACK(msr_flood, NOTHING), ATTACK(port_flood, NOTHING),
    ATTACK(open_maps, NOTHING), ATTACK(maps_that_cannot_be_read, NOTHING),
    ATTACK(tsc_of_l1, NOTHING), {0, 0, 0},
};
