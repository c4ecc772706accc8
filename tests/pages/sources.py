# SPDX-License-Identifier: BSD-2-Clause
"""The files that the page is made of. Nothing is run: a file is there, or it is not, or it can't be read."""
import hashlib
import json
import re

MEASURES = ("time", "exits", "MSR", "system")


class Wrong(Exception):
    """A file that is there and is not what it should be."""


def load(root, name):
    """The file as JSON; None if it is not there."""
    path = root / name
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as e:
        raise Wrong(f"{name} can't be read: {e}")


def changed(root, sources):
    """Files that are not what the proof saw, new ones included."""
    files = [*root.glob("spec/**/*.mlw"), *root.glob("src/**/*.[ch]"), root / "proofs/model.driver", root / "proofs/plan.json",
             *root.glob("proofs/session/script/*.json")]
    now = {str(f.relative_to(root)): hashlib.sha256(f.read_bytes()).hexdigest()[:16] for f in files if f.is_file()}
    return sorted(f for f in now.keys() | sources.keys() if now.get(f) != sources.get(f))


def vectors(root):
    return {v["id"] for path in sorted(root.glob("tests/vectors/v1/*.json")) for v in load(root, path.relative_to(root))["vectors"]}


def conformance(root):
    """{name: results} of build/conform/NAME.json."""
    return {path.stem: load(root, path.relative_to(root)) for path in sorted(root.glob("build/conform/*.json"))}


def harness_bench(root):
    """(what, cost, target, KVM's, verdict) of what harness/bench printed."""
    path = root / "build" / "bench" / "harness.txt"
    if not path.is_file():
        return None
    rows = re.findall(r"^(.{46}) +([\d.]+|none) +([\d.]+) +([\d.]*) +(met|MISSED)$", path.read_text(errors="replace"), re.M)
    if not rows:
        raise Wrong("build/bench/harness.txt: there is no row in it")
    return [(what.strip(), *rest) for what, *rest in rows]


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def tables(text):
    """The tables of a Markdown page: (heading above, heads, rows)."""
    found, heading, lines = [], "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(cells(line))
            continue
        if len(lines) > 2:
            found.append((heading, lines[0], lines[2:]))
        lines = []
        if line.startswith("#"):
            heading = line.lstrip("# ")
    return found


def experiments(root):
    """The results in docs/experiments.md: (name, title, persona, {measure: ratio}, {measure: published})."""
    path, rows, title = root / "docs" / "experiments.md", [], ""
    if not path.is_file():
        return None
    for _, heads, lines in tables(path.read_text()):
        if "published" not in heads or "persona" not in heads:
            continue
        at = {name: heads.index(head) for name, head in zip(MEASURES, ("time", "exits", "MSR exits", "system"))}
        for line in lines:
            try:
                ours = {name: float(line[i]) for name, i in at.items()}
            except (ValueError, IndexError):
                raise Wrong(f"docs/experiments.md: a row of the results without its ratios: {' | '.join(line)[:60]}")
            title = line[1] or title
            theirs = {k: float(v) for k, v in re.findall(r"(time|exits|MSR|system) ([\d.]+)", line[heads.index("published")])}
            rows.append((line[0], title, line[heads.index("persona")], ours, theirs))
    return rows or None


def last_experiments(root):
    """The same of the last run here."""
    data = load(root, "build/harness/experiments.json")
    if data is None:
        return None
    rows = {}
    for v in data["verdicts"]:
        name = {"msr": "MSR"}.get(v["measure"], v["measure"])
        ours, theirs = rows.setdefault((v["experiment"], v["persona"]), ({}, {}))
        ours[name], theirs[name] = v["ratio"], v["published"]
    return data, [(name, "", persona, *both) for (name, persona), both in rows.items()]
