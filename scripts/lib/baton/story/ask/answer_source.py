"""Find how an answer came from the user: said on record, or let through by the client after it had asked."""

import os
import sys
from collections.abc import Iterable
from typing import NamedTuple

from baton.bootstrap import HOOKS
from baton.errors import BatonError
from baton.journal.events import Event, RunStarted, Said, Shown
from baton.journal.paths import Project
from baton.journal.permit import Permit, leave_permit, use_permit
from baton.story.session.open_story import open_story
from baton.story.session.session import StorySession

SESSION = "CLAUDE_CODE_SESSION_ID"
# Whose permits the tokens of dialogs are: no session's, so that none is withdrawn by what is typed meanwhile.
DIALOG = "dialog"
# How much of the user's words is kept: a note is looked for in them.
LENGTH = 4_000


class DialogAnswer(NamedTuple):
    """The words a person chose or typed in the client's dialog, and the token that was given with the question."""

    token: str
    words: str


def leave_token(project: Project, about: str, question: str) -> str:
    """Make a token by which one answer to exactly this question, given in a dialog, counts as the person's."""
    token = os.urandom(16).hex()
    leave_permit(project, Permit(DIALOG, f"answer {about}", question), token)
    return token


def answer_lines(call: str) -> list[str]:
    """Say how a question is answered: in the client, where it shows no dialog, by this call in a terminal."""
    where = "where the client shows no dialog (`dontAsk`, `-p`), in a terminal"
    return [*([f"OR {where}: {call}"] if "CLAUDECODE" in os.environ else []), f"THEN {call}"]


def session_here() -> str:
    """Return the session of the client this call is made in; nothing outside of one."""
    return os.environ.get(SESSION, "")


def in_a_client() -> bool:
    """Whether this is a shell of the client's; one of its two marks is enough, for a call may remove the other."""
    return "CLAUDECODE" in os.environ or HOOKS in os.environ


def take_word(
    project: Project,
    answers: Iterable[Said],
    option: str,
    asked: Permit,
    token: str | DialogAnswer,
    note: str,
    hooked: bool = False,
) -> dict[str, str]:
    """Use up what shows that the user gave an answer; say how, and in which words: a BatonError if nothing does.

    Beside an option that they chose in a dialog, a note is theirs only if they typed it there.
    """
    if isinstance(token, DialogAnswer):
        about = asked.call.rpartition(" ")[0]
        if not use_permit(project, Permit(DIALOG, about, asked.question), token.token):
            what = "this token was used, or is of another question"
            raise BatonError(what, f"`baton {about}`", "call the command again: the question is shown anew")
        return {"how": DIALOG, "words": token.words.strip()[:LENGTH]}
    for answer in answers:
        if answer.option == option and not token:
            if " ".join(note.split()) not in " ".join(answer.words.split()):
                remedy = "call it again with their words as they typed them there, or without a note"
                raise BatonError("the user has not typed this note in the dialog", f"`baton {asked.call}`", remedy)
            return {"how": answer.how, "words": answer.words}
    if how := check_asked(project, asked, token, hooked):
        return {"how": how}
    if sys.stdin.isatty():
        return {"how": "terminal"}
    what, remedy = "only you can answer, and this is no terminal", "type it in a terminal, or answer in the client"
    raise BatonError(what, f"`baton {asked.call}`", remedy)


def check_asked(project: Project, asked: Permit, token: str, hooked: bool) -> str:
    """Use up the permit of the user's call; say how the client let it through: a BatonError if it did not.

    `hooked`: what is on record shows that the client's hooks were on.
    """
    if not in_a_client():
        return ""
    if use_permit(project, asked, token):
        return "asked"
    if HOOKS in os.environ:
        what, remedy = "the user has not given this answer", "show them the question and let them answer it"
        if not asked.question:
            what = "the client did not ask about this call, and a `!` line may be a model's"
            remedy = (
                "have Claude call it as one plain command: the client asks you; or type it in a shell of your own"
            )
        raise BatonError(what, f"`baton {asked.call}`", remedy)
    if hooked:
        remedy = "do it in the session that was asked, or in a terminal outside of the client"
        raise BatonError("the client's hooks were on, and are off here", f"`baton {asked.call}`", remedy)
    return "unverified"


def had_hooks(events: Iterable[Event]) -> bool:
    """Whether hooks of the client have recorded anything of this story."""
    return any(
        (isinstance(event, RunStarted) and event.agent)
        or isinstance(event, Said)
        or (isinstance(event, Shown) and event.hooked)
        for event in events
    )


def note_shown(story: StorySession, session: str) -> None:
    """Journal that the open question is shown to the user, once for each session of the client."""
    if session and story.state.question and session not in story.state.shown:
        story.note(Shown(session, HOOKS in os.environ))


def note_said(project: Project, story_id: str, answer: Said, asked_seq: int) -> None:
    """Journal the user's answer, unless its question is no longer the one that is open."""
    with open_story(project, story_id, f"hearing the answer to {story_id}") as story:
        if story.state.question and story.state.asked_seq == asked_seq and answer not in story.state.said:
            story.note(answer)
