"""The acceptance criteria of a story: the list below the heading that names them."""

import re
from collections.abc import Sequence

from baton.artifacts.outline import find_section, read_sections

TITLES = (
    "acceptance criteria", "acceptance criterion", "criteria", "success criteria", "acceptance tests", "ac", "acs",
    "definition of done", "done when",
)  # fmt: skip
ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
# The name that a criterion begins with, where its author gave it one.
OWN = re.compile(
    r"(?P<mark>[*_`]{0,2})\[?(?:AC|criterion)[ #._-]{0,2}0*(?P<number>\d{1,4})\]?"
    r"(?:(?P=mark)\s*[:.)\u2013\u2014-]|[:.)]?(?P=mark))(?<!\w)\s+",
    re.I,
)


def named_criteria(criteria: Sequence[str]) -> list[str]:
    """Return criteria with their names in reports, as `AC1: words`; each name stands once."""
    return [f"AC{number}: {_without_name(number, words)}" for number, words in enumerate(criteria, 1)]


def _without_name(number: int, words: str) -> str:
    own = OWN.match(words)
    return words[own.end() :] if own and int(own["number"]) == number else words


def read_criteria(body: str) -> list[str]:
    """Return the items of the list below the first heading that names the criteria, in order.

    What is indented further than the first item goes on with the one before it.
    """
    section = find_section(read_sections(body), *TITLES)
    items, margin = list[str](), 0
    for line in (line.text for line in section.body if not line.fenced) if section else ():
        match = ITEM.match(line)
        indent = len(match[1].expandtabs(4)) if match else 0
        if match and (not items or indent <= margin + 1):
            margin = indent if not items else margin
            items.append(match[2].strip())
        elif items and line.startswith((" ", "\t")) and line.strip():
            items[-1] += " " + line.strip()
    return [item for item in items if item]
