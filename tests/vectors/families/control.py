# SPDX-License-Identifier: BSD-2-Clause
"""Who may call and how, the control word, what is offered, and the shape of a call."""
from .base import (ALL64, CALLS, EVERY, EX, FOUR, GATE, HIGH, LOW, OFFERS, REP, SIMPLE, Family, call, call32, flush, flush_ex, good, h, word)

WIDE = (*CALLS, 0xAF, 0xB0)


def who(f):
    for code in WIDE:
        w, q = good(code)
        f.add(call(w, q, offers=EVERY), outside="HC-MODE-1 HC-MODE-2 HC-IDENT-1 HC-UD-1 HC-UD-2 HC-GATE-1")
        for cpl in (1, 2, 3):
            f.add(call(w, q, mode={"cpl": cpl}, offers=EVERY), "HC-MODE-1 HC-UD-1 HC-UD-2", flags="mode f06")
        f.add(call(w, q, mode={"protected": 0, "long": 0}, offers=EVERY), "HC-MODE-2 HC-UD-2", flags="mode f06")
        f.add(call32(w, q, mode={"protected": 0}, offers=EVERY), "HC-MODE-2 HC-UD-2", flags="mode f06")
        f.add(call32(w, q, mode={"cpl": 3}, offers=EVERY), "HC-MODE-1 HC-UD-2", flags="mode f06")
        f.add(call(w, q, mode={"identified": 0}, offers=EVERY), "HC-IDENT-1 HC-IDENT-2 HC-UD-1", flags="mode f47")
        f.add(call(w, q, mode={"identified": 0, "cpl": 3}, offers=EVERY), "HC-IDENT-1 HC-MODE-1", "HC-IDENT-2", flags="mode")
        f.add(call32(w, q, offers=EVERY), "HC-REG-1 HC-REG-2", "HC-MODE-2", flags="registers")
        f.add(call32(w, q, high=0xABCD1234, offers=EVERY), "HC-REG-1 HC-REG-2", flags="registers")
        junk = {"rax": h(ALL64), "rbx": "b0b", "rsi": "51", "rdi": "d1", **({} if w >> 16 & 1 else {"r8": "88"})}
        f.add(call(w, q, regs=junk, offers=EVERY), "HC-REG-4", "HC-REG-1 HC-REG-2", flags="registers f64")


def bits(f):
    for code in CALLS:
        for bit in (*range(27, 31), *range(44, 48), *range(60, 64)):
            w, q = good(code, extra=1 << bit)
            f.add(call(w, q), "HC-RSVD-1 HC-ERR-3", flags="reserved f01")
        w, q = good(code, extra=1 << 31)
        f.add(call(w, q), "HC-RSVD-2 HC-CTL-4", flags="reserved")
        for fast in (0, 1):
            w, q = good(code, fast)
            f.add(call(w, q), "HC-CTL-2" if fast else "", "HC-RSVD-1 HC-RSVD-2 HC-CTL-4" + ("" if fast else " HC-CTL-2"), flags="reserved f01 f09")
        w, q = good(code, extra=0x7FFF << 27 & 0xF_7800_0000)
        f.add(call(w, q), "HC-RSVD-1", flags="reserved")
    for bit in range(27, 31):                       # the neighbours of the reserved bits: the highest of the header's, the count's, the start's
        f.add(call(word(0x13, var=1), flush_ex(0, 1, 1), vps=[0, bit]), outside="HC-RSVD-1")
    for code in (*range(0, 2), *range(4, 8), 9, 0xA, 0xC, 0x12, 0x16, 0x17, 0x5C, 0x46, 0x8001, 0x8002, 0xAE, 0xB1, 0x102, 0x8002, 0x4002, 0xFFFF):
        elsewhere = code in (1, 0x12, 0x46, 0x5C, 0x8001, 0x8002)
        f.add(call(word(code), flush(), offers=EVERY), "HC-CODE-1 HC-CTL-1" + (" HC-CODE-2" if elsewhere else " HC-ERR-2"),
              "" if elsewhere else "HC-CODE-2", flags="code")
        f.add(call(word(code, fast=1), [5, 1], offers=EVERY), "HC-CODE-1 HC-CTL-1", flags="code")
    f.calls(outside="HC-CODE-1 HC-ERR-2 HC-CTL-1", codes=CALLS, flags="code", gpa=0x2000)


def gates(f):
    for code in CALLS:
        w, q = good(code)
        f.add(call(w, q, offers=OFFERS & ~(1 << GATE[code])), "HC-GATE-1 HC-ERR-6", flags="gate f05")
        f.add(call(w, q, offers=1 << GATE[code] | (1 << 7 if code in EX else 0)), outside="HC-GATE-1 HC-ERR-6", flags="gate f27 f54")
        f.add(call(w, [], offers=OFFERS & ~(1 << GATE[code]), hide=True), "HC-GATE-1 HC-ORDER-1", flags="gate f05")
        w, q = good(code, fast=1)
        f.add(call(w, q, offers=OFFERS & ~(1 << GATE[code])), "HC-GATE-1", flags="gate f05")
        f.add(call(w, q, offers=OFFERS & ~(0x100 | 1 << GATE[code])), "HC-GATE-1 HC-ORDER-1", flags="gate f05")
        needs = code not in (0xB, 0x8)
        f.add(call(w, q, offers=OFFERS & ~0x100), "HC-XMM-2 HC-UD-1" if needs else "", "" if needs else "HC-XMM-2 HC-UD-1", flags="xmm f05")
        f.add(call(w, q), "HC-XMM-1 HC-FAST-1" if needs else "HC-FAST-1", "HC-XMM-2", flags="xmm f04")
        f.add(call(*good(code)), outside="HC-FAST-1 HC-XMM-1", flags="xmm")
        f.add(call32(w, q), "HC-OPEN-2" if needs else "", "" if needs else "HC-OPEN-2", flags="xmm")
        f.add(call32(*good(code)), outside="HC-OPEN-2", flags="xmm")
        if code in EX:
            f.add(call(*good(code), offers=OFFERS & ~0x80), "HC-GATE-2 HC-ERR-6", flags="gate f54")
            f.add(call(*good(code), offers=1 << GATE[code] | 0x80), outside="HC-GATE-2", flags="gate f54")
        else:
            f.add(call(*good(code), offers=OFFERS & ~0x80), outside="HC-GATE-2", flags="gate f54")


