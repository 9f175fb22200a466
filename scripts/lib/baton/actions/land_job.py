"""The job without a model that lands a story: the work is verified, pushed, and taken as far as it goes.

It runs no command of the project's: the work was checked in the other job, and its pull request has checks.
"""

import time
from pathlib import Path
from typing import Literal, NamedTuple

from baton.actions.bundle import find_forbidden, open_bundle, settled_mode
from baton.actions.claim import have_base
from baton.actions.job_event import JobEvent
from baton.delivery.deliver import closed_head, deliver_head
from baton.delivery.delivery_session import Progress
from baton.delivery.look_again import hear_github
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.remotes import push_commit, state_remote
from baton.github.client import GitHub
from baton.journal.events import IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.state import OVER
from baton.project.settings import Settings, read_settings
from baton.story.ask.step import Step
from baton.story.begin.story_intake import count_confirmed_by_person
from baton.story.integrate.integration_steps import decide_step
from baton.story.session.carried_state import check_state, read_state, state_ref
from baton.story.session.open_story import open_story
from baton.story.session.session import StorySession
from baton.story.session.travel import follow_state, push_state

Ended = Literal["done", "asks", "again", "waits", "rests"]


class Landed(NamedTuple):
    """The result of landing: done, asking, to be worked on again, waiting for GitHub, or stopped; and why."""

    how: Ended
    told: str


def take_work(project: Project, story_id: str, path: Path) -> None:
    """Verify the state that the job with the model left, and push it; without one, change nothing."""
    git, ref = Git(project), state_ref(story_id)
    own = git.commit_of(ref)
    if not own or not path.exists():
        return
    commit = open_bundle(git, story_id, path)
    carried = read_state(git, commit)
    state = check_state(project, story_id, carried)
    started = state.started
    before = check_state(project, story_id, read_state(git, own))
    if count_confirmed_by_person(state) > count_confirmed_by_person(before):
        raise BatonError("it confirms the criteria, as only you may", f"story {story_id}", "answer that yourself")
    base = read_settings(git, "").base
    if started and started.base != base:
        raise BatonError(
            f"it names {started.base} as its base, not {base}", f"story {story_id}", "see who wrote that"
        )
    if started and (why := find_forbidden(git, base, carried.tip)):
        raise BatonError(why, f"story {story_id}", "land it by hand, where you have read it")
    follow_state(project, story_id, commit, own)
    if refused := push_commit(git, state_remote(git), ref, commit, own):
        what = f"another runner has taken over story {story_id} ({refused})"
        raise BatonError(what, ref, "theirs counts; what was done here is in the artifact")


def land_story(project: Project, story_id: str, own_token: bool, seconds: float) -> Landed:
    """Take a story as far as it goes on GitHub, waiting `seconds` for its checks; pushes its state each time."""
    have_base(Git(project))
    until = time.monotonic() + seconds
    while True:
        with open_story(project, story_id, "baton actions land") as story:
            landed, wait = _step(_for_landing(story, own_token))
        push_state(project, story_id, b"")
        if landed.how != "waits" or time.monotonic() + wait > until:
            return landed
        time.sleep(wait)


def _for_landing(story: StorySession, own_token: bool) -> StorySession:
    """Return a story without commands, in mode `pr` unless an own token's push starts the checks."""
    base, config = story.settings()
    mode = settled_mode(config.mode) if own_token else "pr"
    bare = config._replace(commands={}, prepush=(), languages={}, notify="", mode=mode)
    return story._replace(settings=lambda: Settings(base, bare))


def _step(story: StorySession) -> tuple[Landed, float]:
    if story.state.question:
        hear_github(story)
    state = story.state
    end: Step | Progress | None = None
    if head := closed_head(story):
        end = deliver_head(story)
        if end is Progress.BASE_MOVED:  # it is merged in and checked again by the job that may run commands
            story.note(IntegrationStepDone("merge/lost", head, decide_step(story, "merge/lost").reason))
    if isinstance(end, Step):
        return Landed("waits", end.reason), float(end.seconds or 0)
    if state.question:
        return Landed("asks", f"{state.question.rule}: {state.question.reason}"), 0
    if state.stage in OVER:
        return Landed("done", state.checked[-1].reason if state.checked else state.stage), 0
    # A client that cannot be started fails each time: only what was worked on is worked on again.
    how: Ended = "rests" if state.run and state.run.was_stopped else "again"
    return Landed(how, state.pending.reason if state.pending else "its run was cut short"), 0


def start_again(github: GitHub, job: JobEvent, story_id: str) -> None:
    """Start the workflow again for a story that landing sent back to work."""
    path = f"repos/{job.repository}/actions/workflows/{job.workflow}/dispatches"
    change = github.post(path, {"ref": job.ref, "inputs": {"story": story_id}}, (403, 404, 422))
    if change.status != 204:
        what = f"the workflow was not started again ({change.refused or change.lost or change.status})"
        raise BatonError(what, path, f"start it by hand, with story {story_id}")
