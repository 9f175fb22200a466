"""QA has judged, or a run that did a small story by itself: the verdict, held against the criteria."""

from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.report import Verdict, open_criteria, read_verdict
from baton.artifacts.schema import schema_path
from baton.git.objects import same_code
from baton.journal.run import MICRO_REPORT, Run
from baton.rules.budgets import attempts_used
from baton.rules.engine import Decision, decide
from baton.rules.facts import MicroFacts, QaFacts
from baton.rules.tables import MICRO, QA_TABLE
from baton.story.run_facts import Evidence, Passed, check_artifact_of, is_used_up, message_values, require_decision
from baton.story.session import StorySession
from baton.story.story_files import edited_since, text_of


def judge_qa(story: StorySession, run: Run, evidence: Evidence, passed: Passed) -> Decision:
    """Judge a QA run by its report, and by its memory delta when it passes the work."""
    verdict = _read(story, evidence, "qa-report")
    delta, delta_faults = _delta(story)
    moved = _moved(story, run) or ("the criteria changed" if evidence.open_criteria else "")
    facts = QaFacts(
        verdict=verdict.value,  # type: ignore[arg-type]
        open_criteria=bool(evidence.open_criteria),
        fails_used_up=is_used_up(story, "qa_fail_cycles"),
        verdicts_used_up=is_used_up(story, "qa_verdict"),
        delta=delta,  # type: ignore[arg-type]
        deltas_used_up=is_used_up(story, "memory_delta"),
        moved=bool(moved),
    )
    told = {
        **message_values(story, evidence, "qa_verdict"),
        "moved": moved,
        "fails": attempts_used("qa_fail_cycles", story.state.events) + 1,
        "delta_attempts": attempts_used("memory_delta", story.state.events) + 1,
        "delta_path": story.folder.relative_to_root(story.folder.artifact("memory-delta")),
        "delta_findings": "; ".join(one.message for one in delta_faults),
        "delta_schema": schema_path("memory-delta"),
        **_told_verdict(verdict, evidence),
    }
    decision = require_decision(decide(QA_TABLE, facts, told, passed))
    if decision.row.charges == "qa_fail_cycles":
        evidence.findings.append(verdict.reason or verdict.words)
    if decision.row.charges == "memory_delta":
        evidence.findings += map(str, delta_faults)
    return decision


def judge_micro(story: StorySession, run: Run, evidence: Evidence, passed: Passed) -> Decision:
    """Judge a run that did a small story by itself; what cannot be committed counts as FAIL."""
    verdict = _read(story, evidence, MICRO_REPORT)
    loose = [evidence.refused] if evidence.refused else []
    evidence.findings += loose
    value = "fail" if loose and verdict.value not in ("none", "two") else verdict.value
    if verdict.value not in ("none", "two", "pass"):
        evidence.findings.append(verdict.reason or verdict.words)
    facts = MicroFacts(
        verdict=value,  # type: ignore[arg-type]
        open_criteria=bool(evidence.open_criteria),
        used_up=is_used_up(story, "micro"),
    )
    told = {**message_values(story, evidence, "micro"), **_told_verdict(verdict, evidence)}
    decision = require_decision(decide(MICRO, facts, told, passed))
    if decision.rule == "micro/reevaluate":
        evidence.findings.append(f"what was done so far is committed: `git diff {story.base}...HEAD` shows it")
    return decision


def _moved(story: StorySession, run: Run) -> str:
    """Say what is not as the run was started to judge it, the story's text or the code; nothing when all is."""
    if edited_since(story, run, "story"):
        return "the user changed the story"
    now, then = story.tip, run.dispatched.head
    same = now == then or same_code(story.git, now, then, story.folder.relative)
    return "" if same else "the story branch has other code"


def _read(story: StorySession, evidence: Evidence, kind: str) -> Verdict:
    """Read a report's verdict; what is wrong with it beside that is a warning, as is what it leaves open."""
    text = text_of(story, kind)
    verdict = read_verdict(text)
    found = list(evidence.findings)
    check_artifact_of(story, kind, evidence)
    if verdict.value not in ("none", "two"):
        evidence.warnings += [one for one in evidence.findings if one not in found]
        evidence.findings = found
    evidence.open_criteria = open_criteria(text, story.story().criteria)
    if verdict.value == "pass":
        evidence.findings += [f"no passing row for {one}" for one in evidence.open_criteria]
    return verdict


def _told_verdict(verdict: Verdict, evidence: Evidence) -> dict[str, object]:
    return {
        "verdict": verdict.words or "nothing",
        "verdict_reason": verdict.reason or "see the report",
        "open": "; ".join(evidence.open_criteria),
    }


def _delta(story: StorySession) -> tuple[str, list[Finding]]:
    """Say whether there is a memory delta, whether it is valid, and each check it fails."""
    text = text_of(story, "memory-delta")
    path = story.folder.artifact("memory-delta")
    if not path.exists():
        return "none", []
    found = check_artifact("memory-delta", text, story.folder.relative_to_root(path))
    return ("invalid", faults(found)) if faults(found) else ("valid", [])
