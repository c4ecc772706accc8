# SPDX-License-Identifier: BSD-2-Clause
"""Entries of a flush list, plain and extended; the canonical hole; the queue."""
from random import Random

from .base import ALL64, HIGH, LOW, Family, call, flush, flush_ex, word

TOP_LOW, BOTTOM_HIGH = (1 << 47) - 0x1000, 0xFFFF_8000_0000_0000


def listed(entries, flags=2, ex=False, **more):
    if ex:
        return call(word(0x14, 0, 1, len(entries)), flush_ex(0, 1, 1, flags=flags) + list(entries), **more)
    return call(word(0x3, 0, 0, len(entries)), flush(flags) + list(entries), **more)


def plain(f):
    for base in (0, LOW, HIGH, BOTTOM_HIGH):
        for extra in (0, 1, 2, 15, 0x7FF, 0x800, 0xFFF):
            f.add(listed([base | extra]), "GV-PLAIN-1 GV-PLAIN-2", "GV-EXT-1 GV-EXT-2", flags="pages")
            f.add(listed([base | extra], ex=True), "GV-PLAIN-1 GV-PLAIN-2", flags="pages")
            large = extra & 0x800
            f.add(listed([base | extra], 10), "GV-EXT-2" if large else "GV-EXT-1", "GV-PLAIN-1 GV-PLAIN-2 " + ("GV-EXT-1" if large else "GV-EXT-2"), flags="extended")
    for bit in range(12, 64, 3):
        f.add(listed([1 << bit]), "GV-PLAIN-1" if bit < 47 else "GV-CAN-1", "GV-CAN-1" if bit < 47 else "", flags="pages f19")


def extended(f):
    for base in (0, 0x4000_0000, 0xFFFF_8000_4000_0000):
        for count in (0, 1, 2, 0x7FF):
            f.add(listed([base | 0x800 | count], 10), "GV-EXT-2", "GV-EXT-3 GV-OPEN-1", flags="extended")
            f.add(listed([base | 0x1800 | count], 10), "GV-EXT-2", "GV-EXT-3 GV-OPEN-1", flags="extended")
            f.add(listed([base | 0x200000 | 0x800 | count], 10), "GV-EXT-2", "GV-EXT-3", flags="extended")
            f.add(listed([base | 0x200000 | 0x1800 | count], 10), "GV-EXT-3 GV-OPEN-1", flags="extended")
        for bit in range(13, 21):
            f.add(listed([base | 0x800 | 1 << bit], 10), "GV-EXT-3 GV-OPEN-1", flags="extended")
            f.add(listed([base | 1 << bit], 10), "GV-EXT-1", "GV-EXT-3 GV-OPEN-1", flags="extended")
        f.add(listed([base | 0x2800, LOW], 10), "GV-EXT-3", flags="extended")
        f.add(listed([LOW, base | 0x3801], 10, ex=True), "GV-EXT-3", flags="extended")


def hole(f):
    for width in (48, 57):
        low = 1 << (width - 1)
        high = (1 << 64) - low
        for entry, crosses in ((low - 0x1000, 0), (low - 0x1000 | 1, 1), (low - 0x2000 | 1, 0), (low - 0x2000 | 0xFFF, 1), (low, 1), (low | 0xFFF, 1),
                               (high - 0x1000, 1), (high - 0x1000 | 1, 1), (high - 0x1000 | 0xFFF, 1), (high, 0), (high | 5, 0), (1 << 63, 1)):
            rules = "GV-CAN-1 GV-SKIP-1"
            f.add(listed([entry], gva_bits=width), rules if crosses else "", "" if crosses else rules, flags="canonical f19")
            f.add(listed([LOW, entry, HIGH], gva_bits=width), rules if crosses else "", "" if crosses else rules, flags="canonical f19")
            f.add(listed([entry & ~0xFFF | entry & 0x7FF], 10, gva_bits=width), rules if crosses else "", flags="canonical f19")
        f.add(listed([(low - 0x4000_0000) | 0x1802], 10, gva_bits=width), "GV-WRAP-1 GV-SKIP-1", flags="canonical f19")
        f.add(listed([(low - 0x4000_0000) | 0x1800], 10, gva_bits=width), outside="GV-WRAP-1", flags="canonical f19")
    for entry, wraps in ((ALL64, 1), (ALL64 - 0xFFF, 0), (ALL64 - 0x1FFF | 1, 0), (ALL64 - 0x1FFF | 2, 1), (ALL64 - 0xFFF | 0x7FF, 1)):
        f.add(listed([entry]), "GV-WRAP-1" if wraps else "", "" if wraps else "GV-WRAP-1", flags="canonical")
        f.add(listed([entry, LOW]), "GV-WRAP-1" if wraps else "", "" if wraps else "GV-WRAP-1", flags="canonical")
    for entry, wraps in ((0xFFFF_FFFF_C000_1800 & ~0x1FF000 | 0x1800, 0), ((1 << 64) - 0x4000_0000 | 0x1801, 1), ((1 << 64) - 0x20_0000 | 0x801, 1)):
        f.add(listed([entry], 10), "GV-WRAP-1" if wraps else "", "" if wraps else "GV-WRAP-1", flags="canonical")


