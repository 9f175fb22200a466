"""Whether the conversation's turn may end: not while its own story has a step that nobody carries out."""

from collections.abc import Mapping
from typing import Any, Literal

from baton.commands.step_text import step_text
from baton.hooks.runs import sessions_of
from baton.journal import index
from baton.journal.events import Answered
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.run import ROLES
from baton.journal.sent_back import note_sent_back, times_sent_back
from baton.journal.state import State
from baton.rules.engine import decide
from baton.rules.facts import TurnFacts
from baton.rules.pages import table_of
from baton.story.run.story_steps import spawn_step
from baton.story.session.session import look_at
from baton.usage.transcript import was_cut_off

Due = Literal["nothing", "spawn", "judge", "next"]
MOST = 2
# After these a story rests: until the user goes on, or the service answers again.
RESTS = ("run/stopped", "run/refused", "run/refused-often")
ELSE = "If that cannot be done, show the user why and end your turn."


def keep_going(project: Project, payload: Mapping[str, Any]) -> str:
    """Return why the turn may not end yet, with the step to carry out; empty where it may. Nothing is locked."""
    session = str(payload.get("session_id") or "")
    ours = not (payload.get("agent_id") or payload.get("agent_type"))
    if not session or not ours or payload.get("permission_mode") == "plan":
        return ""
    states = read_stories(project, index.find_words(str(project.state), index.DRIVEN, session)).states
    own = (state for state in states if sessions_of(state.events)[-1:] == [session])
    return next(filter(None, (_sent_back(project, state, payload) for state in own)), "")


def find_due(state: State) -> Due:
    """Say what the conversation has to do for a story as it stands."""
    run, last = state.run, state.events[-1]
    if state.stage == "running" and run:
        if run.judged:  # the user answered: it is judged once more
            return "next"
        return "judge" if run.has_ended else "nothing" if run.starts else "spawn"
    answered = isinstance(last, Answered) and state.stage in ("new", "ready")
    pending = state.pending if state.stage == "ready" else None
    judged = run.judged.rule if run and run.judged else ""  # what is due again has another rule
    begins = pending is not None and pending.then in ROLES and judged not in RESTS
    return "next" if answered or begins else "nothing"


def _sent_back(project: Project, state: State, payload: Mapping[str, Any]) -> str:
    due, story_id = find_due(state), state.created.story
    if due == "nothing":
        return ""
    about = f"turn {len(state.events)}"
    facts = TurnFacts(
        due=due,
        running=any(map(_is_ours, payload.get("background_tasks") or ())),
        interrupted=was_cut_off(str(payload.get("transcript_path") or ""), state.updated),
        sent_back=times_sent_back(project, story_id, about) >= MOST,
    )
    run = state.run.id if state.run else ""
    decision = decide(table_of("turn"), facts, {"story": story_id, "run": run})
    if decision.action != "send-back":
        return ""
    if not note_sent_back(project, story_id, about) and payload.get("stop_hook_active"):
        return ""
    return f"baton: not yet: {decision.reason}. Carry out this step:\n{_step(project, state, due)}\n{ELSE}"


def _is_ours(task: object) -> bool:
    """Whether what runs in the background is one of baton's agents, or a call of baton."""
    if not isinstance(task, dict) or task.get("status", "running") not in ("running", "pending"):
        return False
    called = f"{task.get('command', '')} {task.get('description', '')}"
    return str(task.get("agent_type", "")).startswith("baton:") or "baton next " in called


def _step(project: Project, state: State, due: Due) -> str:
    story_id, run = state.created.story, state.run
    if due != "spawn" or run is None:
        ended = f" --ended {run.id}" if due == "judge" and run else ""
        return f"THEN baton next {story_id}{ended}"
    return step_text(spawn_step(look_at(project, story_id), run, None))
