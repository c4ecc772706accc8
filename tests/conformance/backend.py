# SPDX-License-Identifier: BSD-2-Clause
"""A back end: a program that speaks the protocol of docs/conformance.md, started, watched, and started again when it dies."""
import json
import os
import selectors
import subprocess
import time

from .translate import mode_of

PROTOCOL = 1
DEFAULT = {"offers": 0x7FF, "gva_bits": 48, "rep_budget": 4095, "gpa_bits": 40, "max_vps": 4096, "privileges": 0, "features": 0, "hints": 0,
           "spin_count": 0xFFFFFFFF}


class Broken(Exception):
    """The program died, hung, or said something that is no answer."""


def needs(request):
    """What a back end must be able to do for a request, beside the operation."""
    if request["op"] != "hypercall":
        return set()
    mode, vps = mode_of(request), [v if isinstance(v, dict) else {"vp": v} for v in request["vps"]]
    out = {f"config:{k}" for k, v in request["config"].items() if v != DEFAULT[k]}
    out |= {name for name, wanted in (("mode:cpl", mode["cpl"]), ("mode:real", not mode["protected"]), ("mode:32", mode["protected"] and not mode["long"]),
                                      ("mode:unidentified", not mode["identified"])) if wanted}
    out |= {"vp:index"} if [v["vp"] for v in vps] != list(range(len(vps))) else set()
    return out | {f"vp:{k}" for v in vps for k in ("pending", "other", "run", "apic", "apic_id") if k in v and v[k] != (1 if k == "apic" else 0)}


class BackEnd:
    def __init__(self, command, timeout=10.0):
        self.command, self.timeout, self.process, self.buffer, self.starts = command, timeout, None, b"", 0
        self.about = None

    def start(self):
        self.stop()
        self.starts += 1
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as e:
            raise Broken(f"{self.command[0]} can't be started: {e.strerror}")
        self.buffer = b""
        self.about = self.talk({"op": "hello", "protocol": PROTOCOL})
        if self.about.get("protocol") != PROTOCOL or not isinstance(self.about.get("ops"), list):
            raise Broken(f"hello is answered with {json.dumps(self.about)[:120]}; protocol {PROTOCOL} and a list of ops are wanted")

    def stop(self):
        if self.process:
            for stream in (self.process.stdin, self.process.stdout):
                try:
                    stream.close()
                except OSError:
                    pass
            try:
                self.process.wait(0.5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def line(self):
        """One line of the program's output, in time."""
        end = time.monotonic() + self.timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                left = end - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise Broken(f"hung: no answer in {self.timeout:g} s")
                data = os.read(self.process.stdout.fileno(), 1 << 16)
                if not data:
                    code = self.process.wait()
                    raise Broken(f"died: {'signal ' + str(-code) if code < 0 else 'exit code ' + str(code)}")
                self.buffer += data
                if len(self.buffer) > 1 << 24:
                    raise Broken("garbage: a line without an end")
        text, self.buffer = self.buffer.split(b"\n", 1)
        return text

    def talk(self, request):
        try:
            self.process.stdin.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass                                      # it is dead; reading says how
        text = self.line()
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            raise Broken(f"garbage: {text[:80]!r} is no JSON")
        if not isinstance(answer, dict):
            raise Broken(f"garbage: {text[:80]!r} is no object")
        return answer

    def ask(self, number, request, vector=None):
        """("outcome", it), ("skip", why) or ("error", what); after an error the next request finds a new process."""
        try:
            if self.process is None:
                self.start()
            if request["op"] not in self.about["ops"]:
                return "skip", f"the back end has no {request['op']}"
            can = self.about.get("can", ["*"])
            if lacking := [] if "*" in can else sorted(needs(request) - set(can)):
                return "skip", f"the back end can't have {lacking[0]}"
            answer = self.talk({"id": number, **({"vector": vector} if vector else {}), **request})
            if answer.get("id") != number:
                raise Broken(f"garbage: the answer to request {number} has id {answer.get('id')!r}")
        except Broken as e:
            self.stop()
            return "error", str(e)
        for kind in ("outcome", "skip", "error"):
            if kind in answer:
                return kind, answer[kind]
        return "error", f"an answer without outcome, skip or error: {json.dumps(answer)[:120]}"
