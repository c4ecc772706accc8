// SPDX-License-Identifier: BSD-2-Clause
// I/O ports.
#include "attacks.h"

static uint8_t page[4096] __attribute__((aligned(4096)));

static bool is_way_out(uint32_t port)
{
    return (port >= 0xF1 && port <= 0xF7) || (port >= 0x61 && port <= 0x64) ||
           (port >= 0xCF6 && port <= 0xCF9) || (port >= 0x601 && port <= 0x605) ||
           (port >= 0x3F5 && port <= 0x3FF);
}
static void ports_all(void)
{
    for (uint32_t p = 0; p < 0x10000; p += p < 0x1000 ? 1 : 251) {
        uint32_t v;
        __asm__ volatile("inl %w1, %0" : "=a"(v) : "d"(p));
        in8((uint16_t)p);
        if (!is_way_out(p)) {
            out8((uint16_t)p, 0xFF);
            out32((uint16_t)p, 0xFFFFFFFF);
        }
    }
}
static void port_string(void)
{
    void *p = page;
    uint64_t n = 16;
    __asm__ volatile("rep insb" : "+D"(p), "+c"(n) : "d"(0x3F8) : "memory");
}
static void port_last(void)
{
    out32(0xFFFF, ~0u);
}

const struct attack attacks_ports[] = {
    ATTACK(ports_all, NOTHING),
    ATTACK(port_string, EXC_GP),
    ATTACK(port_last, NOTHING),
    {0, 0, 0},
};
