"""The judgment on an ended run, by phase: the loop with its report gate, QA's verdict, a small story's run."""

from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.plan import check_plan
from baton.artifacts.report import FAIL, IMPL, PASS, QA, RunReport, open_criteria
from baton.artifacts.schema import schema_path
from baton.git.paper_trees import same_code
from baton.journal.run import MICRO_REPORT, Run
from baton.rules.budgets import attempts_used
from baton.rules.engine import Decision, decide
from baton.rules.facts import ImplementationFacts, MicroFacts, QaFacts, ReportFacts
from baton.rules.pages import table_of
from baton.rules.repetition import (
    IterationResult,
    error_signature,
    is_oscillating,
    new_blocked_phases,
    no_progress_count,
    results_since_answer,
    same_error_count,
)
from baton.story.judge.run_facts import (
    Evidence,
    Overridden,
    code_of,
    is_used_up,
    message_values,
    note_missing,
)
from baton.story.run.last_words import last_word
from baton.story.session.session import StorySession, papers_of, tip_of
from baton.story.session.story_files import edited_since, lost_phases, read_spec, report_of, text_of
from baton.text import clip

# Characters of what was seen of a criterion, in a finding; the report has all.
ROW_LENGTH = 1_000

NO_RETURN = (
    "the run before handed in neither `impl-report` nor `return-meta`: look at what it left (`git show`) "
    "before you go on, and end with one of them"
)


def judge_implementation(story: StorySession, run: Run, evidence: Evidence, overridden: Overridden) -> Decision:
    """Judge an implementation run; one that says `implemented` goes on to the report gate."""
    metadata, config = evidence.metadata, story.settings().config
    evidence.blocked = [phase.id for phase in evidence.plan.phases if phase.mark == "BLOCKED"]
    blocked = new_blocked_phases(story.state.events, evidence.blocked)
    status = _status(evidence)
    open_phases = _note_lost_phases(story, evidence) or evidence.plan.first_open is not None
    contradiction = metadata.contradiction if metadata else ""
    runs = _add_result(story, run, evidence, status != "implemented" or open_phases or bool(contradiction))
    facts = ImplementationFacts(
        metadata=status,  # type: ignore[arg-type]
        contradicted=bool(contradiction),
        open_phases=open_phases,
        phase_blocked=bool(blocked),
        no_return_used_up=is_used_up(story, "no_return"),
        same_error=same_error_count(runs) >= config.same_error_limit,
        oscillating=is_oscillating(runs),
        no_progress=no_progress_count(runs) >= config.no_progress_limit,
    )
    values = {
        **message_values(story, evidence, "no_return"),
        "blocked_phase": f"phase {blocked[0]}" if blocked else "",
        "contradiction": contradiction or _what_is_open(story, evidence),
        "errors": "; ".join(str(error) for error in metadata.errors) if metadata else "",
        "same_error_limit": config.same_error_limit,
        "no_progress_limit": config.no_progress_limit,
    }
    evidence.findings += [evidence.refused] if evidence.refused else []
    decision = decide(table_of("implementation"), facts, values, overridden)
    _add_advice(story, evidence, decision, runs)
    return _judge_report(story, evidence, decision, overridden) if decision.then == "report" else decision


def _status(evidence: Evidence) -> str:
    """Return the run's status as its table has it; a refusal after metadata was accepted means a broken end."""
    metadata = evidence.metadata
    if metadata is None:
        return "interrupted" if evidence.accepted_before else "none"
    if metadata.status == "in_progress" or evidence.ends_rejected:
        return "interrupted"
    return "implemented" if metadata.status == "implemented" else "partial"


def _add_result(story: StorySession, run: Run, evidence: Evidence, unfinished: bool) -> list[IterationResult]:
    """Make the result of this run and return it after those since the last answer: together they may repeat."""
    signature = error_signature(evidence.metadata.errors) if evidence.metadata else ""
    evidence.lap = IterationResult(evidence.closed, evidence.total, signature, code_of(story, run), unfinished)
    return [*results_since_answer(story.state.events), evidence.lap]


def _add_advice(story: StorySession, evidence: Evidence, decision: Decision, runs: list[IterationResult]) -> None:
    """Add what the next run should hear besides its findings."""
    if decision.rule in ("implementation/no-return", "implementation/no-return-twice"):
        evidence.findings += evidence.rejected or [NO_RETURN]
    if decision.rule == "implementation/open-phases":
        evidence.warnings.append(decision.reason)
    if no_progress_count(runs) == story.settings().config.no_progress_limit - 1 and decision.then == "implementer":
        evidence.warnings.append(
            f"{no_progress_count(runs)} runs in a row closed no phase: close at least one, or say what stops you"
        )


def _note_lost_phases(story: StorySession, evidence: Evidence) -> bool:
    """Add to the findings that the plan lost phases since it was accepted; return whether it did."""
    if evidence.plan.phases and not lost_phases(story, evidence.plan):
        return False
    evidence.findings.append(f"{evidence.values['plan_path']} has lost phases: restore them with their marks")
    return True


def _what_is_open(story: StorySession, evidence: Evidence) -> str:
    if lost := lost_phases(story, evidence.plan):
        return f"the plan has {lost} fewer phases than were planned"
    phase = evidence.plan.first_open
    where = f"{evidence.values['plan_path']} has phase {phase.id} as [{phase.mark}]; " if phase else ""
    for doubt in check_plan(text_of(story, "plan"), ""):
        where += f"{doubt.message}; " if phase and doubt.where == f"line {phase.line}" else ""
    return f"{where}{evidence.closed} of {evidence.total} phases are closed"


