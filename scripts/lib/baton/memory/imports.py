"""Which files the client would read by an `@path` in a memory file.

What could be read in two ways counts as an import: code hides one only where every reading of the file agrees.
"""

import re
from collections.abc import Iterator
from itertools import combinations

IMPORT = re.compile(r"(?<![^\W_])@(?=\S)\S*")
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
# In a paragraph with one of these, ticks may not pair as they stand: tags, cells, links and escapes come first.
UNCERTAIN = re.compile(r"[<|\[\\]")
MOST_LINES = 20
MARK = r"(`{3,}(?=[^`]*$)|~{3,})"
# A fence as it begins and ends: outside of lists and quotes; and anywhere.
OUTSIDE = re.compile(MARK), re.compile(rf" {{0,3}}{MARK}")
ANYWHERE = re.compile(rf"(?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t])*{MARK}")
Fences = tuple[re.Pattern[str], re.Pattern[str]]


def new_imports(before: str, after: str) -> list[str]:
    """Return what a file would import after a change and did not before, the whole of it read in each way."""
    readings: list[Fences | None] = [OUTSIDE, (ANYWHERE, ANYWHERE)]
    if "<" in after or after.lstrip("\ufeff").startswith("---"):
        readings.append(None)  # a fence in a tag or in front matter is none
    return sorted(set[str]().union(*(_imports(after, one) - _imports(before, one) for one in readings)))


def _imports(text: str, fences: Fences | None) -> set[str]:
    found = set[str]()
    for lines, has_code in _paragraphs(text, fences):
        whole = "\n".join(lines)
        if "@" not in whole:
            continue
        if not has_code or len(lines) > MOST_LINES or UNCERTAIN.search(whole):
            found |= {*IMPORT.findall(whole)}
            continue
        # Any line may begin or end a block, and then ticks pair otherwise.
        for start, end in combinations(range(len(lines) + 1), 2):
            found |= {*IMPORT.findall(CODE.sub(" ", "\n".join(lines[start:end])))}
    return found


def _paragraphs(text: str, fences: Fences | None) -> Iterator[tuple[list[str], bool]]:
    """Return what is outside of closed fences, paragraph by paragraph, and whether code may hide in it."""
    lines, held, mark = list[str](), list[str](), ""
    for line in text.replace("\r\n", "\n").split("\n"):
        found = fences[bool(mark)].match(line) if fences else None
        if mark:
            ends = found and found[1].startswith(mark) and not line[found.end() :].strip()
            held, mark = ([], "") if ends else ([*held, line], mark)
        elif found or not line.strip():
            yield lines, True
            lines, mark = [], found[1] if found else ""
        else:
            lines.append(line)
    yield lines, True
    yield held, False