def spread(n):
    return [LOW + (i << 20) for i in range(n)]


def queue(f):
    for n in (1, 15, 16, 17, 18, 40):
        full = n > 16
        f.add(listed(spread(n)), "FQ-OVER-1 FQ-SUP-1" if full else "FQ-CAP-1 FQ-EQ-1", "FQ-CAP-1 FQ-EQ-1" if full else "FQ-OVER-1 FQ-SUP-1", flags="queue f22")
        f.add(listed(spread(n), ex=True), "FQ-OVER-1 FQ-SUP-1" if full else "FQ-CAP-1 FQ-EQ-1", flags="queue f22")
    for entries, joined in (([LOW, LOW + 0x1000], 1), ([LOW, LOW + 0x2000], 0), ([LOW | 1, LOW + 0x1000], 1), ([LOW + 0x1000, LOW], 1), ([LOW, LOW], 1),
                            ([LOW | 1, LOW + 0x2000, LOW - 0x1000], 1), ([LOW, HIGH, LOW + 0x1000], 0)):
        f.add(listed(entries), "FQ-MERGE-1" if joined else "", "" if joined else "FQ-MERGE-1", flags="queue f22")
    f.add(listed([LOW + 0x1000 * i for i in range(40)]), "FQ-MERGE-1 FQ-EQ-1", "FQ-OVER-1", flags="queue f22")
    held = [[f"{0x100 * i:x}", 1] for i in range(1, 17)]
    for n in (0, 1, 14, 15, 16):
        vps = [{"vp": 0, "pending": held[:n]}] if n else [0]
        f.add(listed([LOW], vps=vps), "FQ-JOIN-1" if n else "", "" if n else "FQ-JOIN-1", flags="queue f22 f25")
        f.add(listed([LOW, HIGH], vps=vps), "FQ-JOIN-1 FQ-SUP-1" if n else "", "" if n else "FQ-JOIN-1", flags="queue f22")
    for first in ("12344", "12345", "12346", "12340"):
        f.add(listed([LOW], vps=[{"vp": 0, "pending": [[first, 1]]}]), "FQ-JOIN-1 FQ-MERGE-1", flags="queue f22")


def random_lists(f):
    random = Random(23)
    bases = (0, LOW, HIGH, TOP_LOW, BOTTOM_HIGH, ALL64 & ~0xFFF, 0x4000_0000)
    for n in range(140):
        entries = [(random.choice(bases) + random.choice((0, 0x1000, -0x1000, 0x200000, random.getrandbits(40) & ~0xFFF)) & ALL64)
                   | random.choice((0, 1, 2, 0xFF, 0x7FF, 0x800, 0xFFF)) for _ in range(random.randrange(1, 7))]
        f.add(listed(entries, random.choice((2, 10, 0)), ex=bool(n & 1), gva_bits=random.choice((48, 57))), "FL-LIST-1", flags="pages f19")


def family():
    f = Family("pages")
    for part in (plain, extended, hole, queue, random_lists):
        part(f)
    return f
