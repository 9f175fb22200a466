"""The user's replies to a pull request's open question before it is answered, and where it was shown."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from baton.feedback.store.kept_files import ASK_AGAIN, read_as, write_as
from baton.feedback.store.questions import Answers
from baton.journal import index
from baton.journal.events import Said
from baton.journal.lock import hold_lock
from baton.journal.paths import Project

TRUST_OPTIONS = {
    "trust": "trusts those of whom nothing is known: people on this pull request, bots in this repository",
    "leave": "leaves them out, as before",
}


class KeptReplies(NamedTuple):
    """The replies to one question as they are kept, and where it was shown."""

    question: str = ""
    shown: tuple[str, ...] = ()  # the sessions of the client in which it was
    said: tuple[Said, ...] = ()  # the user's replies to it
    people: tuple[str, ...] = ()  # the accounts, bots too, that the user was last asked whether to trust


class QuestionReplies:
    """The open question of a pull request, with the replies to it: they are gone with it."""

    def __init__(self, project: Project, folder: Path) -> None:
        self._project = project
        self._path = folder / "words.json"
        asked = Answers(project, folder).open
        self.question = f"{asked.rule} {asked.about}" if asked else ""
        self.text = asked.question if asked else ""
        kept = read_as(project, self._path, KeptReplies, ASK_AGAIN) or KeptReplies()
        of_this = kept.question == self.question
        self.kept = kept if of_this else KeptReplies(self.question, people=kept.people)
        # Whether to trust somebody is open beside every other question, once it was shown.
        self.options = {**(TRUST_OPTIONS if kept.people else {}), **(asked.options if asked else {})}

    def show(self, session: str, people: Collection[str] = ()) -> None:
        """Note that it is shown in a session; `people`: the accounts it asks the user to trust as well.

        If they are others than before, earlier replies are dropped.
        """
        kept, state = self.kept, self._project.state
        asked = tuple(sorted(people or kept.people))
        said = kept.said if {*asked} == {*kept.people} else ()
        shown = tuple(dict.fromkeys([*kept.shown, *filter(None, [session])]))
        self._keep(kept._replace(shown=shown, said=said, people=asked))
        index.add_line(str(state), index.SESSIONS, session, self._path.parent.relative_to(state).as_posix())

    def hear(self, reply: Said) -> None:
        """Note a reply of the user's."""
        self._keep(self.kept._replace(said=(*self.kept.said, reply)))

    def forget(self) -> None:
        """Drop the replies: they are used up."""
        self._keep(KeptReplies())

    def _keep(self, replies: KeptReplies) -> None:
        self.kept = replies
        write_as(self._project, self._path, replies)


def note_shown(project: Project, folder: Path, session: str, people: Collection[str] = ()) -> None:
    """Note that the open questions about a pull request are shown to the user, in this session of the client."""
    with hold_lock(folder / "lock", f"showing the question of pr-{folder.name}"):
        QuestionReplies(project, folder).show(session, people)


def note_said(project: Project, folder: Path, reply: Said, question: str) -> None:
    """Note the user's reply, unless its question is no longer the open one."""
    with hold_lock(folder / "lock", f"hearing the answer to pr-{folder.name}"):
        spoken = QuestionReplies(project, folder)
        if spoken.question == question and reply not in spoken.kept.said:
            spoken.hear(reply)
