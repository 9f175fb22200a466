"""A reading of a text: what it says, the things it asks for, and where their words stand in it."""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from baton.text import visible

as_shown = lru_cache(maxsize=64)(visible)
SPACE, SPACES = re.compile(r"\s+"), re.compile(r"\s{2,}")
MARKS = "*_`#>~ \t"  # of Markdown, at the ends of a quote


class ReadFinding(NamedTuple):
    """A thing that is asked for: the words that ask for it, and where they stand in the text as it is shown."""

    quote: str
    at: int
    category: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    severity: str | None = None
    same_as: str = ""


class ReadText(NamedTuple):
    """A read text: it says actionable, ignore, not-reviewed or answered; `whole` where it is taken unread."""

    says: str
    findings: tuple[ReadFinding, ...] = ()
    quote: str = ""
    doubted: str = ""  # what did not look right, and was handed in again all the same


def find_quote(words: str, quote: str, after: int = 0) -> int:
    """Return where a quote stands in a text as it is shown, at or after a place; -1 for nowhere.

    White space is all one, and marks of Markdown at its ends are free.
    """
    flat, run_ends, removed = _flat(words)
    wanted = SPACE.sub(" ", quote.strip().strip(MARKS).strip() or quote.strip())
    at = flat.find(wanted) if wanted else -1
    while at >= 0:
        if (place := at + removed[bisect_right(run_ends, at) - 1]) >= after:
            return place
        at = flat.find(wanted, at + 1)
    return -1


@lru_cache(maxsize=64)
def _flat(words: str) -> tuple[str, list[int], list[int]]:
    """Return a text as it is shown, with each run of white space as one space.

    With it, of each run that became shorter: where it ends now, and how many characters were removed up to there.
    """
    run_ends, removed = [0], [0]
    for run in SPACES.finditer(as_shown(words)):
        removed.append(removed[-1] + len(run[0]) - 1)
        run_ends.append(run.end() - removed[-1])
    return SPACE.sub(" ", as_shown(words)), run_ends, removed
