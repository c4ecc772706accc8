# SPDX-License-Identifier: BSD-2-Clause
"""Elements of the page. Every text is escaped, every element closed: the page is XML as well as HTML."""
import re
from html import escape


class Raw(str):
    """Text that is markup already."""


def join(content):
    if isinstance(content, (list, tuple)):
        return Raw("".join(join(c) for c in content))
    return content if isinstance(content, Raw) else Raw(escape(re.sub(r"[^\t\n -\uD7FF\uE000-\uFFFD]", "?", str(content))))


def tag(name, /, *content, **attributes):
    """tag("td", 7, class_="number"): an underscore at the end of a name goes, any other one becomes a dash."""
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{join(value)}"' for key, value in attributes.items() if value is not None)
    return Raw(f"<{name}{said}>{join(content)}</{name}>" if content or name not in ("br", "line", "rect", "circle", "path", "meta")
               else f"<{name}{said}/>")


def table(heads, rows, numbers=()):
    """numbers: columns that are numbers, and stand on the right."""
    kind = [{"class_": "number"} if i in numbers else {} for i in range(len(heads))]
    return tag("div", tag("table",
                          tag("thead", tag("tr", *(tag("th", head, scope="col", **kind[i]) for i, head in enumerate(heads)))),
                          tag("tbody", *(tag("tr", *(tag("td", cell, **kind[i]) for i, cell in enumerate(row))) for row in rows))),
               class_="wide")


def folded(title, *content):
    return tag("details", tag("summary", title), *content)


def value(name, number):
    """A number that the tests look for by this name."""
    return tag("b", number, id=name)


def prose(text):
    """A line of Markdown without its links: `code` and **strong** only."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    out = []
    for part in re.split(r"(`[^`]*`|\*\*[^*]+\*\*)", text):
        out.append(tag("code", part[1:-1]) if part[:1] == "`" and len(part) > 1 else tag("b", part[2:-2]) if part[:2] == "**" and len(part) > 4 else part)
    return join(out)
