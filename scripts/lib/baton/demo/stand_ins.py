"""Scripted stand-ins for the three sub-agents: their texts are prepared, their commands really run."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.plan import read_plan
from baton.demo.program import Program, fault, tell_item
from baton.journal.atomic_file import write_durably
from baton.process import run

PREPARED = Path(__file__).with_name("handed_in")
LAST_SECTION = "## Risk Register"
# What is prepared for a run that has something to fix, by the rule that started it.
FIXES = {"qa/fail": "remedy", "fix/run": "ci", "fix/run-small": "ci"}
# How QA sees that a criterion holds: what it types after `python3 -m teatime`, and how that should end.
CHECKS = (
    ("AC1", "3m30s", "3:30", 0),
    ("AC2", "1h 30m", "1:30:00", 0),
    ("AC3", "soon", "not a time: 'soon'", 1),
    ("AC4", "green", "2:00", 0),
)


class RunDesk(NamedTuple):
    """The desk of a stand-in: the program as called from its work tree, and the step that started it."""

    program: Program
    step: dict[str, Any]

    def hand_in(self, kind: str, text: str, note: str = "", accepted: bool = True) -> None:
        """Hand an artifact over."""
        self.program.hand_in(self.step["story"], kind, self.step["run"], text, f"{kind}{note}", accepted)

    def end(self, status: str, changed: list[str] | None = None) -> None:
        """Hand in the metadata that end a run."""
        role = self.step["agent"].rpartition(":")[2]
        metadata = {"status": status, "metadata": {"agent_type": role}, "files_changed": changed or []}
        self.hand_in("return-meta", json.dumps(metadata), f" ({status})")

    def run_tests(self) -> None:
        """Run the test command that the brief names; a fault where it fails."""
        named = re.search(r"^- test: `(.+)`$", read_document(Path(self.step["brief"])), re.M)
        ended = run(("sh", "-c", named[1] if named else "false"), self.program.root)
        ends = [line for line in ended.err.splitlines() if line.startswith(("Ran ", "OK", "FAILED"))]
        tell_item("tests", ": ".join(ends), 2)
        if ended.code != 0:
            raise fault(f"the tests fail ({ended.said})")


def plan(desk: RunDesk) -> None:
    """Hand in a plan; at first without its last section, which is refused."""
    text = read_document(PREPARED / "plan.md")
    desk.hand_in("plan", text.partition(LAST_SECTION)[0], accepted=False)
    desk.hand_in("plan", text)
    desk.end("planned")


def implement(desk: RunDesk) -> None:
    """Carry out the phase the step resumes at, or fix QA's findings when none is open."""
    resume = desk.step["resume"]
    phase = resume["resume_phase"]
    part = f"phase-{phase}" if phase else FIXES[desk.step["rule"]]
    changed = desk.program.edit(part)
    desk.run_tests()
    open_left = phase and _close_phase(desk.program.root, resume["plan_path"], phase)
    kind = "handoff" if open_left else "impl-report"
    desk.hand_in(kind, read_document(next(PREPARED.glob(f"{part}.{kind}.*"))))
    if open_left:
        desk.end("partial", changed)


def _close_phase(root: Path, name: str, phase: str) -> bool:
    """Mark a phase of the plan as done; returns whether others are still open."""
    mark = re.compile(rf"^(### Phase {re.escape(phase)}: .*)\[NOT STARTED\]$", re.M)
    text = mark.sub(r"\1[COMPLETED]", read_document(root / name))
    write_durably(root / name, text, root)
    marked = read_plan(text)
    tell_item("plan", f"phase {phase} marked [COMPLETED]: {marked.closed} of {len(marked.phases)}", 2)
    return marked.first_open is not None


def judge(desk: RunDesk) -> None:
    """Check each criterion; the verdict follows from the results."""
    desk.run_tests()
    rows, faults = [], []
    for criterion, typed, says, code in CHECKS:
        ended = run((sys.executable, "-m", "teatime", typed), desk.program.root)
        holds = (ended.said, ended.code) == (says, code)
        command = f"python3 -m teatime {json.dumps(typed) if ' ' in typed else typed}"
        evidence = f"`{command}`: `{ended.said}`"
        rows.append({"id": criterion, "result": "PASS" if holds else "FAIL", "evidence": evidence})
        if not holds:
            faults.append(f'{criterion}: `{command}` says "{ended.said}", should say "{says}"')
    tell_item("checks", "; ".join(faults) or "every criterion was seen to hold", 2)
    verdict, reason = "FAIL" if faults else "PASS", "; ".join(faults) or "Every criterion was seen to hold."
    desk.hand_in("qa-report", json.dumps({"verdict": verdict, "reason": reason, "criteria": rows}))


STAND_INS: dict[str, Callable[[RunDesk], None]] = {
    "baton:planner": plan,
    "baton:implementer": implement,
    "baton:qa": judge,
}
