# SPDX-License-Identifier: BSD-2-Clause
"""The C sources as the proof sees them: functions, their contracts, lemmas and other annotations, file by file."""
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def fail(message, code=1):
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


@dataclass
class Function:
    name: str
    file: str           # path from the root
    line: int
    body: str | None    # None: only declared
    contract: str       # the annotation before it, "" if none
    comment: str        # everything said before it, comments included


@dataclass
class Source:
    path: str
    text: str
    functions: list = field(default_factory=list)    # with a body
    declarations: list = field(default_factory=list)  # without
    annotations: list = field(default_factory=list)  # (line, text) of every ACSL comment

    def lemmas(self):
        return re.findall(r"\blemma\s+(\w+)", "\n".join(text for _, text in self.annotations))


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
CONTRACT_WORDS = re.compile(r"\b(requires|ensures|assigns|terminates|behavior|exits)\b")
GLOBAL_WORDS = re.compile(r"^\s*(axiomatic|lemma|logic|predicate|ghost|inductive|type|axiom|global|module|import|"
                          r"check\s+lemma|admit\s+lemma)\b")


def is_annotation(comment):
    return comment.startswith("/*@") or comment.startswith("//@")


def without_comments(annotation):
    """An annotation without the comments in it."""
    return re.sub(r"//(?!@)[^\n]*", "", annotation)


def blank(text):
    """Comments, strings and preprocessor lines as spaces; every offset stays what it was."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return re.sub(r"^[ \t]*#[^\n]*", lambda m: " " * len(m[0]), text, flags=re.M)


def items(bare):
    """Top-level declarations and definitions: (start, end of head, end), head without the body."""
    depth, parens, start, head = 0, 0, 0, None
    for i, c in enumerate(bare):
        if c == "(":
            parens += 1
        elif c == ")":
            parens -= 1
        elif c == "{":
            if depth == 0 and bare[start:i].rstrip().endswith(")"):
                head = i
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and head is not None:
                yield start, head, i + 1
                start, head = i + 1, None
        elif c == ";" and depth == 0 and parens == 0:
            yield start, i, i + 1
            start = i + 1


def scan(path, text):
    source = Source(path, text)
    bare = blank(text)
    comments = [m for m in COMMENT.finditer(text) if m[0].startswith("/")]
    for m in comments:
        if is_annotation(m[0]):
            source.annotations.append((text.count("\n", 0, m.start()) + 1, m[0]))
    for start, head, end in items(bare):
        signature = bare[start:head].strip()
        name = re.search(r"\b([A-Za-z_]\w*)\s*\(", signature)
        if not name or "=" in signature or re.match(r"(typedef|_Static_assert|struct\s+\w+\s*$)", signature):
            continue
        at = start + len(bare[start:head]) - len(bare[start:head].lstrip())
        before = [m[0] for m in comments if start <= m.start() < head]
        contract = [c for c in before if is_annotation(c) and CONTRACT_WORDS.search(c)
                    and not GLOBAL_WORDS.match(re.sub(r"^/[/*]@", "", c))]
        function = Function(name[1], path, text.count("\n", 0, at) + 1,
                            text[head:end] if end - head > 1 else None, "\n".join(contract), "\n".join(before))
        (source.functions if function.body else source.declarations).append(function)
    return source


def preprocess(path, root, defines):
    """The file after conditionals, comments kept; lines of other files dropped, their own numbers kept."""
    command = ["gcc", "-E", "-C", "-x", "c", f"-I{root}/src", *[f"-D{d}" for d in defines], str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        fail(f"{path}: the preprocessor says: {done.stderr.strip().splitlines()[0]}")
    lines, number, wanted = {}, 0, False
    for line in done.stdout.split("\n"):
        marker = re.match(r'# (\d+) "([^"]*)"', line)
        if marker:
            number, wanted = int(marker[1]), marker[2] == str(path)
            continue
        if wanted:
            lines[number] = lines.get(number, "") + line  # a macro of a system header splits its line
        number += 1
    return "\n".join(lines.get(i, "") for i in range(1, max(lines, default=0) + 1))


def read_sources(root=ROOT, defines=("__FRAMAC__",)):
    """Every file of src/, as it stands for the prover."""
    paths = sorted(p for p in (root / "src").rglob("*.[ch]"))
    if not paths:
        fail("there is no C file in src/")
    return {str(p.relative_to(root)): scan(str(p.relative_to(root)), preprocess(p, root, defines)) for p in paths}
