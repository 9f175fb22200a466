"""What stands under the headings of another tool's document, and under bold lines that serve as headings."""

import re
from collections.abc import Iterator, Sequence

from baton.artifacts.criteria import read_criteria
from baton.artifacts.outline import HEADING, ITEM, Line, plain, read_outline, without_comments

BOLD = re.compile(r"\s*(?:[-*+]\s+)?\*\*(?P<words>[^*]{1,80}?):?\*\*:?\s*")
RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")


def find_text(text: str, titles: Sequence[str]) -> str:
    """Return what stands under the first heading of one of these titles, its sub-headings included."""
    return next(("\n".join(body).strip() for title, body in _parts(text, titles)), "")


def find_texts(text: str, titles: Sequence[str]) -> str:
    """Return what stands under each heading of these titles, with the headings."""
    found = [
        f"## {title}\n\n{words}" for title, body in _parts(text, titles) if (words := "\n".join(body).strip())
    ]
    return "\n\n".join(found)


def find_items(text: str, titles: Sequence[str]) -> list[str]:
    """Return the items of the lists and tables under the headings of these titles, in order."""
    found = list[str]()
    for title, body in _parts(text, titles):
        plain_lines = [line for at, line in enumerate(body) if not _is_label(body, at)]
        items = read_criteria("## Acceptance Criteria\n\n" + "\n".join(plain_lines))
        named = title.partition(":")[2].strip() if plain(title) not in titles else ""  # as `Scenario: Name`
        found += [f"{named}: {one}" if named else one for one in items]
    return list(dict.fromkeys(found))


def _is_label(body: Sequence[str], at: int) -> bool:
    """Whether a line says what the lines below it are: a heading, or bold, and no item of its own."""
    line = body[at]
    if HEADING.match(line) or not BOLD.fullmatch(line):
        return bool(HEADING.match(line))
    below = next((one for one in body[at + 1 :] if one.strip()), "")
    indent = len(line) - len(line.lstrip())
    return not ITEM.match(line) or len(below) - len(below.lstrip()) > indent


def _parts(text: str, titles: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Return each part under one of the titles, once: a part within another is of that one."""
    lines, at = read_outline(without_comments(text)), 0
    while at < len(lines):
        level, title = _heading(lines[at])
        if not title or not _is_one(title, titles):
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if _ends(lines[i], level)), len(lines))
        yield title, [line.text for line in lines[at + 1 : end]]
        at = end


def _heading(line: Line) -> tuple[int, str]:
    """Return the level and words of a heading; a bold line counts as one of the lowest level."""
    if line.fenced:
        return 0, ""
    if found := HEADING.match(line.text):
        return len(found[1]), found[2].strip(" \t#")
    bold = BOLD.fullmatch(line.text)
    return (7, bold["words"].strip()) if bold else (0, "")


def _ends(line: Line, level: int) -> bool:
    at = _heading(line)[0]
    return bool(at and at <= level) or (level == 7 and not line.fenced and bool(RULE.fullmatch(line.text)))


def _is_one(title: str, titles: Sequence[str]) -> bool:
    said = plain(title)
    return any(said.startswith(one[:-1]) if one.endswith("*") else said == one for one in titles)
