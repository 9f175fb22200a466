"""Keep the readings of texts, keyed by what the texts say: only what is new or was edited is read again."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.feedback.reader.reading import ReadText, find_quote
from baton.feedback.reader.texts import Text
from baton.feedback.store.round_files import read_as, write_as
from baton.journal.paths import Project

NAME = "readings.json"
REMEDY = "remove it: what was said is read anew"


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
    return read_as(project, folder / NAME, Readings, REMEDY) or Readings()


def keep_readings(project: Project, folder: Path, more: Readings) -> None:
    """Add to what was read; call it under the lock of the pull request's readings."""
    known = load_readings(project, folder)
    write_as(project, folder / NAME, Readings(
        {**known.texts, **more.texts}, {**known.categories, **more.categories}, {**known.latest, **more.latest}
    ))  # fmt: skip
