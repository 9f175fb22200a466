"""A run has ended: gather the facts, let the tables decide, write the judgment down."""

from collections.abc import Callable
from typing import Any

from baton.artifacts.findings import faults, warnings_in
from baton.artifacts.kinds import check_artifact, is_valid
from baton.artifacts.metadata import FINISHED, Metadata
from baton.artifacts.plan import block_reason
from baton.artifacts.report import REPORT_KINDS
from baton.journal.events import Answered, Judged
from baton.journal.run import ROLES, Run
from baton.rules.engine import Decision, decide, may_decide
from baton.rules.facts import PlanningFacts, RunFacts
from baton.rules.pages import table_of
from baton.story.ask.question import build_question, was_accepted
from baton.story.begin.intake_question import intake_text_of
from baton.story.begin.issue import IssueChange, keep_change
from baton.story.begin.origin import changed_sources
from baton.story.begin.story_intake import intake_of, is_unread
from baton.story.checks.merge_conflicts import show_conflict
from baton.story.judge.judge_phase import judge_implementation, judge_micro, judge_qa
from baton.story.judge.run_facts import (
    Evidence,
    Overridden,
    artifact_to_show,
    collect_run_facts,
    is_used_up,
    message_values,
    note_missing,
)
from baton.story.run.commit_message import message_question
from baton.story.run.run_work import HOOKS, risk_shown
from baton.story.session.session import StorySession
from baton.story.session.story_branch import text_changed
from baton.story.session.story_files import read_spec, text_of
from baton.story.session.user_refs import REFS_MOVED_RULE, Moved
from baton.text import with_article

# How often in a row a run that never began, or that the service ended, is sent again before the user is asked.
MAX_NOT_BEGUN, MAX_REFUSED = 3, 10
UNMOVED = Moved()


def judge_run(
    story: StorySession, run: Run, moved: Moved = UNMOVED, metadata: Metadata | None = None,
    issue: IssueChange | None = None,
) -> Judged:  # fmt: skip
    """Judge an ended run by its phase's tables; returns the judgment, which the caller journals.

    `moved` says what was lost while the run was active; `metadata` is what the run is about to hand in, if it has
    not yet; `issue` is what became of the story's issue.
    """
    evidence = collect_run_facts(story, run, moved, metadata)
    _note_changed_sources(story, evidence, issue)
    case = (story, run, evidence, story.state.overridden_rules)
    decision = _decide_for_any_role(*case) or JUDGES[run.role](*case)
    errors = [str(error) for error in evidence.metadata.errors] if evidence.metadata else []
    _warn_of_wrong_status(run, evidence)
    troubles = list(moved.refs) if decision.rule == REFS_MOVED_RULE else errors  # no findings: no run fixes refs
    question, answers = _question(story, run, decision, evidence, troubles) if decision.row.asks else (None, {})
    return Judged(
        run=run.id,
        rule=decision.rule,
        action=decision.action,
        then=run.role if decision.then == "again" else decision.then,
        reason=decision.reason,
        charges=decision.row.charges,
        closed=evidence.closed,
        total=evidence.total,
        findings=evidence.findings,
        warnings=evidence.warnings,
        moved=[*moved.told, *([run.kept.unhooked] if run.kept and run.kept.commit and run.kept.unhooked else [])],
        errors=errors,
        # A run that is judged once more follows an answer, which cleared the streaks: this run's are among them.
        lap=evidence.lap is not None and run.judged is None,
        blocked=evidence.blocked,
        unfinished=bool(evidence.lap and evidence.lap.unfinished),
        signature=evidence.lap.signature if evidence.lap else "",
        tree=evidence.lap.tree if evidence.lap else "",
        question=question,
        answers=answers,
    )


