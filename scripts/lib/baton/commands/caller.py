"""Where a call is made from: the user's checkout, or the work tree of a run, in which few verbs work."""

import re
import sys
from pathlib import Path

import click

from baton.errors import BatonError
from baton.git.command import find_project
from baton.git.worktrees import read_mark
from baton.journal.paths import Project
from baton.journal.permit import Permit, use_permit
from baton.story.ask.answer_source import check_asked, had_hooks, in_a_client, session_here
from baton.story.session.session import StorySession

# A resolver hands in for a unit of a pull request: its round stands where a story's journal would.
PULL_REQUEST = re.compile(r"pr-([1-9][0-9]{0,9})\Z")


def persons_project(start: Path) -> Project:
    """Find the work tree a verb is called in; a BatonError in a run's, where no run decides or starts anything."""
    project = find_project(start)
    if mark := read_mark(project):
        remedy = "a run calls begin, check, hand-in, validate, explain, status, timeline, show and pr show alone"
        raise BatonError(f"this is the work tree of run {mark.run}", str(project.root), remedy)
    return project


def token_here() -> str:
    """Return the token that the client put into this call once the user had allowed it."""
    return str(click.get_current_context().find_root().params.get("permit", ""))


def check_rules_allowed(project: Project) -> None:
    """Raise a BatonError unless the client asked about `init --allow`, or it is called at a terminal outside."""
    asked = Permit(session_here(), "init --allow")
    if not (use_permit(project, asked, token_here()) if in_a_client() else sys.stdin.isatty()):
        what = "no terminal, and in the client a `!` line cannot be told from a model's call"
        raise BatonError(what, "`baton init --allow`", "call it in a shell outside of the client")


def check_allowed(story: StorySession, call: str) -> None:
    """Raise a BatonError where the client's hooks are on, and it did not ask the user about this call."""
    check_asked(story.project, Permit(session_here(), call), token_here(), had_hooks(story.state.events))
