"""Whether a story may start here, and what a person must settle first."""

from collections.abc import Sequence
from typing import Literal

from baton.artefacts.config import Command, commands_digest
from baton.decide.engine import Decision, decide
from baton.decide.facts import StartFacts
from baton.decide.tables import START
from baton.drive.merging import open_merge
from baton.drive.opened import OpenStory
from baton.drive.package import stop
from baton.drive.ready import obstacle, obstacle_to_start
from baton.drive.settings import read_confirmed
from baton.drive.take_up import UNKNOWN, plan_left
from baton.errors import BatonError
from baton.story.events import Judged, Started
from baton.story.journal import Journal
from baton.story.roles import ROLES
from baton.story.state import fold

REMEDIES = {
    "start/dirty": "commit or set aside those changes, then call again",
    "start/busy": "see `baton status`; wait for it to end, or use another work tree (`git worktree add`)",
}


# The complexity, of 10, up to which one run does a whole story.
SMALL = 2


def start(story: OpenStory) -> None:
    """Decide how a new story begins: refuse, ask, or begin (the first run is then to be spawned)."""
    plan = plan_left(story.folder)
    not_ready, remedy = obstacle_to_start(story, adopted=bool(plan.phases))
    busy = busy_story(story)
    # What another story's run has changed is not a person's to set aside.
    changes = [] if not_ready or busy else changed_outside(story)
    facts = StartFacts(
        ready=not not_ready,
        dirty=bool(changes),
        busy=bool(busy),
        commands="none" if not_ready else _commands_state(story),
        mode=bool(story.mode),
        adopted=("unapproved" if story.state.flags.plan_only else "yes") if plan.phases else "no",
        micro=not not_ready and _is_small(story) and not story.state.flags.plan_only,
    )
    told = {
        "not_ready": not_ready,
        "dirty": shortened(changes),
        "busy": busy,
        "base": story.base,
        "plan_path": story.folder.relative_to_root(story.folder.artefact("plan")),
        "closed": plan.closed,
        "total": len(plan.phases),
        "commands": "" if not_ready else commands_text(story.commands),
    }
    decision = decide(START, facts, told)
    assert decision is not None
    if decision.action == "refuse":
        raise BatonError(decision.reason, str(story.project.root), REMEDIES.get(decision.rule, remedy))
    if decision.action == "ask":
        stop(story, decision, "planning", ".baton.yaml", [], commands_digest(story.commands))
        return
    if story.state.started is None:  # else a crash came between
        _begin(story)
    warnings = [UNKNOWN] if decision.rule == "start/adopted" else []
    judged = Judged("", decision.rule, decision.action, decision.then, decision.reason, warnings=warnings)
    story.note(judged._replace(closed=plan.closed, total=len(plan.phases)))


def _is_small(story: OpenStory) -> bool:
    """Whether the story is one for a single run; of unknown complexity, it is not."""
    complexity = story.story().complexity
    return complexity is not None and complexity <= SMALL


def _commands_state(story: OpenStory) -> Literal["none", "confirmed", "unconfirmed"]:
    digest = commands_digest(story.commands)
    if not digest:
        return "none"
    return "confirmed" if digest in read_confirmed(story.project).commands else "unconfirmed"


def commands_text(commands: Sequence[Command]) -> str:
    """Give the commands as a person is asked to confirm them."""
    return "\n".join(f"  {one.name}: {one.line}" for one in commands)


def allow_settings(story: OpenStory) -> bool:
    """Whether the commands and the mode are settled; base may have got others since the story began."""
    state, mode = _commands_state(story), bool(story.mode)
    facts = StartFacts(True, dirty=False, busy=False, commands=state, mode=mode, adopted="no", micro=False)
    decision = decide(START, facts, {"base": story.base, "commands": commands_text(story.commands)})
    assert decision is not None
    how = decision.row.stop
    if how is None:
        return True
    options = {option: "integrate" if then == "start" else then for option, then in how.options.items()}
    row = decision.row._replace(stop=how._replace(options=options))
    stop(story, Decision(row, decision.reason), "integration", ".baton.yaml", [], commands_digest(story.commands))
    return False


def commands_confirmed(story: OpenStory) -> bool:
    """Whether a person has confirmed the commands as they are now, or there are none."""
    return _commands_state(story) != "unconfirmed"


def _begin(story: OpenStory) -> None:
    branch, left = story.folder.branch, story.git.branch
    there = story.git.branch_commit(branch)
    base_commit = story.git.branch_commit(story.base)
    story.note(
        Started(
            base=story.base,
            base_commit=story.git.fork_point(there, base_commit) if there else base_commit,
            branch=branch,
            # On a story branch that was there before its story, there is none to come back to but base.
            left_branch=story.base if left == branch else left,
            criteria=list(story.story().criteria),
            untracked=story.git.untracked(),
            language=story.story().language,
        )
    )


def check_place(story: OpenStory) -> None:
    """Refuse to judge or file a run's work anywhere but on the story branch, or in the middle of something."""
    started = story.state.started
    assert started is not None
    problem, remedy = obstacle(story, merging=bool(open_merge(story)))
    if not problem and story.git.branch != started.branch:
        problem = f"{story.git.branch} is checked out, and the run that is out works on {started.branch}"
        remedy = f"`git switch {started.branch}`, then call again"
    if problem:
        raise BatonError(problem, str(story.project.root), remedy)


def check_tree(story: OpenStory) -> None:
    """Refuse to change branches in a work tree that is not ready, not clean, or in use by another story."""
    where = str(story.project.root)
    problem, remedy = obstacle(story, merging=bool(open_merge(story)))
    if problem:
        raise BatonError(problem, where, remedy)
    if busy := busy_story(story):
        raise BatonError(f"story {busy} has a run out in this work tree", where, REMEDIES["start/busy"])
    if (changes := changed_outside(story)) and not _waits_for_a_commit(story):
        what = f"uncommitted changes to tracked files: {shortened(changes)}"
        raise BatonError(what, where, REMEDIES["start/dirty"])


def _waits_for_a_commit(story: OpenStory) -> bool:
    """Whether the changes here are our last run's, whose commit git refused, and the next run may mend them."""
    run, pending = story.state.run, story.state.pending
    due = ROLES.get(pending.then) if pending else None
    return bool(run and run.refused and ROLES[run.role].changes_code and due and due.changes_code)


def check_out(story: OpenStory) -> str:
    """Check the story branch out in the clean work tree; made from base the first time. Gives the branch left."""
    started = story.state.started
    assert started is not None
    check_tree(story)
    left = story.git.branch
    if left == started.branch:
        return ""
    if story.git.branch_commit(started.branch):
        story.git.switch(started.branch)
    else:
        story.git.create_branch(started.branch, started.base_commit)
    return left


def changed_outside(story: OpenStory) -> list[str]:
    """Give the tracked files with uncommitted changes, the story's own folder aside; in our open merge, none."""
    if open_merge(story):
        return []
    inside = f"{story.folder.relative}/"
    return [name for name in story.git.tracked_changes() if not name.startswith(inside)]


def busy_story(story: OpenStory) -> str:
    """Name another story that has a run out in this work tree, or give nothing."""
    for other in story.project.story_ids():
        if other == story.id:
            continue
        try:
            records = Journal(story.project.journal(other)).records
        except BatonError:
            continue  # damaged: `status` shows it, and only the other story can say more
        state = fold(records) if records else None
        if state and state.stage == "out" and state.started and state.started.branch == story.git.branch:
            return other
    return ""


def shortened(names: list[str], most: int = 10) -> str:
    """Join names for a person: the first few, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
