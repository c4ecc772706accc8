# SPDX-License-Identifier: BSD-2-Clause
"""Structured random requests: calls near every border, in sequences from several VPs. What one call leaves pending, the next one
finds; a call that is continued is made again as the caller's processor would."""
import json
from random import Random

from families import kvm, pairs
from .oracle import ask
from .translate import from_oracle, to_oracle

LENGTH, BATCH = 5, 200


def one_call(random, vps):
    if random.random() < 0.1:
        return kvm_call(random)
    code = random.choice(pairs.CODES)
    options = pairs.fields(code)
    usual = {n: o[1] if n == "place" else o[0] for n, o in options.items()}        # right, so that most get far
    values = usual | {n: random.choice(o) for n, o in options.items() if random.random() < 0.25}
    if values["place"] == "right" and random.random() < 0.5:
        values["place"] = "registers"
    if values["count"] == "0" and code in pairs.REPS and random.random() < 0.9:
        values["count"] = random.choice(("1", "2", "more"))
    request = pairs.build(code, values)
    if "mem" in request and random.random() < 0.3:
        words = request["mem"][0][1]
        words[random.randrange(len(words))] = f"{random.getrandbits(64) >> random.choice((0, 0, 20, 40, 58)):x}"
    request["config"] = {**request["config"], "rep_budget": random.choice((1, 2, 3, 4095)), "gva_bits": random.choice((48, 48, 57))}
    return {**request, "vps": vps, "caller": random.choice(vps)["vp"]}


def kvm_call(random):
    """A call of the KVM persona, from a partition of its own."""
    ids = random.choice(([0, 1, 2, 3], [0, 2, 5, 9], [63, 64, 65, 127, 128], [255, 256], [32700, 32767, 1]))
    vps = [{"apic_id": i, "run": int(random.random() < 0.4), "apic": int(random.random() < 0.9)} for i in ids]
    some, number = random.choice(ids), random.choice((10, 10, 10, 10, 5, 11, 1, 9, 13))
    bits = lambda: random.getrandbits(64) & random.choice((2**64 - 1, random.getrandbits(64), 0))
    icr = random.randrange(256) | random.choice((0, 0, 0, 0x400, 0x8000, 0xC000, 0x4000, 0x800, 0x100, random.getrandbits(32) & ~0xFF))
    least = random.choice((max(some - random.randrange(130), 0), some, some + 1, 0xFFFFFFC0))
    request = kvm.ask(number | random.choice((0, 0, 0, 1 << 32)), *((bits(), bits()) if number == 10 else (some, some)), least, icr, vps)
    return {**request, "caller": random.choice(ids), "long": int(random.random() < 0.8), "cpl": int(random.random() < 0.05),
            "features": random.choice((kvm.ALL, kvm.ALL, kvm.ALL, 0, 1 << 11))}


def partition(random):
    ids = random.choice((range(4), range(8), (0, 1, 63, 64), (0, 65, 127, 128, 4095), (3, 1, 2)))
    return [{"vp": i, "run": int(random.random() < 0.4), "apic": int(random.random() < 0.9)} for i in ids]


def after(vps, outcome):
    """The VPs with what is pending for them now."""
    flush = {v: g["what"] for g in outcome.get("flush", []) for v in g["vps"] if "nested" not in g["what"]}
    return [{**v, **({"pending": flush[v["vp"]]} if v["vp"] in flush else {})} for v in vps]


def sequences(seed, count):
    """Yields (name, request, preferred outcome), count of them."""
    random, made = Random(seed), 0
    while made < count:
        partitions = [partition(random) for _ in range(BATCH)]
        calls = [one_call(random, vps) for vps in partitions]
        for position in range(LENGTH):
            answers = ask([to_oracle(r) for r in calls])
            outcomes = [from_oracle(r, a) for r, a in zip(calls, answers)]
            for i, (request, outcome) in enumerate(zip(calls, outcomes)):
                if made < count:
                    yield f"random-{seed}-{made}", json.loads(json.dumps(request)), outcome
                    made += 1
                partitions[i] = after(partitions[i], outcome)
                if outcome.get("ends") == "continue":
                    calls[i] = {**request, "vps": partitions[i], "regs": {**request["regs"], **outcome["regs"]}}
                else:
                    if random.random() < 0.2:                               # some have run since, and flushed
                        partitions[i] = [{k: x for k, x in v.items() if k != "pending"} for v in partitions[i]]
                    calls[i] = one_call(random, partitions[i])
