// SPDX-License-Identifier: BSD-2-Clause
// Whose exit is it? What L1 intercepts is L1's, the rest was for us alone (NV-ROUTE-1, NV-ROUTE-2).
#ifndef PV_NESTED_ROUTE_H
#define PV_NESTED_ROUTE_H

#include "../model.h"
#include "../base/journal.h"
#include "types.h"
#include "vmcb.h"

/*@ // The intercept word of an exit code.
    logic integer asked_word{L}(struct pv_vmcb *c, integer code) =
      word_of_code(c->cr_intercepts, c->dr_intercepts, c->exception_intercepts, c->intercepts3, c->intercepts4,
                   c->intercepts5, code);

    // The dword of one of L1's maps that a read gave.
    logic integer map_word(integer read, integer gpa) = map_bits(table_found(read), table_word(read, gpa));

    // The dword `at` bytes into the map at `base`.
    logic integer map_gpa(integer base, integer at) = base - base % 4096 + at;

    // The two dwords that hold a port's bits and those behind them.
    logic integer io_words(integer read, integer base, integer port) =
      map_word(read, map_gpa(base, port / 32 * 4)) +
      4294967296 * map_word(read + 1, map_gpa(base, port / 32 * 4 + 4)); */

// True when L1 has asked for this exit of L2. `c` is the copy of what L1 wrote; `msr` is looked at for an exit because of an
// MSR. Interrupts and NMIs of the machine, machine checks, INIT and nested page faults are ours first: false.
// The maps are read as they are now, at the address in the copy; what can't be read counts as set (NV-UNREAD-1).
/*@ requires valid: \valid_read(c);
    requires maps: c->iopm_base < 4503599627370496 && c->msrpm_base < 4503599627370496;
    requires reads: 0 <= pv_j_table_reads < 2147483000;
    assigns  pv_j_table_reads;
    ensures  nv_route_1: ours_first(code) ==> !\result;
    ensures  nv_route_2: code != 0x7B && code != 0x7C ==> (\result <==> exit_wanted(asked_word(c, code), code));
    ensures  nv_io_1: code == 0x7B ==> (\result <==> exit_wanted(c->intercepts3, code) &&
               io_wanted(info1, io_words(\old(pv_j_table_reads) + 1, c->iopm_base, io_port(info1))));
    ensures  nv_msr_1: code == 0x7C ==> (\result <==> exit_wanted(c->intercepts3, code) &&
               msr_wanted(msr, info1 != 0 ? 1 : 0, map_word(\old(pv_j_table_reads) + 1,
                 map_gpa(c->msrpm_base, (msr_place(msr) + (info1 != 0 ? 1 : 0)) / 32 * 4)))); */
bool pv_exit_is_l1s(const struct pv_partition *p, const struct pv_vmcb *c, uint64_t code, uint64_t info1,
                    uint32_t msr);

#endif
