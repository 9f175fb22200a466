"""The answers to the client's hooks, one for each event: they bind, end and fold runs as the client reports them.

Most calls of a hook have nothing to do: what judges a story is imported only where one is at hand.
"""

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from baton.commands.step_text import heading, step_text
from baton.errors import BatonError
from baton.hooks.agent_runs import (
    Bound,
    Payload,
    find_bound_run,
    note_conversation,
    note_end,
    stories_under_way,
    transcript_of,
)
from baton.hooks.send_back import keep_going, keep_process_working, keep_working
from baton.hooks.session_questions import hear_dialog
from baton.journal.client_dialog import ClientDialog, note_dialog
from baton.journal.events import Ended, RunStarted
from baton.journal.journal import utc_now
from baton.journal.paths import Project
from baton.journal.permit import withdraw_permits
from baton.journal.repository import read_stories
from baton.project.permissions import permission_line
from baton.story.next_step import NextOptions, run_next
from baton.story.run.end_line import LINE_LENGTH, run_end_line
from baton.story.run.progress import in_plain, run_label
from baton.story.session.open_story import open_story
from baton.text import clip

if TYPE_CHECKING:
    from baton.story.ask.step import Step

# Return metadata as JSON in an agent's last words, where it does not count.
PRINTED_METADATA = re.compile(r'"status"\s*:\s*"\w+"')
RUN_IN_PROMPT = re.compile(r"\bRun (sess_\d+_[0-9a-f]+_[a-z]+\d+) of story ([A-Za-z0-9][A-Za-z0-9._-]{0,31}):")
NOTIFICATION = "<task-notification>"
STARTED_AGAIN = "is started again: nothing came back from it"
TASK_ID = re.compile(r"<task-id>\s*([A-Za-z0-9_-]+)\s*</task-id>")
STARTS_AGENTS = re.compile(r"\s*/(?:baton:)?(?:implement|resolve-pr-feedback)\b")


class Added(NamedTuple):
    """The words a hook adds: for the model that wakes, and one line that only the user reads."""

    context: str = ""
    shown: str = ""


def is_process(payload: Payload) -> bool:
    """Whether this is a process of the client's for one run, as `baton run` starts it, and no agent in one."""
    return str(payload.get("agent_type") or "").startswith("baton:") and not payload.get("agent_id")


def session_started(project: Project, _: Payload) -> str:
    """Name the stories that are under way here: a new or compacted conversation does not know them."""
    stories = stories_under_way(project)
    if not stories:
        return ""
    lines = [
        f"story {story.created.story} ({story.status}): {heading(story.created.title)}" for story in stories[:5]
    ]
    return "baton has stories under way here; `baton next ID` says what one needs:\n" + "\n".join(lines)


def agent_launched(project: Project, payload: Payload) -> str | Added:
    """Bind the agent to the run its prompt names; one that ran in the foreground has already ended."""
    given, response = _mapping(payload, "tool_input"), _mapping(payload, "tool_response")
    match = RUN_IN_PROMPT.search(str(given.get("prompt", "")))
    agent = str(response.get("agentId") or "")
    if not match or not agent or not str(given.get("subagent_type", "")).startswith("baton:"):
        return ""
    run_id, story_id = match.groups()
    if not project.has_story(story_id):
        return ""
    with open_story(project, story_id, "hook post-tool-use") as story:
        run = story.state.find_run(run_id)
        if run is None or run.judged or any(start.agent == agent for _, start in run.starts):
            return ""
        again = f"{run_label(story.state, run)} {STARTED_AGAIN}" if run.starts else ""
        story.note(RunStarted(run_id, agent, str(payload.get("session_id", ""))))
    if response.get("status") != "completed":
        return Added(shown=again)
    return _fold(project, Bound(story_id, run_id, agent), "foreground", payload)


def _mapping(payload: Payload, name: str) -> Payload:
    """Return a part of the payload; an empty one for what is none, as other tools' answers may be."""
    part = payload.get(name)
    return part if isinstance(part, dict) else {}


