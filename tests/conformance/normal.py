# SPDX-License-Identifier: BSD-2-Clause
"""Outcomes in one form, and when two are the same. docs/conformance.md describes the form.

What a VP is to flush is a list of "all", "non_global", "nested" and [first page, pages]; ranges are sorted and joined."""

EFFECTS = ("flush", "vectors", "nmi", "unhalt")
HINTS = ("kick", "wait", "wake", "yield", "yield_to")   # compared where a back end tells them


def ranges(items):
    """[[first, pages], ...] as a sorted list of (first, stop) without overlaps."""
    out = []
    for first, stop in sorted((int(a, 16), int(a, 16) + n) for a, n in items):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(stop, out[-1][1]))
        else:
            out.append((first, stop))
    return out


def tokens(items):
    """A VP's flush in its shortest form."""
    if "nested" in items:
        return ["nested"]
    if "all" in items:
        return ["all"]
    pages = [[f"{a:x}", b - a] for a, b in ranges(t for t in items if isinstance(t, list))]
    return (["non_global"] if "non_global" in items else []) + pages


def covers(told, need):
    """Who flushes what is told flushes what is needed, and perhaps more."""
    if "nested" in need:
        return "nested" in told
    if "all" in told:
        return True
    if "all" in need or "non_global" in need and "non_global" not in told:
        return False
    held = ranges(t for t in told if isinstance(t, list))
    return all(any(a <= x and y <= b for a, b in held) for x, y in ranges(t for t in need if isinstance(t, list)))


def by_vp(groups):
    """[{"vps": [...], "what": X}, ...] as a dictionary from VP to X."""
    return {v: g["what"] for g in groups for v in g["vps"]}


def flushes(outcome):
    """What each VP is to flush, in the shortest form."""
    return {v: items for v, x in by_vp(outcome.get("flush", [])).items() if (items := tokens(x))}


def grouped(table):
    """The other way round, in one order."""
    groups = {}
    for vp in sorted(table):
        groups.setdefault(repr(table[vp]), {"vps": [], "what": table[vp]})["vps"].append(vp)
    return list(groups.values())


def same(wanted, got):
    """The same outcome; of hints only what was told."""
    for key in sorted((set(wanted) | set(got)) - set(HINTS)):
        if key == "flush":
            if flushes(wanted) != flushes(got):
                return False
        elif key == "vectors":
            if by_vp(wanted.get(key, [])) != by_vp(got.get(key, [])):
                return False
        elif key in ("nmi", "unhalt"):
            if sorted(wanted.get(key, [])) != sorted(got.get(key, [])):
                return False
        elif key == "regs" and key not in got and ("status" in got or not wanted[key]) or key == "reps" and not wanted.get(key) and key not in got:
            continue                                  # a result may be told by status and elements done alone
        elif wanted.get(key) != got.get(key):
            return False
    return all(key not in got or sorted(wanted.get(key, [])) == sorted(got[key]) for key in HINTS if key != "yield") \
        and ("yield" not in got or wanted.get("yield", 0) == got["yield"])


def within(limits, value):
    return limits[0] <= value <= limits[1] if isinstance(limits, list) else limits == value


def registers_kept(request, outcome):
    """No register changed but the result, and perhaps the start index of a rep call's control word."""
    wide = request.get("mode", {}).get("long", 1)
    changed = set(outcome.get("regs", {})) - ({"rax"} if wide else {"rax", "rdx"})
    if wide and "rcx" in changed:
        was, now = (int(r.get("rcx", "0"), 16) for r in (request["regs"], outcome["regs"]))
        if (was ^ now) & ~(0xFFF << 48) == 0 and was >> 32 & 0xFFF:
            changed.remove("rcx")
    return not changed


def matches(entry, outcome, request):
    """Whether an outcome is the one that an entry of any_of describes, or one that flushes more."""
    if entry.get("ends") == "any":
        return True
    if "ends" not in entry:                       # set-up and the KVM persona: all that is said must be so
        if entry.get("rax") == "any":
            entry = {**entry, "rax": outcome.get("rax")}
        return same(entry, {k: v for k, v in outcome.items() if k not in HINTS or k == "kick" or k == "wake"})
    if entry["ends"] != outcome.get("ends"):
        return False
    if entry["ends"] == "done":
        if not registers_kept(request, outcome):
            return False
        if entry.get("rax") != "any" and not (entry["status"] == outcome.get("status") and within(entry["reps"], outcome.get("reps", 0))):
            return False
    elif entry.get("regs", {}) != outcome.get("regs", {}):
        return False
    told = by_vp(outcome.get("flush", []))
    if not all(covers(told.get(vp, []), need) for vp, need in by_vp(entry.get("flush", [])).items()):
        return False
    if "wait" in outcome and not set(entry.get("wait", [])) <= set(outcome["wait"]):
        return False
    if by_vp(entry.get("vectors", [])) != by_vp(outcome.get("vectors", [])):
        return False
    return not by_vp(entry.get("vectors", [])) or all(set(entry.get(k, [])) <= set(outcome.get(k, entry.get(k, []))) for k in ("kick", "wake"))
