"""The demo: one story, driven by `next` alone, with scripted stand-ins for the three sub-agents.

Their texts are prepared, their commands really run.
"""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.plan import read_plan
from baton.commands.next import next_step
from baton.commands.story_verb import new
from baton.demo.program import Program, fault, tell, tell_item, tell_raw
from baton.demo.workplace import make_repository, workplace
from baton.git.command import Git, find_project
from baton.journal.atomic_file import write_durably
from baton.journal.events import Dispatched, Event, IntegrationStepDone, Judged, QuestionAsked, RunArchived
from baton.journal.journal import Journal
from baton.process import run
from baton.project.installed_client import PLUGIN

STORY, SPEC = "1", "ideas/say-the-time.md"
PLAYED, FRESH = "played", "fresh"
ANSWERS = {"start/commands": "accept"}
MOST_STEPS = 20
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
OPENING = """\
baton demo: one story on a small repository, from the plan to the merge.
The sub-agents are scripted stand-ins: their words and edits were prepared. All
else is real: the checks on what they hand in, the decisions, every test, git.
A hand-in is accepted when it is complete and contradicts nothing; a report ends
its run, else the return metadata do. Then baton judges; each decision names its
rule (`baton explain RULE`).
"""


def play(keep: Path | None) -> None:
    """Show a whole story; with `keep`, leave it there, beside a repository in which it is not done yet."""
    began = time.monotonic()
    with workplace(keep) as folder:
        tell_raw(OPENING)
        Demo(make_repository(folder / PLAYED)).run()
        tell_raw(f"\nStory {STORY} is merged into main, in {time.monotonic() - began:.0f} s.")
        if keep:
            Program(make_repository(folder / FRESH)).call(new, "--from", SPEC, "--id", STORY)
    _tell_how_to_go_on(keep)


class Demo:
    """One story under way, and the number of its records shown so far."""

    def __init__(self, root: Path) -> None:
        self.program = Program(root)
        self.git = Git(find_project(root))
        self.shown = 0

    def run(self) -> None:
        """Make the story, carry out its steps until it is complete, and show git's history."""
        tell_raw(f"$ baton story new --from {SPEC} --id {STORY}")
        tell_item("story", self.program.call(new, "--from", SPEC, "--id", STORY)["path"])
        ended: list[str] = []
        for _ in range(MOST_STEPS):
            step = self.program.call(next_step, STORY, *ended)
            self._show_news()
            if step["action"] == "complete":
                break
            ended = self._carry_out(step)
        else:
            raise fault(f"not complete after {MOST_STEPS} steps")
        graph = self.git.do("log", "--oneline", "--graph", "--max-count=20").rstrip()
        tell_raw(f"\n$ git log --oneline --graph\n{graph}")

    def _carry_out(self, step: dict[str, Any]) -> list[str]:
        """Carry out a step; returns the options of the next call."""
        if step["action"] == "spawn":
            STAND_INS[step["agent"]](RunDesk(self.program.begin(step["run"], step["agent"]), step))
            return ["--ended", step["run"]]
        if step["question"]:
            options = " or ".join(option["id"] for option in step["question"]["options"])
            tell_item("ask", f"{step['question']['question']} ({options})")
            self.program.answer(STORY, step["rule"], ANSWERS)
        return []

    def _show_news(self) -> None:
        """Show the decisions and actions since the last time, from the journal."""
        records = Journal(self.git.project.journal(STORY)).records
        for record in records[self.shown :]:
            self._show_event(record.event)
        self.shown = len(records)

    def _show_event(self, event: Event) -> None:
        match event:
            case Judged(rule=rule, reason=reason) | QuestionAsked(rule=rule, reason=reason):
                tell_raw("")
                tell(f"{rule}: {reason}")
            case RunArchived(commit=commit) if commit:
                tell_item("commit", self.git.do("show", "--no-patch", "--format=%h %s", commit))
            case Dispatched(role=role, run=run):
                tell_item("spawn", f"baton:{role}, run …_{run.rpartition('_')[2]}")
            case IntegrationStepDone(rule=rule, reason=reason) if not rule.endswith("/unset"):
                tell_item("step", f"{rule}: {reason}")


def _tell_how_to_go_on(keep: Path | None) -> None:
    tell_raw("\nThe same story with real sub-agents, in Claude Code:")
    if keep:
        tell_raw(f"  cd {quote(str(keep.absolute() / FRESH))}")
    else:
        tell_raw(f"  {quote(str(PLUGIN / 'bin/baton'))} demo --keep teatime && cd teatime/{FRESH}")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}\n  /implement {STORY}")


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