def shape(f):
    for code in SIMPLE:
        for count, start in ((1, 0), (0, 1), (4095, 0), (0, 4095), (2, 1)):
            w, q = good(code)
            f.add(call(w | word(0, count=count, start=start), q), "HC-SHAPE-1 HC-TAB-1 HC-ERR-3 HC-CTL-5 HC-CTL-6", flags="shape")
        f.add(call(*good(code)), outside="HC-SHAPE-1 HC-CTL-5 HC-CTL-6", flags="shape f07")
    for code in REP:
        w, q = good(code)
        f.add(call(w & ~(0xFFF << 32), q), "HC-SHAPE-2 HC-TAB-1", "HC-SHAPE-1", flags="shape")
        for count in (1, 2, 3, 5):
            for start in (0, count - 1, count, count + 1, 4095):
                w, q = good(code, count=count, start=start)
                late = start >= count
                f.add(call(w, q), "HC-SHAPE-3" if late else "HC-CTL-5 HC-CTL-6 HC-REPS-1", "HC-SHAPE-2" + ("" if late else " HC-SHAPE-3"),
                      flags="shape f07")
    for code in (0x2, 0x3, 0x8, 0xB, 0xAF, 0xB0):
        for var in (1, 2, 3, 64, 512, 1023):
            w, q = good(code)
            f.add(call(w | var << 17, q + [0] * var, offers=EVERY), "HC-SHAPE-4 HC-TAB-1 HC-ERR-3", flags="shape f02")
        f.add(call(*good(code), offers=EVERY), outside="HC-SHAPE-4 HC-TAB-1", flags="shape f02")
    for code in EX:                                                       # as many banks as registers hold, and one more
        head = [0x40, 0] if code == 0x15 else [0, 2, 0]
        rep = [LOW] if code == 0x14 else []
        for n in range(1, 13):
            q = head + [(1 << n) - 1] + [1] * n + rep
            w = word(code, fast=1, var=n, count=len(rep))
            right = len(q) <= 14
            f.add(call(w, q, vps=[0, 1, 64, 64 * n - 63, 64 * n - 64] if n > 2 else FOUR), "HC-CTL-3" if right else "HC-SHAPE-5 HC-ERR-3",
                  "HC-SHAPE-5 HC-SHAPE-4" if right else "", flags="xmm f03")
        f.add(call(word(code, var=0, count=len(rep)), head + [1, 1] + rep), outside="HC-CTL-3", flags="shape")
    for count in (10, 11, 12, 13):
        f.add(call(word(0x3, fast=1, count=count), flush() + [LOW + 0x10000 * i for i in range(count)]), "" if count < 12 else "HC-SHAPE-5",
              "HC-SHAPE-5" if count < 12 else "", flags="xmm")
    for count in (9, 10, 11):
        f.add(call(word(0x14, fast=1, count=count), flush_ex(1, 0) + [LOW + 0x10000 * i for i in range(count)]), "" if count < 11 else "HC-SHAPE-5",
              "HC-SHAPE-5" if count < 11 else "", flags="xmm")


def order(f):
    """Two conditions at once: which comes first is open, that one of them is answered is not."""
    wrong = {"cpl": ("mode", {"cpl": 3}), "reserved": ("extra", 1 << 44), "nested": ("extra", 1 << 31), "code": ("code", 0x7FFF),
             "gate": ("gate", 0), "count": ("count", 1), "var": ("var", 1), "odd": ("gpa", 0x1004), "cross": ("gpa", 0x1FF8),
             "hidden": ("hide", True), "flags": ("flags", 0x40)}
    names = sorted(wrong)
    for i, a in enumerate(names):
        f.add(build(dict([wrong[a]])), outside="HC-ORDER-1", flags="order")
        for b in names[i + 1:]:
            if wrong[a][0] != wrong[b][0]:
                f.add(build(dict([wrong[a], wrong[b]])), "HC-ORDER-1 HC-STAT-1 HC-ERR-1", flags="order f09")
    f.calls(outside="HC-STAT-1 HC-ERR-1 HC-ERR-3", flags="order", gpa=0x3000)


def build(what, code=0x2):
    w = word(what.get("code", code), count=what.get("count", 0), var=what.get("var", 0), extra=what.get("extra", 0))
    return call(w, flush(flags=what.get("flags", 2)) + [0] * 4, gpa=what.get("gpa", 0x1000), mode=what.get("mode"), hide=what.get("hide", False),
                offers=OFFERS & ~(1 if "gate" in what else 0))


def family():
    f = Family("control")
    for part in (who, bits, gates, shape, order):
        part(f)
    return f
