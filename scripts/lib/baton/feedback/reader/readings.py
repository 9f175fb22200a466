"""Readings of texts: what each says, the things it asks for, where their words stand; kept by what the texts say.

Only what is new or was edited is read again.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from baton.feedback.reader.texts import Text
from baton.feedback.store.kept_files import read_as, write_as
from baton.journal.paths import Project
from baton.text import visible

as_shown = lru_cache(maxsize=64)(visible)
SPACE, SPACES = re.compile(r"\s+"), re.compile(r"\s{2,}")
MARKS = "*_`#>~ \t"  # of Markdown, at the ends of a quote
READINGS_FILE = "readings.json"
READ_ANEW = "remove it: what was said is read anew"


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
    failed: bool = False  # its reader handed nothing in that could be taken


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


class Readings(NamedTuple):
    """The readings: of each text, by its key, and what each thread is about, by its id."""

    texts: Mapping[str, ReadText] = {}
    categories: Mapping[str, str] = {}
    latest: Mapping[str, str] = {}  # the key of what was read last of an item

    def carried_over(self, texts: Iterable[Text]) -> "Readings":
        """Return the readings with those of texts that were edited since, as far as their words still stand."""
        edited = (text for text in texts if text.key not in self.texts and text.item in self.latest)
        moved = {text.key: _moved(self.texts[self.latest[text.item]], text) for text in edited}
        return self._replace(texts={**self.texts, **{key: read for key, read in moved.items() if read.findings}})


def _moved(read: ReadText, text: Text) -> ReadText:
    """Return a reading with its findings where their quotes stand in an edited text; gone ones are left out."""
    placed = [finding._replace(at=find_quote(text.words, finding.quote)) for finding in read.findings]
    return read._replace(
        findings=tuple(sorted((finding for finding in placed if finding.at >= 0), key=lambda finding: finding.at))
    )


def load_readings(project: Project, folder: Path) -> Readings:
    """Return the readings of a pull request so far."""
    return read_as(project, folder / READINGS_FILE, Readings, READ_ANEW, _upgraded) or Readings()


def _upgraded(data: Any) -> Any:
    """Mark texts whose readers failed: an older version kept why in place of a quote."""
    for read in data.get("texts", {}).values():
        if read["says"] == "whole" and read.pop("quote", ""):
            read["failed"] = True
    return data


def keep_readings(project: Project, folder: Path, more: Readings) -> None:
    """Add to what was read; call it under the lock of the pull request's readings."""
    known = load_readings(project, folder)
    write_as(project, folder / READINGS_FILE, Readings(
        {**known.texts, **more.texts}, {**known.categories, **more.categories}, {**known.latest, **more.latest}
    ))  # fmt: skip
