# SPDX-License-Identifier: BSD-2-Clause
"""Flushes: flags, whom, what, and who must have left the guest."""
from .base import ALL64, EVERY, FOUR, HIGH, LOW, OFFERS, Family, call, flush, flush_ex, word

PLAIN, LISTS = (0x2, 0x13), (0x3, 0x14)
KINDS = (*PLAIN, *LISTS)


def ask(code, flags=2, mask=1, space=0, entries=(LOW,), fmt=0, fast=0, **more):
    rep = list(entries) if code in LISTS else []
    if code in (0x2, 0x3):
        return call(word(code, fast, 0, len(rep)), flush(flags, mask, space) + rep, **more)
    banks = [mask] if fmt == 0 and mask else []
    return call(word(code, fast, len(banks), len(rep)), flush_ex(fmt, int(bool(banks)), *banks, flags=flags, space=space) + rep, **more)


def flags(f):
    for code in KINDS:
        for bits in range(16):
            rules_in, rules_out = [], []
            for bit, rule in enumerate(("FL-FLAG-1 FL-ALL-1", "FL-FLAG-2", "FL-FLAG-3 FL-GLB-1", "FL-FLAG-4")):
                (rules_in if bits >> bit & 1 else rules_out).append(rule)
            wrong = bits & 4 and code in LISTS or bits & 8 and code in PLAIN
            (rules_in if wrong else rules_out).append("FL-FLAG-5 FL-ERR-1")
            f.add(ask(code, bits, 2), " ".join(rules_in), " ".join(rules_out), flags="flags f21 f12")
            f.add(ask(code, bits, 2, offers=OFFERS & ~0x200), "FL-FLAG-5 FL-OPEN-2" if bits & 8 else "", "" if bits & 8 else "FL-FLAG-5", flags="flags f27")
        for bit in (4, 5, 6, 7, 15, 31, 32, 47, 63):
            f.add(ask(code, 2 | 1 << bit), "FL-FLAG-5 FL-ERR-1", flags="flags")
            f.add(ask(code, 3 | 1 << bit, mask=0), "FL-FLAG-5", flags="flags")
        for fast in (0, 1):
            f.add(ask(code, 3, 0, fast=fast), "FL-ALL-1", "FL-ZERO-1" if code < 4 else "", flags="flags f13 f12")
    for code in LISTS:
        f.add(ask(code, 10), outside="FL-OPEN-2", flags="flags")


def whom(f):
    for code in (0x2, 0x3):
        for vps in ([0], FOUR, [0, 64, 4095]):
            f.add(ask(code, 2, 0, vps=vps), "FL-ZERO-1", flags="whom f13")
            f.add(ask(code, 0, 0, vps=vps), "FL-ZERO-1", flags="whom f13")
            f.add(ask(code, 2, 1, vps=vps), outside="FL-ZERO-1 FL-ALL-1", flags="whom")
            f.add(ask(code, 3, 0, vps=vps), "FL-ALL-1", flags="whom f13")
    for code in KINDS:
        for mask in (1, 2, 3, 5, 8, 0xF, 0xE):
            f.add(ask(code, 2, mask), "FL-COVER-1 FL-ONLY-1 FL-LAY-1" + (" FL-SELF-1" if mask & 1 else ""),
                  "" if mask & 1 else "FL-SELF-1", flags="whom")
        f.add(ask(code, 2, 1 << 40), outside="FL-COVER-1 FL-ONLY-1 FL-LAY-1", flags="whom f11")
        for caller in (0, 1):
            f.add({**ask(code, 2, 1, vps=[{"vp": 0, "run": 0}, {"vp": 1, "run": 1}]), "caller": caller}, "FL-SELF-1" if caller == 0 else "",
                  "" if caller == 0 else "FL-SELF-1", flags="whom")


def spaces(f):
    for code in KINDS:
        for space, doubtful in ((0, 0), (0x1000, 0), (1 << 40, 0), ((1 << 52) - 0x1000, 0), (1 << 52, 1), (1 << 63, 1), (0x1001, 1), (0x800, 1), (ALL64, 1)):
            f.add(ask(code, 0, 1, space), "FL-SPACE-1" + (" FL-OPEN-1" if doubtful else ""), "FL-FLAG-2" + ("" if doubtful else " FL-OPEN-1"), flags="space f39")
        f.add(ask(code, 2, 1, ALL64), "FL-FLAG-2", "FL-OPEN-1 FL-SPACE-1", flags="space f39")


def running(f):
    """Who runs must have left; who does not is not woken."""
    for code in KINDS:
        for who in range(1, 16):
            vps = [{"vp": v, "run": who >> v & 1} for v in range(4)]
            f.add(ask(code, 2, 6, vps=vps), "FL-SYNC-1" if who & 6 else "", "" if who & 6 else "FL-SYNC-1", flags="sync f24")
            if who & 6 != 6:
                f.add(ask(code, 2, 6, vps=vps), "FL-SLEEP-1", flags="sync f24")
            else:
                f.add(ask(code, 2, 6, vps=vps), outside="FL-SLEEP-1", flags="sync f24")


def nothing(f):
    for code in LISTS:
        vps = [{"vp": 0, "run": 1}, 1]
        for entries in ([1 << 47], [1 << 47, 1 << 48 | 5], [0x8000_0000_0000_0000 | 3]):
            f.add(ask(code, 2, 3, entries=entries, vps=vps), "FL-NONE-1 GV-SKIP-1", flags="pages f19")
        f.add(ask(code, 2, 3, entries=[(1 << 47) - 0x1000], vps=vps), "FL-LIST-1", "FL-NONE-1 GV-SKIP-1", flags="pages f19")
        for n in (1, 2, 3, 5):
            f.add(ask(code, 2, 1, entries=[HIGH + (i << 16) + i for i in range(n)]), "FL-LIST-1", flags="pages f22")
        for start in (0, 1, 2):
            q = flush(2, 1) if code == 0x3 else flush_ex(0, 1, 1)
            f.add(call(word(code, 0, int(code == 0x14), 3, start), q + [LOW, LOW + 0x40000, LOW + 0x80000]), "FL-LIST-1", flags="pages f07")
    for code in PLAIN:
        f.add(ask(code), outside="FL-LIST-1", flags="pages")


def kept(f):
    """What was pending stays, whatever the call is."""
    states = [["all"], ["non_global"], [["10", 2]], ["non_global", ["10", 2]]]
    for state in states:
        vps = [{"vp": 0, "pending": state}, {"vp": 1, "pending": state}]
        for code in KINDS:
            f.add(ask(code, 2, 1, vps=vps), "FL-KEEP-1", flags="kept f25 f26")
            f.add(ask(code, 0x40, 1, vps=vps), "FL-KEEP-1", flags="kept")
        f.add(ask(0x2, 6, 1, vps=vps), "FL-KEEP-1", flags="kept f21")
        f.add(call(word(8), [5], vps=vps), "FL-KEEP-1", flags="kept")
        f.add(call(word(0xB), [0x40, 3], vps=vps), "FL-KEEP-1", flags="kept")
        f.add(ask(0x2, 2, 1, vps=vps, mode={"cpl": 3}), "FL-KEEP-1", flags="kept")
        f.add(ask(0x2, 2, 1, vps=[{"vp": 0, "other": state}, 1]), "FL-KEEP-1", flags="kept f41 f43")
    for code in KINDS:
        f.add(ask(code, 2, 1, vps=[0, 1]), outside="FL-KEEP-1", flags="kept")


def family():
    f = Family("flush")
    for part in (flags, whom, spaces, running, nothing, kept):
        part(f)
    return f
