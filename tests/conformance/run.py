# SPDX-License-Identifier: BSD-2-Clause
"""Asks a back end one vector after the other, on as many threads as there are jobs, and has the outcomes judged."""
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from .backend import BackEnd
from .shrink import shrink
from .vectors import request_of
from .verdict import Judge

GIVE_UP = 10    # deaths or silences of the back end in a row


class Run:
    def __init__(self, command, args, log=None):
        self.log = log
        self.command, self.args, self.local, self.lock = command, args, threading.local(), threading.Lock()
        self.results, self.done, self.began, self.shown = [], 0, time.monotonic(), time.monotonic()
        self.about, self.in_a_row, self.judges, self.ends = None, 0, [], []

    def tools(self):
        if not hasattr(self.local, "tools"):
            self.local.tools = self.log or BackEnd(self.command, self.args.timeout), Judge()
            with self.lock:
                self.ends.append(self.local.tools[0])
                self.judges.append(self.local.tools[1])
        return self.local.tools

    def one(self, number, vector):
        """Asks one vector; the result as a dictionary."""
        end, judge = self.tools()
        request = request_of(vector)
        result = {"id": vector["id"], "family": vector["family"]}
        if self.in_a_row >= GIVE_UP:
            return result | {"verdict": "error", "why": f"not asked: the back end failed {GIVE_UP} times in a row"}
        kind, said = end.ask(number, request, vector["id"])
        failed_to_answer = kind == "error" and end.process is None and self.log is None
        self.in_a_row = self.in_a_row + 1 if failed_to_answer else 0
        self.about = self.about or end.about
        if kind != "outcome":
            return result | {"verdict": kind, "why": str(said), **({"request": request} if kind == "error" else {})}
        verdict, why = judge.of(request, vector["any_of"], said)
        if verdict == "allowed" and self.args.preferred:
            verdict, why = "fail", ""
            result["why"] = "allowed, but not the preferred outcome"
        if verdict == "pass" or verdict == "allowed" and not self.args.show_allowed:
            return result | {"verdict": verdict}
        if verdict in ("error", "skip"):
            return result | {"verdict": verdict, "why": why, "request": request, "got": said}
        result |= {"verdict": verdict, "rule": why, "rules": vector["rules"], "faults": vector.get("faults", []), "request": request,
                   "wanted": vector["any_of"], "got": said}
        return result | (self.shrunk(end, judge, number, request, why) if verdict == "fail" and not self.args.no_shrink and self.log is None else {})

    def shrunk(self, end, judge, number, request, rule):
        last = {}
        def fails(small):
            try:
                wanted = judge.step(small)
            except KeyError:
                return False
            kind, said = end.ask(number, small) if wanted else ("skip", "")
            verdict, broken = judge.of(small, [wanted], said) if kind == "outcome" else ("skip", "")
            if verdict == "fail" and broken in (rule, "") or verdict == "allowed" and self.args.preferred:
                last["small"] = {"request": small, "wanted": wanted, "got": said}
                return True
            return False
        small = shrink(request, fails) if request["op"] in ("hypercall", "kvm_call") else request
        return last if last and len(json.dumps(small)) < len(json.dumps(request)) else {}

    def all(self, vectors, total):
        """In order, on as many threads as there are jobs."""
        def work(item):
            result = self.one(*item)
            with self.lock:
                self.done += 1
                if time.monotonic() - self.shown > 10:
                    self.shown = time.monotonic()
                    print(f"progress: {self.done} of {total}, {self.shown - self.began:.0f} s", file=sys.stderr, flush=True)
            return result
        numbered = enumerate(vectors, 1)
        with ThreadPoolExecutor(self.args.jobs) as pool:
            while part := list(islice(numbered, 2000)):
                self.results += pool.map(work, part)
        for end in self.ends:
            end.stop()
        for judge in self.judges:
            judge.close()
