"""Wait for a session of the client, for GitHub or the service, and go on while its conversation rests."""

import os
import select
import time
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from baton.commands.step_text import step_text
from baton.errors import BatonError
from baton.hooks.agent_runs import stories_under_way
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.events import IntegrationStepDone
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.state import State
from baton.rules.all_tables import waiting_rules
from baton.story.ask.answer_source import SESSION
from baton.story.ask.question import posted_url
from baton.story.ask.step import Step
from baton.story.next_step import NextOptions, run_next

# How long what is waited for is left alone at first, and at most where it cannot be looked at; after how many
# failed looks in a row somebody is told.
FIRST_S, SELDOM_S, MOST_FAILED = 30.0, 300.0, 5
# The client ends a hook after a day, by plugin.json, and wakes nobody then: the conversation is woken before.
MOST_S = 22 * 3600.0
STDERR = 2


class Wait(NamedTuple):
    """A wait of a session: for an answer to a question on GitHub or, without a URL, for a step."""

    story: str
    url: str = ""


def is_waiting_in(state: State, session: str) -> bool:
    """Whether this session is to wait: for GitHub, the last a story was told, or for the service to answer."""
    last, run = state.events[-1], state.run
    if state.stage == "ready" and run and run.end and run.end.refused and run.starts:
        return run.starts[-1][1].client_session == session != ""
    return (
        isinstance(last, IntegrationStepDone) and last.rule in waiting_rules() and last.evidence == session != ""
    )


def find_waits(project: Project, session: str) -> list[Wait]:
    """Return the waits of a session."""
    waits = []
    for state in stories_under_way(project):
        url = posted_url(state) if session in state.shown else ""
        if url or is_waiting_in(state, session):
            waits.append(Wait(state.created.story, url))
    return waits


def go_on_waiting(
    project: Project, payload: Mapping[str, Any], pause: Callable[[float], object] = time.sleep
) -> str:
    """Look again and again at what the session waits for; returns the step it is woken with, empty for none.

    Where an agent ended, the conversation does not rest.
    """
    session = str(payload.get("session_id") or "")
    if payload.get("agent_id") or not session or not find_waits(project, session):
        return ""
    os.environ.setdefault(SESSION, session)  # it stays the one that waits
    lock = project.state / f"waiting-{sha256(session.encode()).hexdigest()[:12]}.lock"
    try:
        with hold_lock(lock, "waiting", 0):
            return _wait(project, session, pause)
    except BatonError:  # another process waits for this session already
        return ""


def _wait(project: Project, session: str, pause: Callable[[float], object]) -> str:
    """Take the stories of a session on from time to time, each when it is due, until one has a step for it.

    The client's end ends it, and so does what others do with the last of them.
    """
    client, now, due, failed = os.getppid(), 0.0, dict[Wait, float](), Counter[str]()
    while waits := find_waits(project, session):
        due = {wait: due.get(wait, now + (SELDOM_S if wait.url else FIRST_S)) for wait in waits}
        first = min(waits, key=due.__getitem__)
        # In short pauses, for the client may end, and another story may begin to wait.
        seconds = max(0.0, min(FIRST_S, due[first] - now))
        pause(seconds)
        now += seconds
        if os.getppid() != client or not is_read(STDERR):
            break
        if now < due[first] or first not in find_waits(project, session):
            continue
        message, left = _look(project, session, first, failed, now > MOST_S)
        if message:
            return message
        due[first] = now + left
    return ""


def _look(project: Project, session: str, wait: Wait, failed: Counter[str], long: bool) -> tuple[str, float]:
    """Take a story on; returns the text that wakes the conversation, if any, and the seconds to the next look."""
    story = wait.story
    news = project.state / story / "cannot-wait"
    try:
        step = run_next(project, story, "waiting", NextOptions(session=session))
    except BatonError as error:
        failed[story] += 1
        warning = f"baton cannot go on with story {story}: {error}"
        is_told = failed[story] < MOST_FAILED or read_plain(news, project.common) == warning.encode()
        if not is_told:  # once: each time costs a turn, and it may last
            write_durably(news, warning, project.common)
        return "" if is_told else warning, min(SELDOM_S, FIRST_S * 2 ** failed[story])
    failed[story] = 0
    news.unlink(missing_ok=True)
    waits = _still_waits(step, wait.url)
    if waits and not long:
        return "", step.seconds or (SELDOM_S if wait.url else FIRST_S)
    over = "is not there yet" if waits else "is over"
    heading = f"What story {story} waited for {over}. Carry out this step:"
    return f"{heading}\n{step_text(step).text()}", 0.0


def _still_waits(step: Step, url: str) -> bool:
    """Whether a step is no news: something is still waited for, or the question that stands at `url` is open."""
    return bool(step.until if step.action == "wait" else url and (step.question or {}).get("posted") == url)


def is_read(descriptor: int) -> bool:
    """Whether a pipe or a socket has still a reader: the client may be gone where a shell between us is not."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return not any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
