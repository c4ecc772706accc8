# SPDX-License-Identifier: BSD-2-Clause
"""Sets of VPs: masks, banks, formats, sizes, emptiness, VPs that do not exist."""
from random import Random

from .base import ALL64, EX, FOUR, LOW, Family, call, flush, flush_ex, word


def body(code, fmt, mask, *banks, flags=2):
    return [0x40, fmt, mask, *banks] if code == 0x15 else flush_ex(fmt, mask, *banks, flags=flags) + ([LOW] if code == 0x14 else [])


def ask(code, fmt, mask, *banks, var=None, flags=2, fast=0, **more):
    return call(word(code, fast, len(banks) if var is None else var, int(code == 0x14)), body(code, fmt, mask, *banks, flags=flags), **more)


def banks(f):
    for code in EX:
        for vp in (0, 1, 63, 64, 127, 128, 4031, 4032, 4095):
            bank, place = divmod(vp, 64)
            others = sorted({0, 63, 64, vp, (vp + 64) % 4096, (vp + 1) % 4096})
            f.add(ask(code, 0, 1 << bank, 1 << place, vps=others), "VS-BANK-1 VS-MEM-1 VS-SIZE-1 VS-FMT-1", flags="set f08 f16 f63")
            f.add(ask(code, 0, 1 << bank, ALL64 ^ 1 << place, vps=others), outside="VS-BANK-1 VS-MEM-1", flags="set")
        f.add(ask(code, 0, 1 << 63, 1 << 63, vps=[4095, 63]), "VS-SIZE-1", flags="set")
        f.add(ask(code, 0, 1, 1 << 63, vps=[4095, 63]), outside="VS-SIZE-1", flags="set")
        for mask, words in ((5, (0x21, 4)), (6, (1, 2)), (1 << 63 | 1, (2, 1)), (0b10110, (1, 2, 4)), (0xF, (1, 2, 4, 8)), (1 << 62 | 1 << 61, (3, 1))):
            here = [0, 1, 2, 5, 64, 65, 66, 127, 128, 129, 130, 192, 195, 257, 258, 3904, 3968, 3969, 4032, 4033]
            f.add(ask(code, 0, mask, *words, vps=here), "VS-BANK-2 VS-MEM-1", flags="set f03 f10 f63")
            f.add(ask(code, 0, mask, *reversed(words), vps=here), outside="VS-BANK-2", flags="set f63")
        for n in (1, 2, 63, 64):
            f.add(ask(code, 0, (1 << n) - 1, *([0] * (n - 1)), 1, vps=[0, 64 * n - 64]), "VS-VAR-1" if n == 0 else "", "VS-VAR-1", flags="set f10 f16")


def formats(f):
    for code in EX:
        for fmt in (0, 1, 2, 3, 255, 1 << 31, 1 << 32, 1 << 63, ALL64):
            inside = {0: "VS-FMT-1", 1: "VS-FMT-2"}.get(fmt, "VS-FMT-3")
            outside = {0: "VS-FMT-2 VS-FMT-3", 1: "VS-FMT-1 VS-FMT-3"}.get(fmt, "VS-FMT-1 VS-FMT-2")
            f.add(ask(code, fmt, 1, 2, vps=[0, 1, 65]), inside, outside, flags="set f12")
            f.add(ask(code, fmt, 0, vps=[0, 1, 65]), inside, outside, flags="set f12 f13")
            f.add(ask(code, fmt, 5, 1, 1, fast=1, vps=[0, 64, 128]), inside, outside, flags="set f04")
            f.add(ask(code, fmt, 3, 1, vps=[0, 64]), flags="set f09")
        for vps in ([0], [0, 1], list(range(40)), [0, 64, 4095]):
            f.add(ask(code, 1, 0, vps=vps), "VS-FMT-2 VS-VAR-2", flags="set f12")
        for var, words in ((0, ()), (2, (1, 1)), (1, (1,)), (3, (1, 1, 1))):
            right = var in (0, 2)
            f.add(ask(code, 1, 5, *words, var=var, vps=[0, 64, 128, 200]), "VS-VAR-2" if right else "HC-OPEN-1", "" if right else "VS-VAR-2", flags="set f10")


