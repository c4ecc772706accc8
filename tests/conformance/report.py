# SPDX-License-Identifier: BSD-2-Clause
"""What came of it: for people, as JSON, as JUnit XML."""
import json
from collections import Counter
from xml.sax.saxutils import quoteattr

from .oracle import ROOT

KINDS = ("pass", "allowed", "fail", "error", "skip")
HEADS = ("pass", "allowed", "fail", "error", "skipped")


def catalogue():
    return {r["id"]: r for r in json.loads((ROOT / "spec" / "rules.json").read_text())["rules"]}


def told(result, rules):
    """A result that is not right, for a person."""
    lines = [f"{result['verdict'].upper()} {result['id']}"]
    for rule in [result["rule"]] if result.get("rule") else sorted(result.get("rules", {}))[:3]:
        if rule in rules:
            lines.append(f"  {'broken' if result.get('rule') else 'about'} {rule}: {rules[rule]['rule']}\n    source: {rules[rule]['source']}")
    if result.get("why"):
        lines.append(f"  {result['why']}")
    for name in ("faults", "request", "wanted", "got"):
        if result.get(name):
            lines.append(f"  {name}: {json.dumps(result[name], separators=(',', ':'))}")
    if result.get("small"):
        small = result["small"]
        lines.append(f"  shrunk: {json.dumps(small['request'], separators=(',', ':'))}\n    wanted {json.dumps(small['wanted'], separators=(',', ':'))}\n"
                     f"    got    {json.dumps(small['got'], separators=(',', ':'))}")
    return "\n".join(lines)


def table(results):
    """By family: how many of each kind; and why some were skipped."""
    rows = {}
    for r in results:
        rows.setdefault(r["family"], Counter())[r["verdict"]] += 1
    rows["all"] = sum(rows.values(), Counter())
    lines = [f"{'family':10}" + "".join(f"{h:>9}" for h in HEADS)]
    lines += [f"{name:10}" + "".join(f"{row[k]:9}" for k in KINDS) for name, row in rows.items()]
    why = Counter(r["why"] for r in results if r["verdict"] == "skip")
    return "\n".join(lines + [f"skipped {n}: {reason}" for reason, n in why.most_common()])


def write_json(path, about, results):
    counts = Counter(r["verdict"] for r in results)
    path.write_text(json.dumps({"back_end": about, "counts": {k: counts[k] for k in KINDS}, "results": results}, indent=1) + "\n")


def write_junit(path, results, rules):
    counts, lines = Counter(r["verdict"] for r in results), []
    for r in results:
        head = f"<testcase classname={quoteattr(r['family'])} name={quoteattr(r['id'])}"
        tag = {"fail": "failure", "error": "error", "skip": "skipped"}.get(r["verdict"])
        lines.append(f"{head}/>" if tag is None else f"{head}><{tag} message={quoteattr(r.get('why') or told(r, rules))}/></testcase>")
    path.write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + f'<testsuite name="conformance" tests="{len(results)}" failures="{counts["fail"]}" '
                    f'errors="{counts["error"]}" skipped="{counts["skip"]}">\n' + "\n".join(lines) + "\n</testsuite>\n")
