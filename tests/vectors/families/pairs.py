# SPDX-License-Identifier: BSD-2-Clause
"""Pairwise coverage: for every call, every pair of values of two of its fields stands together in some vector.

FIELDS names the values, `read` says which of them a request has, `build` makes a request that has them."""
from itertools import combinations
from random import Random

from outcomes import operands
from conformance.translate import control, memory_from

from .base import ALL64, EVERY, GATE, HIGH, LOW, Family, call, call32, h, word

CODES = (0x2, 0x3, 0x8, 0xB, 0x13, 0x14, 0x15, 0xAF, 0xB0)
REPS, SETS, FLUSHES, IPIS, GPAS = (0x3, 0x14, 0xB0), (0x13, 0x14, 0x15), (0x2, 0x3, 0x13, 0x14), (0xB, 0x15), (0xAF, 0xB0)
OPERAND = {"mask", "format", "words", "var", "space", "all", "spaces", "nonglobal", "extended", "unknown", "entry", "vector", "level", "root", "gpaflags"}
MASKS = {"none": 0, "first": 1, "two": 6, "top": 1 << 63, "every": ALL64}
ENTRIES = {"page": LOW, "run": HIGH | 0xFFF, "large": 0x4000_0801, "giant": 0x4000_1800, "odd": 0x4020_2800, "hole": 1 << 47, "edge": (1 << 47) - 0x1000 | 3,
           "top": ALL64 & ~0xFFF | 1}
VECTORS = {"low": 0xF, "least": 0x10, "most": 0xFF, "high": 0x100, "far": 0x8000_0040}
LEVELS = {"0": 0, "named": 0x10, "other": 0x11, "reserved": 0x100}
SPACES = {"0": 0, "plain": 0x5000, "low": 0x5001, "far": 1 << 60}
ROOTS = {"plain": 0x7000, "0": 0, "low": 0x701E, "far": 1 << 52}


def fields(code):
    out = {"place": ["registers", "right", "odd", "cross", "hidden"], "caller": ["64", "32"], "reserved": ["0", "1"], "nested": ["0", "1"],
           "offered": ["1", "0"], "xmm": ["1", "0"], "runs": ["nobody", "some"]}
    out |= {"count": ["0", "1", "2", "more"], "start": ["0", "inside", "behind"]} if code in REPS else {"count": ["0", "1"], "start": ["0", "behind"]}
    if code in SETS:
        out |= {"var": ["fits", "less", "more"], "format": ["0", "1", "2", "big"], "words": ["zero", "some", "ones"]}
        out["mask"] = ["none", "first", "two", "top"]
    else:
        out["var"] = ["fits", "more"]
        if code in (0x2, 0x3, 0xB):
            out["mask"] = list(MASKS)
    if code in FLUSHES:
        out |= {n: ["0", "1"] for n in ("all", "spaces", "nonglobal", "extended", "unknown")} | {"space": list(SPACES)}
    if code in (0x3, 0x14):
        out["entry"] = list(ENTRIES)
    if code in IPIS:
        out |= {"vector": list(VECTORS), "level": list(LEVELS)}
    if code in GPAS:
        out |= {"root": list(ROOTS), "gpaflags": ["0", "1"]}
    return out


def impossible(code, a, va, b, vb):
    """Pairs that no request has."""
    pair = {(a, va), (b, vb)}
    def has(name, *values):
        return any((name, v) in pair for v in values)
    return (("place", "hidden") in pair and bool({a, b} & OPERAND) and not (code not in SETS and ("var" in (a, b)))  # nothing can be read there
            or has("start", "inside") and has("count", "0", "1")
            or has("mask", "none") and has("var", "less")
            or has("words", "some", "ones") and has("mask", "none")
            or has("count", "0") and "entry" in (a, b)
            or code == 0x8 and ("place", "cross") in pair and has("count", "0") and False)


def size_class(need, var):
    return "fits" if var == need else "less" if var < need else "more"


def read(request):
    """The values that a request has, by field."""
    w, address = control(request)
    code, q = w & 0xFFFF, operands(request)
    var, count, start = w >> 17 & 0x3FF, w >> 32 & 0xFFF, w >> 48 & 0xFFF
    vps = [v if isinstance(v, dict) else {"vp": v} for v in request["vps"]]
    size = {0x2: 3, 0x3: 3, 0x8: 1, 0xB: 2, 0x13: 4, 0x14: 4, 0x15: 3, 0xAF: 2, 0xB0: 2}[code] + var + count
    fast = bool(w >> 16 & 1)
    place = ("registers" if fast else "hidden" if not memory_from(request, address, 1) else "odd" if address % 8
             else "cross" if address % 4096 + 8 * size > 4096 else "right")
    offers = request["config"]["offers"]
    offered = offers >> GATE[code] & 1 and (code not in SETS or offers >> 7 & 1) and (code not in GPAS or offers >> 13 & 1)
    out = {"place": place, "caller": "64" if request.get("mode", {}).get("long", 1) else "32", "nested": str(w >> 31 & 1),
           "reserved": "1" if w & 0xF000_F000_7800_0000 else "0", "offered": str(int(bool(offered))), "xmm": str(offers >> 8 & 1),
           "runs": "some" if any(v.get("run") for v in vps) else "nobody"}
    if code in REPS:
        out |= {"count": str(count) if count < 3 else "more", "start": "0" if not start else "inside" if start < count else "behind"}
    else:
        out |= {"count": "0" if not count else "1", "start": "0" if not start else "behind"}
    name = lambda table, value: next((n for n, x in table.items() if x == value), None)
    if place == "hidden":
        return out | ({} if code in SETS else {"var": size_class(0, var)})
    if code in SETS:
        at = 1 if code == 0x15 else 2
        fmt, mask = q[at], q[at + 1]
        words = q[at + 2:at + 2 + bin(mask).count("1")]
        out |= {"format": str(fmt) if fmt < 3 else "big", "mask": name(MASKS, mask), "var": size_class(bin(mask).count("1"), var),
                "words": "zero" if not any(words) else "ones" if all(x == ALL64 for x in words) else "some"}
    else:
        out["var"] = size_class(0, var)
        if code in (0x2, 0x3, 0xB):
            out["mask"] = name(MASKS, q[1 if code == 0xB else 2])
    if code in FLUSHES:
        out |= {n: str(q[1] >> i & 1) for i, n in enumerate(("all", "spaces", "nonglobal", "extended"))}
        out |= {"unknown": str(int(q[1] > 15)), "space": name(SPACES, q[0])}
    if code in (0x3, 0x14) and count:
        out["entry"] = name(ENTRIES, (q[(3 if code == 0x3 else 4) + var:] or [None])[0])
    if code in IPIS:
        out |= {"vector": name(VECTORS, q[0] & 0xFFFFFFFF), "level": name(LEVELS, q[0] >> 32)}
    if code in GPAS:
        out |= {"root": name(ROOTS, q[0]), "gpaflags": "1" if q[1] else "0"}
    return out


