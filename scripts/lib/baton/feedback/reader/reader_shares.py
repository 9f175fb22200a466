"""The readings that are out: which texts each reader has, and how far it is."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.reader.check_reading import Share
from baton.feedback.reader.readings import ReadText, load_readings
from baton.feedback.reader.texts import Text
from baton.feedback.store.kept_files import read_as
from baton.feedback.store.work_names import number_of
from baton.journal.paths import PULLS_FOLDER, Project

READING_FILE, READING_LOCK = "reading.json", "reading.lock"
FETCH_ANEW = "remove it, then `baton pr fetch`"
MOST_TOLD = 2


class ReaderShare(NamedTuple):
    """The share of one reader, and how far it is."""

    texts: tuple[Text, ...]
    asked: tuple[str, ...] = ()  # known threads of which it is to say what they are about
    begun: bool = False
    told: int = 1  # how often its reader was said to be started, until it began
    refused: int = 0

    def is_of(self, wanted: Collection[str]) -> bool:
        """Whether any of these texts is in it, by their keys."""
        return any(text.key in wanted for text in self.texts)

    @property
    def told_again(self) -> "ReaderShare":
        """The share with one more call to start its reader; as it is where that began."""
        return self if self.begun else self._replace(told=self.told + 1)

    @property
    def is_started(self) -> bool:
        """Whether its reader began, or was to be started so often that one that never began is gone on without."""
        return self.begun or self.told > MOST_TOLD

    @property
    def by_id(self) -> dict[str, Text]:
        """The texts, by the ids they have in the brief."""
        return {f"t{number}": text for number, text in enumerate(self.texts, 1)}


class KnownWords(NamedTuple):
    """Something that was said before, in a line of the brief."""

    author: str
    line: str


class OpenReading(NamedTuple):
    """The texts that are out to be read; `then` is the verb that goes on when they are."""

    number: int
    head: str
    then: str
    shares: Mapping[str, ReaderShare]
    known: Mapping[str, KnownWords]

    def missing(self, read: Mapping[str, ReadText]) -> dict[str, ReaderShare]:
        """Return the shares that were not handed in, by the names of their readers."""
        return {
            name: share for name, share in self.shares.items() if any(text.key not in read for text in share.texts)
        }

    def share(self, name: str) -> Share:
        """Return the share that a reading is checked against."""
        authors = {known: words.author for known, words in self.known.items()}
        return Share(name, self.shares[name].by_id, authors, self.shares[name].asked)


def load_reading(project: Project, folder: Path) -> OpenReading | None:
    """Return the reading that is out, or was last; None where there was none."""
    return read_as(project, folder / READING_FILE, OpenReading, FETCH_ANEW)


def find_reading(project: Project, name: str) -> tuple[Path, OpenReading]:
    """Return the reading that a reader is of, and the folder of its pull request; a BatonError for other names."""
    number = number_of(name)
    for path in sorted((project.state / PULLS_FOLDER).glob(f"*/*/*/{number}/{READING_FILE}")):
        if reading := _reading_that_waits(project, path.parent, name):
            return path.parent, reading
    where = f"pr-{number}" if number else "its name"
    raise BatonError(f"reading {name[:80]!r} is not at work", where, "end your turn: it is settled by now")


def is_reading_out(project: Project, folder: Path, name: str) -> bool:
    """Whether a reader is waited for."""
    return _reading_that_waits(project, folder, name) is not None


def _reading_that_waits(project: Project, folder: Path, name: str) -> OpenReading | None:
    """Return the reading of a pull request if it waits for this reader; else None."""
    reading = load_reading(project, folder)
    return reading if reading and name in reading.missing(load_readings(project, folder).texts) else None
