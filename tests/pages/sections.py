# SPDX-License-Identifier: BSD-2-Clause
"""The parts of the page. Each has a state: good, bad, or missing with the command that makes it; and a line for the verdict."""
from collections import Counter
from dataclasses import dataclass

from . import plots, sources
from .markup import Raw, folded, join, prose, table, tag, value

KINDS, HEADS = ("pass", "allowed", "fail", "error", "skip"), ("pass", "allowed", "fail", "error", "skipped")
BACK_ENDS = ("model", "core")       # without these the page is not complete


@dataclass
class Section:
    name: str
    title: str
    state: str          # good, bad, missing
    line: str           # what is to be said of it in one line
    body: Raw = Raw("")


def command(words):
    return tag("code", words)


def missing(name, title, what, how, body=Raw("")):
    return Section(name, title, "missing", f"{what}; this makes it: {how}", join([body, tag("p", f"{what}. This makes it: ", command(how), class_="missing")]))


def counted(n, one):
    return f"{n} {one}" if n == 1 else f"{n} {one}s"


# ---- proof --------------------------------------------------------------------------------------------------------

def folder(unit):
    parts = unit.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else unit


def goals_of(result):
    """{part: goals}; of the model by theorem, of the code by function, smoke tests included."""
    parts = Counter()
    for spec in result["spec"]:
        parts["model: " + ("laws" if "/laws/" in spec["file"] else "definitions")] += sum(int(g.split("/")[1]) for g in spec["goals"].values())
    for row in result["code"]:
        parts[folder(row["unit"])] += row["goals"] + row.get("smoke", 0)
    return parts


def last_run(root, committed):
    run = sources.load(root, "build/proofs/report.json")
    if run is None:
        return tag("p", "Times of the last run here are missing. This makes them: ", command("make prove"), class_="missing"), []
    total, differ = run["total"], sources.changed(root, run["sources"])
    slow = sorted(run["rows"], key=lambda row: -row[2])[:12]
    whole = total["goals"] >= committed["total"]["goals"]
    said = [tag("h3", "The last run here"),
            tag("p", value("run-goals", total["goals"]), " goals", "" if whole else ", a part of all", ", ", value("run-open", total["open"]), " open, with ",
                ", ".join(f"{k} {v}" for k, v in sorted(run.get("tools", {}).items())), f"; {counted(len(differ), 'file')} changed since. "),
            folded("What took longest", table(["unit", "name", "seconds"], [(r[0], r[1], f"{r[2]:.1f}") for r in slow], (2,)))]
    return said, [f"{counted(total['open'], 'goal')} open in the last run"] if total["open"] and not differ else []


def proof(root):
    title, result = "Proof", sources.load(root, "proofs/results.json")
    if result is None:
        return missing("proof", title, "no proof has been recorded (proofs/results.json)", "make prove")
    total, differ = result["total"], sources.changed(root, result["sources"])
    wrong = [f"{total[k]} {k}" for k in ("open", "axioms", "admitted") if total[k]]
    run, more = last_run(root, result)
    wrong += more
    if differ:
        wrong.append(f"{counted(len(differ), 'file')} changed since the proof")
    parts = goals_of(result)
    if sum(parts.values()) != total["goals"]:
        wrong.append(f"its parts have {sum(parts.values())} goals, not {total['goals']}")
    functions = [row for row in result["code"] if "function" in row]
    body = [tag("p", value("proof-goals", total["goals"]), " goals, ", value("proof-open", total["open"]), " open, ", value("proof-axioms", total["axioms"]),
                " axioms, ", value("proof-admitted", total["admitted"]), " admitted; ", value("proof-functions", len(functions)), " functions, ",
                value("proof-theorems", sum(len(s["goals"]) for s in result["spec"])), " theorems and definitions of the model, as committed in ", command("proofs/results.json"), "."),
            tag("p", "What it rests on stands in ", command("proofs/ASSUMPTIONS.md"), "."),
            tag("p", f"{counted(len(differ), 'file')} changed since, so of this tree the proof says nothing there. This proves it anew: ", command("make prove"),
                class_="missing") if differ else "",
            folded("Files that changed", tag("ul", *(tag("li", f) for f in differ))) if differ else "",
            plots.stacked("Goals by part of the project", ["goals, smoke tests included"], [(part, [n]) for part, n in sorted(parts.items())]),
            folded("Every function", table(["file", "function or lemma", "goals", "proved", "smoke tests"],
                                           [(r["unit"], r.get("function", r.get("lemma")), r["goals"], r["proved"], r.get("smoke", "")) for r in result["code"]], (2, 3, 4))),
            folded("Every file of the model", table(["file", "theorems and definitions", "goals"],
                                                    [(s["file"], len(s["goals"]), sum(int(g.split("/")[1]) for g in s["goals"].values())) for s in result["spec"]], (1, 2))),
            run]
    line = f"{total['goals']} goals, " + (", ".join(wrong) if wrong else "none open, no axiom, nothing admitted")
    return Section("proof", title, "bad" if wrong else "good", line, join(body))


