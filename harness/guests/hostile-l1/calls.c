// SPDX-License-Identifier: BSD-2-Clause
// Hypercalls about nested tables that are none, and such as are.
#include "l2.h"

enum { FLUSH_SPACE = 0xAF, FLUSH_LIST = 0xB0, P = 1, W = 2, U = 4 };

// HvCallFlushGuestPhysicalAddressSpace and ..List; the status.
static uint64_t flush(uint64_t call, uint64_t ncr3, uint64_t flags, uint64_t range)
{
    operands[0] = ncr3;
    operands[1] = flags;
    operands[2] = range;
    uint64_t count = call == FLUSH_LIST ? 1ull << 32 : 0;
    return hypercall(call | count, (uintptr_t)operands, 0) & 0xFFFF;
}

static bool sees(uint64_t what, uint8_t tlb_control)
{
    l2_fresh(0, l2_read);
    block[0].cr3 = (uintptr_t)den[DEN_TABLES];
    block[0].rsp = (uintptr_t)den[DEN_STACK + 4] - 8;
    block[0].nested_cr3 = (uintptr_t)cage;
    block[0].tlb_control = tlb_control;
    seen[0] = 0;
    seen[1] = (uintptr_t)window + PAGE;
    return l2_go() == EXIT_VMMCALL && seen[0] == what;
}

static void flushes_of_rubbish(void)
{
    static const uint64_t roots[] = {0, 0xC8000000, 0xFEE00000, 1ull << 51, ~0ull, 0xFFF};
    hyperv_on();
    l2_caged(l2_call);
    *(uint64_t *)(void *)(window + PAGE) = 0x77;
    for (uint32_t i = 0; i < 400; i++) {
        uint64_t root = i % 8 < 6 ? roots[i % 8] : i % 8 == 6 ? random() : (uintptr_t)cage;
        flush((i & 8) != 0 ? FLUSH_SPACE : FLUSH_LIST, root, (i & 16) != 0 ? random() : 0, random());
        if (i % 16 == 15)
            want(sees(0x77, 0), "L2 sees its memory after a flush");
    }
}

// L1 moves a page, and flushes; L2 sees it as it is. Where the call is not offered, by TLB_CONTROL.
static void flushes_of_tables(void)
{
    hyperv_on();
    l2_caged(l2_call);
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t page = (uintptr_t)window + (1 + i % 3) * PAGE;
        *(uint64_t *)page = i + 1;
        nested_pt[0][1] = page | P | W | U;
        uint64_t status =
            flush((i & 1) != 0 ? FLUSH_SPACE : FLUSH_LIST, (uintptr_t)cage, 0, (uintptr_t)window + PAGE);
        want(sees(i + 1, status != 0), "a page that L1 has moved");
    }
}

const struct attack attacks_calls[] = {
    ATTACK(flushes_of_rubbish, NOTHING),
    ATTACK(flushes_of_tables, NOTHING),
    {0, 0, 0},
};
