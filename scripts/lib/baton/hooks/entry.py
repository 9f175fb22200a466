"""The start of the client's hooks: few files tell whether there is anything to do, before more is imported.

It runs at every prompt and at every start of an agent, in every repository: the standard library alone.
"""

import io
import os
import sys

from baton.errors import BatonError
from baton.hooks.git_folder import common_dir, top_of
from baton.journal.index import AGENTS, DRIVEN, SESSIONS, UNDER_WAY, find_words, index_exists, read_lines

LARGEST_INPUT = 1 << 24
PERMITS = ".permits"
# What a prompt holds that starts a story or a round.
STARTS = ("/implement", "/resolve-pr-feedback", "/baton:")
LAUNCHES = ("baton:", "AskUserQuestion")
# How the client names one of baton's agents: here, in a process of its own, or in what a conversation waits for.
PROCESS = ('"agent_type":"baton:', '"agent_type": "baton:')
TASK_ID = ("<task-id>", "</task-id>")


def packages_for(event: str) -> str:
    """Return the folder of the packages when the hook has something to do, its input put back; else empty."""
    starts = event == "session-start"
    folder = _packages(event) if starts else ""
    text = read_event(event)
    if not text:
        return ""
    sys.stdin = io.StringIO(text)
    return folder if starts else _packages(event)


def _packages(event: str) -> str:
    from baton.hooks.set_up import ready_for_hook  # most events are not about baton

    return ready_for_hook(event)


def read_event(event: str) -> str:
    """Read the hook's input; empty when this event has nothing to do with baton, BatonError for an unknown one."""
    raw = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    while len(raw) > LARGEST_INPUT and sys.stdin.buffer.read(LARGEST_INPUT):
        pass  # a client that is still writing must not meet a closed pipe
    text = raw.decode(errors="replace")
    about, starts, is_known = FILTERS[known_event(event)]
    if about and not any(word in text for word in about):
        return ""
    if any(word in text for word in starts):
        return text
    state = state_folder(_field(text, "cwd") or os.environ.get("CLAUDE_PROJECT_DIR") or ".")
    return text if state and (not index_exists(state) or is_known(state, text)) else ""


def known_event(event: str) -> str:
    """Return an event that the client's hooks are called with; BatonError for any other word."""
    if event not in FILTERS:
        raise BatonError(f"no hook `{event}`", "the command line", f"one of: {', '.join(FILTERS)}")
    return event


def _has_stories(state: str, _: str) -> bool:
    return bool(read_lines(state, UNDER_WAY))


def _is_tool_known(state: str, text: str) -> bool:
    shown = bool(find_words(state, SESSIONS, _field(text, "session_id")))
    return shown or _field(text, "tool_name") != "AskUserQuestion"


def _is_agent_known(state: str, text: str) -> bool:
    return bool(find_words(state, AGENTS, _field(text, "agent_id")))


def _is_prompt_known(state: str, text: str) -> bool:
    """Whether a prompt is a notification of a known agent, or the next one after a call the client asked about."""
    agent = text.partition(TASK_ID[0])[2].partition(TASK_ID[1])[0].replace("\\n", " ").strip()
    return bool(find_words(state, AGENTS, agent)) or _has_permits(state)


def _drives_story(state: str, text: str) -> bool:
    driven = find_words(state, DRIVEN, _field(text, "session_id"))
    return bool(driven) and not set(driven).isdisjoint(read_lines(state, UNDER_WAY))


def _is_turn_known(state: str, text: str) -> bool:
    return any(mark in text for mark in PROCESS) or _drives_story(state, text)


# The events of plugin.json, each with the words of which its input has one where it may be about baton (none: any
# input may be), the words with which it goes on in every folder, and whether the index knows what it is about.
# What answers each is a row of `EVENTS` in hook_events.py.
FILTERS = {
    "session-start": ((), (), _has_stories),
    "post-tool-use": (LAUNCHES, (), _is_tool_known),
    "subagent-stop": ((), (), _is_agent_known),
    "stop-failure": ((), (), _is_agent_known),
    "permission-request": ((), (), _is_agent_known),
    "user-prompt-submit": ((), STARTS, _is_prompt_known),
    "stop": ((), (), _drives_story),
    "turn-ends": ((), (), _is_turn_known),
}


def _field(text: str, name: str) -> str:
    """Return the first string of a name in a JSON text, read without the JSON library unless it has escapes."""
    start = next((start for start in (f'"{name}":"', f'"{name}": "') if start in text), "")
    value = text.partition(start)[2].partition('"')[0] if start else ""
    if "\\" not in value:
        return value
    import json  # few texts have escapes

    try:
        return str(json.loads(text)[name])
    except (ValueError, RecursionError, TypeError, KeyError):
        return ""


def _has_permits(state: str) -> bool:
    try:
        return bool(os.listdir(os.path.join(state, PERMITS)))
    except OSError:
        return False


def state_folder(folder: str) -> str:
    """Return the folder of all journals for a call made in `folder`; empty where baton was never used."""
    top = top_of(os.path.abspath(folder))
    state = os.path.join(common_dir(os.path.join(top, ".git")), "baton") if top else ""
    return state if os.path.isdir(state) else ""