def _judge_report(story: StorySession, evidence: Evidence, after: Decision, overridden: Overridden) -> Decision:
    state = "valid" if text_of(story, IMPL) else "missing"
    if state == "missing":
        note_missing(story, evidence, IMPL)
    blocking = report_of(story, IMPL).blocking_failures
    evidence.findings += blocking
    facts = ReportFacts(
        report="invalid" if state == "valid" and evidence.refused else state,  # type: ignore[arg-type]
        blocking=bool(blocking),
        used_up=is_used_up(story, "report"),
    )
    decision = decide(table_of("report"), facts, message_values(story, evidence, "report"), overridden)
    return Decision(decision.row, f"{after.reason}; {decision.reason}")


def judge_qa(story: StorySession, run: Run, evidence: Evidence, overridden: Overridden) -> Decision:
    """Judge a QA run by its report, and by its memory delta when it passes the work."""
    report = _read(story, evidence, QA)
    delta, delta_faults = _delta(story, run)
    moved = _what_moved(story, run) or ("the criteria changed" if evidence.open_criteria else "")
    verdict = _verdict(report)
    if verdict == "escalate" and not evidence.open_criteria and "qa/escalate" in overridden:
        verdict = "pass"  # the user takes it as it is
    facts = QaFacts(
        verdict=verdict,  # type: ignore[arg-type]
        open_criteria=bool(evidence.open_criteria),
        fails_used_up=is_used_up(story, "qa_fail_cycles"),
        verdicts_used_up=is_used_up(story, "qa_verdict"),
        delta=delta,  # type: ignore[arg-type]
        deltas_used_up=is_used_up(story, "memory_delta"),
        moved=bool(moved),
    )
    values = {
        **message_values(story, evidence, "qa_verdict"),
        "moved": moved,
        "fails": attempts_used("qa_fail_cycles", story.state.events) + 1,
        "delta_attempts": attempts_used("memory_delta", story.state.events) + 1,
        "delta_path": story.folder.relative_to_root(story.folder.artifact("memory-delta")),
        "delta_findings": "; ".join(fault.message for fault in delta_faults),
        "delta_schema": schema_path("memory-delta"),
        **_verdict_values(report, evidence),
    }
    decision = decide(table_of("qa"), facts, values, overridden)
    if decision.row.charges == "qa_fail_cycles":
        evidence.findings += [report.reason, *_failed_rows(report)]
    if decision.row.charges == "memory_delta":
        evidence.findings += map(str, delta_faults)
    return decision


def judge_micro(story: StorySession, run: Run, evidence: Evidence, overridden: Overridden) -> Decision:
    """Judge a run that did a small story by itself; what cannot be committed counts as FAIL."""
    report = _read(story, evidence, MICRO_REPORT)
    evidence.findings += [evidence.refused] if evidence.refused else []
    verdict = _verdict(report)
    if verdict in ("fail", "escalate"):
        evidence.findings.append(report.reason)
    facts = MicroFacts(
        verdict="fail" if evidence.refused and verdict != "none" else verdict,  # type: ignore[arg-type]
        open_criteria=bool(evidence.open_criteria),
        used_up=is_used_up(story, "micro"),
    )
    values = {**message_values(story, evidence, "micro"), **_verdict_values(report, evidence)}
    decision = decide(table_of("micro"), facts, values, overridden)
    evidence.findings += _failed_rows(report)
    if decision.rule == "micro/reevaluate":
        shows = f"`git diff {story.settings().base}...HEAD` shows it"
        evidence.findings.append(f"what was done so far is committed: {shows}")
    return decision


def _what_moved(story: StorySession, run: Run) -> str:
    """Say what changed since the run was started, the story's text or the code; "" when neither did."""
    if edited_since(story, run, "story"):
        return "the user changed the story"
    now, then = tip_of(story), run.dispatched.head
    same = now == then or same_code(story.git, now, then, papers_of(story))
    return "" if same else "the story branch has other code"


def _read(story: StorySession, evidence: Evidence, kind: str) -> RunReport:
    """Return the report that was accepted and holds; today's criteria that it leaves open become evidence."""
    report = RunReport() if evidence.took_back else report_of(story, kind)
    if evidence.took_back:
        evidence.findings += evidence.rejected or [
            f"the run before took its `{kind}` back: {evidence.values['details']}"
        ]
    elif not report.verdict:
        note_missing(story, evidence, kind)
    evidence.open_criteria = open_criteria(report, read_spec(story).criteria)
    if report.verdict == PASS:
        evidence.findings += [f"no passing row for {criterion}" for criterion in evidence.open_criteria]
    return report


def _failed_rows(report: RunReport) -> list[str]:
    """Return the rows of criteria that failed, with what was seen."""
    return [f"{row.id}: {clip(row.evidence, ROW_LENGTH)}" for row in report.rows if row.result == FAIL]


def _verdict(report: RunReport) -> str:
    return report.verdict.lower() or "none"


def _verdict_values(report: RunReport, evidence: Evidence) -> dict[str, object]:
    return {
        "verdict": report.verdict or "nothing",
        "verdict_reason": report.reason,
        "open": "; ".join(evidence.open_criteria),
    }


def _delta(story: StorySession, run: Run) -> tuple[str, list[Finding]]:
    """Say whether there is a memory delta, whether it is valid, and each check it fails."""
    path = story.folder.artifact("memory-delta")
    text = last_word(story, run, "memory-delta")[0] or text_of(story, "memory-delta")
    if not text and not path.exists():
        return "none", []
    findings = check_artifact("memory-delta", text, story.folder.relative_to_root(path))
    return ("invalid", faults(findings)) if faults(findings) else ("valid", [])
