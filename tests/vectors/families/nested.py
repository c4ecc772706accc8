# SPDX-License-Identifier: BSD-2-Clause
"""Flushes of what is known from nested tables: calls 0x00AF and 0x00B0, and their CPUID leaf."""
from .base import ALL64, DEFAULT, EVERY, FOUR, OFFERS, Family, call, call32, h, word


def ask(code=0xAF, root=0x7000, flags=0, ranges=(0x9000,), fast=0, start=0, var=0, **more):
    rep = list(ranges) if code == 0xB0 else []
    return call(word(code, fast, var, len(rep), start), [root, flags, *rep], **{"offers": EVERY, **more})


def calls(f):
    for code in (0xAF, 0xB0):
        for fast in (0, 1):
            f.add(ask(code, fast=fast), "NE-TAB-1 NE-ALL-1 NE-COVER-1", "NE-ROOT-1 NE-FLAG-1 NE-GATE-1", flags="nested f39")
        for bit in range(64):
            right = 12 <= bit < 52
            f.add(ask(code, 1 << bit), "NE-COVER-1 NE-OPEN-1 NE-OPEN-2" if right else "NE-ROOT-1", "NE-ROOT-1" if right else "", flags="nested f39 f44")
        for root in (0, 0x701E, 0x7FFF, 0xFFFFFFFFFF000, ALL64):
            f.add(ask(code, root), "" if root % 4096 == 0 else "NE-ROOT-1", flags="nested f39")
        for bit in (0, 1, 2, 3, 4, 31, 32, 63):
            f.add(ask(code, flags=1 << bit), "NE-FLAG-1", flags="nested")
        for off in (11, 12, 13):
            lost = off == 13 or off == (11 if code == 0xAF else 12)
            f.add(ask(code, offers=EVERY & ~(1 << off)), "NE-GATE-1" if lost else "", "" if lost else "NE-GATE-1", flags="nested f54")
        for who in range(8):
            vps = [{"vp": v, "run": who >> v & 1} for v in range(3)]
            f.add(ask(code, vps=vps), "NE-SYNC-1 NE-ALL-1" if who else "NE-ALL-1", "" if who else "NE-SYNC-1", flags="nested f40")
        for vps in ([0], [0, 64, 4095], list(range(20))):
            f.add(ask(code, vps=vps), "NE-ALL-1", flags="nested")
        f.add(call32(word(code, count=int(code == 0xB0)), [0x7000, 0, 0x9000], offers=EVERY), "NE-TAB-1", flags="nested")
    for n in (1, 2, 3, 12, 13, 17, 509, 510, 511):
        f.add(ask(0xB0, ranges=[0x1000 * i for i in range(n)]), "NE-LIST-1" if n < 511 else "HC-PAGE-1", flags="nested")
        if n < 18:
            f.add(ask(0xB0, ranges=[0x1000 * i for i in range(n)], fast=1), "NE-LIST-1" if n < 13 else "HC-SHAPE-5", flags="nested")
    f.add(ask(0xAF), outside="NE-LIST-1", flags="nested")
    for code, w in ((0xAF, word(0xAF, count=1)), (0xB0, word(0xB0)), (0xAF, word(0xAF, var=1)), (0xB0, word(0xB0, var=1, count=1)), (0xAF, word(0xAF, start=1)),
                    (0xB0, word(0xB0, count=1, start=1))):
        f.add(call(w, [0x7000, 0, 0x9000, 0], offers=EVERY), "", "NE-TAB-1", flags="nested")
    for code in (0x2, 0xB):
        f.add(call(word(code), [0, 2, 1], offers=EVERY), outside="NE-ALL-1 NE-COVER-1 NE-OPEN-1 NE-OPEN-2", flags="nested")
    for start in (0, 1, 2):
        f.add(ask(0xB0, ranges=[0x1000, 0x2000, 0x3000], start=start), "NE-LIST-1 HC-REPS-1", flags="nested f07")


def leaves(f):
    shown = {"NE-LEAF-1": (13,), "NE-LEAF-2": (13,), "NE-LEAF-3": (13, 11, 12), "NE-LEAF-4": (13, 14, 0, 1, 4, 5)}
    for offers in (EVERY, OFFERS, 0x2000, 0, *(EVERY & ~(1 << b) for b in range(17)), *(0x2000 | 1 << b for b in range(17) if b != 13)):
        sides = {rule: all(offers >> b & 1 for b in bits) for rule, bits in shown.items()}
        inside, outside = (" ".join(r for r, s in sides.items() if s == side) for side in (True, False))
        for leaf in (0x4000000A, 0x40000000):
            f.add({"op": "cpuid", "config": {**DEFAULT, "offers": offers}, "leaf": h(leaf)}, inside, outside, flags="leaf f54")


def family():
    f = Family("nested")
    calls(f)
    leaves(f)
    return f
