"""Whose word an answer is: what a person said on record, or what the client let through after it had asked."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from baton.drive.opened import opened
from baton.environment import HOOKS
from baton.errors import BatonError
from baton.story.events import Said, Shown
from baton.story.permit import Permit, find
from baton.story.places import Project

SESSION = "CLAUDE_CODE_SESSION_ID"


def session_here() -> str:
    """Return the session of the client this call is made in; nothing outside of one."""
    return os.environ.get(SESSION, "")


def is_in_a_run(project: Project) -> bool:
    """Whether this is the work tree of a run: what is printed there, an agent reads and no person."""
    return (project.git_dir / "baton-run").exists()


def find_word(said: Iterable[Said], permit: Permit, folder: Path, inside: Path) -> dict[str, str]:
    """Say how a person gave the answer `permit` names, and in which words; a BatonError when they did not."""
    for one in said:
        if one.option == permit.option:
            return {"how": one.how, "words": one.words}
    in_client = "CLAUDECODE" in os.environ
    if in_client and find(folder, inside) == permit:
        return {"how": "asked"}
    if in_client and HOOKS not in os.environ:
        return {"how": "unverified"}
    if in_client:
        remedy = "show them the question and let them answer it"
        raise BatonError("the person has not said this", f"{permit.story}, `{permit.option}`", remedy)
    if sys.stdin.isatty():
        return {"how": "terminal"}
    raise BatonError("nobody is here to answer", "stdin", "answer from a terminal, or in the client")


def note_shown(project: Project, story_id: str, session: str) -> None:
    """Journal that the open question is put in front of a person, once for each session of the client."""
    with opened(project, story_id, f"showing the question of {story_id}") as story:
        if story.state.package and session not in story.state.shown:
            story.note(Shown(session))


def note_said(project: Project, story_id: str, said: Said, asked_at: int) -> None:
    """Journal what a person said, unless their question is no longer the one that is open."""
    with opened(project, story_id, f"hearing the answer to {story_id}") as story:
        if story.state.package and story.state.asked_at == asked_at and said not in story.state.said:
            story.note(said)
