"""Scripted stand-ins for the three sub-agents. What they write is prepared; what they run is really run."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.plan import read_plan
from baton.demo.program import Program, fault
from baton.demo.telling import tell_item
from baton.git.command import run_git
from baton.journal.atomic_file import write_durably
from baton.process import Result, run
from baton.story.resume_context import Resume
from baton.story.step import Step

HERE = Path(__file__).parent
LAST_SECTION = "## Risk Register"


class Desk(NamedTuple):
    """What a stand-in has before it: the program, its work tree, and the step that sent it out."""

    program: Program
    root: Path
    step: Step


class Check(NamedTuple):
    """How QA sees that a criterion holds: what it types after `python3 -m teatime`, and how that should end."""

    criterion: str
    typed: str
    says: str
    code: int = 0


CHECKS = (
    Check("AC1", "3m30s", "3:30"),
    Check("AC2", "1h 30m", "1:30:00"),
    Check("AC3", "soon", "not a time: 'soon'", code=1),
    Check("AC4", "green", "2:00"),
)


def plan(desk: Desk) -> None:
    """Hand in a plan; at first without its last section, which is refused."""
    text = _prepared("plan.md")
    if _hand_in(desk, "plan", text.partition(LAST_SECTION)[0]):
        raise fault("a plan without its last section was accepted")
    _must_hand_in(desk, "plan", text)
    _end(desk, "planned")


def implement(desk: Desk) -> None:
    """Carry out the phase the step resumes at, or fix what QA found when none is open."""
    resume = desk.step.resume
    if resume is None:
        raise fault("an implementer was started without a place to resume at")
    phase = resume.resume_phase
    part = f"phase-{phase}" if phase else "remedy"
    changed = edit(desk.root, part)
    _run_tests(desk)
    open_left = _close_phase(desk.root, resume, phase) if phase else False
    kind, status = ("handoff", "partial") if open_left else ("impl-report", "implemented")
    _must_hand_in(desk, kind, _prepared(f"{part}.{kind}.md"))
    _end(desk, status, changed)


def judge(desk: Desk) -> None:
    """See each criterion hold or not; the verdict is what was seen."""
    _run_tests(desk)
    rows, faults = [], []
    for check in CHECKS:
        ended = run((sys.executable, "-m", "teatime", check.typed), desk.root)
        holds = (ended.said, ended.code) == (check.says, check.code)
        command = f"python3 -m teatime {json.dumps(check.typed) if ' ' in check.typed else check.typed}"
        rows.append(f"| {check.criterion} | {'PASS' if holds else 'FAIL'} | `{command}`: `{ended.said}` |")
        if not holds:
            faults.append(f'{check.criterion}: `{command}` says "{ended.said}", should say "{check.says}"')
    tell_item("checks", "; ".join(faults) or "every criterion was seen to hold", 2)
    verdict = "FAIL" if faults else "PASS"
    reason = "; ".join(faults) or "Every criterion was seen to hold."
    table = "\n".join(["| Criterion | Result | How it was seen |", "|---|---|---|", *rows])
    report = f"# QA report\n\nVerdict: {verdict}\n\n## Reason\n\n{reason}\n\n## Acceptance Criteria\n\n{table}\n"
    _must_hand_in(desk, "qa-report", report)
    _end(desk, "implemented")


STAND_INS: dict[str, Callable[[Desk], None]] = {
    "baton:planner": plan,
    "baton:implementer": implement,
    "baton:qa": judge,
}


def _prepared(name: str) -> str:
    path = HERE / "handed_in" / name
    if not path.exists():
        raise fault(f"no stand-in has prepared {name}")
    return path.read_text(encoding="utf-8")


def edit(root: Path, part: str) -> list[str]:
    """Edit the files as the prepared patch says; returns their names."""
    patch = str(HERE / "edits" / f"{part}.patch")
    counted = run_git(root, "apply", "--numstat", patch)
    applied = run_git(root, "apply", patch)
    if applied.code != 0:
        raise fault(f"the edits of {part} do not apply ({applied.said})")
    rows = [line.split("\t") for line in counted.out.splitlines()]
    tell_item("edits", ", ".join(f"{name} +{added} -{gone}" for added, gone, name in rows), 2)
    return [name for _, _, name in rows]


def _run_tests(desk: Desk) -> None:
    """Run the test command the brief names; the stand-ins only hand over what passes it."""
    brief = read_document(Path(str(desk.step.brief)))
    match = re.search(r"^- test: `(.+)`$", brief, re.M)
    if not match:
        raise fault("the brief names no test command")
    ended = run(("sh", "-c", match[1]), desk.root)
    tell_item("tests", _test_result(ended), 2)
    if ended.code != 0:
        raise fault(f"the tests fail ({ended.said})")


def _test_result(ended: Result) -> str:
    lines = ended.err.strip().splitlines() or [ended.said]
    ran = next((line for line in lines if line.startswith("Ran ")), "ran")
    return f"{ran}: {lines[-1]}"


def _close_phase(root: Path, resume: Resume, phase: str) -> bool:
    """Mark a phase of the plan as done; whether others are still open."""
    path = root / resume.plan_path
    mark = re.compile(rf"^(### Phase {re.escape(phase)}: .*)\[NOT STARTED\]$", re.M)
    text = mark.sub(r"\1[COMPLETED]", read_document(path))
    write_durably(path, text, root)
    marked = read_plan(text)
    tell_item("plan", f"phase {phase} marked [COMPLETED]: {marked.closed} of {len(marked.phases)}", 2)
    return marked.first_open is not None


def _end(desk: Desk, status: str, changed: list[str] | None = None) -> None:
    role = str(desk.step.agent).rpartition(":")[2]
    metadata = {"status": status, "metadata": {"agent_type": role}, "files_changed": changed or []}
    _must_hand_in(desk, "return-meta", json.dumps(metadata), f" ({status})")


def _must_hand_in(desk: Desk, kind: str, text: str, said: str = "") -> None:
    if not _hand_in(desk, kind, text, said):
        raise fault(f"the stand-in's {kind} was rejected")


def _hand_in(desk: Desk, kind: str, text: str, said: str = "") -> bool:
    findings = desk.program.hand_in(desk.step, kind, text)
    tell_item("hand-in", f"{kind}{said}: " + (f"rejected, {'; '.join(findings)}" if findings else "accepted"), 2)
    return not findings
