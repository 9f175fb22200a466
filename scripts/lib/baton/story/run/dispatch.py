"""Start a run: the branch brought up to base, old artifacts filed away, brief written, journalled."""

import math
import os
import time

from baton.bootstrap import DRIVEN, HOOKS
from baton.checks.check_tree import check_tree
from baton.checks.cleanup import foreign_now
from baton.git.objects import commit_to_look_at, commit_tree, merge_trees
from baton.git.paper_trees import same_code
from baton.journal.atomic_file import write_durably
from baton.journal.events import Dispatched, IntegrationStepDone, Judged, RunArchived
from baton.journal.run import FIXES_DELTA, ROLES, Run
from baton.journal.state import NextAction
from baton.project.missing_programs import missing_programs
from baton.rules.budgets import attempts_used
from baton.rules.engine import Decision
from baton.story.ask.question import ask_question
from baton.story.ask.step import Step, decided_step
from baton.story.begin.start import commands_confirmed
from baton.story.checks.baseline import baseline_trouble, begin_baseline, repeat_red_baseline
from baton.story.checks.merge_conflicts import show_conflict
from baton.story.run.brief import brief_text
from baton.story.run.commit_message import story_message
from baton.story.run.progress import TASKS
from baton.story.run.resume_context import next_run, plan_of
from baton.story.run.spawn_guard import guard_spawn, held_step, pause_seconds
from baton.story.run.story_steps import spawn_step
from baton.story.session.session import StorySession, base_commit_of, commands_for, papers_of
from baton.story.session.story_branch import move_branch
from baton.story.session.story_files import file_away
from baton.story.session.user_refs import keep_user_refs

# What an implementer does when no phase is open, by the table that sent it.
FIXES = {"qa": "fix what QA found", "fix": "fix what fails", "report": "finish the report"}


def dispatch_run(story: StorySession, pending: NextAction, is_unchanged_since_pause: bool) -> Step | None:
    """Spawn the role that is due unless the guard asks; None when it does (a question is then open).

    Where a pause is due and was not made, gives the step that waits for it.
    """
    guard = guard_spawn(story, pending)
    if guard.action == "ask":
        paper = story.folder.artifact("plan")
        if not paper.exists():  # a small story has none
            paper = story.folder.artifact("story")
        merging = _to_merge(story, pending.then)
        more = show_conflict(story, story.state.head, merging) if merging else {}
        ask_question(story, guard, ROLES[pending.then].phase, str(paper), findings=pending.findings, more=more)
        return None
    if guard.action == "wait":
        return held_step(story, guard)
    if guard.rule == "limit/backoff" and not is_unchanged_since_pause:
        return _pause(story, guard, pause_seconds(story))
    moved = _follow_base(story)
    run = _send_out(story, pending, guard.rule)
    step = spawn_step(story, run, pending)
    is_new = moved or len(story.state.runs) == 1
    warnings = [*step.warnings, *_what_stays(story), *_what_is_wrong_with_base(story, is_new)]
    return step._replace(warnings=warnings)


def _follow_base(story: StorySession) -> bool:
    """Bring a branch that holds no code yet up to base, as if the story began now; returns whether base moved.

    A base that was rewritten, and a conflict, are left to the integration.
    """
    git, state, base = story.git, story.state, base_commit_of(story)
    head, started = state.head, state.started
    assert started is not None
    if started.base_commit == base or any(run.kept and run.kept.commit for run in state.runs):
        return False
    if not git.contains(started.base_commit, base):
        return False
    if not same_code(git, git.fork_point(head, base), head, papers_of(story)):
        return False
    if not git.contains(base, head):  # else a call that was cut short has moved it
        merged = None if git.contains(head, base) else merge_trees(git, head, base)
        if merged and merged.conflicts:
            return False
        message = story_message(story, f"merge {story.settings().base}").text
        move_branch(story, head, commit_tree(git, merged.tree, [head, base], message) if merged else base)
    # By this commit of base the story's changes and its failures are told from those of others.
    story.note(started._replace(base_commit=base, criteria=list(state.criteria), text=state.story_sha256))
    return True


def _what_is_wrong_with_base(story: StorySession, is_new: bool) -> list[str]:
    """Begin the commands on a base that is new, a second time where it is red; returns what is known of it now."""
    if not commands_confirmed(story):
        return []
    begun, since = list[str](), 0.0
    if is_new:
        foreign = foreign_now(story.project, story.id, commands_for(story), story.state.head)
        begun = [*_missing_programs(story), begin_baseline(story), foreign]
    else:
        brief = story.folder.brief(story.state.runs[-2].id)  # the journal's times are in whole seconds
        since = brief.stat().st_mtime if brief.exists() else since
    trouble = baseline_trouble(story, since)
    repeat_red_baseline(story)
    return [warning for warning in (*begun, trouble) if warning]


