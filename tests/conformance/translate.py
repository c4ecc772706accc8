# SPDX-License-Identifier: BSD-2-Clause
"""Requests and outcomes of the vectors, in the oracle's terms (docs/model.md) and back."""
from .normal import by_vp, grouped, tokens

REGS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8")
PAGE, LOW32, LOW64 = 4096, 2**32 - 1, 2**64 - 1


def reg(request, name):
    return int(request["regs"].get(name, "0"), 16)


def control(request):
    """The control word, and the address of operands in memory."""
    if request.get("mode", {}).get("long", 1):
        return reg(request, "rcx"), reg(request, "rdx")
    pair = lambda high, low: (reg(request, high) & LOW32) << 32 | reg(request, low) & LOW32
    return pair("rdx", "rax"), pair("rbx", "rcx")


def memory_from(request, address, qwords):
    """Qwords from an address on, as far as there are pages: a page exists if it is named, and is zero elsewhere."""
    pages = {}
    for first, words in request.get("mem", []):
        pages.setdefault(int(first, 16) // PAGE, bytearray(PAGE))
        for i, word in enumerate(words):
            at = int(first, 16) + 8 * i
            pages.setdefault(at // PAGE, bytearray(PAGE))[at % PAGE:at % PAGE + 8] = int(word, 16).to_bytes(8, "little")
    data, at = b"", address
    while len(data) < 8 * qwords and at // PAGE in pages:
        data += bytes(pages[at // PAGE][at % PAGE:])
        at = (at // PAGE + 1) * PAGE
    return [f"{int.from_bytes(data[i:i + 8], 'little'):x}" for i in range(0, min(len(data) // 8, qwords) * 8, 8)]


def pending(items):
    """A VP's pending flush as the oracle has it."""
    items = items or []
    queue = [t for t in items if isinstance(t, list)]
    mark = ("all" in items) | ("non_global" in items) << 1 | bool(queue) << 2
    return {"mark": 9 if "nested" in items else mark, "queue": queue, "overflow": 0}


def vp_of(entry):
    entry = {"vp": entry} if isinstance(entry, int) else entry
    out = {"vp": entry["vp"], "run": entry.get("run", 0), "apic": entry.get("apic", 1), **pending(entry.get("pending"))}
    return out | ({"other": pending(entry["other"])} if entry.get("other") else {})


def mode_of(request):
    return {"cpl": 0, "protected": 1, "long": 1, "identified": 1, **request.get("mode", {})}


def to_oracle(request):
    op = request["op"]
    if op == "hypercall":
        word, address = control(request)
        out = {"op": "step", "config": request["config"], "mode": mode_of(request), "vps": [vp_of(v) for v in request["vps"]],
               "regs": {r: request["regs"].get(r, "0") for r in REGS}, "xmm": request.get("xmm", []), "mem": []}
        if not word >> 16 & 1:
            out["mem"] = memory_from(request, address, 4 + (word >> 17 & 0x3FF) + (word >> 32 & 0xFFF))
        return out
    if op == "kvm_call":
        names = {"apic_id", "run", "apic"}
        vps = [{k: x for k, x in (v if isinstance(v, dict) else {"apic_id": v}).items() if k in names} for v in request["vps"]]
        return {"op": "kvm_step", **{k: request[k] for k in ("cpl", "long", "features", "caller") if k in request},
                "regs": request["regs"], "vps": vps}
    return {k: v for k, v in request.items() if k not in ("id", "vector")}


def marked(told, before):
    """Flush tokens of a VP afterwards, or None if they are what they were."""
    def read(state):
        items = (["all"] if state.get("mark", 0) & 1 or state.get("mark", 0) & 4 and state.get("overflow") else [])
        items += ["non_global"] if state.get("mark", 0) & 2 else []
        return tokens(items + (state.get("queue", []) if state.get("mark", 0) & 4 else []))
    if told.get("other", {}).get("mark", 0) & 9 == 9:
        return ["nested"]
    return read(told) if read(told) != read(before) else None


def from_oracle(request, answer):
    """An answer of the oracle (or of the core, which answers in the same way) as an outcome."""
    op = request["op"]
    if op == "hypercall":
        before = {v["vp"]: v for v in map(vp_of, request["vps"])}
        flush, vectors = {}, {}
        out = {k: answer[k] for k in ("ends", "status", "reps", "regs") if k in answer}
        for told in answer["told"]:
            items = marked(told, before.get(told["vp"], {}))
            if items is not None:
                flush[told["vp"]] = items
            if told["vector"]:
                vectors[told["vp"]] = told["vector"]
        out |= {k: v for k, v in (("flush", grouped(flush)), ("vectors", grouped(vectors))) if v}
        out |= {k: sorted(t["vp"] for t in answer["told"] if t[k]) for k in ("kick", "wait", "wake")}
        return out | {"yield": answer["yield"]}
    if op == "kvm_call":
        told = answer["told"]
        out = {"rax": answer["rax"]}
        vectors = {t["apic_id"]: t["vector"] for t in told if t.get("vector")}
        out |= {"vectors": grouped(vectors)} if vectors else {}
        out |= {k: ids for k in ("nmi", "unhalt") if (ids := sorted(t["apic_id"] for t in told if t.get(k)))}
        return out | {k: sorted(t["apic_id"] for t in told if t.get(k)) for k in ("kick", "wake", "yield_to")}
    return {"flush_wanted" if k == "flush" else k: v for k, v in answer.items() if k != "id"}


def judged(request, outcome):
    """An outcome as a request to judge it."""
    if request["op"] == "kvm_call":
        told = {}
        for vp, vector in by_vp(outcome.get("vectors", [])).items():
            told.setdefault(vp, {})["vector"] = vector
        for key in ("nmi", "unhalt", "yield_to", "kick", "wake"):
            for vp in outcome.get(key, []):
                told.setdefault(vp, {})[key] = 1
        if "kick" not in outcome and "wake" not in outcome:
            runs = {v["apic_id"]: v.get("run", 0) for v in request["vps"] if isinstance(v, dict)}
            for vp in by_vp(outcome.get("vectors", [])):
                told[vp]["kick" if runs.get(vp) else "wake"] = 1
        return {**to_oracle(request), "op": "kvm_judge",
                "outcome": {"rax": outcome["rax"], "told": [{"apic_id": v, **t} for v, t in told.items()]}}
    before = {v["vp"]: v for v in map(vp_of, request["vps"])}
    flush, vectors, told = by_vp(outcome.get("flush", [])), by_vp(outcome.get("vectors", [])), []
    for vp in sorted({*flush, *vectors, *(v for k in ("kick", "wait", "wake") for v in outcome.get(k, []))}):
        was, entry = before.get(vp, pending(None)), {"vp": vp}
        if "nested" in flush.get(vp, []):
            entry["other"] = {**was.get("other", pending(None)), "mark": was.get("other", {}).get("mark", 0) | 9}
        elif vp in flush:
            now = pending(flush[vp])
            entry |= {"mark": was["mark"] | now["mark"], "queue": was["queue"] + now["queue"]}
        if vp in vectors:
            entry["vector"] = vectors[vp]
        for key in ("kick", "wait", "wake"):
            if key in outcome:
                entry[key] = int(vp in outcome[key])
        told.append(entry)
    out = {k: outcome[k] for k in ("ends", "regs") if k in outcome} | {"told": told}
    if "regs" not in out and outcome["ends"] == "done":
        out |= {k: outcome[k] for k in ("status", "reps") if k in outcome}
    return {**to_oracle(request), "op": "judge", "outcome": out}
