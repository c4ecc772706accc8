# SPDX-License-Identifier: BSD-2-Clause
"""Paravirtual flushes and IPIs against native ones: the same fixed work, on the same machine, with the same seeds.

Each run boots Linux on the harness and does one or more pieces of work; the harness counts between the marks of each.
Time is instructions: QEMU's -icount makes the TSC count what all processors execute, whatever else this machine does.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", os.path.join(os.path.dirname(HERE), "build", "harness"))
ALL = 0xFFFFFFFF
FLUSH, IPI = "flush", "ipi"
BITS = {"hyperv": {FLUSH: 1 << 2, IPI: 1 << 10}, "kvm": {FLUSH: 1 << 9, IPI: 1 << 11}}
OPTION = {"hyperv": "--hints", "kvm": "--features"}

# Published figures, as ratios of paravirtual to native (docs/experiments.md has the sources).
# name, title, VPs, pCPUs, work (program, threads, times each), personas, what is called for, published: measure -> ratio
# Work: program, threads, times each, then for mapper: us of sleep between, whether pages are dropped instead of unmapped.
BOTH = ("hyperv", "kvm")
EXPERIMENTS = [
    ("1", "thrasher, 16 VPs, 32 threads", 16, 16, ("thrash", 32, 1200), BOTH, (FLUSH,), {"time": 0.787}),
    ("1o", "the same on 4 pCPUs", 16, 4, ("thrash", 32, 1200), BOTH, (FLUSH,), {"time": 0.787}),
    ("2", "IPIs among 48 of 64 VPs", 64, 16, ("mapper", 48, 48, 0, 1), BOTH, (IPI,), {"msr": 0.30, "time": 0.877}),
    ("2a", "IPIs among all 64 VPs", 64, 16, ("mapper", 64, 48, 0, 1), BOTH, (IPI,), {"msr": 0.30, "time": 0.877}),
    ("2n", "IPIs among 24 VPs on 24 pCPUs", 24, 24, ("mapper", 24, 96, 0, 1), BOTH, (IPI,), {"msr": 0.30, "time": 0.877}),
    ("2x", "IPIs among 64 of 128 VPs", 128, 12, ("mapper", 64, 48, 0, 1), BOTH, (IPI,), {"msr": 0.30, "time": 0.877}),
    ("3", "128 VPs, 64 threads map and unmap", 128, 12, ("mapper", 64, 24, 1000, 0), BOTH, (FLUSH, IPI),
     {"system": 0.10, "time": 0.55}),
    ("3d", "the same, pages dropped", 128, 12, ("mapper", 64, 48, 0, 1), BOTH, (FLUSH, IPI), {"system": 0.10, "time": 0.55}),
    ("3n", "12 VPs on 12 pCPUs, map and unmap", 12, 12, ("mapper", 64, 24, 1000, 0), BOTH, (FLUSH, IPI), {"time": 1.0}),
    ("3nd", "12 VPs on 12 pCPUs, pages dropped", 12, 12, ("mapper", 64, 48, 0, 1), BOTH, (FLUSH, IPI), {"time": 1.0}),
]
MEASURES = ("time", "exits", "msr", "system")


class Failed(Exception):
    pass


def switches(persona, called_for):
    """The option that leaves all as it is, but offers flush and IPI calls only where they are asked for."""
    mask = ALL
    for what, bit in BITS[persona].items():
        if what not in called_for:
            mask &= ~bit
    return [OPTION[persona], hex(mask)]


def scaled(work, scale):
    return work[:2] + (max(1, work[2] // scale),) + work[3:]


def plan(experiments, scale):
    """Runs, each with its pieces of work: {(vps, pcpus, persona, called for): [work]}"""
    runs = {}
    for _, _, vps, pcpus, work, personas, called_for, _ in experiments:
        work = scaled(work, scale)
        for persona in personas:
            for what in ((), called_for):
                works = runs.setdefault((vps, pcpus, persona, what), [])
                if work not in works:
                    works.append(work)
    return runs


def arguments(work, number):
    program, threads, times, *rest = work
    return ",".join(map(str, (program, 0, threads, times, number) if program == "thrash" else (program, threads, times, number, *rest)))


def boot(key, works, options):
    vps, pcpus, persona, called_for = key
    command = [os.path.join(HERE, "run"), "--qemu", options.qemu, "--icount", "--unpacked", "--cmdline", "cpu_init_udelay=0",
               "--vps", str(vps), "--pcpus", str(pcpus), "--persona", persona, "--timeout", str(options.timeout)]
    command += switches(persona, called_for)
    for number, work in enumerate(works, 1):
        command += ["--work", arguments(work, number)]
    began = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    seconds = time.time() - began
    if done.returncode != 0:
        tail = "\n  ".join(done.stdout.strip().splitlines()[-4:])
        raise Failed(f"harness/run ended with {done.returncode}:\n  {tail}\n  the command was: {' '.join(command)}")
    with open(os.path.join(BUILD, "run.log"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    spans = {s["number"]: s for s in map(json.loads, re.findall(r"^@span (\{.*\})$", log, re.M))}
    lines = re.findall(r"workload: \d+ threads, .* user (\d+) us, system (\d+) us, real (\d+) us,.* (\d+) errors", log)
    if len(lines) != len(works) or sorted(spans) != list(range(1, len(works) + 1)):
        raise Failed(f"the log of {' '.join(command)} does not hold {len(works)} results")
    return [measure(work, spans[number], line) for number, (work, line) in enumerate(zip(works, lines), 1)], seconds


def calls(span, names, column):
    return sum(span["hypercalls"][name].get(column, 0) for name in names)


def measure(work, span, line):
    """Everything for one operation: a step of the thrasher, or one mapping and unmapping."""
    user, system, real, errors = map(int, line)
    operations = work[1] * work[2]
    exits, events = span["exits"], span["events"]
    flushes = calls(span, ("flush_space", "flush_list", "flush_space_ex", "flush_list_ex"), "0")
    ipi_calls = calls(span, ("cluster_ipi", "cluster_ipi_ex"), "0") + calls(span, ("kvm_send_ipi",), "answered")
    totals = {
        "time": span["ticks"] - span["idle"],
        "exits": sum(exits.values()),
        "msr": exits.get("msr", 0),
        "kicks": events["kicks"],
        "waits": events["waits"],
        "ipis": ipi_calls + events["ipi_x2apic"] + events["ipi_xapic"] + events["ipi_hyperv_msr"],
        "flushes": flushes,
        "switches": events["vp_switches"],
        "system": system * 1000,
        "user": user * 1000,
    }
    result = {name: value / operations for name, value in totals.items()}
    result.update(operations=operations, errors=errors, idle=span["idle"], real_us=real, span=span)
    return result


def ratio(paravirtual, native):
    return paravirtual / native if native else float("nan")


HEAD = (f"{'':3} {'persona, what is called for':29} {'ops':>6} {'insns/op':>10} {'system/op':>10} {'exits/op':>8} {'MSR/op':>7}"
        f" {'kicks':>6} {'waits':>6} {'IPIs':>6} {'flush':>6} {'s':>5}")


def row(name, label, r, seconds):
    return (f"{name:3} {label:29} {r['operations']:6} {r['time']:10.0f} {r['system']:10.0f} {r['exits']:8.2f} {r['msr']:7.2f}"
            f" {r['kicks']:6.2f} {r['waits']:6.2f} {r['ipis']:6.2f} {r['flushes']:6.2f} {seconds:5.0f}")


def report(experiments, results, scale):
    """The table, and the verdicts as data."""
    print(HEAD)
    verdicts = []
    for name, title, vps, pcpus, work, personas, called_for, published in experiments:
        print(f"\n{name}: {title} ({vps} VPs on {pcpus} pCPUs)")
        work = scaled(work, scale)
        for persona in personas:
            pair = []
            for what in ((), called_for):
                found = results.get((vps, pcpus, persona, what))
                if found is None:
                    continue
                works, measured, seconds = found
                pair.append(measured[works.index(work)])
                print(row(name, f"{persona}, {' and '.join(what) or 'native'}", pair[-1], seconds))
            if len(pair) != 2:
                print(f"    {persona}: did not run")
                continue
            ratios = {m: ratio(pair[1][m], pair[0][m]) for m in MEASURES}
            words = []
            for m in MEASURES:
                text = f"{m} x {ratios[m]:.3f}"
                if m in published:
                    word = "better" if ratios[m] <= published[m] else "worse"
                    text += f" (published x {published[m]}: {word})"
                    verdicts.append({"experiment": name, "persona": persona, "measure": m, "ratio": ratios[m],
                                     "published": published[m], "verdict": word})
                words.append(text)
            print(f"    {persona} against native: {', '.join(words)}")
    return verdicts


def main():
    parser = argparse.ArgumentParser(prog="harness/experiments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ",".join(e[0] for e in EXPERIMENTS)
    parser.add_argument("--only", metavar="NAMES", default=names, help=f"of {names}, separated by commas")
    parser.add_argument("--persona", choices=("hyperv", "kvm"), help="one persona only")
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, and experiments 1o and 3nd only unless --only names others")
    parser.add_argument("--json", metavar="FILE", default=os.path.join(BUILD, "experiments.json"), help="where results go (%(default)s)")
    parser.add_argument("--qemu", metavar="PATH", help="QEMU 10 or newer; without it harness/get-qemu looks for one")
    parser.add_argument("--timeout", metavar="S", type=int, default=900, help="limit of a run, in seconds of its TSC: 10^9 instructions each (%(default)s)")
    options = parser.parse_args()
    if options.quick and options.only == names:
        options.only = "1o,3nd"
    unknown = set(options.only.split(",")) - set(names.split(","))
    if unknown:
        parser.error(f"no experiment {', '.join(sorted(unknown))}; there are {names}")
    chosen = [e for e in EXPERIMENTS if e[0] in options.only.split(",")]
    if options.persona:
        chosen = [e[:5] + ((options.persona,),) + e[6:] for e in chosen]
    scale = 4 if options.quick else 1
    if not options.qemu:
        found = subprocess.run([os.path.join(HERE, "get-qemu")], stdout=subprocess.PIPE, text=True)
        if found.returncode != 0:
            sys.exit(found.returncode)
        options.qemu = found.stdout.strip()
    version = subprocess.run([options.qemu, "--version"], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]

    runs, results, failures = plan(chosen, scale), {}, []
    print(f"{len(runs)} runs, {version}")
    for done, (key, works) in enumerate(runs.items(), 1):
        vps, pcpus, persona, called_for = key
        text = f"{done}/{len(runs)}: {vps} VPs on {pcpus} pCPUs, {persona}, {' and '.join(called_for) or 'native'}"
        print(f"{text}: {', '.join(arguments(w, n) for n, w in enumerate(works, 1))} ..", end="", flush=True)
        try:
            measured, seconds = boot(key, works, options)
        except Failed as failure:
            print(" FAILED")
            print(failure, file=sys.stderr)
            failures.append(text)
            continue
        print(f" {seconds:.0f} s", flush=True)
        results[key] = (works, measured, seconds)
    print()
    verdicts = report(chosen, results, scale)
    os.makedirs(os.path.dirname(os.path.abspath(options.json)), exist_ok=True)
    with open(options.json, "w", encoding="utf-8") as file:
        rows = [{"vps": key[0], "pcpus": key[1], "persona": key[2], "called_for": list(key[3]), "seconds": round(seconds, 1),
                 "work": list(work), "per_operation": {k: v for k, v in m.items() if k != "span"}, "counters": m["span"]}
                for key, (works, measured, seconds) in results.items() for work, m in zip(works, measured)]
        json.dump({"qemu": version, "date": datetime.date.today().isoformat(), "runs": rows, "verdicts": verdicts}, file, indent=1)
        file.write("\n")
    better = sum(v["verdict"] == "better" for v in verdicts)
    print(f"\nexperiments: {len(results)} runs with 0 errors, {len(failures)} failed; {better} of {len(verdicts)} ratios at least as good as"
          f" published; {options.json}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
