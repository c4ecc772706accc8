# SPDX-License-Identifier: BSD-2-Clause
"""The KVM persona: its calls, CPUID leaves, MSRs, the clock, the preempted byte."""
from .base import ALL64, Family, h

ALL, VECTOR = 0x100AAEB, 0x41
FOUR = [0, 1, 2, 3]
NUMBERS = {1: None, 5: 7, 10: 11, 11: 13}


def ask(rax, rbx=0, rcx=0, rdx=0, rsi=VECTOR, vps=FOUR, **more):
    first = vps[0] if isinstance(vps[0], int) else vps[0]["apic_id"]
    return {"op": "kvm_call", "features": ALL, "caller": first, "regs": {"rax": h(rax), "rbx": h(rbx), "rcx": h(rcx), "rdx": h(rdx), "rsi": h(rsi)},
            "vps": list(vps), **more}


def numbers(f):
    for number in NUMBERS:
        for cpl in (1, 2, 3):
            for long in (0, 1):
                f.add(ask(number, 1, 1, cpl=cpl, long=long), "KV-CPL-1 KV-ABI-2", flags="kvm f06")
        f.add(ask(number, 1, 1), "KV-NUM-1", "KV-CPL-1 KV-NUM-2 KV-GATE-1 KV-OPEN-1", flags="kvm")
        f.add(ask(number | 7 << 32, 1 | 7 << 32, 1 | 7 << 32, 7 << 32, VECTOR, long=0), "KV-ABI-1 KV-NUM-1", flags="kvm")
        f.add(ask(number | 7 << 32, 1, 1), "KV-NUM-2", "KV-ABI-1 KV-NUM-1", flags="kvm")
        if NUMBERS[number]:
            f.add(ask(number, 2, 1, features=ALL & ~(1 << NUMBERS[number])), "KV-GATE-1 KV-GATE-2", flags="kvm f54 f57")
            f.add(ask(number, 2, 1, features=1 << NUMBERS[number]), "", "KV-GATE-1 KV-GATE-2", flags="kvm f54")
        f.add(ask(number, 2, 1, features=0), "KV-GATE-1 KV-GATE-2" if NUMBERS[number] else "", "" if NUMBERS[number] else "KV-GATE-1", flags="kvm f54")
    for number in (0, 2, 3, 4, 6, 7, 8, 9, 12, 13, 99, 0x10000000A, ALL64, 1 << 31):
        opened = number in (9, 12)
        f.add(ask(number, 1, 1), "KV-NUM-2" + (" KV-OPEN-1" if opened else ""), "KV-NUM-1" + ("" if opened else " KV-OPEN-1"), flags="kvm")
        f.add(ask(number, 1, 1, long=0), "" if number == 0x10000000A else "KV-NUM-2", "KV-NUM-1" if number != 0x10000000A else "KV-NUM-2", flags="kvm")
    for regs in ((0, 0), (2, 1), (ALL64, ALL64)):
        f.add(ask(1, *regs), "KV-POLL-1", "KV-ABI-2", flags="kvm")
    f.add(ask(2), outside="KV-POLL-1", flags="kvm")


def kick_and_yield(f):
    for target in (0, 1, 2, 3, 4, 77, 1 << 31, 0xFFFFFFFF, 7 << 32 | 2, 1 << 32, ALL64):
        for caller in (0, 2):
            there = target & 0xFFFFFFFF in FOUR
            f.add(ask(5, 99, target, caller=caller), "KV-KICK-1 KV-KICK-2" + (" KV-KICK-3" if target != caller else "") if there else "KV-KICK-2",
                  ("KV-KICK-3" if target == caller else "") if there else "KV-KICK-1", flags="kvm f28 f52")
            exact = target in FOUR
            f.add(ask(11, target, caller=caller), ("KV-YIELD-1 KV-YIELD-2 KV-YIELD-4" + (" KV-YIELD-3" if target == caller else "")) if exact else "KV-YIELD-1",
                  ("" if target == caller else "KV-YIELD-3") if exact else "KV-YIELD-2 KV-YIELD-4", flags="kvm f28 f52")
            f.add(ask(5, 99, target, caller=caller, long=0), "KV-ABI-1", flags="kvm")
            f.add(ask(11, target, caller=caller, long=0), "KV-ABI-1 KV-YIELD-2", flags="kvm")
    f.add(ask(10, 1), outside="KV-KICK-1 KV-KICK-2 KV-YIELD-1", flags="kvm")
    for run in (0, 1):
        vps = [{"apic_id": i, "run": run} for i in FOUR]
        f.add(ask(5, 0, 2, vps=vps), "KV-KICK-1 KV-KICK-3", flags="kvm")
        f.add(ask(11, 2, vps=vps), "KV-YIELD-1", flags="kvm")


