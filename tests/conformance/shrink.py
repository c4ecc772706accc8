# SPDX-License-Identifier: BSD-2-Clause
"""Makes a failing request smaller, as long as it fails."""
import copy

DEFAULTS = {"offers": 0x7FF, "gva_bits": 48, "rep_budget": 4095}


def smaller(request):
    """Requests that are a little less than this one."""
    def with_(change):
        small = copy.deepcopy(request)
        change(small)
        return small
    for key in ("mode", "caller", "xmm"):
        if key in request:
            yield with_(lambda r: r.pop(key))
    vps = request.get("vps", [])
    if len(vps) > 1:
        yield {**request, "vps": vps[:len(vps) // 2]}
        yield {**request, "vps": vps[len(vps) // 2:]}
        for i in range(len(vps)):
            yield {**request, "vps": vps[:i] + vps[i + 1:]}
    for i, vp in enumerate(vps):
        name = "vp" if "vp" in (vp if isinstance(vp, dict) else {}) else "apic_id"
        if isinstance(vp, dict):
            yield {**request, "vps": vps[:i] + [vp[name]] + vps[i + 1:]}
    for key, value in DEFAULTS.items():
        if request.get("config", {}).get(key, value) != value:
            yield with_(lambda r: r["config"].update({key: value}))
    for s, (first, words) in enumerate(request.get("mem", [])):
        yield with_(lambda r: r["mem"].pop(s))
        if words:
            yield with_(lambda r: r["mem"][s][1].pop())
    for place in [request["regs"], *[w for _, w in request.get("mem", [])], request.get("xmm", [])]:
        for key in (place if isinstance(place, dict) else range(len(place))):
            value = int(place[key], 16)
            for less in [0] + [value & ~(1 << b) for b in range(63, -1, -1) if value >> b & 1]:
                if less != value:
                    before = place[key]
                    place[key] = f"{less:x}"
                    yield copy.deepcopy(request)
                    place[key] = before


def shrink(request, fails, most=400):
    """The smallest failing request that is found with so many tries."""
    tries = 0
    request = copy.deepcopy(request)
    while True:
        for small in smaller(copy.deepcopy(request)):
            tries += 1
            if tries > most:
                return request
            if fails(small):
                request = small
                break
        else:
            return request
