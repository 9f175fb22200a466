"""The user's replies to a pull request's open question before it is answered, and where it was shown."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from baton.feedback.store.kept_files import ASK_AGAIN, read_kept, write_answers
from baton.feedback.store.questions import Answers
from baton.journal import index
from baton.journal.events import Said
from baton.journal.lock import hold_lock
from baton.journal.paths import Project

TRUST_OPTIONS = {
    "trust": "trusts those of whom nothing is known: people on this pull request, bots in this repository",
    "leave": "leaves them out, as before",
}


class QuestionReplies:
    """The replies to the open question, and where it was shown; kept beside the answers, and gone with it."""

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
            **(TRUST_OPTIONS if known.get("people") else {}),
            **(asked.options if asked else {}),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """The sessions of the client in which the question was shown."""
        return tuple(self._known.get("shown", ()))

    @property
    def said(self) -> tuple[Said, ...]:
        """The user's replies to it."""
        return tuple(Said(**reply) for reply in self._known.get("said", ()))

    @property
    def people(self) -> tuple[str, ...]:
        """The accounts, bots too, that the user was last asked whether to trust."""
        return tuple(self._known.get("people", ()))

    def show(self, session: str, people: Collection[str] = ()) -> None:
        """Note that it is shown in a session; `people`: the accounts it asks the user to trust as well.

        If they are others than before, earlier replies are dropped.
        """
        known = self._known if not people or {*people} == {*self.people} else {**self._known, "said": []}
        shown = list(dict.fromkeys([*self.shown, *filter(None, [session])]))
        self._write({**known, "shown": shown, "people": sorted(people or self.people)})
        index.add_line(
            str(self._state), index.SESSIONS, session, self._path.parent.relative_to(self._state).as_posix()
        )

    def hear(self, reply: Said) -> None:
        """Note a reply of the user's."""
        self._write({**self._known, "said": [entry._asdict() for entry in (*self.said, reply)]})

    def forget(self) -> None:
        """Drop the replies: they are used up."""
        self._write({})

    def _write(self, known: dict[str, Any]) -> None:
        self._known = known
        write_answers(self._project, self._path, known)


def _known(value: dict[str, Any]) -> dict[str, Any]:
    for reply in value.get("said", ()):
        Said(**reply)
    return {**value, "shown": list(value.get("shown", ()))}


def note_shown(project: Project, folder: Path, session: str, people: Collection[str] = ()) -> None:
    """Note that the open questions about a pull request are shown to the user, in this session of the client."""
    with hold_lock(folder / "lock", f"showing the question of pr-{folder.name}"):
        QuestionReplies(project, folder).show(session, people)


def note_said(project: Project, folder: Path, reply: Said, question: str) -> None:
    """Note the user's reply, unless its question is no longer the open one."""
    with hold_lock(folder / "lock", f"hearing the answer to pr-{folder.name}"):
        spoken = QuestionReplies(project, folder)
        if spoken.question == question and reply not in spoken.said:
            spoken.hear(reply)
