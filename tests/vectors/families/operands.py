# SPDX-License-Identifier: BSD-2-Clause
"""Operands in memory, results, elements done, continuation."""
from .base import ALL64, CALLS, EVERY, EX, HIGH, LOW, REP, Family, call, call32, flush, flush_ex, good, h, word

WIDE = (*CALLS, 0xAF, 0xB0)


def places(f):
    for code in WIDE:
        w, q = good(code)
        size = 8 * len(q)
        for odd in (1, 2, 4, 7):
            f.add(call(w, q, gpa=0x1000 + odd, offers=EVERY), "HC-ALIGN-1 HC-ERR-4", flags="place f23")
        for gpa in (0x1008, 0x1010, 0x7FFFF000, 0xFF_FFFF_F000):
            f.add(call(w, q, gpa=gpa, offers=EVERY), outside="HC-ALIGN-1 HC-ERR-4", flags="place f23")
        f.add(call(w, q, gpa=0x2000 - size, offers=EVERY), outside="HC-PAGE-1 HC-ERR-4", flags="place f23")
        if size > 8:
            both = call(w, q, gpa=0x2008 - size, offers=EVERY)
            f.add(both, "HC-PAGE-1 HC-ERR-4", flags="place f23")
            f.add({**both, "mem": both["mem"] + [["3000", ["0"]]]}, "HC-PAGE-1", flags="place f23")
        f.add(call(w, q, hide=True, offers=EVERY), "HC-GPA-1 HC-OPEN-3", flags="place f23")
        f.add(call(w, q, gpa=0x100000, offers=EVERY), outside="HC-GPA-1 HC-OPEN-3", flags="place f34")
        for gpa in (1 << 40, 1 << 52, ALL64 - 0xFFF, 1 << 63):
            f.add(call(w, q, gpa=gpa, hide=True, offers=EVERY), "HC-GPA-1 HC-OPEN-3", flags="place f23")
        w, q = good(code, fast=1)
        f.add(call(w, q, offers=EVERY), outside="HC-GPA-1 HC-ALIGN-1 HC-PAGE-1", flags="place")
        f.add(call32(*good(code), gpa=0x1_0000_1000, offers=EVERY), "HC-REG-1", flags="place")
        f.add(call(*good(code), regs={"r8": "1"}, offers=EVERY), "HC-REG-1", flags="place f60")
        f.add(call(*good(code), regs={"r8": h(1 << 52)}, offers=EVERY), "HC-REG-1", flags="place f60")
    for count in (1, 508, 509, 510):                                   # a page holds 512 qwords, three of which are the header
        w, q = word(0x3, count=count), flush() + [LOW + 0x1000 * i for i in range(count)]
        f.add(call(w, q), "HC-PAGE-1" if count > 509 else "HC-REPS-1", "" if count > 509 else "HC-PAGE-1", flags="place f07 f23")


def results(f):
    for code in REP:
        for count in (1, 2, 3, 7):
            for start in range(0, count, 2):
                w, q = good(code, count=count, start=start)
                f.add(call(w, q), "HC-RES-1 HC-REPS-1", "HC-REPS-2", flags="progress f07")
                f.add(call32(w, q), "HC-RES-1 HC-REPS-1 HC-REG-2", flags="progress f07")
                bad = [q[0], 1 << 40, *q[2:]]
                f.add(call(w, bad), "HC-REPS-2 HC-ERR-1 HC-ERR-5", "HC-REPS-1", flags="progress")
    for code in (0x2, 0xB, 0x8, 0x13, 0x15):
        f.add(call(*good(code)), outside="HC-RES-1 HC-REPS-1 HC-REPS-2", flags="progress")
    f.add(call(word(2), flush(flags=0x20)), "HC-RES-1 HC-ERR-5 HC-STAT-1", flags="progress")
    f.calls(outside="HC-ERR-5", gpa=0x4000)


def parts(f):
    """A list that is longer than one entry's budget; and one that is just as long."""
    for code in (*REP, 0xB0):
        for count in (1, 2, 3, 5):
            for budget in (1, 2, 3, 5):
                for start in (0, 1):
                    if start >= count:
                        continue
                    w, q = good(code, count=count, start=start)
                    goes_on = count - start > budget
                    rules = "HC-CONT-1 HC-CONT-2 HC-REG-3 HC-REPS-3"
                    for caller in (call, call32):
                        f.add(caller(w, q, rep_budget=budget, offers=EVERY), rules if goes_on else "", "" if goes_on else rules, flags="parts f07 f20")
    for budget in (1, 16, 508, 509):
        w, q = word(0x3, count=509), flush() + [LOW + 0x1000 * i for i in range(509)]
        f.add(call(w, q, rep_budget=budget), "HC-CONT-1" if budget < 509 else "", "HC-CONT-1" if budget == 509 else "", flags="parts")
    for code in (0x2, 0x13, 0xB, 0x15, 0x8, 0xAF):
        f.add(call(*good(code), rep_budget=1, offers=EVERY), outside="HC-CONT-1", flags="parts")


def spin(f):
    for value in (0, 1, 5, 0xFFFFFFFF, ALL64):
        for fast in (0, 1):
            f.add(call(word(8, fast=fast), [value]), "HC-SPIN-1", flags="spin")
    for running in (0, 1):
        f.add(call(word(8), [3], vps=[{"vp": v, "run": running} for v in range(4)]), "HC-SPIN-1", flags="spin")
    f.add(call(word(8), [3], offers=0x7FB), outside="HC-SPIN-1", flags="spin")
    f.add(call(word(8, count=1), [3]), outside="HC-SPIN-1", flags="spin")


def family():
    f = Family("operands")
    for part in (places, results, parts, spin):
        part(f)
    return f
