"""A run has ended: gather the facts, let the tables decide, write the judgement down."""

from collections.abc import Callable
from typing import Any

from baton.artefacts.kinds import is_valid
from baton.artefacts.metadata import FINISHED
from baton.artefacts.plan import block_reason
from baton.artefacts.report import blocking_failures, open_criteria, read_verdict
from baton.decide.budgets import allowed, used
from baton.decide.engine import Decision, decide
from baton.decide.facts import AnyFacts, LoopFacts, PlanningFacts, QaFacts, ReportFacts
from baton.decide.streaks import Lap, error_signature, laps, oscillates, same_error, stalled
from baton.decide.tables import ANY, LOOP, PLANNING, QA_TABLE, REPORT
from baton.drive.evidence import Evidence, artefact_to_see, check, gather, strays_of, text_of
from baton.drive.gate import new_files
from baton.drive.opened import OpenStory
from baton.drive.package import make_package
from baton.drive.start import changed_outside
from baton.story.events import Judged
from baton.story.state import Run


def judge(story: OpenStory, run: Run) -> Judged:
    """Judge an ended run by its phase's tables; gives the judgement, which the caller journals."""
    evidence = gather(story, run)
    below = story.state.passed_rules[-1] if story.state.passed_rules else ""
    decision = _any(story, run, evidence, below) or JUDGES[run.role](story, evidence, below)
    errors = [str(error) for error in evidence.metadata.errors] if evidence.metadata else []
    artefact = artefact_to_see(story, run)
    package: dict[str, Any] | None = None
    answers: dict[str, str] = {}
    if decision.row.stop is not None:
        package, answers = make_package(story, decision, run.phase, artefact, evidence.findings, errors)
    return Judged(
        run=run.id,
        rule=decision.rule,
        action=decision.action,
        then=decision.then,
        reason=decision.reason,
        debits=decision.row.debits,
        closed=evidence.closed,
        total=evidence.total,
        findings=evidence.findings,
        warnings=evidence.warnings,
        errors=errors,
        lap=evidence.lap is not None,
        unfinished=bool(evidence.lap and evidence.lap.unfinished),
        signature=evidence.lap.signature if evidence.lap else "",
        tree=evidence.lap.tree if evidence.lap else "",
        package=package,
        answers=answers,
    )


def _any(story: OpenStory, run: Run, evidence: Evidence, below: str) -> Decision | None:
    metadata = evidence.metadata
    status = metadata.status if metadata else "none"
    if status in ("partial", "in_progress"):
        status = "unfinished"
    elif status in FINISHED:
        status = "unexpected" if run.role == "implementer" and status != "implemented" else "finished"
    asked = bool(metadata and metadata.requires_user_review)
    hard = bool(metadata and metadata.hard_blocker)
    valid = run.role != "implementer" and _has_artefact(story, run)
    facts = AnyFacts(
        phase=run.phase,  # type: ignore[arg-type]
        status=status,  # type: ignore[arg-type]
        review="asked" if asked else "hard" if hard else "none",
        artefact=valid,
        criteria_changed=tuple(story.story().criteria) != story.state.criteria,
        head_moved=not story.git.contains(story.state.head, "HEAD"),
        touched_code=run.role != "implementer" and bool(changed_outside(story)),
    )
    return decide(ANY, facts, evidence.told, below)


def _has_artefact(story: OpenStory, run: Run) -> bool:
    kinds = ("plan", "plan-blocked") if run.role == "planner" else ("qa-report",)
    return any(is_valid(kind, text_of(story, kind)) for kind in kinds)


def _used_up(story: OpenStory, budget: str) -> bool:
    """Whether the run that is being judged used the last of a budget."""
    events = story.state.events
    return used(budget, events) + 1 >= allowed(budget, story.limit(budget), events)


def _told_attempts(story: OpenStory, evidence: Evidence, budget: str) -> dict[str, object]:
    joined = "; ".join(evidence.findings) or "no findings"
    return {**evidence.told, "attempts": used(budget, story.state.events) + 1, "findings": joined}


def _chosen(decision: Decision | None) -> Decision:
    assert decision is not None, "a total table chooses or raises"
    return decision


def _answered(story: OpenStory, rule: str, *options: str) -> bool:
    """Whether the last answer was one to this rule (with one of these options, if any are named)."""
    last = story.state.answered
    return last is not None and last.rule == rule and (not options or last.option in options)


def _judge_planning(story: OpenStory, evidence: Evidence, below: str) -> Decision:
    reason = block_reason(text_of(story, "plan-blocked"))
    # A person who holds with the block sets the plan beside it aside.
    plan = "missing" if _answered(story, "planning/both", "block") else check(story, "plan", evidence)
    facts = PlanningFacts(
        plan=plan,  # type: ignore[arg-type]
        blocked=bool(reason),
        approval_due=story.state.flags.plan_only,
        used_up=_used_up(story, "planning"),
    )
    if reason and plan == "missing":
        evidence.findings.clear()  # the reason says all there is: no plan was to be expected
    told = {**_told_attempts(story, evidence, "planning"), "block_reason": reason}
    return _chosen(decide(PLANNING, facts, told, below))