def sizes(f):
    for code in EX:
        for mask in (0, 1, 5, 0x8000000000000001, 0xFF):
            need = bin(mask).count("1")
            for var in sorted({0, 1, need - 1, need, need + 1, need + 2} - {-1}):
                wrong = var != need
                rules = "VS-VAR-1 HC-OPEN-1 " + ("IPI-ERR-1" if code == 0x15 else "FL-ERR-1")
                f.add(ask(code, 0, mask, *([1] * (need + 2)), var=var), rules if wrong else "", "" if wrong else rules, flags="set f09 f10")
        f.add(ask(code, 0, ALL64, *([1 << 5] * 64), vps=[5, 4037, 6]), outside="VS-VAR-1", flags="set f10")
        f.add(ask(code, 0, ALL64, *([1 << 5] * 64), var=63, vps=[5, 4037, 6]), "VS-VAR-1", flags="set f09")


def empties(f):
    for code in EX:
        for words in ((), (0,), (0, 0)):
            mask = (1 << len(words)) - 1
            f.add(ask(code, 0, mask, *words), "VS-EMPTY-1 VS-EMPTY-2" + (" VS-OPEN-1" if code != 0x15 else " IPI-EMPTY-1"), flags="set f13")
            if code != 0x15:
                f.add(ask(code, 0, mask, *words, flags=3), "FL-ALL-1", "VS-EMPTY-1 VS-EMPTY-2 VS-OPEN-1", flags="set f13 f12")
        f.add(ask(code, 0, 1, 1), outside="VS-EMPTY-1 VS-OPEN-1" if code != 0x15 else "VS-EMPTY-1", flags="set")
        f.add(ask(code, 1, 0), outside="VS-EMPTY-1 VS-EMPTY-2", flags="set f13")


def absent(f):
    for vps in ([0, 3], [7], list(range(8))):
        for code in EX:
            f.add(ask(code, 0, 3, ALL64, ALL64, vps=vps), "VS-ABS-1", flags="set f11 f14")
            f.add(ask(code, 0, 1 << 63, ALL64, vps=vps), "VS-ABS-1", flags="set f11")
            f.add(ask(code, 0, 1, sum(1 << v for v in vps), vps=vps), outside="VS-ABS-1", flags="set f11")
        for code, q in ((0x2, flush(mask=ALL64)), (0xB, [0x40, ALL64]), (0x2, flush(mask=1 << 63)), (0xB, [0x40, 1 << 63])):
            f.add(call(word(code), q, vps=vps), "VS-ABS-1", flags="set f11 f14")
    for bit in range(64):
        f.add(call(word(0xB, fast=1), [0x41, 1 << bit], vps=[bit, (bit + 1) % 64, (bit + 8) % 64, 64]), "VS-MEM-2 IPI-LAY-1", flags="set f08")
    for bit in (0, 7, 8, 31, 32, 62, 63):
        f.add(call(word(0x2), flush(mask=1 << bit), vps=[bit, bit ^ 1, 64 + bit]), "VS-MEM-2", flags="set f08")
        f.add(call(word(0x2), flush(mask=ALL64 ^ 1 << bit), vps=[bit, 64 + bit]), outside="VS-MEM-2", flags="set f08")
    f.add(call(word(0xB), [0x40, 1], vps=[0, {"vp": 1, "apic_id": 0xFFFE}]), flags="set f17 f31")
    for apic_ids in ([0x23, 0x123], [2, 5, 9], [255, 256]):       # ids in the APIC are not indices
        vps = [{"vp": i, "apic_id": a} for i, a in enumerate(apic_ids)]
        f.add(call(word(0xB), [0x40, 1], vps=vps), "VS-MEM-2", flags="set f31 f63")
        f.add(call(word(0x15, var=1), [0x40, 0, 1, 2], vps=vps), "VS-MEM-1", flags="set f31 f63")


def scattered(f):
    """Sets at random over VPs with gaps."""
    random = Random(11)
    for n in range(90):
        code = EX[n % 3]
        bits = sorted(random.sample(range(64), random.randrange(1, 5)))
        mask = sum(1 << b for b in bits)
        words = [random.getrandbits(64) & random.getrandbits(64) for _ in bits]
        inside = [b * 64 + i for b, w in zip(bits, words) for i in range(64) if w >> i & 1]
        vps = sorted({*random.sample(inside, min(5, len(inside))), *(random.randrange(4096) for _ in range(5))})
        f.add(ask(code, 0, mask, *words, vps=vps, fast=int(n % 5 == 0 and len(bits) < 9)), "VS-BANK-1 VS-BANK-2 VS-MEM-1", flags="set f63")


def family():
    f = Family("vpset")
    for part in (banks, formats, sizes, empties, absent, scattered):
        part(f)
    return f
