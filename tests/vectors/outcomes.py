# SPDX-License-Identifier: BSD-2-Clause
"""All allowed outcomes of a request, by asking the model.

The preferred outcome is the model's `step`. Others are found by proposing outcomes, and asking the model's relation `allowed` about
each: every status, #UD, for every VP the weakest flush that will do, for an IPI every set that might be meant, and answers that no
description of a call has. What is proposed here only says what is asked; the model alone says what is allowed."""
from conformance import oracle
from conformance.normal import by_vp, grouped, matches, tokens
from conformance.translate import LOW64, control, from_oracle, judged, memory_from, reg, to_oracle

STATUSES = (1, 2, 3, 4, 5, 6, 7, 0x15, 0x51)
TOP = 1 << 52


def operands(request):
    """The first operands, wherever they stand."""
    word, address = control(request)
    count = 4 + (word >> 17 & 0x3FF) + (word >> 32 & 0xFFF)
    if word >> 16 & 1:
        wide = request.get("mode", {}).get("long", 1)
        second = reg(request, "r8") if wide else (reg(request, "rdi") & 0xFFFFFFFF) << 32 | reg(request, "rsi") & 0xFFFFFFFF
        found = [address, second, *(int(x, 16) for x in request.get("xmm", []))]
    else:
        found = [int(x, 16) for x in memory_from(request, address, count)]
    return found + [0] * (count - len(found))


def run_of(entry, extended, gva_bits):
    """The pages that a list's entry may name, cut at the canonical hole."""
    first, pages = entry >> 12, (entry & 0xFFF) + 1
    if extended:
        pages = (entry & 0x7FF) + 1
        if entry >> 11 & 1:
            first, pages = entry >> 21 << 9, pages << (18 if entry >> 12 & 1 else 9)
    low = 1 << (gva_bits - 13)
    stop = min(first + pages, low if first < low else TOP)
    first = TOP - low if low <= first < TOP - low else first
    return [[f"{first:x}", stop - first]] if first < stop else []


def sets_of(request, q, code):
    """Sets of VPs that a call might mean."""
    here = [v if isinstance(v, int) else v["vp"] for v in request["vps"]]
    at = {0xB: 1, 0x15: 2, 0x13: 3, 0x14: 3}.get(code, 2)
    mask, banks, sparse = q[at], q[at + 1:], set()
    for n, bank in enumerate(b for b in range(64) if mask >> b & 1):
        word = banks[n] if n < len(banks) else 0
        sparse |= {bank * 64 + i for i in range(64) if word >> i & 1}
    plain = {v for v in range(64) if mask >> v & 1}
    return [[v for v in here if v in s] for s in (set(), plain, sparse, set(here))]


class Hypercall:
    """What is proposed for one hypercall, and what comes of it."""

    def __init__(self, request, answer):
        self.request = request
        self.preferred = from_oracle(request, answer)
        word, _ = control(request)
        self.code, self.count, self.start = word & 0xFFFF, word >> 32 & 0xFFF, word >> 48 & 0xFFF
        self.vps = [v if isinstance(v, int) else v["vp"] for v in request["vps"]]
        self.running = [v["vp"] for v in request["vps"] if isinstance(v, dict) and v.get("run")]
        self.deaf = [v["vp"] for v in request["vps"] if isinstance(v, dict) and not v.get("apic", 1)]
        q = operands(request)
        behind = {0x3: 3, 0x14: 4, 0xB0: 2}.get(self.code, 0) + (word >> 17 & 0x3FF)
        entries = q[behind:behind + self.count] if self.code in (0x3, 0x14) else []
        bits = request["config"]["gva_bits"]
        forms = [tokens([r for e in entries[self.start:] for r in run_of(e, extended, bits)]) for extended in (0, 1)]
        self.kinds = [[], forms[0], forms[1], ["non_global"], ["all"], ["nested"]]
        self.sets, self.vector = sets_of(request, q, self.code), q[0] & 0xFF
        self.proposed = {}
        self.propose()

    def success(self, flush, wait=None, reps=None):
        table = {v: x for v, x in flush.items() if x}
        return {"ends": "done", "status": 0, "reps": self.count if reps is None else reps,
                **({"flush": grouped(table)} if table else {}), "wait": self.running if wait is None else wait}

    def propose(self):
        ask = self.proposed
        ask["wild"] = {"ends": "done", "regs": {"rax": "12345", "rbx": "777"}}
        ask["other"] = {"ends": "done", "regs": {"rax": "fffffffffffffc18"}}
        ask["ud"] = {"ends": "ud"}
        for s in STATUSES:
            for reps in {0, self.start, self.count}:
                ask["status", s, reps] = {"ends": "done", "status": s, "reps": reps}
        self.most = {v: ["nested" if self.code in (0xAF, 0xB0) else "all"] for v in self.vps}
        ask["nothing"] = self.success({}, [])
        ask["most"] = self.success(self.most)
        ask["many"] = self.success(self.most, reps=4095)
        ask["again"] = {"ends": "continue", **({"flush": grouped(self.most)} if self.most else {}), "wait": self.running}
        for v in self.vps:
            for n, kind in enumerate(self.kinds):
                ask["kind", v, n] = self.success({**self.most, v: kind})
        for v in self.running:
            ask["wait", v] = self.success(self.most, [w for w in self.running if w != v])
        for n, vps in enumerate(self.sets):
            ask["sent", n] = self.sent(vps)

    def sent(self, vps):
        table = {v: self.vector for v in vps if v not in self.deaf}
        return {"ends": "done", "status": 0, "reps": 0, **({"vectors": grouped(table)} if table else {}),
                "kick": sorted(set(self.running) & set(table)), "wake": sorted(set(table) - set(self.running))}

    def entries(self, allowed):
        """The outcomes beside the preferred one."""
        if allowed["wild"]:
            return [{"ends": "any"}]
        out = [{"ends": "done", "rax": "any"}] if allowed["other"] else []
        if allowed["ud"]:
            out.append({"ends": "ud"})
        for s in STATUSES:
            reps = [r for r in (0, self.start, self.count) if allowed["status", s, r]]
            if reps:
                out.append({"ends": "done", "status": s, "reps": [0, max(reps)] if max(reps) else 0})
        reps = [0, 4095] if allowed["many"] else self.count
        if allowed["most"]:
            need = {v: next(self.kinds[n] for n in range(len(self.kinds)) if allowed["kind", v, n]) for v in self.vps}
            out.append({**self.success(need, [v for v in self.running if not allowed["wait", v]]), "reps": reps})
        else:
            seen = []
            for n, vps in enumerate(self.sets):
                entry = {**self.sent(vps), "reps": [0, 4095]}
                if allowed["sent", n] and entry not in seen:
                    seen.append(entry)
            out += seen
        if allowed["again"]:
            out.append({"ends": "continue"})
        return [{k: v for k, v in e.items() if v != []} for e in out if not self.told_already(e)]

    def told_already(self, entry):
        """Whether the preferred outcome, taken as an entry, says so much."""
        p = self.preferred
        return (all(entry.get(k) == p.get(k) for k in ("ends", "status", "reps"))
                and by_vp(entry.get("flush", [])) == by_vp(p.get("flush", []))
                and by_vp(entry.get("vectors", [])) == by_vp(p.get("vectors", []))
                and "rax" not in entry and (entry["ends"] != "continue"))


