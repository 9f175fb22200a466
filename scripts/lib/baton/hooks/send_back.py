"""Whether an agent of a run, or the conversation's turn, may end: it is sent back while something of it is due.

An agent is sent back three times, a turn twice; a line for each time is kept beside the journal.
"""

from collections.abc import Mapping
from typing import Any, Literal

from baton.artifacts.document import read_document
from baton.commands.step_text import step_text
from baton.errors import BatonError
from baton.git.worktrees import read_mark
from baton.hooks.agent_runs import Bound, sessions_of
from baton.hooks.run_tree import BEGIN_FIRST, why_not_begun
from baton.journal import index
from baton.journal.events import Answered
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.run import ROLES, Run
from baton.journal.state import State
from baton.rules.engine import decide
from baton.rules.facts import RunEndFacts, TurnFacts
from baton.rules.pages import table_of
from baton.story.judge.refusals import WAYS_OUT
from baton.story.run.story_steps import spawn_step
from baton.story.session.open_story import look_at
from baton.usage.transcript import was_cut_off

Due = Literal["nothing", "spawn", "judge", "next"]
SENT_BACK = "sent-back"
HAND_IN = "\n## Hand in\n"
NO_HAND_IN = "nothing that ends it was handed in"
MOST_TURNS, MOST_RUNS = 2, 3
# After these a story rests: until the user goes on, or the service answers again.
RESTS = ("run/stopped", "run/refused", "run/refused-often")
IF_IMPOSSIBLE = "If that cannot be done, show the user why and end your turn."


def times_sent_back(project: Project, place: str, about: str) -> int:
    """Return how often a turn or an agent was sent back; `place` is the story's folder, or the pull request's."""
    try:
        text = (project.state / place / SENT_BACK).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return text.splitlines().count(about)


def may_send_back(project: Project, place: str, about: str, payload: Mapping[str, Any]) -> bool:
    """Note that a turn or an agent is sent back once more; where that cannot be noted, only the first time."""
    noted = index.append_line(str(project.state / place / SENT_BACK), about)
    return noted or not payload.get("stop_hook_active")


def keep_working(project: Project, bound: Bound, payload: Mapping[str, Any]) -> str:
    """Return why a run's agent may not end yet, and what it is to do; empty where it may."""
    state = next(iter(read_stories(project, [bound.story]).states), None)
    run = state.find_run(bound.run) if state else None
    if state is None or run is None:
        return ""
    about, tree = f"run {run.id}", _tree(payload)
    facts = RunEndFacts(
        out=state.stage == "running" and state.run is run and run.judged is None,
        handed_in=run.has_reported,
        cut_off=was_cut_off(str(payload.get("agent_transcript_path") or ""), run.time),
        sent_back=times_sent_back(project, bound.story, about) >= MOST_RUNS,
        tree=tree,
    )
    missing, ways = "; ".join(run.rejected.findings) if run.rejected else NO_HAND_IN, WAYS_OUT[run.role]
    values = {"run": run.id, "missing": missing if ways in missing else f"{missing}; {ways}"}
    decision = decide(table_of("run-end"), facts, values)
    if decision.action != "send-back" or not may_send_back(project, bound.story, about, payload):
        return ""
    # Once: what was said before stands in its context.
    first = tree == "begun" and times_sent_back(project, bound.story, about) <= 1
    how = _how_to_hand_in(project, state.created.folder, bound.story, run) if first else ""
    return f"baton: {decision.reason}{how}"


def keep_process_working(project: Project, payload: Mapping[str, Any]) -> str:
    """Return why a process of the client's may not end yet, where its work tree is that of a run."""
    mark = read_mark(project)
    own = {**payload, "agent_transcript_path": payload.get("transcript_path")}
    return keep_working(project, Bound(mark.story, mark.run, ""), own) if mark else ""


def _tree(payload: Mapping[str, Any]) -> Literal["gone", "unbegun", "begun"]:
    refused = why_not_begun(payload)
    return "begun" if not refused else "unbegun" if refused == BEGIN_FIRST else "gone"


def _how_to_hand_in(project: Project, folder: str, story_id: str, run: Run) -> str:
    """Quote the commands as the run's brief has them."""
    try:
        brief = read_document(project.copy_of(folder, story_id).brief(run.id))
    except BatonError:  # `begin` says what is wrong with it
        return ""
    return f"\n{brief.partition(HAND_IN)[2].strip()}"


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
        sent_back=times_sent_back(project, story_id, about) >= MOST_TURNS,
    )
    run = state.run.id if state.run else ""
    decision = decide(table_of("turn"), facts, {"story": story_id, "run": run})
    if decision.action != "send-back" or not may_send_back(project, story_id, about, payload):
        return ""
    return (
        f"baton: not yet: {decision.reason}. Carry out this step:\n{_step(project, state, due)}\n{IF_IMPOSSIBLE}"
    )


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
    return step_text(spawn_step(look_at(project, story_id), run, None)).text()
