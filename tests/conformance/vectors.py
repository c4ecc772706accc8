# SPDX-License-Identifier: BSD-2-Clause
"""Reads the vectors."""
import json
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "vectors"
ABOUT = ("id", "rules", "flags", "faults", "any_of", "family")


def load(folder=HOME / "v1"):
    """Every vector, with its family and its configuration written out."""
    found = []
    for path in sorted(Path(folder).glob("*.json")):
        file = json.loads(path.read_text())
        for vector in file["vectors"]:
            if "config" in vector:
                vector["config"] = {k: v for k, v in file["configs"][vector["config"]].items() if k != "cpuid"}
            found.append({**vector, "family": file["family"]})
    return found


def request_of(vector):
    """What a back end is asked."""
    return {k: v for k, v in vector.items() if k not in ABOUT}