def mutants(root):
    title, result = "Mutants", sources.load(root, "proofs/mutants.json")
    if result is None:
        return missing("mutants", title, "no faults have been planted (proofs/mutants.json)", "make mutate")
    survive = [m for m in result["mutants"] if not m.get("killed_by") and "equivalent" not in m.get("note", "equivalent")]
    rest = result["total"] - result["by_proof"] - result["by_tests"] - result["equivalent"]
    body = [tag("p", value("mutants-total", result["total"]), " small faults planted in the code: ", value("mutants-proof", result["by_proof"]), " noticed by the proof, ",
                value("mutants-tests", result["by_tests"]), " by a test, ", value("mutants-equivalent", result["equivalent"]), " change nothing that can be seen."),
            folded("Every mutant", table(["fault", "file", "function", "noticed by"],
                                         [(m["id"], m["file"], m["function"], m.get("killed_by") or "changes nothing") for m in result["mutants"]]))]
    return Section("mutants", title, "bad" if rest or survive else "good",
                   f"{result['total']} planted, " + (f"{rest} not noticed" if rest else "all noticed"), join(body))


# ---- rules and conformance ----------------------------------------------------------------------------------------

def rules(root):
    title, catalogue = "Rules", sources.load(root, "spec/rules.json")
    if catalogue is None:
        return missing("rules", title, "there is no catalogue (spec/rules.json)", "git checkout spec/rules.json")
    status = Counter(r["status"] for r in catalogue["rules"])
    families = {}
    for r in catalogue["rules"]:
        families.setdefault(r["id"].partition("-")[0], Counter())[r["status"]] += 1
    names = ("stated", "inferred", "decided")
    body = [tag("p", value("rules-total", len(catalogue["rules"])), " rules: ", value("rules-stated", status["stated"]), " stated by the published text, ",
                value("rules-inferred", status["inferred"]), " inferred from it, ", value("rules-decided", status["decided"]), " decided where it is silent. ",
                command("docs/rules.md"), " has each with all its places."),
            plots.stacked("Rules by family and status", names, [(f, [n[s] for s in names]) for f, n in families.items()])]
    return Section("rules", title, "good", counted(len(catalogue["rules"]), "rule"), join(body))


def back_end(root, name, data, known):
    """The part of one back end; what is wrong with it."""
    counts = Counter(r["verdict"] for r in data["results"])
    ids = [r["id"] for r in data["results"]]
    strange, left = [i for i in ids if i not in known], len(known - set(ids))
    wrong = [f"{counts[k]} {k}" for k in ("fail", "error") if counts[k]]
    if {k: counts[k] for k in KINDS} != {k: data["counts"].get(k, 0) for k in KINDS}:
        wrong.append("its counts are not those of its results")
    if name in BACK_ENDS and (strange or left):
        wrong.append("made from other vectors")
    rows = {}
    for r in data["results"]:
        rows.setdefault(r["family"], Counter())[r["verdict"]] += 1
    about = data.get("back_end") or {}
    bad = [r for r in data["results"] if r["verdict"] in ("fail", "error")]
    body = [tag("h3", " ".join(filter(None, (about.get("name", name), about.get("version")))), f" ({name})"),
            tag("p", value(f"conform-{name}-asked", len(ids)), " asked: ", *(join([value(f"conform-{name}-{k}", counts[k]), f" {h}{', ' if k != 'skip' else ''}"])
                                                                      for k, h in zip(KINDS, HEADS)),
                f". Of the vectors {left} were not asked." if left else ". Every vector was asked.", f" {counted(len(strange), 'question')} that no vector has." if strange else ""),
            plots.stacked(f"Verdicts by family, {name}", HEADS, [(f, [n[k] for k in KINDS]) for f, n in rows.items()], (0, 2, 1, 3, 4)),
            folded("What is not right", table(["vector", "verdict", "breaks", "why"], [(r["id"], r["verdict"], r.get("rule") or "", r.get("why") or "") for r in bad[:200]]))
            if bad else ""]
    return join(body), wrong


def conformance(root):
    title, results, known = "Conformance", sources.conformance(root), sources.vectors(root)
    absent = [n for n in BACK_ENDS if n not in results]
    body, wrong = [tag("p", value("vectors-total", len(known)), " vectors are put to each back end; ", command("docs/conformance.md"), " tells how.")], []
    for name in [n for n in BACK_ENDS if n in results] + [n for n in results if n not in BACK_ENDS]:
        part, faults = back_end(root, name, results[name], known)
        body.append(part)
        wrong += [f"{name}: {f}" for f in faults]
    how = {n: f"tests/conform --backend {n} --preferred --json build/conform/{n}.json" for n in BACK_ENDS}
    body += [tag("p", f"Results of the {n} are missing. This makes them: ", command(how[n]), class_="missing") for n in absent]
    body.append(tag("p", "Any other back end's results are shown too, if they are in ", command("build/conform/NAME.json"), "."))
    if wrong:
        return Section("conformance", title, "bad", "; ".join(wrong), join(body))
    if absent:
        return Section("conformance", title, "missing", f"results of {' and '.join(absent)} are missing; this makes them: {how[absent[0]]}", join(body))
    return Section("conformance", title, "good", ", ".join(f"{n}: {len(r['results'])} asked, 0 wrong" for n, r in results.items()), join(body))


