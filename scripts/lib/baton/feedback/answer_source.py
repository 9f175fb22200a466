"""What was said about a pull request's open question before it is answered, and in which sessions it was shown."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from baton.feedback.questions import Answers
from baton.feedback.store import ASK_AGAIN, read_kept, write_answers
from baton.journal import index
from baton.journal.events import Said
from baton.journal.lock import hold_lock
from baton.journal.paths import Project

PEOPLE = {
    "trust": "trusts those of whom nothing is known: people on this pull request, bots in this repository",
    "leave": "leaves them out, as before",
}


class Spoken:
    """What is known of the user's word on what is open; kept beside the answers, and gone with the question."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._state = project.state
        self._path = folder / "words.json"
        asked = Answers(project, folder).open
        self.question = f"{asked.rule} {asked.about}" if asked else ""
        self.text = asked.question if asked else ""
        known = read_kept(project, self._path, _known, ASK_AGAIN) or {}
        self._known = known if known.get("question", "") == self.question else {"people": known.get("people", [])}
        self._known["question"] = self.question
        # Whether to trust somebody is open beside every other question, once it was shown.
        self.options: Mapping[str, str] = {
            **(PEOPLE if known.get("people") else {}),
            **(asked.options if asked else {}),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """The sessions of the client in which it was put in front of the user."""
        return tuple(self._known.get("shown", ()))

    @property
    def said(self) -> tuple[Said, ...]:
        """What the user said to it."""
        return tuple(Said(**one) for one in self._known.get("said", ()))

    @property
    def people(self) -> tuple[str, ...]:
        """The accounts it was asked about last whether to trust them, bots too."""
        return tuple(self._known.get("people", ()))

    def show(self, session: str, people: Collection[str] = ()) -> None:
        """Note that it is put in front of the user; `people`: whom to trust is asked as well.

        What was said of other people counts for nothing then.
        """
        known = self._known if not people or {*people} == {*self.people} else {**self._known, "said": []}
        shown = list(dict.fromkeys([*self.shown, *filter(None, [session])]))
        self._write({**known, "shown": shown, "people": sorted(people or self.people)})
        index.add_line(
            str(self._state), index.SESSIONS, session, self._path.parent.relative_to(self._state).as_posix()
        )

    def hear(self, said: Said) -> None:
        """Note what the user said."""
        self._write({**self._known, "said": [one._asdict() for one in (*self.said, said)]})

    def forget(self) -> None:
        """Use up what was said."""
        self._write({})

    def _write(self, known: dict[str, Any]) -> None:
        self._known = known
        write_answers(self._project, self._path, known)


def _known(value: dict[str, Any]) -> dict[str, Any]:
    for one in value.get("said", ()):
        Said(**one)
    return {**value, "shown": list(value.get("shown", ()))}


def note_shown(project: Project, folder: Path, session: str, people: Collection[str] = ()) -> None:
    """Note that what is open about a pull request is put in front of the user, in this session of the client."""
    with hold_lock(folder / "lock", f"showing the question of pr-{folder.name}"):
        Spoken(project, folder).show(session, people)


def note_said(project: Project, folder: Path, said: Said, question: str) -> None:
    """Note what the user said, unless their question is no longer the one that is open."""
    with hold_lock(folder / "lock", f"hearing the answer to pr-{folder.name}"):
        spoken = Spoken(project, folder)
        if spoken.question == question and said not in spoken.said:
            spoken.hear(said)
