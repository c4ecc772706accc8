# SPDX-License-Identifier: BSD-2-Clause
"""Interrupts: vector, target level, who gets it, who is kicked or woken."""
from .base import ALL64, EVERY, FOUR, LOW, Family, call, call32, flush, flush_ex, word


def asks(q0, mask=5, **more):
    """The four ways to say it."""
    return [call(word(0xB), [q0, mask], **more), call(word(0xB, fast=1), [q0, mask], **more),
            call(word(0x15, var=1), [q0, 0, 1, mask], **more), call(word(0x15, fast=1, var=1), [q0, 0, 1, mask], **more)]


def vectors(f):
    for vector in (0, 1, 2, 0xE, 0xF, 0x10, 0x11, 0x40, 0x7F, 0x80, 0xFE, 0xFF, 0x100, 0x101, 0x110, 0x1FF, 0x8040, 0x10040, 0x80000040, 0xFFFFFFFF):
        wrong = not 0x10 <= vector <= 0xFF
        rules = "IPI-VEC-1 IPI-ERR-1 HC-ERR-5"
        for request in asks(vector):
            f.add(request, rules if wrong else "", "" if wrong else rules, flags="vector")
        f.add(call(word(0xB), [vector, 0]), rules if wrong else "IPI-EMPTY-1", "" if wrong else "IPI-VEC-1", flags="vector")
        f.add(call(word(0x15), [vector, 1, 0]), rules if wrong else "", "" if wrong else rules, flags="vector f12")
        f.add(call(word(0x15), [vector, 0, 0]), rules if wrong else "IPI-EMPTY-1", flags="vector f13")
    for request in asks(0x40):
        f.add(request, outside="IPI-EMPTY-1", flags="vector")
    f.add(call32(word(0xB, fast=1), [0x40, 1]), "IPI-LAY-1", flags="vector")


def levels(f):
    for bit in range(32, 64):
        for request in asks(0x4A | 1 << bit)[:: 1 if bit in (32, 36, 40, 63) else 2]:
            f.add(request, "IPI-VTL-1" + (" IPI-OPEN-1" if bit == 36 else ""), "" if bit == 36 else "IPI-OPEN-1", flags="level f18")
    for level in (0x0, 0x10, 0x11, 0x12, 0x1F, 0x20, 0x110):
        for request in asks(0x4A | level << 32)[::3]:
            f.add(request, ("IPI-VTL-1" if level else "") + (" IPI-OPEN-1" if level == 0x10 else ""), "" if level else "IPI-VTL-1 IPI-OPEN-1", flags="level f18")


def exact(f):
    for mask in range(16):
        for request in asks(0x4A, mask):
            f.add(request, "IPI-EXACT-1 IPI-EXACT-2 IPI-LAY-1" if mask else "IPI-EMPTY-1", "IPI-NONE-1" if mask else "IPI-EXACT-1 IPI-EXACT-2 IPI-LAY-1", flags="whom f11")
    for code, q in ((0x2, flush(mask=3)), (0x13, flush_ex(0, 1, 3)), (0x8, [0x40])):
        f.add(call(word(code, var=int(code == 0x13)), q), "IPI-NONE-1", flags="whom")
    for request in asks(0x4A, 5, offers=0):
        f.add(request, "IPI-NONE-1", flags="whom f29")
    for request in asks(5, 5):
        f.add(request, "IPI-NONE-1", flags="whom")
    for caller in (0, 1):
        for request in asks(0x4A, 3):
            f.add({**request, "caller": caller}, "IPI-EXACT-1", flags="whom")


def told(f):
    for who in range(16):
        vps = [{"vp": v, "run": who >> v & 1} for v in range(4)]
        for request in asks(0x4A, 6, vps=vps)[::2]:
            f.add(request, "IPI-TELL-1 IPI-WAKE-1" if who & 6 else "IPI-WAKE-1", "" if who & 6 else "IPI-TELL-1", flags="sync f30")
        vps = [{"vp": v, "apic": who >> v & 1, "run": v & 1} for v in range(4)]
        for request in asks(0x4A, 0xF, vps=vps)[::2]:
            f.add(request, "IPI-APIC-1" if who != 15 else "", "" if who != 15 else "IPI-APIC-1", flags="apic f30")
    for request in asks(0x4A, 8, vps=[{"vp": v, "run": 1} for v in range(3)]):
        f.add(request, outside="IPI-WAKE-1", flags="sync")
    for state in (["all"], [["5", 1]]):
        for request in asks(0x4A, 3, vps=[{"vp": 0, "pending": state, "run": 1}, {"vp": 1, "pending": state}]):
            f.add(request, "IPI-POST-1 FL-KEEP-1", flags="kept")
    for request in asks(0x4A, 0, vps=[0, 1]):
        f.add(request, outside="IPI-POST-1", flags="kept")


def family():
    f = Family("ipi")
    for part in (vectors, levels, exact, told):
        part(f)
    return f