def _question(
    story: StorySession, run: Run, decision: Decision, evidence: Evidence, errors: list[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the question to the user about a run, and what each of its answers leads to."""
    artifact = artifact_to_show(story, run)
    if decision.rule == "qa/delta-exhausted":
        artifact = str(story.folder.artifact("memory-delta"))
    question, answers = build_question(
        story, decision, run.phase, artifact, evidence.findings, errors, evidence.open_criteria
    )
    if run.dispatched.merging and (run.kept is None or run.kept.refused):
        question |= show_conflict(story, run.dispatched.head, run.dispatched.merging)
    if decision.rule == "run/protected" and run.kept:
        question |= risk_shown(story, run)
    if decision.rule == "run/hooks":
        question |= {"about": HOOKS}
    if decision.rule == "run/criteria-changed":
        question |= evidence.of_issue
    if decision.rule == "run/message":
        question |= {"about": message_question(run)}
    return question, answers


def _decide_for_any_role(
    story: StorySession, run: Run, evidence: Evidence, overridden: Overridden
) -> Decision | None:
    """Decide by the table `run`, which is the same for all roles; None where none of its rules fits."""
    metadata = evidence.metadata
    asked = bool(metadata and metadata.requires_user_review)
    # A planner that says why it cannot plan is heard in its own words, not in those of its metadata.
    explained = run.role == "planner" and bool(block_reason(text_of(story, "plan-blocked")))
    hard = bool(metadata and metadata.hard_blocker) and not explained
    risky = run.kept.risky if run.kept else ""
    often = _in_a_row(story, "run/refused") + 1 >= MAX_REFUSED
    facts = RunFacts(
        refs_moved=bool(evidence.values["refs_moved"]),
        stopped=run.was_stopped,
        refused="no" if not run.refused_by_service else "often" if often else "yes",
        begun=run.begun is not None,
        status=_status(run, metadata),  # type: ignore[arg-type]
        review="asked" if asked else "hard" if hard else "none",
        artifact=not evidence.took_back and _has_artifact(story, run),
        criteria_changed=text_changed(story) or bool(evidence.of_issue),
        head_moved=bool(evidence.values["moved"]),
        protected=bool(risky) and not was_accepted(story, risky),
        message_refused=bool(run.kept and run.kept.message_refused),
        hooks_broken=bool(run.kept and run.kept.broken),
        begun_used_up=_in_a_row(story, "run/not-begun") + 1 >= MAX_NOT_BEGUN,
    )
    return may_decide(table_of("run"), facts, evidence.values, overridden)


def _note_changed_sources(story: StorySession, evidence: Evidence, issue: IssueChange | None) -> None:
    """Add how the sources of the story changed; a story.md that was itself changed is asked about first."""
    if issue and issue.trouble:
        evidence.warnings.append(issue.trouble)
    if text_changed(story):
        return
    if issue and issue.hash:
        evidence.of_issue = keep_change(story, issue)
        evidence.values["criteria_change"] = issue.reason
    elif changed := changed_sources(story):
        evidence.values["criteria_change"] = changed.pop("changed")
        evidence.of_issue = changed


def _in_a_row(story: StorySession, rule: str) -> int:
    """Count the runs before this one, in a row, that were judged by a rule."""
    judged = [event for event in story.state.events if isinstance(event, Judged | Answered)]
    rules = [getattr(event, "rule", "") if isinstance(event, Judged) else "" for event in reversed(judged)]
    return next((index for index, name in enumerate(rules) if name != rule), len(rules))


def _warn_of_wrong_status(run: Run, evidence: Evidence) -> None:
    """Warn of a run that says it succeeded with a status of another role."""
    status = evidence.metadata.status if evidence.metadata else ""
    expected = "planned" if run.role == "planner" else "implemented"
    if run.role != "implementer" and status in FINISHED and status != expected:
        evidence.warnings.append(
            f"{with_article(run.role)} that succeeds says `{expected}`, this run says `{status}`"
        )


def _status(run: Run, metadata: Metadata | None) -> str:
    """Return the run's status as the table `run` has it; an implementer ends with `implemented` alone."""
    if metadata is None:
        return "none"
    if metadata.status in ("blocked", "failed"):
        return metadata.status
    expected = {"partial", "in_progress", "implemented"}
    if run.role == "implementer" and metadata.status not in expected:
        return "unexpected"
    return "finished" if metadata.status in FINISHED else "unfinished"


def _has_artifact(story: StorySession, run: Run) -> bool:
    """Whether the run left a valid artifact of its phase; the loop is judged by metadata alone."""
    kinds = ROLES[run.role].hands_in if run.role != "implementer" else ()
    texts = {kind: text_of(story, kind) for kind in kinds if kind != "memory-delta"}
    return any(text and (kind in REPORT_KINDS or is_valid(kind, text)) for kind, text in texts.items())


def _judge_planning(story: StorySession, _: Run, evidence: Evidence, overridden: Overridden) -> Decision:
    reason = block_reason(text_of(story, "plan-blocked"))
    # The user who holds with the block sets the plan beside it aside.
    last = story.state.answered
    set_aside = last is not None and (last.rule, last.option) == ("planning/both", "block")
    plan = "missing" if set_aside else _check_plan(story, evidence)
    intake, is_open = intake_of(story), is_unread(story)
    if is_open and not intake.criteria and plan == "valid":
        evidence.findings += evidence.rejected or ["`criteria` was not handed in: the story has none yet"]
    facts = PlanningFacts(
        plan=plan,  # type: ignore[arg-type]
        intake="confirmed" if not is_open else "read" if intake.criteria else "missing",
        blocked=bool(reason),
        approval_due=story.state.flags.plan_only,
        used_up=is_used_up(story, "planning"),
    )
    if reason and plan == "missing":
        evidence.findings.clear()  # the reason says all there is: no plan was to be expected
    shown = intake_text_of(intake, story.id, str(evidence.values["phases"]), read_spec(story).comments)
    values = {**message_values(story, evidence, "planning"), "block_reason": reason, "intake": shown}
    return decide(table_of("planning"), facts, values, overridden)


JUDGES: dict[str, Callable[[StorySession, Run, Evidence, Overridden], Decision]] = {
    "planner": _judge_planning,
    "implementer": judge_implementation,
    "qa": judge_qa,
    "micro-delivery": judge_micro,
}


def _check_plan(story: StorySession, evidence: Evidence) -> str:
    """Say whether the plan is missing, invalid or valid; its faults become the evidence's findings."""
    text = text_of(story, "plan")
    if not text:
        note_missing(story, evidence, "plan")
        return "missing"
    findings = check_artifact("plan", text, story.folder.relative_to_root(story.folder.artifact("plan")))
    evidence.findings += [str(fault) for fault in faults(findings)]
    # As errors, to which no `warning: ` is added.
    evidence.warnings += [str(finding._replace(severity="error")) for finding in warnings_in(findings)]
    return "invalid" if faults(findings) else "valid"