def send(f):
    for low in (0, 1, 2, 5, 0xB, 0xF, 0xF0, 1 << 63, ALL64):
        f.add(ask(10, low), "KV-IPI-1 KV-IPI-6 KV-IPI-8" if low & 15 else "", "" if low & 15 else "KV-IPI-6 KV-IPI-8", flags="kvm f08")
        f.add(ask(10, low, 0, 3, vps=[0, 3, 4, 5, 66]), "KV-IPI-1", flags="kvm")
        f.add(ask(10, 0, low, vps=[0, 63, 64, 65, 66, 67, 127]), "KV-IPI-1", flags="kvm")
        f.add(ask(10, low, low, vps=[0, 1, 31, 32, 33, 63, 64], long=0), "KV-IPI-1 KV-ABI-1", "KV-IPI-5", flags="kvm")
        f.add(ask(10, low, 0, 7 << 32 | 1), "KV-IPI-1", flags="kvm")
    f.add(ask(10, 1 << 63, 1 << 63, vps=[62, 64, 126, 128]), outside="KV-IPI-1", flags="kvm")
    f.add(ask(10, 1, 1, 1, vps=[0, 2, 64, 66]), outside="KV-IPI-1", flags="kvm")
    for bit in range(64):
        sharp = bit in (11, 18, 19)
        mode = bit in (8, 9)
        icr = VECTOR | 1 << bit if bit >= 8 else VECTOR
        if bit >= 8:
            f.add(ask(10, 3, rsi=icr), "KV-IPI-2" if sharp else "KV-IPI-3" if mode else "KV-IPI-4" if bit == 15 else "KV-NMI-1" if bit == 10 else "",
                  "KV-IPI-3" if bit == 10 else "KV-IPI-2 KV-IPI-3 KV-IPI-4 KV-NMI-1" if not (sharp or mode or bit == 15) else "", flags="kvm")
    for mode in range(8):
        for extra in (0, 0x4000, 0x8000, 0xC000, 0x800, 0x40000):
            rules = "KV-IPI-2" if extra in (0x800, 0x40000) else "KV-NMI-1" if mode == 4 else "KV-IPI-3" if mode else "KV-IPI-4" if extra == 0x8000 else "KV-IPI-6"
            f.add(ask(10, 5, rsi=mode << 8 | VECTOR | extra), rules, "KV-IPI-4" if rules == "KV-IPI-6" else "", flags="kvm")
    for vector in (0, 1, 14, 15, 16, 17, 0x80, 0xFF):
        f.add(ask(10, 3, rsi=vector), "KV-IPI-10" if vector < 16 else "", "" if vector < 16 else "KV-IPI-10", flags="kvm")
        f.add(ask(10, 3, rsi=vector, vps=[0, {"apic_id": 1, "apic": 0}]), "KV-IPI-7" + (" KV-IPI-10" if vector < 16 else ""), flags="kvm f30")
        f.add(ask(10, 3, rsi=vector | 0x400, vps=[0, {"apic_id": 1, "apic": 0}]), "KV-NMI-1", "KV-IPI-7", flags="kvm f30")
    for least in (0xFFFFFFC0, 0xFFFFFFFF, 0xFFFFFF80, 0xFFFFFFBF, 0xFFFFFFE0):
        for words in ((0, ALL64), (ALL64, ALL64), (ALL64, 0), (0, 3)):
            wraps = least >= 0xFFFFFFC0
            f.add(ask(10, *words, least, vps=[0, 1, 2, 3, 63]), "KV-IPI-5" if wraps else "", "" if wraps else "KV-IPI-5", flags="kvm f28")
            f.add(ask(10, *words, least, vps=[0, 1, 31], long=0), "KV-IPI-5" if wraps else "", flags="kvm f28")
    for ids in ([0, 2, 5, 9], [0x23, 0x123], [255, 256], [32767, 0]):
        least = min(ids)
        f.add(ask(10, ALL64, ALL64, least, vps=ids), "KV-IPI-6", flags="kvm f31 f63")
        f.add(ask(10, ALL64, ALL64, max(ids) + 1, vps=ids), outside="KV-IPI-6", flags="kvm f28")
        f.add(ask(10, ALL64, ALL64, max(ids) - 3 if max(ids) > 3 else 0, vps=ids), "KV-IPI-6", flags="kvm f28")
    for who in range(16):
        f.add(ask(10, 6, vps=[{"apic_id": v, "run": who >> v & 1} for v in FOUR]), "KV-IPI-9" if who & 6 else "", "" if who & 6 else "KV-IPI-9", flags="kvm")
        f.add(ask(10, 15, vps=[{"apic_id": v, "apic": who >> v & 1} for v in FOUR]), "KV-IPI-7 KV-IPI-8" if who != 15 else "", "" if who != 15 else "KV-IPI-7", flags="kvm f30")


