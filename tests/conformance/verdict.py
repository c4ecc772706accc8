# SPDX-License-Identifier: BSD-2-Clause
"""Is an outcome right? By the vector's any_of; and where the oracle is there, by the relation itself, which names the rule that
is broken."""
import json

from .normal import matches, same
from .oracle import PROGRAM, ROOT, Conversation
from .schema import fault
from .translate import from_oracle, judged, to_oracle

SCHEMA = json.loads((ROOT / "tests" / "vectors" / "schema.json").read_text())
JUDGED = ("hypercall", "kvm_call")


class Judge:
    def __init__(self):
        self.oracle = Conversation() if PROGRAM.is_file() else None

    def close(self):
        if self.oracle:
            self.oracle.close()

    def step(self, request):
        """The preferred outcome, or None if there is no oracle or it does not understand the request."""
        if self.oracle is None or request["op"] not in JUDGED:
            return None
        answer = self.oracle.ask(to_oracle(request))
        return None if "error" in answer else from_oracle(request, answer)

    def of(self, request, any_of, outcome):
        """pass, allowed, fail or error; and the rule that is broken, or what can't be judged."""
        if not isinstance(outcome, dict):
            return "error", "an outcome is an object"
        if wrong := fault(outcome, {"$ref": "#/definitions/outcome"}, SCHEMA, "outcome"):
            return "error", f"not an outcome: {wrong}"
        if same(any_of[0], outcome):
            return "pass", ""
        if request["op"] == "hypercall" and (outcome.get("ends") not in ("done", "continue", "ud") or outcome["ends"] == "done"
                                             and "status" not in outcome and "regs" not in outcome):
            return "error", "not an outcome: ends, and with done status and reps or regs, are wanted"
        try:
            if any(matches(e, outcome, request) for e in any_of):
                return "allowed", ""
            if self.oracle is None or request["op"] not in JUDGED:
                return ("skip", "continued; without the oracle that can't be judged") if outcome.get("ends") == "continue" and {"ends": "continue"} in any_of \
                    else ("fail", "")
            answer = self.oracle.ask(judged(request, outcome))
        except (KeyError, TypeError, ValueError) as e:
            return "error", f"not an outcome: {e!r}"
        if "error" in answer:
            return "error", f"not an outcome: {answer['error']}"
        return ("allowed", "") if answer["allowed"] else ("fail", answer["rule"])
