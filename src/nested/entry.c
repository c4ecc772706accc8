// SPDX-License-Identifier: BSD-2-Clause
#include "entry.h"
#include "../base/bits_bridge.h"

#define KIB_4     0x1000ull
#define MIB_2     0x200000ull
#define MIB_4     0x400000ull
#define GIB_1     0x40000000ull
#define GIB_512   0x8000000000ull
#define TO_BIT_52 0x10000000000000ull
#define BIT_63    0x8000000000000000ull

/*@ assigns  \nothing;
    ensures  nx: \result <==> no_execute(role); */
static bool has_nx(uint32_t role)
{
    return role / PV_ROLE_NX % 2 == 1;
}

uint32_t pv_table_levels(uint32_t role)
{
    if (role / PV_ROLE_LONG % 2 == 1)
        return 4;
    return role / PV_ROLE_PAE % 2 == 1 ? 3 : 2;
}

// The page with this number, and the row of 32 bytes.
/*@ requires number: n < 1099511627776;
    assigns  \nothing;
    ensures  is: \result == 4096 * n && \result < 4503599627370496;
    ensures  page: \result % 4096 == 0;
    ensures  row: \result % 32 == 0; */
static uint64_t page_number(uint64_t n)
{
    //@ assert pages: \forall integer k; 0 <= k ==> (4096 * k) % 4096 == 0 && (32 * k) % 32 == 0;
    //@ assert row: 4096 * n == 32 * (128 * n) && (32 * (128 * n)) % 32 == 0;
    return KIB_4 * n;
}

/*@ requires number: n < 134217728;
    assigns  \nothing;
    ensures  is: \result == 32 * n && \result < 4503599627370496;
    ensures  row: \result % 32 == 0; */
static uint64_t row_number(uint64_t n)
{
    //@ assert rows: \forall integer k; 0 <= k ==> (32 * k) % 32 == 0;
    return 32 * n;
}

uint64_t pv_table_root(uint32_t f, uint64_t ncr3)
{
    if (f == 3)
        return row_number(ncr3 / 32 % 0x8000000);
    return page_number(f == 4 ? ncr3 / KIB_4 % 0x10000000000ull : ncr3 / KIB_4 % 0x100000);
}

uint64_t pv_entry_covers(uint32_t f, uint32_t n)
{
    if (n == 1)
        return KIB_4 - 1;
    if (f == 2)
        return MIB_4 - 1;
    if (n == 2)
        return MIB_2 - 1;
    return n == 3 ? GIB_1 - 1 : GIB_512 - 1;
}

uint32_t pv_entry_shift(uint32_t f, uint32_t n)
{
    if (n == 1)
        return 12;
    if (f == 2)
        return 22;
    if (n == 2)
        return 21;
    return n == 3 ? 30 : 39;
}

// Which entry of the table.
/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  nw_index_1: \result == entry_index(f, n, gpa) && \result < 1024; */
static uint64_t index_of(uint32_t f, uint32_t n, uint64_t gpa)
{
    if (f == 2)
        return n == 1 ? gpa / KIB_4 % 1024 : gpa / MIB_4 % 1024;
    if (n == 1)
        return gpa / KIB_4 % 512;
    if (n == 2)
        return gpa / MIB_2 % 512;
    if (n == 3)
        return f == 3 ? gpa / GIB_1 % 4 : gpa / GIB_1 % 512;
    return gpa / GIB_512 % 512;
}

uint64_t pv_entry_at(uint32_t f, uint32_t n, uint64_t start, uint64_t gpa)
{
    const uint64_t i = index_of(f, n, gpa);
    //@ assert rows: start == 32 * (start / 32);
    if (f == 2) {
        //@ assert by4: (32 * (start / 32) + 4 * i) % 4 == 0;
        return start + 4 * i;
    }
    //@ assert by8: (32 * (start / 32) + 8 * i) % 8 == 0;
    return start + 8 * i;
}

