# SPDX-License-Identifier: BSD-2-Clause
"""Plots, as SVG in the page. Colours are the page's, so that they are right in the dark too."""
import math

from .markup import tag

WIDTH, LABEL, ROW = 860, 300, 22


def text(x, y, words, anchor="start", kind="ink"):
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=kind)


def line(x1, y1, x2, y2, kind="grid"):
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=kind)


def bar(x, y, width, height, series, words):
    return tag("rect", tag("title", words), x=f"{x:.1f}", y=f"{y:.1f}", width=f"{max(width, 0.5):.1f}", height=height, rx=2, class_=f"s{series}")


def frame(height, title, *content):
    return tag("div", tag("svg", tag("title", title), *content, viewBox=f"0 0 {WIDTH} {height:.0f}", role="img", width=WIDTH, height=f"{height:.0f}"),
               class_="plot")


def legend(names, y=14, marks=None, series=None):
    out, x = [], LABEL
    for i, name in enumerate(names):
        out += [marks(x + 6, y - 4, i) if marks else bar(x, y - 10, 12, 12, series[i] if series else i, name), text(x + 18, y, name)]
        x += 34 + 7.2 * len(name)
    return out


def nice(most):
    """A step for an axis from 0 to `most`."""
    step = 10 ** math.floor(math.log10(max(most, 1)))
    return next(s for s in (step / 5, step / 2, step, step * 2) if most / s <= 6)


def stacked(title, names, rows, series=None):
    """rows: (label, [a number for each name]); one bar each, of parts. series: the colours, if not in order."""
    series = series or range(len(names))
    most = max([sum(values) for _, values in rows] + [1])
    scale, out, y = (WIDTH - LABEL - 70) / most, legend(names, series=series), 28
    bottom, step = 28 + ROW * len(rows), nice(most)
    for i in range(int(most / step) + 1):
        x = LABEL + i * step * scale
        out += [line(x, 24, x, bottom), text(x, bottom + 14, f"{i * step:g}", "middle", "soft")]
    for label, values in rows:
        out.append(text(LABEL - 8, y + 14, label, "end"))
        x = LABEL
        for i, number in enumerate(values):
            if number:
                out.append(bar(x, y + 3, number * scale - 1, ROW - 7, series[i], f"{label}, {names[i]}: {number}"))
                x += number * scale
        out.append(text(x + 5, y + 14, f"{sum(values):g}", "start", "soft"))
        y += ROW
    return frame(bottom + 22, title, *out)


def mark(x, y, series, words="", published=False):
    """Each series has a shape of its own; what was published is hollow."""
    kind, r = f"{'p' if published else 's'}{series}", 5
    shapes = [f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z", f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z",
              f"M{x} {y - r - 1}l{r + 1} {2 * r}h{-2 * r - 2}z", f"M{x} {y - r - 1}l{r + 1} {r + 1}l{-r - 1} {r + 1}l{-r - 1} {-r - 1}z"]
    return tag("path", tag("title", words), d=shapes[series % 4], class_=kind)


class Logarithmic:
    """An axis on which all of `numbers` have a place, at the right of the labels."""

    def __init__(self, numbers):
        self.low, self.high = math.log10(min(numbers)) - 0.05, math.log10(max(numbers)) + 0.05

    def place(self, number):
        return LABEL + (math.log10(number) - self.low) / (self.high - self.low) * (WIDTH - LABEL - 20)

    def ticks(self, bottom, one="1"):
        steps = [f * 10 ** e for e in range(math.floor(self.low), math.ceil(self.high) + 1) for f in (1, 2, 5)]
        inside = [t for t in steps if self.low <= math.log10(t) <= self.high]
        out = []
        for tick in inside if len(inside) < 13 else [t for t in inside if f"{t:g}".strip("0.") == "1"]:
            x = self.place(tick)
            out += [line(x, 24, x, bottom, "one" if tick == 1 and one != "1" else "grid"), text(x, bottom + 14, one if tick == 1 else f"{tick:g}", "middle", "soft")]
        return out


def against_targets(title, names, rows):
    """rows: (label, [a number for each name], target or None), on a logarithmic axis; a stroke at the target."""
    numbers = [n for _, values, target in rows for n in [*values, target or 0] if n > 0] or [1]
    axis, y, bottom = Logarithmic(numbers + [10, 100]), 28, 28 + ROW * len(rows)
    x = LABEL + sum(34 + 7.2 * len(n) for n in names)
    out = [*legend(names, marks=mark), line(x + 6, 4, x + 6, 16, "target"), text(x + 16, 14, "target"), *axis.ticks(bottom)]
    for label, values, target in rows:
        out += [text(LABEL - 8, y + 14, label, "end"), line(LABEL, y + ROW / 2, WIDTH - 20, y + ROW / 2)]
        if target:
            out.append(line(axis.place(target), y + 2, axis.place(target), y + ROW - 2, "target"))
        out += [mark(axis.place(n), y + ROW / 2, i, f"{label}, {names[i]}: {n:g}") for i, n in enumerate(values) if n > 0]
        y += ROW
    return frame(bottom + 22, title, *out)


def ratios(title, names, rows):
    """rows: (label, {name: ratio}, {name: published ratio}), on a logarithmic axis with 1 in it."""
    axis = Logarithmic([v for _, ours, theirs in rows for v in [*ours.values(), *theirs.values()] if v > 0] + [0.5, 2])
    out = legend([*names, "hollow: published"], marks=lambda x, y, i: mark(x, y, min(i, 3), published=i == len(names)))
    y, bottom = 28, 28 + ROW * len(rows)
    out += axis.ticks(bottom, "1: native")
    for label, ours, theirs in rows:
        out += [text(LABEL - 8, y + 14, label, "end"), line(LABEL, y + ROW / 2, WIDTH - 20, y + ROW / 2)]
        for published, values in ((True, theirs), (False, ours)):
            out += [mark(axis.place(values[name]), y + ROW / 2, i, f"{label}, {name}{' published' if published else ''}: x {values[name]:g}", published)
                    for i, name in enumerate(names) if values.get(name, 0) > 0]
        y += ROW
    return frame(bottom + 22, title, *out)
