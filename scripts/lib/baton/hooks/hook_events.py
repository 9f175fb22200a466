"""The verb that the client calls, `hook`: a row for each event says what answers it, and how that is said."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

from baton.artifacts.strict_json import JsonFault, load_json
from baton.bootstrap import HOOKS
from baton.commands.output import bounded
from baton.errors import BatonError
from baton.git.command import find_project
from baton.hooks.agent_runs import Payload, ensure_index
from baton.hooks.entry import known_event
from baton.hooks.event_answers import (
    Added,
    agent_failed,
    agent_stopped,
    is_process,
    permission_asked,
    prompt_submitted,
    session_started,
    tool_called,
    turn_ends,
)
from baton.hooks.waiting import go_on_waiting
from baton.journal.paths import Project

# The exit code by which a hook in the background wakes a conversation that rests.
WAKES = 2


class Hook(NamedTuple):
    """An event of the client's hooks: by what names the client knows it, what answers it, and how that is said."""

    client_events: tuple[str, ...]
    answer: Callable[[Project, Payload], str | Added]
    say: Callable[[str, Added], int]  # takes the client's name of the event, returns the exit code
    in_process: bool = False  # whether it is for a run's own process, too


@click.command()
@click.argument("event", metavar="EVENT")
def hook(event: str) -> None:
    """Answer one of Claude Code's hooks; its JSON comes on stdin.

    Example: baton hook session-start
    """
    if HOOKS in os.environ:  # the client's shells have it, the processes of its hooks do not
        remedy = "what is said here counts as the user's word: answer in the client, or in a terminal"
        raise BatonError("only the client calls its hooks", "`baton hook`", remedy)
    click.get_current_context().exit(answer_hook(event, sys.stdin.read()))


def answer_hook(event: str, text: str) -> int:
    """Answer one hook event with what it adds to the conversation, if anything; BatonError for an unknown one.

    Returns the exit code: 2 wakes a conversation that rests.
    """
    row = EVENTS[known_event(event)]
    try:
        payload = load_json(text)
    except JsonFault as fault:
        where = f"stdin of hook {event}"
        raise BatonError(f"not readable as JSON ({fault})", where, "the client writes it") from fault
    project = _project(payload) if isinstance(payload, dict) else None
    if project is None or (is_process(payload) and not row.in_process):
        return 0  # what follows in a process is its supervisor's, and nobody reads there
    ensure_index(project)
    answered = row.answer(project, payload)
    added, shown = answered if isinstance(answered, Added) else (answered, "")
    return row.say(row.client_events[0], Added(bounded(added, "baton next ID --json"), shown))


def _add_context(client_event: str, added: Added) -> int:
    """Give the model what is added to its conversation, and the user the line they are shown."""
    output = {"hookEventName": client_event, "additionalContext": added.context}
    parts = {"systemMessage": added.shown, "hookSpecificOutput": output if added.context else None}
    if message := {part: value for part, value in parts.items() if value}:
        print(json.dumps(message))
    return 0


def _send_back(_: str, added: Added) -> int:
    """Say why the client is to go on."""
    if added.context:
        print(json.dumps({"decision": "block", "reason": added.context}))
    return 0


def _wake(_: str, added: Added) -> int:
    """Wake a conversation that rests, by the exit code."""
    if not added.context:
        return 0
    print(added.context, file=sys.stderr)
    return WAKES


def _project(payload: Payload) -> Project | None:
    """The project the client works in; none outside a work tree, where there is nothing to do."""
    try:
        return find_project(Path(str(payload.get("cwd") or os.environ.get("CLAUDE_PROJECT_DIR") or ".")))
    except BatonError:
        return None


# Whether an event comes this far is its row of `FILTERS` in entry.py.
EVENTS = {
    "session-start": Hook(("SessionStart",), session_started, _add_context),
    "post-tool-use": Hook(("PostToolUse",), tool_called, _add_context),
    "subagent-stop": Hook(("SubagentStop",), agent_stopped, _send_back),
    "stop-failure": Hook(("StopFailure",), agent_failed, _add_context),  # instead when the service refuses
    "permission-request": Hook(("PermissionRequest",), permission_asked, _add_context),
    "user-prompt-submit": Hook(("UserPromptSubmit",), prompt_submitted, _add_context),
    "stop": Hook(("Stop", "StopFailure"), go_on_waiting, _wake),
    "turn-ends": Hook(("Stop",), turn_ends, _send_back, in_process=True),
}
