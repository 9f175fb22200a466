"""Whether an agent of a pull request may end: one that began and handed nothing in is sent back, as a run is."""

import re
from collections.abc import Mapping
from typing import Any

from baton.errors import BatonError
from baton.feedback.plan.agent_ends import is_waited_for
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.work_names import WORK_NAME, number_of
from baton.hooks.send_back import MOST_RUNS, may_send_back, times_sent_back
from baton.journal.paths import Project
from baton.usage.transcript import commands_of, was_cut_off

AGENTS = ("baton:feedback-reader", "baton:pr-comment-resolver")
BEGAN = re.compile(rf"\bbegin\s+(?P<name>{WORK_NAME.pattern})\b")


def keep_agent_working(project: Project, payload: Mapping[str, Any]) -> str:
    """Return why a reader or a resolver may not end yet; empty where it may."""
    transcript = str(payload.get("agent_transcript_path") or "")
    if payload.get("agent_type") not in AGENTS or was_cut_off(transcript):
        return ""
    began = [call for command in commands_of(transcript) or () if (call := BEGAN.search(command))]
    if not began:
        return ""
    name = began[-1]["name"]
    try:
        folder = find_folder(project, number_of(name))
        is_over = not is_waited_for(project, folder, name)
    except BatonError:  # the next call of the conversation says what is wrong there
        return ""
    place = folder.relative_to(project.state).as_posix()
    often = is_over or times_sent_back(project, place, name) >= MOST_RUNS
    if often or not may_send_back(project, place, name, payload):
        return ""
    return f"baton: {name} handed nothing in: hand it in as its brief says; `baton begin {name}` prints that again"
