# SPDX-License-Identifier: BSD-2-Clause
"""The page around the sections: one file, no script, nothing from elsewhere, light or dark as the reader's machine is."""
from .markup import Raw, join, tag

STYLE = """
:root { color-scheme: light dark; --page: #fcfcfa; --card: #f2f1ec; --ink: #1d1d1b; --soft: #5f5e58; --grid: #dddbd3; --good: #0a6b35;
  --bad: #b3261e; --missing: #855a00; --s0: #2a78d6; --s1: #d9572b; --s2: #17845c; --s3: #6a4fc3; --s4: #8d8c85; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --card: #252523; --ink: #eceae4; --soft: #a9a79f; --grid: #3b3a36; --good: #62d394;
  --bad: #ff8a80; --missing: #f0b849; --s0: #5b9df0; --s1: #f0835a; --s2: #37b98a; --s3: #a58ff0; --s4: #85847d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; } h2 { margin: 2.6rem 0 .3rem; font-size: 1.3rem; } h3 { margin: 1.6rem 0 .2rem; font-size: 1.05rem; }
p { margin: .5rem 0; max-width: 48rem; } code { font: .88em ui-monospace, monospace; background: var(--card); padding: .1em .3em; border-radius: 3px;
  overflow-wrap: anywhere; }
nav ul { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
nav a { display: block; height: 100%; padding: .6rem .8rem; background: var(--card); border-radius: 6px; color: inherit; text-decoration: none;
  border-left: 5px solid var(--soft); }
nav a:hover, nav a:focus { text-decoration: underline; } nav small { display: block; color: var(--soft); overflow-wrap: anywhere; }
.verdict { font-size: 1.1rem; padding: .6rem .8rem; border-left: 5px solid; background: var(--card); border-radius: 6px; max-width: none; }
p.missing { border-left: 5px solid; padding-left: .7rem; }
.good { border-color: var(--good); } .bad { border-color: var(--bad); } .missing { border-color: var(--missing); }
.wide, .plot { overflow-x: auto; margin: .6rem 0; } table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--grid); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; } summary { cursor: pointer; margin: .5rem 0; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .soft { fill: var(--soft); } svg .small { fill: var(--soft); font-size: 10px; }
.grid { stroke: var(--grid); } .one { stroke: var(--ink); } .target { stroke: var(--ink); stroke-width: 3; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); } .s4 { fill: var(--s4); }
.p0, .p1, .p2, .p3 { fill: var(--page); stroke-width: 2; } .p0 { stroke: var(--s0); } .p1 { stroke: var(--s1); } .p2 { stroke: var(--s2); }
.p3 { stroke: var(--s3); }
"""
WORDS = {"good": "good", "bad": "not good", "missing": "incomplete"}


def verdict(sections):
    """The state of the whole, and its line."""
    bad = [s for s in sections if s.state == "bad"]
    absent = [s for s in sections if s.state == "missing"]
    if bad:
        return "bad", "not good: " + "; ".join(f"{s.title.lower()}: {s.line}" for s in bad)
    if absent:
        return "missing", "good as far as there are results; missing: " + ", ".join(s.title.lower() for s in absent)
    return "good", "good: " + "; ".join(f"{s.title.lower()}: {s.line}" for s in sections if s.name in ("proof", "conformance", "bench"))


def page(sections):
    state, line = verdict(sections)
    nav = tag("nav", tag("ul", *(tag("li", tag("a", tag("b", s.title), f": {WORDS[s.state]}", tag("small", s.line), href=f"#{s.name}", class_=s.state))
                                 for s in sections)))
    body = [tag("header", tag("h1", "Proviso: results"), tag("p", "Verdict: ", tag("span", line, id="verdict"), class_=f"verdict {state}")), nav,
            tag("main", *(tag("section", tag("h2", s.title), s.body, id=s.name) for s in sections)),
            tag("footer", tag("p", "Made by ", tag("code", "make report"), " from the files that each part names; it runs nothing itself."))]
    head = [tag("meta", charset="utf-8"), tag("meta", name="viewport", content="width=device-width, initial-scale=1"), tag("title", "Proviso: results"),
            tag("style", Raw(STYLE))]
    return "<!DOCTYPE html>\n" + tag("html", tag("head", *head), "\n", tag("body", join(body)), lang="en") + "\n"