def set_up(f):
    def valid(base, features, ids, right, rules="KV-SET-1"):
        f.add({"op": "kvm_set_up", "base": h(base), "features": h(features), "ids": h(ids)}, rules if right else "", "" if right else rules, flags="persona")
    for base in (0, 0x40000000, 0x40000001, 0x40000100, 0x40000200):
        valid(base, ALL, 16, base in (0x40000000, 0x40000100))
    for ids in (0, 1, 2, 32767, 32768, 32769):
        valid(0x40000000, 0, ids, 1 <= ids <= 32768)
    for bit in range(32):
        valid(0x40000000, (1 << bit) | (0x20 if bit == 9 else 0), 4, ALL >> bit & 1, "KV-FEAT-1")
    for features, right in ((0x200, 0), (0x20, 1), (0x220, 1), (ALL, 1), (ALL & ~0x20, 0), (ALL & ~0x200, 1)):
        valid(0x40000000, features, 4, right, "KV-FEAT-2")
    for base in (0x40000000, 0x40000100):
        for features, hints in ((ALL, 0), (0, 1), (1 << 7, 0xFFFFFFFF)):
            for leaf in (base, base + 1, base + 2, base - 1, base + 0xFF):
                f.add({"op": "kvm_cpuid", "base": h(base), "features": h(features), "hints": h(hints), "leaf": h(leaf)},
                      "KV-LEAF-1" if leaf == base else "KV-LEAF-2", "KV-LEAF-2" if leaf == base else "KV-LEAF-1", flags="persona f54")


def msrs(f):
    gates = {0x11: 0, 0x12: 0, 0x4B564D00: 3, 0x4B564D01: 3, 0x4B564D03: 5, 0x4B564D04: 6, 0x4B564D02: None, 0x4B564D05: None, 0x10: None}
    for msr, bit in gates.items():
        for value in (0, 1, 2, 3, 0x1000, 0x1001, 0x1003, 0x1005, 0x1021, 0x1040, 0x1041, 0x1043, 0x3E, ALL64, ALL64 & ~0x3E, ALL64 & ~2):
            for features in (ALL, 0 if bit is None else ALL & ~(1 << bit) & ~0x200):
                offered = bit is not None and features >> bit & 1
                inside = "" if offered or bit is None else "KV-MSR-1"
                outside = "KV-MSR-1" if offered else ""
                if offered and msr == 0x4B564D03:
                    inside, outside = ("KV-MSR-2", outside) if value & 0x3E else (inside, outside + " KV-MSR-2")
                elif offered and msr == 0x4B564D04:
                    inside, outside = ("KV-MSR-3", outside) if value & 2 else (inside, outside + " KV-MSR-3")
                elif offered:
                    inside = "KV-MSR-4"
                else:
                    outside += " KV-MSR-4"
                f.add({"op": "kvm_msr", "features": h(features), "msr": h(msr), "value": h(value)}, inside, outside, flags="persona")


def clock(f):
    for byte in range(0, 256, 5):
        f.add({"op": "kvm_preempted", "byte": byte}, "KV-STEAL-2" if byte & 2 else "", "" if byte & 2 else "KV-STEAL-2", flags="steal f33")
    for byte in (1, 2, 3, 0xFD, 0xFE, 0xFF):
        f.add({"op": "kvm_preempted", "byte": byte}, "KV-STEAL-2" if byte & 2 else "", "" if byte & 2 else "KV-STEAL-2", flags="steal f33")
    for hz in (10**9, 24 * 10**6, 3 * 10**9, 1, 2, 1000, 10**6, 999999999, 1000000001, 2 * 10**9, 2**32, 2**40, 2499998765, 3579545):
        f.add({"op": "kvm_clock", "hz": h(hz)}, "KV-CLOCK-1 KV-CLOCK-2", flags="clock")


def family():
    f = Family("kvm")
    for part in (numbers, kick_and_yield, send, set_up, msrs, clock):
        part(f)
    return f