def build(code, v):
    """A request with these values."""
    mask = MASKS[v.get("mask", "first")]
    need = bin(mask).count("1") if code in SETS else 0
    var = need + {"fits": 0, "less": -1, "more": 1}[v["var"]]
    count = {"0": 0, "1": 1, "2": 2, "more": 3}[v["count"]]
    start = {"0": 0, "inside": 1, "behind": max(count, 1) + 1}[v["start"]]
    flags = sum(int(v.get(n, "0")) << i for i, n in enumerate(("all", "spaces", "nonglobal", "extended"))) | int(v.get("unknown", "0")) << 9
    fmt = {"0": 0, "1": 1, "2": 2, "big": 1 << 32}[v.get("format", "0")]
    banks = [{"zero": 0, "some": 2, "ones": ALL64}[v.get("words", "some")]] * max(need, var)
    q0 = VECTORS[v.get("vector", "least")] | LEVELS[v.get("level", "0")] << 32
    head = {0x2: [SPACES[v.get("space", "0")], flags, mask], 0x8: [5], 0xB: [q0, mask], 0x15: [q0, fmt, mask],
            0x13: [SPACES[v.get("space", "0")], flags, fmt, mask], 0xAF: [ROOTS[v.get("root", "plain")], int(v.get("gpaflags", "0"))]}
    head |= {0x3: head[0x2], 0x14: head[0x13], 0xB0: head[0xAF]}
    lead = banks[:var] if code in SETS else [0] * var
    rest = [ENTRIES[v.get("entry", "page")]] + [LOW + 0x100000 * i for i in range(1, count)] if count and code in REPS else [0] * count
    q = head[code] + lead + rest
    if code in SETS and len(q) < len(head[code]) + need:
        q = head[code] + banks[:need]
    w = word(code, int(v["place"] == "registers"), var, count, start, (1 << 44 if v["reserved"] == "1" else 0) | (1 << 31 if v["nested"] == "1" else 0))
    gpa = {"right": 0x1000, "odd": 0x1004, "cross": 0x1FF8 if len(q) > 1 else 0x1FFC, "hidden": 0x1000, "registers": 0x1000}[v["place"]]
    offers = EVERY & ~(0 if v["offered"] == "1" else 1 << GATE[code]) & ~(0 if v["xmm"] == "1" else 0x100)
    vps = [{"vp": i, "run": int(v["runs"] == "some" and i in (0, 1, 64))} for i in (0, 1, 2, 63, 64, 4033)]
    vps = [x if x["run"] else x["vp"] for x in vps]
    return (call if v["caller"] == "64" else call32)(w, q, gpa=gpa, hide=v["place"] == "hidden", offers=offers, vps=vps)


def wanted(code):
    """The pairs of values that are possible."""
    table = fields(code)
    return {(a, va, b, vb) for a, b in combinations(sorted(table), 2) for va in table[a] for vb in table[b] if not impossible(code, a, va, b, vb)}


def pairs_of(code, values):
    known = {n: v for n, v in values.items() if v in fields(code).get(n, ())}
    return {(a, known[a], b, known[b]) for a, b in combinations(sorted(known), 2)}


def cover(code, random, plain_share=3):
    """Requests until every pair stands in one: each begins with a pair that is missing, and gathers as many others as it can."""
    table, missing, out = fields(code), wanted(code), []
    for attempt in range(4000):
        if not missing:
            return out
        best, best_gain = None, 0
        for _ in range(14):
            a, va, b, vb = random.choice(sorted(missing))
            values = {n: random.choice(options if random.random() < 0.6 else options[:1]) for n, options in table.items()} | {a: va, b: vb}
            if any(impossible(code, x, values[x], y, values[y]) and not (values["place"] == "hidden" and {x, y} & OPERAND)
                   and not (values["count"] == "0" and "entry" in (x, y)) for x, y in combinations(sorted(values), 2)):
                continue
            request = build(code, values)
            gain = len(pairs_of(code, read(request)) & missing)
            if gain > best_gain:
                best, best_gain = request, gain
        if best:
            out.append(best)
            missing -= pairs_of(code, read(best))
    raise RuntimeError(f"{code:#x}: {len(missing)} pairs can't be had: {sorted(missing)[:5]}")


def family():
    f = Family("pairs")
    for code in CODES:
        for request in cover(code, Random(code)):
            f.add(request, flags="pairs")
    return f