def _missing_programs(story: StorySession) -> list[str]:
    """Name the programs of the commands that are not on this machine: what they judge stays unclear."""
    project = story.project
    missing = missing_programs(commands_for(story), project.root, [check_tree(project.common, story.id)])
    named = {what: command.name for command, what in missing.items()}
    return [f"{what}: {name} cannot run" for what, name in named.items()]


def _pause(story: StorySession, guard: Decision, seconds: float) -> Step:
    def hold(at_most: float) -> bool:
        time.sleep(min(seconds, at_most))
        return seconds <= at_most

    return decided_step(story, guard)._replace(action="wait", seconds=math.ceil(seconds), hold=hold)


def _send_out(story: StorySession, pending: NextAction, guard: str) -> Run:
    """File away what earlier runs left, write the brief, journal the run; returns it."""
    role = pending.then
    events = story.state.events
    if role != "qa" or pending.rule not in FIXES_DELTA:
        file_away(story, ROLES[role].filed)
    run_id, number = next_run(story, role)
    iteration = number if role == "implementer" else story.state.count("implementer")
    attempt = attempts_used(pending.charges, events) + 1 if pending.charges else 1
    write_durably(story.folder.brief(run_id), brief_text(story, pending), story.project.common)
    noted = keep_user_refs(story, run_id)
    story.note(
        Dispatched(
            run=run_id,
            role=role,
            iteration=iteration,
            attempt=attempt,
            head=story.state.head,
            rule=pending.rule,
            guard=guard,
            reason=pending.reason,
            merging=(merging := _to_merge(story, role)),
            carry="" if merging else _to_carry(story, role),
            task=_task(story, pending, iteration, number if role == "micro-delivery" else attempt),
            model=_model(story, pending, attempt),
            client_session=story.client,
            base=base_commit_of(story),
            driven=DRIVEN in os.environ and HOOKS not in os.environ,
            noted=noted,
        )
    )
    run = story.state.run
    assert run is not None
    return run


def _task(story: StorySession, pending: NextAction, iteration: int, tried: int) -> str:
    """Say what a run is for: which phase an implementer begins with or what it fixes; which try of others."""
    detail = f"try {tried}" if tried > 1 else ""
    if pending.then == "implementer":
        plan = plan_of(story)
        fixes = FIXES.get(pending.rule.partition("/")[0], f"iteration {iteration}")
        detail = f"phase {plan.first_open.id} of {len(plan.phases)}" if plan.first_open else fixes
    return ", ".join(filter(None, (TASKS[pending.then], detail)))


def _model(story: StorySession, pending: NextAction, attempt: int) -> str:
    """Return the model to ask for: after a failure that is charged, or where you say retry, that for retries."""
    answered = story.state.answered
    retried = answered is not None and (answered.rule, answered.option) == (pending.rule, "retry")
    config, role = story.settings().config, pending.then
    first = config.models.get(role, "")
    return config.retry_models.get(role, first) if attempt > 1 or retried else first


def _to_merge(story: StorySession, role: str) -> str:
    """Return what a run is to merge: work that conflicted with the story branch, or base where that did."""
    if not ROLES[role].changes_code:
        return ""
    last = _last_of_code(story)
    if last and last.kept and last.refused and not last.is_withheld:
        return last.kept.commit
    for event in reversed(story.state.events):
        if isinstance(event, IntegrationStepDone) and event.rule == "sync/conflict":
            return "" if story.git.contains(event.commit, story.state.head) else event.commit
        if isinstance(event, Judged) and event.then == "integrate":
            break
    return ""


def _to_carry(story: StorySession, role: str) -> str:
    """Return the work of the last run of code that is not on the branch, merged with what is: to begin from."""
    last = _last_of_code(story)
    if last is None or last.kept is None or not last.kept.commit or not ROLES[role].changes_code:
        return ""
    if not (last.refused or last.is_withheld):
        return ""
    head = story.state.head
    return commit_to_look_at(story.git, merge_trees(story.git, head, last.kept.commit).tree, [head])


def _last_of_code(story: StorySession) -> Run | None:
    return next((run for run in reversed(story.state.runs) if ROLES[run.role].changes_code), None)


def _what_stays(story: StorySession) -> list[str]:
    """Name the work tree of the run before that could not be removed."""
    filed = [event for event in story.state.events if isinstance(event, RunArchived)]
    return [filed[-1].stays] if filed and filed[-1].stays else []
