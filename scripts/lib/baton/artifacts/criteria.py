"""The acceptance criteria of a story, however the list of them was written."""

import re
from collections.abc import Sequence
from itertools import takewhile

from baton.artifacts.outline import Line, find_section, plain, read_outline, read_sections

TITLES = (
    "acceptance criteria", "acceptance criterion", "criteria", "success criteria", "acceptance tests", "ac", "acs",
    "definition of done", "done when",
)  # fmt: skip
ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
# A line that is all bold or italic, or ends in a colon, as those write who want a heading without one.
MARKED = re.compile(r"\s*([*_]{1,3})(?P<words>[^*_]{1,80})\1\s*:?\s*")
COLON = re.compile(r"\s*(?P<words>\w[^:|*_`]{0,80}):\s*")
# The steps of one scenario, each with a bullet of its own, are one criterion.
GIVEN = re.compile(r"\W*(?:given|when|and|but)\b", re.I)
STEP = re.compile(r"\W*(?:when|then|and|but)\b", re.I)
WHEN, THEN, ALSO = (re.compile(rf"\W*(?:{word})\b", re.I) for word in ("when", "then", "and|but"))
# What the cells of a row say together, by the heads of their columns.
TOGETHER = re.compile(
    r"\W*(?:given|when|then|if|input|action|steps?|condition|expect\w*|results?|outcome|output)\b", re.I
)
# What says in one item what is to follow: `WHEN it is full, it SHALL refuse`.
WHOLE = re.compile(r"\b(?:shall|must|then)\b", re.I)
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
    """Return the lines under the heading, or a line like one, that names the criteria; None for no such line."""
    section = find_section(read_sections(body), *TITLES)
    if section:
        return section.body
    lines = read_outline(body)
    for index, line in enumerate(lines):
        for form in () if line.fenced else (MARKED, COLON):
            label = form.fullmatch(line.text)
            if label and plain(label["words"]) in TITLES:
                return _until_the_next(lines[index + 1 :], form)
    return None


def _until_the_next(lines: tuple[Line, ...], form: re.Pattern[str]) -> tuple[Line, ...]:
    """Return the lines up to the next heading, bold line or line of the same form."""
    ends = (
        index
        for index, line in enumerate(lines)
        if not line.fenced
        and (line.text.startswith("#") or MARKED.fullmatch(line.text) or form.fullmatch(line.text))
    )
    return lines[: next(ends, len(lines))]


def read_criteria(body: str) -> list[str]:
    """Return the criteria in order: the items of their list, the rows of their table, or paragraphs with names."""
    lines = [line.text for line in criteria_lines(body) or () if not line.fenced]
    everywhere = lines or [line.text for line in read_outline(body) if not line.fenced]
    return _scenarios(_items(lines)) or _rows(lines) or _named(everywhere)


def _named(lines: list[str]) -> list[str]:
    """Return the paragraphs that begin with a criterion's name: `AC1: words`."""
    named, within = list[str](), False
    for line in lines:
        if found := OWN.match(line.strip()):
            named.append(line.strip()[found.end() :])
        elif within and line.strip():
            named[-1] += f" {line.strip()}"
        within = bool(line.strip()) and (bool(found) or within)
    return named


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
    """Fold the steps that follow a Given or a When into one criterion; without a Then, each says it all itself."""
    folded: list[str] = []
    while items:
        first, *rest = items
        begins = GIVEN.match(first) and not WHOLE.search(first)
        steps = list(takewhile(STEP.match, rest)) if begins else []
        more = steps if any(map(THEN.match, steps)) else takewhile(ALSO.match, steps)
        own = list(takewhile(lambda step: not WHEN.match(step), more) if WHEN.match(first) else more)
        folded.append(", ".join([first, *own]))
        items = rest[len(own) :]
    return folded


def _rows(lines: list[str]) -> list[str]:
    """Return the longest cell of each row of a table, or those that say it together; its head left out."""
    rows = [_cells(line) for line in lines if line.lstrip().startswith("|") and not RULE.fullmatch(line)]
    whole = [at for at, head in enumerate(rows[0] if rows else ()) if TOGETHER.match(head)]
    if len(whole) > 1:
        said = [", ".join(row[at] for at in whole if at < len(row) and row[at]) for row in rows[1:]]
    else:
        said = [_longest(row) for row in rows[1:]]
    return [words for words in said if words]


def longest_cell(row: str) -> str:
    """Return the longest cell of a table's row that is more than a name."""
    return _longest(_cells(row))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]


def _longest(cells: Sequence[str]) -> str:
    return max((one for one in cells if not NAME.fullmatch(one)), key=len, default="")