class KvmCall:
    def __init__(self, request, answer):
        self.request, self.preferred, self.proposed = request, from_oracle(request, answer), {}
        ask, wide = self.proposed, request.get("long", 1)
        ids = [v if isinstance(v, int) else v["apic_id"] for v in request["vps"]]
        deaf = [v["apic_id"] for v in request["vps"] if isinstance(v, dict) and not v.get("apic", 1)]
        runs = [v["apic_id"] for v in request["vps"] if isinstance(v, dict) and v.get("run")]
        value = lambda n: f"{n & (LOW64 if wide else 0xFFFFFFFF):x}"
        ask["wild"] = {"rax": "12345"}
        for error in (0, -1, -7, -14, -22, -95, -1000):
            ask["error", error] = {"rax": value(error)}
        size, r = (64 if wide else 32), {k: reg(request, k) for k in ("rbx", "rcx", "rdx", "rsi")}
        least = r["rdx"] & 0xFFFFFFFF
        words = (r["rbx"] & ((1 << size) - 1), least), (r["rcx"] & ((1 << size) - 1), (least + size) & 0xFFFFFFFF)
        named = [i for i in ids if any(0 <= i - first < size and word >> (i - first) & 1 for word, first in words)]
        vector = r["rsi"] & 0xFF
        heard = {i: vector for i in named if i not in deaf and vector >= 16}
        ask["sent"] = {"rax": value(len([i for i in named if i not in deaf])), **({"vectors": grouped(heard)} if heard else {}),
                       "kick": [i for i in heard if i in runs], "wake": [i for i in heard if i not in runs]}
        ask["nmi"] = {"rax": value(len(named)), **({"nmi": sorted(named)} if named else {})}
        for key in ("rbx", "rcx"):
            if r[key] & 0xFFFFFFFF in ids:
                ask["unhalt", key] = {"rax": "0", "unhalt": [r[key] & 0xFFFFFFFF]}

    def entries(self, allowed):
        if allowed["wild"]:
            return [{"rax": "any"}]
        out = []
        for name, outcome in self.proposed.items():
            entry = {k: v for k, v in outcome.items() if v != []}
            if allowed[name] and entry not in out and not matches(self.preferred, entry, self.request):
                out.append(entry)
        return out


class Fixed:
    """Set-up: one outcome."""

    def __init__(self, request, answer):
        self.request, self.preferred, self.proposed = request, from_oracle(request, answer), {}

    def entries(self, allowed):
        return []


def strip(preferred):
    """Without what says nothing."""
    return {k: v for k, v in preferred.items() if v != [] and not (k == "yield" and not v)}


def any_of(requests):
    """For each request the list of its allowed outcomes, the preferred one first."""
    kinds = {"hypercall": Hypercall, "kvm_call": KvmCall}
    answers = oracle.ask([to_oracle(r) for r in requests])
    cases = [kinds.get(r["op"], Fixed)(r, a) for r, a in zip(requests, answers)]
    verdicts = iter(oracle.ask([judged(c.request, o) for c in cases for o in c.proposed.values()]))
    found = []
    for case in cases:
        allowed = {name: next(verdicts)["allowed"] for name in case.proposed}
        found.append([strip(case.preferred), *case.entries(allowed)])
    check = [(c, e) for c, entries in zip(cases, found) for e in entries if c.proposed and e.get("ends") not in ("any", "continue") and e.get("rax") != "any"]
    for (case, entry), verdict in zip(check, oracle.ask([judged(c.request, as_outcome(e)) for c, e in check])):
        if not verdict["allowed"]:
            raise RuntimeError(f"{case.request}: listed, and yet not allowed: {entry}: {verdict['rule']}")
    return found


def as_outcome(entry):
    """The outcome that an entry describes, with as little as it allows."""
    if isinstance(entry.get("reps"), list):
        entry = {**entry, "reps": entry["reps"][1]}
    if "ends" in entry:
        entry = {"wait": [], **entry} if entry.get("flush") else entry
    return entry
