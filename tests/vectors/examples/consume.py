#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How to use the vectors, in Python: asks an implementation, here the oracle, and looks for its outcome among any_of."""
import json, pathlib, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
ORACLE = HERE.parents[2] / "build" / "oracle" / "oracle"
PLAIN = {"op", "config", "vps", "regs", "mem", "any_of", "id", "rules", "flags", "faults"}


def hypercalls(path):
    """The vectors of a file that a short example can ask: 64-bit callers at level 0, operands at one place in memory."""
    file = json.loads(path.read_text())
    for v in file["vectors"]:
        plain = all(isinstance(vp, int) for vp in v.get("vps", []))
        if v["op"] == "hypercall" and set(v) <= PLAIN and plain and [m[0] for m in v.get("mem", [])] == [v["regs"].get("rdx")]:
            config = {k: x for k, x in file["configs"][v["config"]].items() if k != "cpuid"}
            words = v["mem"][0][1] + ["0"] * 512                      # the rest of the page is zero
            room = 512 - int(v["regs"]["rdx"], 16) % 4096 // 8
            yield v, {"op": "step", "config": config, "vps": v["vps"], "regs": v["regs"], "mem": words[:room]}


def fits(entry, answer):
    """Status, elements done and vectors as in the entry; every flush that it asks for, or more."""
    if entry["ends"] == "any" or entry["ends"] != answer["ends"]:
        return entry["ends"] == "any"
    if entry["ends"] != "done":
        return True
    low, high = entry["reps"] if isinstance(entry["reps"], list) else (entry["reps"], entry["reps"])
    told = {t["vp"]: t for t in answer["told"]}
    vectors = {vp: g["what"] for g in entry.get("vectors", []) for vp in g["vps"]}
    flushed = all(told.get(vp, {}).get("mark") or "other" in told.get(vp, {}) for g in entry.get("flush", []) for vp in g["vps"])
    return (entry["status"] == answer["status"] and low <= answer["reps"] <= high and flushed
            and vectors == {vp: t["vector"] for vp, t in told.items() if t["vector"]})


passed = failed = 0
for path in sorted((HERE.parent / "v1").glob("*.json")):
    asked = list(hypercalls(path))
    said = subprocess.run([ORACLE], input="".join(json.dumps(r) + "\n" for _, r in asked), capture_output=True, text=True).stdout
    for (vector, _), answer in zip(asked, map(json.loads, said.splitlines()), strict=True):
        right = any(fits(entry, answer) for entry in vector["any_of"])
        passed, failed = passed + right, failed + (not right)
        if not right:
            print(f"{vector['id']}: {json.dumps(vector['any_of'])}, got {answer}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
