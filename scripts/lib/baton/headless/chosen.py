"""The stories of a call, and checks before it starts any."""

import shutil

from baton.errors import BatonError
from baton.headless.client_process import find_processes
from baton.journal.journal import Journal
from baton.journal.paths import Project, validate_story_id
from baton.journal.state import State, fold
from baton.project.permissions import ASKS, missing_rules
from baton.story.begin.start import resume_from_branch
from baton.story.session.open_story import read_journal
from baton.story.status.backlog import read_backlog

CLIENT = "claude"


def choose_stories(project: Project, names: tuple[str, ...], ready: bool) -> list[str]:
    """Return the named stories, and with `ready` all that can go on without the user."""
    for name in names:
        if not project.has_story(validate_story_id(name)):
            resume_from_branch(project, name)
        read_journal(project, name)
    going_on = (
        [row.id for row in reversed(read_backlog(project).stories) if goes_on(project, row.id)] if ready else []
    )
    return list(dict.fromkeys([*names, *going_on]))


def goes_on(project: Project, story_id: str) -> bool:
    """Whether a story can go on without the user, and no client works on it."""
    state = fold(Journal(project.journal(story_id)).records)
    if state.stage != "running" or state.run is None or state.run.has_ended:
        return state.stage in ("new", "ready", "running")
    return is_ours(state) or bool(find_processes(project, story_id, state.run.id))


def is_ours(state: State) -> bool:
    """Whether the run that is out was sent by a call like this, which did not get to start it."""
    return state.run is not None and not state.run.starts and not state.run.dispatched.client_session


def find_client() -> str:
    """Return the path of the client; a BatonError where there is none."""
    if path := shutil.which(CLIENT):
        return path
    raise BatonError(f"no `{CLIENT}` on PATH", "this machine", "install Claude Code, then call again")


def check_permissions(project: Project, mode: str) -> str:
    """Return the line on the permission mode of the runs; a BatonError where rules are missing that they need."""
    if missing := missing_rules(project, mode):
        what = f"nobody answers the client's questions here, and no rule allows {', '.join(missing)}"
        raise BatonError(what, str(project.root), "`baton init --allow` adds that")
    refused = "" if mode == "bypassPermissions" else "; what it would ask is refused"
    return f"Permission mode {mode}: {ASKS[mode]}{refused}."
