#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A back end for tests/conform in Python: an implementation of two calls, HvCallNotifyLongSpinWait and HvCallSendSyntheticClusterIpi.

It is a start for an implementation of one's own: what it does not do it says in its answers, and is not asked for."""
import json
import sys

CALLS = {0x0008: "long spin wait", 0x000B: "cluster IPI"}
ABOUT = {"protocol": 1, "name": "sample in Python", "version": "1", "ops": ["hypercall"], "can": ["mode:cpl", "vp:run", "vp:apic", "vp:index"]}


def operands(request, fast):
    """The first two qwords, from the registers or from memory; None if they can't be had."""
    regs = request["regs"]
    if fast:
        return [int(regs.get(r, "0"), 16) for r in ("rdx", "r8")]
    address = int(regs.get("rdx", "0"), 16)
    pages = {int(first, 16): words for first, words in request.get("mem", [])}
    return [int(w, 16) for w in pages[address] + ["0"]][:2] if address in pages else None


def status_of(control, code, address, q):
    """The status of a call, in the order in which errors are found; None where the call is done."""
    if control & 0xF000_F000_F800_0000:
        return 3
    if control >> 32 or control >> 17 & 0x3FF:
        return 3                                      # neither a list nor a variable header
    size = 8 if code == 0x0008 else 16
    if not control >> 16 & 1 and (address % 8 or address % 4096 + size > 4096 or q is None):
        return 4
    return 5 if code == 0x000B and not 0x10 <= q[0] <= 0xFF else None


def hypercall(request):
    control = int(request["regs"].get("rcx", "0"), 16)
    code, mode = control & 0xFFFF, request.get("mode", {})
    if code not in CALLS:
        return {"skip": f"call {code:#06x} is not implemented"}
    if mode.get("cpl", 0):
        return {"outcome": {"ends": "ud"}}
    q = operands(request, control >> 16 & 1)
    status = status_of(control, code, int(request["regs"].get("rdx", "0"), 16), q)
    if status is not None or code == 0x0008:
        return {"outcome": {"ends": "done", "status": status or 0}}
    vps = [v if isinstance(v, dict) else {"vp": v} for v in request["vps"]]
    named = [v["vp"] for v in vps if v["vp"] < 64 and q[1] >> v["vp"] & 1 and v.get("apic", 1)]
    return {"outcome": {"ends": "done", "status": 0, "vectors": [{"vps": named, "what": q[0]}] if named else []}}


for line in sys.stdin:
    request = json.loads(line)
    answer = ABOUT if request["op"] == "hello" else {"id": request["id"], **hypercall(request)}
    print(json.dumps(answer), flush=True)
