# SPDX-License-Identifier: BSD-2-Clause
"""CPUID leaves and the three MSRs."""
from .base import ALL64, DEFAULT, OFFERS, Family, h

ONES = 0xFFFFFFFF
OS_ID, HYPERCALL, VP_INDEX = 0x40000000, 0x40000001, 0x40000002


def cpuid(f):
    def leaf(number, inside="", outside="", flags="leaf", **config):
        f.add({"op": "cpuid", "config": {**DEFAULT, **config}, "leaf": h(number)}, inside, outside, flags=flags)
    for offers in (OFFERS, 0, 0x1FFFF):
        leaf(0x40000000, "CP-VEND-1 CP-MAX-1", offers=offers)
        leaf(0x40000001, "CP-IFACE-1", "CP-VEND-1", offers=offers)
        leaf(0x40000003, "CP-PRIV-1 CP-PRIV-3", "CP-IFACE-1", offers=offers, flags="leaf f56 f53")
    for number in (0x40000002, 0x40000006, 0x40000007, 0x40000008, 0x40000009, 0x4000000B, 0x4000000C, 0x40000080, 0x40000081, 0x400000FF, 0x40000100, 0x4000FFFF):
        leaf(number, "CP-ZERO-1", "CP-MAX-1", privileges=ONES, features=ONES, hints=ONES, offers=0x1FFFF)
        leaf(number, "CP-ZERO-1")
    leaf(0x40000005, "CP-VPS-1", "CP-ZERO-1", flags="leaf f15")
    for most in (1, 2, 63, 64, 65, 128, 4095, 4096):
        leaf(0x40000005, "CP-VPS-1", max_vps=most, flags="leaf f15 f16")
    for bit in range(32):
        leaf(0x40000003, "CP-PRIV-2" if 0xE9F >> bit & 1 else "", "" if 0xE9F >> bit & 1 else "CP-PRIV-2", privileges=1 << bit, flags="leaf f53")
        leaf(0x40000003, "CP-FEAT-2" if 0x8A1524 >> bit & 1 else "", "" if 0x8A1524 >> bit & 1 else "CP-FEAT-2", features=1 << bit, offers=0)
        leaf(0x40000004, "CP-HINT-5" if not 0x60E3E >> bit & 1 else "", "CP-HINT-5" if 0x60E3E >> bit & 1 else "", hints=1 << bit, privileges=ONES)
    leaf(0x40000003, "CP-PRIV-2 CP-FEAT-2 CP-PRIV-3", privileges=ONES, features=ONES, offers=0, flags="leaf f53")
    for bit in range(17):
        in_feat = bit in (8, 9, 10)
        leaf(0x40000003, "CP-FEAT-1" if in_feat else "", "" if in_feat else "CP-FEAT-1", offers=1 << bit, flags="leaf f54")
        leaf(0x40000004, "CP-HINT-1" if bit == 7 else "", "" if bit == 7 else "CP-HINT-1", offers=1 << bit, flags="leaf f54")
        offers = OFFERS & ~(1 << bit)
        leaf(0x40000004, "" if bit in (0, 1, 4, 5) else "CP-HINT-2", "CP-HINT-2" if bit in (0, 1, 4, 5) else "", offers=offers, hints=6, flags="leaf f27 f54")
        leaf(0x40000004, "" if bit in (3, 6) else "CP-HINT-3", "CP-HINT-3" if bit in (3, 6) else "", offers=offers, hints=0x400, flags="leaf f27 f29")
    for hints, privileges, right in ((8, 0x10, 1), (8, 0x80, 0), (0x10, 0x80, 1), (0x10, 0x10, 0), (0x18, 0x90, 1), (0x18, 0, 0)):
        leaf(0x40000004, "CP-HINT-4" if right else "", "" if right else "CP-HINT-4", hints=hints, privileges=privileges, flags="leaf f27")
    for spin in (0, 1, 0xFFF, ONES):
        leaf(0x40000004, "", "CP-SPIN-1", spin_count=spin)
        leaf(0x40000004, "CP-SPIN-1", spin_count=spin, offers=OFFERS & ~4)
    leaf(0x40000004, "CP-HINT-1 CP-HINT-2 CP-HINT-3 CP-HINT-4 CP-HINT-5", hints=ONES, privileges=ONES)
    leaf(0x40000004, outside="CP-PRIV-1 CP-PRIV-3 CP-VPS-1")