bool pv_entry_is_page(uint32_t role, uint32_t n, uint64_t e)
{
    const uint32_t f = pv_table_levels(role);
    if (n == 1)
        return true;
    if (e / 128 % 2 == 0)
        return false;
    if (n == 2)
        return f != 2 || role / PV_ROLE_PSE % 2 == 1;
    return n == 3 && f == 4;
}

// Bits below a large page's address that its entry must leave 0. Bit 12 is PAT's.
/*@ requires level: 2 <= f <= 4 && 1 <= n <= f;
    assigns  \nothing;
    ensures  small: f == 2 ==> (\result <==> n == 2 && e / 2097152 % 2 == 1);
    ensures  wide: f != 2 ==> (\result <==> (n == 2 && e / 8192 % 256 != 0) || (f == 4 && n == 3 && e / 8192 % 131072 != 0)); */
static bool crooked(uint32_t f, uint32_t n, uint64_t e)
{
    if (f == 2)
        return n == 2 && e / MIB_2 % 2 == 1;
    if (n == 2)
        return e / 0x2000 % 0x100 != 0;
    return f == 4 && n == 3 && e / 0x2000 % 0x20000 != 0;
}

// Bits that the formats with PAE leave free, beside those of long mode.
/*@ assigns  \nothing;
    ensures  free_bits: \result <==> e / 4503599627370496 % 2048 != 0 ||
               (n == 3 && (e >= 9223372036854775808 || e / 2 % 4 != 0 || e / 32 % 16 != 0)); */
static bool pae_reserved(uint32_t n, uint64_t e)
{
    if (e / TO_BIT_52 % 0x800 != 0)
        return true;
    return n == 3 && (e >= BIT_63 || e / 2 % 4 != 0 || e / 32 % 16 != 0);
}

// The address goes beyond the width of the machine's.
/*@ requires width: 32 <= width <= 52;
    assigns  \nothing;
    ensures  wide: \result <==> shr(e % 4503599627370496, width) != 0; */
static bool too_wide(uint32_t width, uint64_t e)
{
    return (e % TO_BIT_52) >> width != 0;
}

bool pv_entry_reserved(uint32_t role, uint32_t width, uint32_t n, uint64_t e)
{
    const uint32_t f = pv_table_levels(role);
    if (pv_entry_is_page(role, n, e) && crooked(f, n, e))
        return true;
    if (f == 2)
        return false;
    if (too_wide(width, e) || (e >= BIT_63 && !has_nx(role)) || (n == 4 && e / 128 % 2 == 1))
        return true;
    return f == 3 && pae_reserved(n, e);
}

uint64_t pv_entry_table(uint32_t f, uint64_t e)
{
    return page_number(f == 2 ? e / KIB_4 % 0x100000 : e / KIB_4 % 0x10000000000ull);
}

uint64_t pv_entry_target(uint32_t f, uint32_t n, uint64_t e, uint64_t gpa)
{
    if (n == 1)
        return pv_entry_table(f, e) + gpa % KIB_4;
    if (f == 2)
        return e / MIB_4 % 0x400 * MIB_4 + e / 0x2000 % 0x100 * 0x100000000ull + gpa % MIB_4;
    if (n == 2)
        return e / MIB_2 % 0x80000000ull * MIB_2 + gpa % MIB_2;
    return e / GIB_1 % 0x400000 * GIB_1 + gpa % GIB_1;
}

uint32_t pv_entry_user(uint32_t f, uint32_t n, uint64_t e)
{
    return (f == 3 && n == 3) || e / 4 % 2 == 1 ? 1 : 0;
}

uint32_t pv_entry_writes(uint32_t f, uint32_t n, uint64_t e)
{
    return (f == 3 && n == 3) || e / 2 % 2 == 1 ? 1 : 0;
}

uint32_t pv_entry_runs(uint32_t role, uint32_t n, uint64_t e)
{
    const uint32_t f = pv_table_levels(role);
    return f == 2 || (f == 3 && n == 3) || !has_nx(role) || e < BIT_63 ? 1 : 0;
}
