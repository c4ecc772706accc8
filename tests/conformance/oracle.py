# SPDX-License-Identifier: BSD-2-Clause
"""The extracted model: many questions at once, or one after the other."""
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "oracle" / "oracle"


def ask(requests):
    """The answers to a list of requests; one that is not understood is an error."""
    made = subprocess.run([PROGRAM], input="".join(json.dumps(r) + "\n" for r in requests), capture_output=True, text=True)
    answers = [json.loads(line) for line in made.stdout.splitlines()]
    wrong = next(((r, a) for r, a in zip(requests, answers) if "error" in a), None)
    if wrong or len(answers) != len(requests):
        raise RuntimeError(f"oracle: {wrong or made.stderr.strip()}")
    return answers


class Conversation:
    """A program that answers one JSON line with one JSON line."""

    def __init__(self, command=(PROGRAM,)):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
