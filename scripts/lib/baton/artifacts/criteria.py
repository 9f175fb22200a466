"""The acceptance criteria of a story, however the list of them was written."""

import re
from collections.abc import Sequence

from baton.artifacts.outline import Line, find_section, plain, read_outline, read_sections

TITLES = (
    "acceptance criteria", "acceptance criterion", "criteria", "success criteria", "acceptance tests", "ac", "acs",
    "definition of done",
)  # fmt: skip
ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
# A line that is all bold, as those write who want a heading without one.
LABEL = re.compile(r"\s*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)\s*:?\s*")
# The steps of one scenario, each with a bullet of its own, are one criterion.
GIVEN = re.compile(r"\W*(?:given|when|and|but)\b", re.I)
STEP = re.compile(r"\W*(?:when|then|and|but)\b", re.I)
RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
# The name that a criterion begins with, where its author gave it one.
OWN = re.compile(
    r"(?P<mark>[*_`]{0,2})\[?(?:AC|criterion)[ #._-]{0,2}0*(?P<number>\d{1,4})\]?"
    r"(?:(?P=mark)\s*[:.)\u2013\u2014-]|[:.)]?(?P=mark))(?<!\w)\s+",
    re.I,
)
NAME = re.compile(r"\W*(?:ac|criterion|c)?[ #.-]{0,2}\d{1,4}\W*|\W*", re.I)


def named_criteria(criteria: Sequence[str]) -> list[str]:
    """Return criteria with their names in reports, as `AC1: words`; each name stands once."""
    return [f"AC{number}: {_without_name(number, words)}" for number, words in enumerate(criteria, 1)]


def _without_name(number: int, words: str) -> str:
    own = OWN.match(words)
    return words[own.end() :] if own and int(own["number"]) == number else words


def criteria_lines(body: str) -> tuple[Line, ...] | None:
    """Return the lines under the heading, or the bold line, that names the criteria; None when there is none."""
    section = find_section(read_sections(body), *TITLES)
    if section:
        return section.body
    lines = read_outline(body)
    for index, line in enumerate(lines):
        label = None if line.fenced else LABEL.fullmatch(line.text)
        if label and plain(label[1]) in TITLES:
            return _until_the_next(lines[index + 1 :])
    return None


def _until_the_next(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Return the lines up to the next heading or bold line."""
    ends = (
        index
        for index, line in enumerate(lines)
        if not line.fenced and (line.text.startswith("#") or LABEL.fullmatch(line.text))
    )
    return lines[: next(ends, len(lines))]


def read_criteria(body: str) -> list[str]:
    """Return the criteria in order: the items of the list, or the rows of the table, in their section."""
    lines = [line.text for line in criteria_lines(body) or () if not line.fenced]
    return _scenarios(_items(lines)) or _rows(lines)


def _items(lines: list[str]) -> list[str]:
    """Return the items of a list; what is indented further than the first goes on with the one before it."""
    items: list[str] = []
    margin = 0
    for line in lines:
        match = ITEM.match(line)
        indent = len(match[1].expandtabs(4)) if match else 0
        if match and (not items or indent <= margin + 1):
            margin = indent if not items else margin
            items.append(match[2].strip())
        elif items and line.startswith((" ", "\t")) and line.strip():
            items[-1] += " " + line.strip()
    return [item for item in items if item]


def _scenarios(items: list[str]) -> list[str]:
    """Fold the steps that follow a Given or a When into one criterion."""
    folded: list[str] = []
    within = False
    for item in items:
        if within and STEP.match(item):
            folded[-1] += f", {item}"
        else:
            folded.append(item)
            within = bool(GIVEN.match(item))
    return folded


def _rows(lines: list[str]) -> list[str]:
    """Return the longest cell of each row of a table, its head left out."""
    rows = [line for line in lines if line.lstrip().startswith("|") and not RULE.fullmatch(line)]
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows[1:]]
    longest = (max((one for one in row if not NAME.fullmatch(one)), key=len, default="") for row in cells)
    return [words for words in longest if words]