def agent_stopped(project: Project, payload: Payload) -> str:
    """Send an agent of ours that handed nothing in back, else mark the end of its run."""
    bound = find_bound_run(project, str(payload.get("agent_id", "")))
    if bound and bound.works:
        return keep_working(project, bound, payload) or _mark_end(project, bound, payload)
    from baton.hooks.unit_end import keep_agent_working  # few agents are of a pull request

    return "" if bound else keep_agent_working(project, payload)


def agent_failed(project: Project, payload: Payload) -> str:
    """Mark the end of a run of ours that the service refused."""
    bound = find_bound_run(project, str(payload.get("agent_id", "")))
    return _mark_end(project, bound, payload) if bound and bound.works else ""


def permission_asked(project: Project, payload: Payload) -> str:
    """Note what the client asks the user for an agent of ours, for `baton status`."""
    agent = str(payload.get("agent_id", ""))
    if not (bound := find_bound_run(project, agent)):
        return ""
    transcript, given = transcript_of(agent, payload), payload.get("tool_input")
    named = [given[name] for name in ("command", "file_path") if name in given] if isinstance(given, dict) else []
    what = clip(in_plain(" ".join(map(str, [payload.get("tool_name"), *named]))), LINE_LENGTH)
    size = os.path.getsize(transcript) if os.path.isfile(transcript) else -1
    note_dialog(project, bound.story, ClientDialog(bound.run, utc_now(), what, transcript, size))
    return ""


def _mark_end(project: Project, bound: Bound, payload: Payload) -> str:
    printed = bool(PRINTED_METADATA.search(str(payload.get("last_assistant_message") or "")))
    note_end(project, bound.story, Ended(bound.run, "subagent-stop", printed), bound.agent, payload)
    return ""


def prompt_submitted(project: Project, payload: Payload) -> str | Added:
    """On a task notification fold the run that ended; before agents are started say what asks."""
    prompt = str(payload.get("prompt", ""))
    if STARTS_AGENTS.match(prompt):
        line = permission_line(project, str(payload.get("permission_mode", "")))
        return f"Say this line to the user first, word for word:\n{line}"
    match = TASK_ID.search(prompt) if prompt.lstrip().startswith(NOTIFICATION) else None
    bound = find_bound_run(project, match[1]) if match else None
    if bound:
        return _fold(project, bound, "notification", payload)
    # What the client had asked in this session before was not allowed.
    withdraw_permits(project, str(payload.get("session_id") or ""))
    return ""


def _fold(project: Project, bound: Bound, how: str, payload: Payload) -> Added:
    """Judge a run that has ended; give the next step as it is carried out, and what the user is told."""
    is_news = False
    try:
        if bound.works:
            is_news = note_end(project, bound.story, Ended(bound.run, how), bound.agent, payload)
        note_conversation(project, bound.story, payload)
        options = NextOptions(session=str(payload.get("session_id") or ""))
        step = run_next(project, bound.story, f"hook on the end of {bound.run}", options)
    except BatonError as error:
        warning = f"baton could not take the next step of story {bound.story}: {error}"
        return Added(warning, clip(in_plain(warning), LINE_LENGTH))
    judged = (
        f"baton has judged run {bound.run}" if bound.works else "that agent was not the one that works on the run"
    )
    shown = _end_line(project, bound.story, bound.run, step) if is_news else ""
    return Added(f"{judged}. Carry out this step:\n{step_text(step).text()}", shown)


def _end_line(project: Project, story_id: str, run_id: str, step: "Step") -> str:
    """Say in one line for the user what came of a run, as its story now stands."""
    runs = [(state, state.find_run(run_id)) for state in read_stories(project, [story_id]).states]
    return "".join(run_end_line(state, run, step) for state, run in runs if run)


def turn_ends(project: Project, payload: Payload) -> str:
    """Send the turn back while its story has a step nobody carries out, or the run it is for is not over."""
    if is_process(payload):
        return keep_process_working(project, payload)
    return keep_going(project, payload)


def tool_called(project: Project, payload: Payload) -> str | Added:
    """Answer the call of a tool that plugin.json names: a dialog with the user, or the launch of an agent."""
    if payload.get("tool_name") == "AskUserQuestion":
        hear_dialog(project, payload)
        return ""
    return agent_launched(project, payload)
