#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The model as a back end, with a fault planted: what tests/conformance/test sets the runner on.

Usage: tests/conformance/faulty.py FAULT. Every Nth request meets the fault, by the number that the runner gives it."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

EVERY = 10


def spoil(fault, request, answer):
    outcome = answer.get("outcome", {})
    done = outcome.get("ends") == "done" and outcome["status"] == 0
    if fault == "status" and done and request["regs"]["rcx"][-4:] == "000b":   # a wrong status for cluster IPIs
        return {**answer, "outcome": {"ends": "done", "status": 5, "reps": 0}}
    if fault == "fewer" and done and outcome.get("flush"):                # the last VP is forgotten
        groups = [{**g, "vps": g["vps"][:-1]} for g in outcome["flush"]]
        return {**answer, "outcome": {**outcome, "flush": [g for g in groups if g["vps"]]}}
    if fault == "more" and done and outcome.get("flush"):                 # a full flush for everything: allowed
        groups = [{"vps": [v for g in outcome["flush"] for v in g["vps"]], "what": ["nested" if "nested" in str(outcome["flush"]) else "all"]}]
        return {**answer, "outcome": {**outcome, "flush": groups}}
    if fault == "extra" and done and outcome.get("vectors"):              # somebody who was not named
        return {**answer, "outcome": {**outcome, "vectors": [*outcome["vectors"], {"vps": [4000], "what": 64}]}}
    if fault == "register" and outcome.get("ends") == "done":
        return {**answer, "outcome": {**outcome, "regs": {**outcome["regs"], "rbx": "1"}}}
    if fault == "reps" and done and outcome.get("reps", 0) > 1:
        return {**answer, "outcome": {k: v for k, v in {**outcome, "reps": 1}.items() if k != "regs"}}
    return answer


def meet(fault, number):
    """Faults of the program, not of the outcome."""
    if number % EVERY:
        return None
    if fault == "die":
        os._exit(7)
    if fault == "crash":
        os.kill(os.getpid(), 11)
    if fault == "hang":
        time.sleep(3600)
    return {"garbage": "this is no JSON", "list": "[1,2]", "id": '{"id":-5,"outcome":{}}', "empty": f'{{"id":{number}}}', "error": f'{{"id":{number},"error":"out of order"}}',
            "form": f'{{"id":{number},"outcome":{{"ends":"sometimes"}}}}', "vague": f'{{"id":{number},"outcome":{{"ends":"done"}}}}',
            "skip": f'{{"id":{number},"skip":"not today"}}', "long": "x" * 100000}.get(fault)


def main():
    fault = sys.argv[1]
    if fault == "mute":
        time.sleep(3600)
    if fault == "old":
        print('{"protocol":0,"ops":[]}', flush=True)
        time.sleep(3600)
    model = subprocess.Popen([Path(__file__).resolve().parent / "adapter", "model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in sys.stdin:
        request = json.loads(line)
        text = None if request["op"] == "hello" else meet(fault, request["id"])
        if text is None:
            model.stdin.write(line)
            model.stdin.flush()
            text = json.dumps(spoil(fault, request, json.loads(model.stdout.readline())))
        print(text, flush=True)


if __name__ == "__main__":
    main()
