# SPDX-License-Identifier: BSD-2-Clause
"""How a family writes its cases."""
DEFAULT = {"offers": 0x7FF, "gva_bits": 48, "rep_budget": 4095, "gpa_bits": 40, "max_vps": 4096, "privileges": 0, "features": 0,
           "hints": 0, "spin_count": 0xFFFFFFFF}
OFFERS, EVERY = 0x7FF, 0x1FFFF
SIMPLE, REP, EX = (0x2, 0x8, 0xB, 0x13, 0x15), (0x3, 0x14), (0x13, 0x14, 0x15)
CALLS = (0x2, 0x3, 0x8, 0xB, 0x13, 0x14, 0x15)
GATE = {0x2: 0, 0x3: 1, 0x8: 2, 0xB: 3, 0x13: 4, 0x14: 5, 0x15: 6, 0xAF: 11, 0xB0: 12}
ALL64 = 2**64 - 1
LOW, HIGH = 0x12345000, 0xFFFF800012345000
FOUR = [0, 1, 2, 3]


def h(n):
    return f"{n & ALL64:x}"


def word(code, fast=0, var=0, count=0, start=0, extra=0):
    return code | fast << 16 | var << 17 | count << 32 | start << 48 | extra


def flush(flags=2, mask=1, space=0):
    return [space, flags, mask]


def flush_ex(fmt, mask, *banks, flags=2, space=0):
    return [space, flags, fmt, mask, *banks]


def good(code, fast=0, extra=0, start=0, count=1):
    """A call of each kind that is right: control word and operands. Of a list, one page."""
    if code in (0xAF, 0xB0):
        rep = code == 0xB0
        return word(code, fast, 0, count if rep else 0, start, extra), [0x7000, 0, *([0x9000] * count if rep else [])]
    rep = [LOW + 0x10000 * i for i in range(count)] if code in REP else []
    body = {0x2: flush(), 0x3: flush(), 0x8: [5], 0xB: [0x40, 2], 0x13: flush_ex(0, 1, 2), 0x14: flush_ex(0, 1, 2), 0x15: [0x40, 0, 1, 4]}[code]
    return word(code, fast, int(code in EX), len(rep), start, extra), body + rep


def call(w, mem=(), gpa=0x1000, vps=FOUR, regs=None, mode=None, hide=False, **config):
    """A 64-bit caller's call: its operands in memory, or in registers if the control word says so. hide: no memory there."""
    r = {"rax": "dead", "rcx": h(w), "rdx": h(gpa)}
    request = {"op": "hypercall", "config": {**DEFAULT, **config}, "vps": [v for i, v in enumerate(vps) if v not in vps[:i]], "regs": r}
    if mode:
        request["mode"] = mode
    if w >> 16 & 1:
        q = list(mem) + [0] * (2 - len(mem))
        r["rdx"], r["r8"] = h(q[0]), h(q[1])
        if q[2:]:
            request["xmm"] = [h(x) for x in q[2:14]]
    elif mem and not hide:
        mem = list(mem)
        while len(mem) > 16 and mem[-1] == 0:                          # the rest of a page is zero anyway
            mem.pop()
        data = bytes(gpa & 7) + b"".join((x & ALL64).to_bytes(8, "little") for x in mem)
        data += bytes(-len(data) % 8)
        request["mem"] = [[h(gpa & ~7), [h(int.from_bytes(data[i:i + 8], "little")) for i in range(0, len(data), 8)]]]
    r.update(regs or {})
    return request


def call32(w, mem=(), gpa=0x1000, high=0, mode=None, **more):
    """The same from a 32-bit caller; high: what stands in the upper halves."""
    up = high << 32
    r = {"rax": h(up | w & 0xFFFFFFFF), "rdx": h(up | w >> 32), "rbx": h(up | gpa >> 32), "rcx": h(up | gpa & 0xFFFFFFFF)}
    if w >> 16 & 1:
        q = list(mem) + [0] * (2 - len(mem))
        r |= {"rbx": h(up | q[0] >> 32), "rcx": h(up | q[0] & 0xFFFFFFFF), "rdi": h(up | q[1] >> 32), "rsi": h(up | q[1] & 0xFFFFFFFF)}
    request = call(w, mem, gpa, mode={"long": 0, **(mode or {})}, **more)
    request["regs"] = r
    return request


class Family:
    def __init__(self, name):
        self.name, self.cases = name, []

    def add(self, request, inside="", outside="", flags=""):
        """A case of the rules named: their condition holds (inside), or is just missed (outside)."""
        sides = {**{r: "out" for r in outside.split()}, **{r: "in" for r in inside.split()}}
        self.cases.append((request, sides, flags.split()))

    def calls(self, inside="", outside="", flags="", codes=CALLS, **more):
        for code in codes:
            w, q = good(code, **{k: more[k] for k in ("fast", "extra", "start", "count") if k in more})
            self.add(call(w, q, **{k: v for k, v in more.items() if k not in ("fast", "extra", "start", "count")}), inside, outside, flags)