def divergences(root):
    title, path = "Divergences", root / "docs" / "divergences.md"
    if not path.is_file():
        return Section("divergences", title, "good", "none recorded", tag("p", "There is no record of implementations that do otherwise (", command("docs/divergences.md"), ")."))
    found = sources.tables(path.read_text())
    number = sum(len(rows) for _, _, rows in found)
    body = [tag("p", value("divergences-total", number), " rows in ", command("docs/divergences.md"), ".")]
    for heading, heads, rows in found:
        body += [tag("h3", prose(heading)), table([prose(h) for h in heads], [[prose(c) for c in row[:len(heads)]] for row in rows])]
    return Section("divergences", title, "good", counted(number, "row"), join(body))


# ---- speed ---------------------------------------------------------------------------------------------------------

def bench(root):
    title, core, harness = "Instructions per call", sources.load(root, "build/bench/bench.json"), sources.harness_bench(root)
    body, missed, absent = [], [], []
    if core is None:
        absent.append("tests/bench/run")
        body.append(tag("p", "Counts of the core alone are missing. This makes them: ", command("tests/bench/run"), class_="missing"))
    else:
        missed += [r["what"] for r in core if r["target"] is not None and r["fast"] > r["target"]]
        body += [tag("h3", "The core alone"), tag("p", value("bench-rows", len(core)), " calls, counted by callgrind, with the processor's own bit instructions (fast) and without."),
                 plots.against_targets("Instructions per call", ["fast", "portable"], [(r["what"], [round(r["fast"], 1), round(r["portable"], 1)], r["target"]) for r in core]),
                 table(["call", "fast", "portable", "target", "verdict"],
                       [(r["what"], f"{r['fast']:.1f}", f"{r['portable']:.1f}", r["target"] if r["target"] is not None else "",
                         "" if r["target"] is None else "met" if r["fast"] <= r["target"] else "MISSED") for r in core], (1, 2, 3))]
    how = "harness/bench | tee build/bench/harness.txt"
    if harness is None:
        absent.append(how)
        body.append(tag("p", "Counts of the hypervisor in QEMU are missing. This makes them: ", command(how), class_="missing"))
    else:
        missed += [r[0] for r in harness if r[4] == "MISSED"]
        body += [tag("h3", "The hypervisor in QEMU"), table(["what", "Proviso", "target", "KVM 6.1", "verdict"], harness, (1, 2, 3))]
    if missed:
        return Section("bench", title, "bad", f"targets missed: {', '.join(missed)}", join(body))
    if absent:
        return Section("bench", title, "missing", f"counts are missing; this makes them: {' and '.join(absent)}", join(body))
    return Section("bench", title, "good", "all targets met", join(body))


def ratio_rows(rows):
    return table(["", "experiment", "persona", *(f"{m}, x" for m in sources.MEASURES), "published"],
                 [(n, t, p, *(f"{ours[m]:.3f}" if m in ours else "" for m in sources.MEASURES), ", ".join(f"{k} {v:g}" for k, v in theirs.items()))
                  for n, t, p, ours, theirs in rows], (3, 4, 5, 6))


def experiments(root):
    title, rows, last = "Experiments", sources.experiments(root), sources.last_experiments(root)
    body = [tag("p", "Linux with paravirtual calls against the same Linux without: each number is a ratio to native, so left of 1 is a gain. ",
                command("docs/experiments.md"), " says what was measured, and why ratios differ from those published; they are reported, not demanded.")]
    for name, heading, found in (("documented", "As documented", rows), ("last", "The last run here", last and last[1])):
        if found:
            body += [tag("h3", heading), tag("p", f"{last[0]['qemu']}, {last[0]['date']}.") if name == "last" else "",
                     plots.ratios(heading, sources.MEASURES, [(f"{n}: {t}, {p}" if 0 < len(t) < 28 else f"{n}, {p}", ours, theirs) for n, t, p, ours, theirs in found]),
                     tag("p", value(f"experiments-{name}", len(found)), " rows."), ratio_rows(found)]
    if not last:
        body.append(tag("p", "There is no run of this machine. This makes one: ", command("make experiments"), class_="missing"))
    if not rows and not last:
        return Section("experiments", title, "missing", "no results; make experiments", join(body))
    return Section("experiments", title, "good", counted(len(rows or last[1]), "ratio row"), join(body))


ALL = (proof, mutants, rules, conformance, divergences, bench, experiments)


def every(root):
    for make in ALL:
        try:
            yield make(root)
        except sources.Wrong as e:
            yield Section(make.__name__, make.__name__.capitalize(), "bad", str(e), tag("p", e, class_="missing"))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as e:
            said = f"a file of its results is not as expected: {type(e).__name__}: {e}"
            yield Section(make.__name__, make.__name__.capitalize(), "bad", said, tag("p", said, class_="missing"))
