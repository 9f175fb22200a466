"""What a session of the client waits for on GitHub: gone on with while its conversation rests."""

import os
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from baton.errors import BatonError
from baton.hooks.runs import stories_under_way
from baton.journal.events import IntegrationStepDone
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.state import State

# How long what is waited for is left alone at first, and after how many failed looks in a row somebody is told.
FIRST_S, MOST_FAILED = 30, 10


def is_waiting_in(state: State, session: str) -> bool:
    """Whether the last that happened to a story is that this session was told to wait for GitHub."""
    last = state.events[-1]
    return isinstance(last, IntegrationStepDone) and bool(session) and last.evidence == session


def go_on_waiting(
    project: Project, payload: Mapping[str, Any], pause: Callable[[float], object] = time.sleep
) -> str:
    """Look again and again at what the session waits for; returns the step it is woken with, empty for none."""
    session = str(payload.get("session_id") or "")
    stories = [one.created.story for one in stories_under_way(project) if is_waiting_in(one, session)]
    if not stories:
        return ""
    lock = project.state / f"waiting-{sha256(session.encode()).hexdigest()[:12]}.lock"
    try:
        with hold_lock(lock, "waiting for GitHub", 0):
            return _wait_for(project, stories[0], pause)
    except BatonError:  # another process waits for this session already
        return ""


def _wait_for(project: Project, story_id: str, pause: Callable[[float], object]) -> str:
    """Take a story on from time to time, until its step is one for the conversation; the client's end ends it."""
    from baton.commands.step_text import report_text, step_text
    from baton.story.next_step import NextOptions, run_next

    client, seconds, failed = os.getppid(), float(FIRST_S), 0
    while True:
        pause(seconds)
        if os.getppid() != client:
            return ""
        try:
            step = run_next(project, story_id, "waiting for GitHub", NextOptions())
        except BatonError as error:
            failed += 1
            if failed == MOST_FAILED:
                return f"baton cannot go on with story {story_id}: {error}"
            continue
        if step.action != "wait" or not step.pull:
            said = f"What story {story_id} waited for on GitHub is over. Carry out this step:"
            return f"{said}\n{step_text(step, report_text(step))}"
        seconds, failed = float(step.seconds or FIRST_S), 0
