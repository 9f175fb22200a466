"""Who plays in the client's tests: an orchestrator that only knows the skill, and agents that really work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from client.harness.script import Step, Talk, call, say

PLAN = """# Execution plan

## Implementation Sequence

### Phase 1: Subtract [NOT STARTED]

`calc.py`: a function `sub`.

### Phase 2: Show it [NOT STARTED]

`test_calc.py`: a test of it.

## Edge Cases

Negative results.

## Test Checkpoints

`python3 -m unittest -q` passes.

## Risk Register

None worth naming.
"""
REPORT = """# Implementation report

## Changes Made

- `calc.py`: `sub`
- `test_calc.py`: shows it

## Criteria Mapping

- AC1: `test_calc.py`

## Rules Applied

- standard library only
"""
FAIL = """# QA report

Verdict: FAIL

## Reason

`sub` has no docstring.

## Acceptance Criteria

| Criterion | Result | How it was seen |
|---|---|---|
| AC1 | FAIL | read `calc.py` |
"""
HANDOFF = "## Immediate Next Action\n\nPhase 2.\n\n## Current State\n\n`sub` is there."
SUB = "\n\ndef sub(a, b):\n    return a - b\n"
PASS = FAIL.replace("FAIL", "PASS").replace("`sub` has no docstring.", "`python3 -m unittest -q` passes.")
TEST = "import unittest\n\nimport calc\n\n\nclass Sub(unittest.TestCase):\n    def test_sub(self):\n"
TEST += "        self.assertEqual(calc.sub(3, 5), -2)\n"

DO = r"^DO (\w+)"
MARKERS = {
    "planner": "You are baton's planner.",
    "implementer": "You are baton's implementer.",
    "qa": "You are baton's QA.",
}


def orchestrate(talk: Talk) -> Iterator[Step]:
    """Do what `skills/implement` says, and nothing else."""
    yield call("Bash", command=f"baton next {arguments(talk)}")
    story, sent = arguments(talk).split()[0], ""
    while True:
        action = talk.find(DO)
        if action == "spawn":
            sent = talk.find(r"^PROMPT (.+)$") or ""
            agent = talk.find(r"^DO spawn (\S+)$")
            yield call("Agent", description=run_of(sent), prompt=sent, subagent_type=agent)
            yield say("sent out")
        elif action == "wait" and (command := talk.find(r"^THEN (baton next .+)$")):
            yield call("Bash", command=command)
        elif action is None and sent:
            yield call("Bash", command=f"baton next {story} --ended {run_of(sent)}")
        else:
            yield say(f"the story is at {action}: {talk.find(r'^WHY (.+)$')}")


def arguments(talk: Talk) -> str:
    """What was typed after the skill's name, as the skill's text gives it."""
    found = re.search(r"^Arguments: (.+)$", talk.prompt, re.MULTILINE)
    assert found, talk.prompt
    return found[1]


def run_of(prompt: str) -> str:
    """The run a prompt names."""
    return prompt.split()[1] if prompt else ""


def hand_in(talk: Talk, kind: str, text: str) -> Step:
    """The one command an agent hands an artefact in with, as its brief shows it."""
    return call(
        "Bash",
        command=f"baton hand-in {talk.prompt.split()[4].rstrip(':')} {kind} --run {run_of(talk.prompt)} "
        f"<<'END-OF-ARTEFACT'\n{text.rstrip()}\nEND-OF-ARTEFACT",
    )


def read_brief(talk: Talk) -> Step:
    found = re.search(r"read (\S+) and do", talk.prompt)
    assert found, talk.prompt
    return call("Read", file_path=found[1])


def plan(talk: Talk) -> Iterator[Step]:
    yield read_brief(talk)
    yield hand_in(talk, "plan", PLAN.replace("## Risk Register", "## Risks nobody asked for"))
    assert "plan/section-missing" in talk.result, talk.result
    yield hand_in(talk, "plan", PLAN)
    yield hand_in(talk, "return-meta", "status: planned")
    assert "accepted" in talk.result, talk.result
    yield say("planned")


class Implementer:
    """Three runs: half of the work, the rest with a report, and what QA asked for."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.runs = iter((self.first, self.second, self.remedy))

    def __call__(self, talk: Talk) -> Iterator[Step]:
        return next(self.runs)(talk)

    @property
    def plan(self) -> str:
        return str(next(self.project.glob("specs/*/*.execution-plan.md")))

    def mark(self, phase: str) -> Iterator[Step]:
        yield call("Read", file_path=self.plan)
        old, new = f"{phase} [NOT STARTED]", f"{phase} [COMPLETED]"
        yield call("Edit", file_path=self.plan, old_string=old, new_string=new)

    def first(self, talk: Talk) -> Iterator[Step]:
        calc = str(self.project / "calc.py")
        yield read_brief(talk)
        yield call("Read", file_path=calc)
        yield call("Edit", file_path=calc, old_string="# more\n", new_string=SUB)
        yield from self.mark("Phase 1: Subtract")
        yield hand_in(talk, "handoff", HANDOFF)
        yield hand_in(talk, "return-meta", "status: partial")
        yield say("half done")

    def second(self, talk: Talk) -> Iterator[Step]:
        yield read_brief(talk)
        assert "Begin with phase 2" in talk.result, talk.result
        yield call("Write", file_path=str(self.project / "test_calc.py"), content=TEST)
        yield call("Bash", command="python3 -m unittest -q")
        yield from self.mark("Phase 2: Show it")
        yield hand_in(talk, "impl-report", REPORT)
        yield hand_in(talk, "return-meta", "status: implemented")
        yield say("done")

    def remedy(self, talk: Talk) -> Iterator[Step]:
        calc = str(self.project / "calc.py")
        yield read_brief(talk)
        assert "no docstring" in talk.result, talk.result
        yield call("Read", file_path=calc)
        with_docstring = 'def sub(a, b):\n    """a less b"""\n'
        yield call("Edit", file_path=calc, old_string="def sub(a, b):\n", new_string=with_docstring)
        yield hand_in(talk, "impl-report", REPORT)
        yield hand_in(talk, "return-meta", "status: implemented")
        yield say("mended")


class Judge:
    """QA: fails the work once, then passes it."""

    def __init__(self) -> None:
        self.reports = iter((FAIL, PASS))

    def __call__(self, talk: Talk) -> Iterator[Step]:
        report = next(self.reports)
        yield read_brief(talk)
        yield call("Bash", command="python3 -m unittest -q")
        yield hand_in(talk, "qa-report", report)
        yield hand_in(talk, "return-meta", "status: implemented")
        yield say("judged")