def _judge_loop(story: OpenStory, evidence: Evidence, below: str) -> Decision:
    metadata = evidence.metadata
    blocked = next((phase for phase in evidence.plan.phases if phase.mark == "BLOCKED"), None)
    known = ("in_progress", "implemented")
    status = "none" if metadata is None else metadata.status if metadata.status in known else "partial"
    open_phases = _phases_gone(story, evidence) or evidence.plan.first_open is not None
    contradiction = metadata.contradiction if metadata else ""
    runs = _count_lap(story, evidence, status != "implemented" or open_phases or bool(contradiction))
    facts = LoopFacts(
        metadata=status,  # type: ignore[arg-type]
        contradicted=bool(contradiction),
        open_phases=open_phases,
        phase_blocked=blocked is not None and not _answered(story, "loop/phase-blocked"),
        no_return_used_up=_used_up(story, "no_return"),
        same_error=same_error(runs, story.config.same_error_limit),
        oscillating=oscillates(runs),
        no_progress=stalled(runs) >= story.config.no_progress_limit,
    )
    told = {
        **_told_attempts(story, evidence, "no_return"),
        "blocked_phase": f"phase {blocked.id}" if blocked else "",
        "contradiction": contradiction or f"only {evidence.closed} of {evidence.total} phases are closed",
        "errors": "; ".join(str(error) for error in metadata.errors) if metadata else "",
        "same_error_limit": story.config.same_error_limit,
        "no_progress_limit": story.config.no_progress_limit,
    }
    strays = strays_of(story)
    evidence.findings += strays
    decision = _chosen(decide(LOOP, facts, told, below))
    _add_advice(story, evidence, decision, runs)
    return _judge_report(story, evidence, decision, bool(strays), below) if decision.then == "report" else decision


def _count_lap(story: OpenStory, evidence: Evidence, unfinished: bool) -> list[Lap]:
    """Add this run to those that may repeat themselves; gives them all."""
    started = story.state.started
    new = new_files(story.git, story.folder, started.untracked if started else [])
    tree = story.git.tree_outside(story.folder.relative_to_root(story.folder.path.parent), new)
    signature = error_signature(evidence.metadata.errors) if evidence.metadata else ""
    evidence.lap = Lap(evidence.closed, evidence.total, signature, tree, unfinished)
    return [*laps(story.state.events), evidence.lap]


def _add_advice(story: OpenStory, evidence: Evidence, decision: Decision, runs: list[Lap]) -> None:
    """Add what the next run should hear besides its findings."""
    if decision.rule in ("loop/no-return", "loop/no-return-twice"):
        evidence.findings.append("no return metadata was handed in: end with `hand-in … return-meta`")
    if decision.rule == "loop/open-phases":
        evidence.warnings.append(decision.reason)
    if stalled(runs) == story.config.no_progress_limit - 1 and decision.then == "implementer":
        evidence.warnings.append(
            f"{stalled(runs)} runs in a row closed no phase: close at least one, or say what stops you"
        )


def _phases_gone(story: OpenStory, evidence: Evidence) -> bool:
    """Whether the plan lost phases since it was accepted; that is a finding, and they count as open."""
    planned = max(
        (run.judged.total for run in story.state.runs if run.judged and run.role == "planner"), default=0
    )
    if len(evidence.plan.phases) >= max(planned, 1):
        return False
    evidence.findings.append(f"{evidence.told['plan_path']} has lost phases: restore them with their marks")
    return True


def _judge_report(story: OpenStory, evidence: Evidence, after: Decision, strays: bool, below: str) -> Decision:
    report = check(story, "impl-report", evidence)
    blocking = blocking_failures(text_of(story, "impl-report"))
    if blocking:
        evidence.findings.append(blocking)
    facts = ReportFacts(
        report="invalid" if report == "valid" and strays else report,  # type: ignore[arg-type]
        blocking=bool(blocking),
        used_up=_used_up(story, "report"),
    )
    decision = _chosen(decide(REPORT, facts, _told_attempts(story, evidence, "report"), below))
    return Decision(decision.row, f"{after.reason}; {decision.reason}")


def _judge_qa(story: OpenStory, evidence: Evidence, below: str) -> Decision:
    report = check(story, "qa-report", evidence)
    text = text_of(story, "qa-report")
    verdict = read_verdict(text) if report != "missing" else None
    missing = open_criteria(text, story.story().criteria)
    if verdict and verdict.value == "pass":
        evidence.findings += [f"no passing row for {one}" for one in missing]
    facts = QaFacts(
        verdict=verdict.value if verdict else "none",  # type: ignore[arg-type]
        open_criteria=bool(missing),
        fails_used_up=_used_up(story, "qa_fail_cycles"),
        verdicts_used_up=_used_up(story, "qa_verdict"),
    )
    told = {
        **_told_attempts(story, evidence, "qa_verdict"),
        "fails": used("qa_fail_cycles", story.state.events) + 1,
        "verdict": verdict.words if verdict else "nothing",
        "verdict_reason": (verdict and verdict.reason) or "see the report",
    }
    decision = _chosen(decide(QA_TABLE, facts, told, below))
    if decision.rule in ("qa/fail", "qa/fail-twice") and verdict:
        evidence.findings.append(verdict.reason or verdict.words)
    return decision


JUDGES: dict[str, Callable[[OpenStory, Evidence, str], Decision]] = {
    "planner": _judge_planning,
    "implementer": _judge_loop,
    "qa": _judge_qa,
}
