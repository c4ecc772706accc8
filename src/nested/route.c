// SPDX-License-Identifier: BSD-2-Clause
#include "route.h"
#include "map.h"
#include "../base/bits.h"

enum { CODE_MC = 0x52, CODE_INTR = 0x60, CODE_NMI = 0x61, CODE_INIT = 0x63, CODE_IO = 0x7B, CODE_MSR = 0x7C };
enum { NO_PLACE = 0x10000 };

/*@ requires valid: \valid_read(c);
    requires range: code < 192;
    assigns  \nothing;
    ensures  word: \result == asked_word(c, code); */
static uint32_t asked_word(const struct pv_vmcb *c, uint32_t code)
{
    switch (code / 32u) {
    case 0:
        return c->cr_intercepts;
    case 1:
        return c->dr_intercepts;
    case 2:
        return c->exception_intercepts;
    case 3:
        return c->intercepts3;
    case 4:
        return c->intercepts4;
    default:
        return c->intercepts5;
    }
}

/*@ requires valid: \valid_read(c);
    assigns  \nothing;
    ensures  nv_route_1: ours_first(code) ==> !\result;
    ensures  nv_route_2: \result <==> exit_wanted(asked_word(c, code), code); */
static bool is_asked(const struct pv_vmcb *c, uint64_t code)
{
    if (code >= 192 || code == CODE_MC || code == CODE_INTR || code == CODE_NMI || code == CODE_INIT) {
        return false;
    }
    return pv_bit_test(asked_word(c, (uint32_t)code), (uint32_t)code % 32u);
}

// One of `n` bits of the 64 from bit `from` on.
/*@ requires range: from <= 32 && n <= 7;
    assigns  \nothing;
    ensures  any: \result <==> any_bit(two, from, n); */
static bool any_bit(uint64_t two, uint32_t from, uint32_t n)
{
    bool any = false;
    /*@ loop invariant range: 0 <= i <= n;
        loop invariant any: any <==> any_bit(two, from, i);
        loop assigns i, any;
        loop variant n - i; */
    for (uint32_t i = 0; i < n; i++) {
        any = any || pv_bit_test(two, from + i);
    }
    return any;
}

/*@ requires map: base < 4503599627370496;
    requires reads: 0 <= pv_j_table_reads < 2147483000;
    assigns  pv_j_table_reads;
    ensures  nv_io_1: \result <==>
               io_wanted(info1, io_words(\old(pv_j_table_reads) + 1, base, io_port(info1))); */
static bool port_is_l1s(const struct pv_partition *p, uint64_t base, uint64_t info1)
{
    const uint32_t size = (uint32_t)(info1 / 16u % 8u), port = (uint32_t)(info1 / 0x10000u % 0x10000u);
    const uint64_t low = pv_map_word(p, base, port / 32u * 4u);
    const uint64_t high = pv_map_word(p, base, port / 32u * 4u + 4u);
    return any_bit(low + 0x100000000u * high, port % 32u, size);
}

// Place of an MSR's read bit in a permission map (APM vol. 2, 15.11), or NO_PLACE.
/*@ assigns  \nothing;
    ensures  nv_msr_1: \result == msr_place(msr); */
static uint32_t place_of(uint32_t msr)
{
    if (msr < 0x2000u) {
        return 2u * msr;
    }
    if (0xC0000000u <= msr && msr < 0xC0002000u) {
        return 0x4000u + 2u * (msr - 0xC0000000u);
    }
    if (0xC0010000u <= msr && msr < 0xC0012000u) {
        return 0x8000u + 2u * (msr - 0xC0010000u);
    }
    return NO_PLACE;
}

/*@ requires map: base < 4503599627370496;
    requires reads: 0 <= pv_j_table_reads < 2147483000;
    requires write: write <= 1;
    assigns  pv_j_table_reads;
    ensures  nv_msr_1: \result <==> msr_wanted(msr, write, map_word(\old(pv_j_table_reads) + 1,
               map_gpa(base, (msr_place(msr) + write) / 32 * 4))); */
static bool msr_is_l1s(const struct pv_partition *p, uint64_t base, uint32_t msr, uint32_t write)
{
    const uint32_t place = place_of(msr);
    if (place == NO_PLACE) {
        return true;
    }
    return pv_bit_test(pv_map_word(p, base, (place + write) / 32u * 4u), (place + write) % 32u);
}

bool pv_exit_is_l1s(const struct pv_partition *p, const struct pv_vmcb *c, uint64_t code, uint64_t info1,
                    uint32_t msr)
{
    if (!is_asked(c, code)) {
        return false;
    }
    if (code == CODE_IO) {
        return port_is_l1s(p, c->iopm_base, info1);
    }
    if (code == CODE_MSR) {
        return msr_is_l1s(p, c->msrpm_base, msr, info1 != 0 ? 1 : 0);
    }
    return true;
}
