"""Changes on GitHub, each made once: intended in a journal beside the record, done there once it was seen."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.atomic_file import open_folder, os_error_reason
from baton.journal.events import SCHEMA_VERSION, Created, EffectDone, EffectIntended, Event
from baton.journal.journal import Journal, UnusableJournal
from baton.journal.lock import check_lock, hold_lock
from baton.journal.paths import PULLS_FOLDER, Project
from baton.journal.state import EffectStatus, apply_record, fold

# What came of an effect: it was brought about now; it was there; what it is about is not; it was not to be.
DONE, ALREADY_DONE, DELETED, SKIPPED = "done", "already done", "deleted", "skipped"

MOVE_ASIDE = "move it and journal.head aside: what was posted is found again on GitHub"


class EffectOutcome(NamedTuple):
    """The outcome of a reply to an item, or of resolving a thread; `why` may give the reason."""

    id: str
    how: str
    why: str = ""
    url: str = ""

    @property
    def is_done(self) -> bool:
        """Whether the effect is there."""
        return self.how in (DONE, ALREADY_DONE)


class Outbox:
    """The effects on one pull request, and the state they fold into; `note` is the one way to add to both."""

    def __init__(self, journal: Journal) -> None:
        self.state = fold(journal.records)
        self._journal = journal
        self._cut_off = {key for key, sent in self.state.outbox.items() if not sent.done}

    def note(self, event: Event) -> None:
        """Write down what happened; on return it is on the disk."""
        apply_record(self.state, self._journal.append(event))

    def known(self, effect: str, about: str) -> EffectStatus | None:
        """Return the status of an effect; None where it was never intended."""
        return self.state.outbox.get((effect, about))

    def is_done(self, effect: str, about: str) -> bool:
        """Whether an effect was seen to be there: it is not brought about again, whatever became of it."""
        sent = self.known(effect, about)
        return sent is not None and sent.done and not sent.refused

    def is_open(self, effect: str, about: str) -> bool:
        """Whether an effect was intended, and it is not known what became of that."""
        sent = self.known(effect, about)
        return sent is not None and not sent.done

    def was_cut_off(self, effect: str, about: str) -> bool:
        """Whether an earlier call ended as it brought this about: what it sent may still be on its way."""
        return (effect, about) in self._cut_off

    def all_made(self, effect: str) -> dict[str, str]:
        """Return what effects of a sort left, by what each is about: a commit, or the id of a reply or thread."""
        return _made(self.state.events, effect)

    def intend(self, effect: str, about: str, head: str) -> None:
        """Write down that an effect is intended, unless that is written already."""
        if not self.is_open(effect, about):
            self.note(EffectIntended(effect, about, head))

    def end(self, effect: str, about: str, made: str = "", refused: str = "") -> None:
        """Write down the outcome of an effect, unless it is known to be done."""
        if not self.is_done(effect, about):
            self.note(EffectDone(effect, about, made, refused))


def _made(events: Iterable[Event], effect: str) -> dict[str, str]:
    done = (
        event for event in events if isinstance(event, EffectDone) and event.effect == effect and not event.refused
    )
    return {event.about: event.commit for event in done}


def effect_commits(folder: Path, effect: str) -> dict[str, str]:
    """Return the commits of every effect of a sort on a pull request; nothing where nothing was journalled."""
    path = folder / "journal.jsonl"
    return _made((record.event for record in _journal(folder).records), effect) if path.exists() else {}


@contextmanager
def open_outbox(project: Project, folder: Path, purpose: str) -> Iterator[Outbox]:
    """Hold the lock of a pull request's folder; returns its outbox, begun if there was none."""
    try:
        with open_folder(folder, project.common):
            pass
    except OSError as error:
        raise BatonError(
            "cannot open", str(folder), os_error_reason(error, folder / "lock", project.common)
        ) from error
    with hold_lock(folder / "lock", purpose):
        yield Outbox(_journal(folder))


def _journal(folder: Path) -> Journal:
    """Open the journal of a pull request; a BatonError where it is damaged, or that of another."""
    journal = read_effects(folder)
    begun = _begun(folder)
    if not journal.records:
        journal.append(begun)
    first = journal.records[0].event
    if not isinstance(first, Created) or (first.repository, first.story) != (begun.repository, begun.story):
        raise BatonError("a journal of another pull request", str(journal.path), MOVE_ASIDE)
    return journal


def read_effects(folder: Path) -> Journal:
    """Read the journal in the folder of a pull request."""
    try:
        return Journal(folder / "journal.jsonl")
    except UnusableJournal as error:
        raise BatonError(error.what, error.where, MOVE_ASIDE) from error


def damaged_journals(project: Project) -> Iterator[BatonError]:
    """Yield the errors of the journals and the locks of all pull requests."""
    for folder in sorted({path.parent for path in (project.state / PULLS_FOLDER).glob("*/*/*/*/journal.*")}):
        try:
            read_effects(folder)
            check_lock(folder / "lock")
        except BatonError as error:
            yield error


def _begun(folder: Path) -> Created:
    *_, number = folder.parts
    repository = "/".join(folder.parts[-4:-1]).lower()
    return Created(SCHEMA_VERSION, repository, f"pr-{number}", "", str(folder), "", "")