def msrs(f):
    def write(msr, value, os_id=1, hypercall=0, inside="", outside="", **config):
        f.add({"op": "msr_write", "config": {**DEFAULT, **config}, "msr": h(msr), "value": h(value), "os_id": h(os_id), "hypercall": h(hypercall)},
              inside, outside, flags="msr")
    for msr in (OS_ID, HYPERCALL, VP_INDEX, 0x40000003, 0x40000020, 0x3FFFFFFF, 0x40000073, 0):
        known = msr in (OS_ID, HYPERCALL, VP_INDEX)
        for os_id, hypercall, index in ((0x11, 0x2001, 5), (0, 0, 0), (ALL64, ALL64 - 2, 4095)):
            f.add({"op": "msr_read", "config": DEFAULT, "msr": h(msr), "os_id": h(os_id), "hypercall": h(hypercall), "vp_index": h(index)},
                  "SU-READ-1" if known else "", "" if known else "SU-READ-1", flags="msr f47")
        write(msr, 5, 1, 0, "SU-IDX-1" if msr == VP_INDEX else "", "" if msr == VP_INDEX else "SU-IDX-1")
    for value in (1, 0x8100000601000000, 0x0001040A00003839, 1 << 63, ALL64):
        for hypercall in (0, 0x2001, 0x2003):
            write(OS_ID, value, 0, hypercall & ~1, "SU-OSID-1", "SU-OSID-2")
            write(OS_ID, value, 7, hypercall, "SU-OSID-1", "SU-OSID-2")
    for hypercall in (0, 0x2000, 0x2001, 0x2003, 0x2FFF):
        write(OS_ID, 0, 7, hypercall, "SU-OSID-2", "SU-OSID-1" if hypercall == 0 else "")
    for value in (0, 1, 0x1000, 0x1001, 0x1FFD, 0x1003, 0xFF_FFFF_F001):
        write(HYPERCALL, value, 0, 0, "SU-ENA-1", "SU-PAGE-1")
        write(HYPERCALL, value, 1, 0, "SU-PAGE-1" if value & 1 else "", "SU-ENA-1" + ("" if value & 1 else " SU-PAGE-1"))
    for bit in range(1, 12):
        write(HYPERCALL, 0x5001 | 1 << bit, 1, 0, "SU-RSVD-1" if bit > 1 else "SU-LOCK-1")
        write(HYPERCALL, 0x5001 | 1 << bit, 1, 0x5001, "SU-RSVD-1")
    write(HYPERCALL, 0x5001, outside="SU-RSVD-1")
    for bits in (32, 36, 40, 52):
        top = 1 << bits
        for value in (top, top | 1, top << 1 | 1, 1 << 63 | 1, top - 0x1000 | 1, top - 0x1000, 0x1001):
            wrong = value >= top
            if value < 2**64:
                for before in (0, 0x3001):
                    write(HYPERCALL, value, 1, before, "SU-GPFN-1" if wrong else "", "" if wrong else "SU-GPFN-1", gpa_bits=bits)
    for value in (0, 0x1000, 0x7001, 0x1003, ALL64):
        write(HYPERCALL, value, 1, 0x1003, "SU-LOCK-1")
        write(HYPERCALL, value, 1, 0x1002, "SU-LOCK-1")
        write(HYPERCALL, value, 1, 0x1001, "", "SU-LOCK-1")
        write(HYPERCALL, value, 1, 0x1003, "", "SU-LOCK-1", offers=OFFERS & ~0x400)
        write(HYPERCALL, value, 0, 0x1002, "SU-LOCK-1")


def family():
    f = Family("setup")
    cpuid(f)
    msrs(f)
    return f
