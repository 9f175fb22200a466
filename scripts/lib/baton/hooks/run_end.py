"""Whether an agent of baton's may end: not before its run has handed in what ends it; it is sent back once."""

from collections.abc import Mapping
from typing import Any, Literal

from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton.git.worktrees import read_mark
from baton.hooks.run_tree import BEGIN_FIRST, why_not_begun
from baton.hooks.runs import Bound
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.run import Run
from baton.journal.sent_back import note_sent_back, times_sent_back
from baton.rules.engine import decide
from baton.rules.facts import RunEndFacts
from baton.rules.pages import table_of
from baton.story.judge.refusals import WAYS_OUT
from baton.usage.transcript import was_cut_off

HAND_IN = "\n## Hand in\n"
NOTHING = "nothing that ends it was handed in"


def keep_working(project: Project, bound: Bound, payload: Mapping[str, Any]) -> str:
    """Return why a run's agent may not end yet, and what it is to do; empty where it may."""
    state = next(iter(read_stories(project, [bound.story]).states), None)
    run = state.find_run(bound.run) if state else None
    if state is None or run is None:
        return ""
    about, tree = f"run {run.id}", _tree(payload)
    facts = RunEndFacts(
        out=state.stage == "running" and state.run is run and run.judged is None,
        handed_in=any(artifact.final for artifact in run.handed_in.values()),
        cut_off=was_cut_off(str(payload.get("agent_transcript_path") or ""), run.time),
        sent_back=times_sent_back(project, bound.story, about) > 0,
        tree=tree,
    )
    missing = "; ".join(run.rejected.findings) if run.rejected else NOTHING
    values = {"run": run.id, "missing": missing, "ways": WAYS_OUT[run.role]}
    decision = decide(table_of("run-end"), facts, values)
    if decision.action != "send-back":
        return ""
    if not note_sent_back(project, bound.story, about) and payload.get("stop_hook_active"):
        return ""
    how = _how_to_hand_in(project, state.created.folder, bound.story, run) if tree == "begun" else ""
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
