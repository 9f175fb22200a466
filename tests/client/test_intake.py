"""What others wrote, and a text without criteria, is merged in the real client with one question and no call more.

Of a story in own form `test_story.py` says how many calls there are, and that it asks nothing.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script, Step, Talk, call
from client.actors import Worker, begun, end, hand_in, judge
from client.headless import finished, start, supervised
from client.papers import MAPPING, PASS, PLAN, REPORT, TEST
from client.person import (
    NewDesk,
    agents_sent,
    baton,
    choose,
    desk_of,
    driven,
    git,
    happened,
    status,
    tell,
    unasked,
)
from client.test_delivery import Delivered, delivered  # noqa: F401
from delivery.scene import REPOSITORY
from fake_github.state import Issue

pytestmark = pytest.mark.long

STORY = "43"  # the project has one story already, and its commands are confirmed
KIRO, OPENSPEC = ".kiro/specs/subtract", "openspec/changes/add-subtract"
TASKS = f"{OPENSPEC}/tasks.md"
TEXT = "calc only adds, and should subtract as well: calc.sub(3, 5) is -2"
FILES = {
    f"{KIRO}/requirements.md": "# Requirements Document\n\n## Requirements\n\n### Requirement 1\n\n"
    "**User Story:** As a pupil, I want to subtract.\n\n#### Acceptance Criteria\n\n"
    "1. WHEN calc.sub(3, 5) is called THEN calc SHALL return -2\n",
    f"{KIRO}/design.md": "# Design Document\n\n## Overview\n\nA function beside `add`.\n",
    f"{KIRO}/tasks.md": "# Implementation Plan\n\n- [ ] 1. Write `sub`\n  - _Requirements: 1.1_\n",
    f"{OPENSPEC}/proposal.md": "## Why\n\nIt only adds.\n\n## What Changes\n\n- `sub` is added\n",
    f"{OPENSPEC}/specs/calc/spec.md": "## ADDED Requirements\n\n### Requirement: Subtraction\n\n"
    "calc SHALL subtract.\n\n#### Scenario: a negative result\n\n- **WHEN** calc.sub(3, 5) is called\n"
    "- **THEN** it returns -2\n",
    TASKS: "## 1. Code\n\n- [ ] 1.1 Write `sub`\n",
}


class Given(NamedTuple):
    """What `/implement` is given, and what its planner hands in of that."""

    words: str
    criteria: str


SOURCES = {
    "kiro": Given(KIRO, f"""\
criteria:
  - each: "{KIRO}/requirements.md:11"
left_out:
  - at: "{KIRO}/design.md"
    why: how it is made
  - at: "{KIRO}/tasks.md"
    why: steps
"""),
    "openspec": Given(OPENSPEC, f"""\
criteria:
  - at: "{OPENSPEC}/specs/calc/spec.md:3-10"
left_out:
  - at: "{OPENSPEC}/proposal.md"
    why: what it is for
  - at: "{TASKS}"
    why: steps
"""),
    "text": Given(TEXT, 'criteria:\n  - at: "SOURCE:1"\n    quote: "calc.sub(3, 5) is -2"\n'),
}  # fmt: skip
WRITTEN_BACK = Given(f"{OPENSPEC} --write-back", SOURCES["openspec"].criteria)
OF_ISSUE = 'criteria:\n  - at: "SOURCE:5"\n    quote: "calc.sub(3, 5) is -2"\n'


@pytest.fixture
def full(ready: Path) -> Path:
    """Return a project that holds what others wrote, and whose commands are confirmed."""
    for name, text in FILES.items():
        (ready / name).parent.mkdir(parents=True, exist_ok=True)
        (ready / name).write_text(text)
    git(ready, "add", "--all")
    git(ready, "commit", "--quiet", "--message", "what others wrote")
    return ready


# Who works


def read_and_plan(criteria: str) -> Script:
    """Give the planner's run: it reads every source in its tree, hands in the criteria and a plan."""

    def run(talk: Talk) -> Iterator[Step]:
        tree = yield from begun(talk)
        sources = re.findall(r"(?m)^- `(.+)` \(lines: \d+\)$", talk.result)
        for source in sources:
            yield call("Read", file_path=str(tree / source))
            assert "1\t" in talk.result, talk.result
        yield hand_in(talk, "criteria", criteria.replace("SOURCE", sources[0]))
        assert "accepted" in talk.result, talk.result
        yield hand_in(talk, "plan", PLAN)
        yield from end(talk, "planned")

    return run


class Ticking(Worker):
    """Does all of it, and ticks the task in the file of the tool as well."""

    report = REPORT.replace(MAPPING, f"{MAPPING}  - id: AC2\n    where: `{TASKS}`\n").replace(
        "blocking_failures", f"  - file: {TASKS}\n    what: ticked\nblocking_failures"
    )

    def show(self, test: str = TEST) -> Iterator[Step]:
        yield from super().show(test)
        yield call("Read", file_path=str(self.tree / TASKS))
        yield call("Edit", file_path=str(self.tree / TASKS), old_string="- [ ]", new_string="- [x]")


def cast(given: Given, worker: Worker | None = None, report: str = PASS) -> dict[str, Script]:
    worker = worker or Worker()
    return {"planner": read_and_plan(given.criteria), "implementer": worker.whole(), "qa": judge(report)}


# Three ways to have it done


def by_text(new_desk: NewDesk, project: Path, given: Given) -> None:
    """Have it done by the skill's text: the question costs three calls, and nothing else does."""
    desk = desk_of(new_desk, project, **cast(given))
    with unasked(desk) as terminal:
        tell(terminal, f"/implement {given.words}", "the story is at ask: planning/confirm")
        choose(terminal, "accept", "the story is at complete")
    assert desk.model.calls("main") == ["Bash", "Agent", "AskUserQuestion", "Bash", "Bash", "Agent", "Agent"]


def by_module(new_desk: NewDesk, project: Path, given: Given) -> None:
    """Have it done by the client's module, without a request of the conversation."""
    drive(desk_of(new_desk, project, **cast(given)), given.words)


def drive(desk: Desk, words: str) -> None:
    desk = driven(desk)
    with unasked(desk) as terminal:
        tell(terminal, f"/implement {words}", "Are these the right criteria?", "1. accept")
        terminal.answer = "1"
        terminal.wait_for(lambda: terminal.shows("Merged into main as"), 120)
    assert (desk.model.of("main"), len(terminal.prompts)) == ([], 1)


def by_run(new_desk: NewDesk, project: Path, given: Given) -> None:
    """Have it done without a conversation: what is asked is answered in a terminal, and it goes on."""
    agents = cast(given)
    desk = supervised(new_desk, project, lambda _, role: agents[role])
    code, said = finished(start(desk, given.words))
    assert (code, "QUESTION Are these the right criteria?" in said) == (1, True), said
    baton(project, "answer", STORY, "accept")
    assert finished(start(desk, given.words))[0] == 0


# What is seen


@pytest.mark.parametrize(("name", "way"), [("kiro", by_text), ("text", by_module), ("openspec", by_run)])
def test_specs_of_other_tools_are_merged_with_one_question_and_stay_unchanged(
    name: str, way: Callable[[NewDesk, Path, Given], None], new_desk: NewDesk, full: Path
) -> None:
    given, before = SOURCES[name], git(full, "rev-parse", "main").strip()
    way(new_desk, full, given)
    assert (status(full, STORY), agents_sent(full, STORY)) == ("complete", ["planner", "implementer", "qa"])
    assert len(happened(full, "answered", STORY)) == 1
    assert changed(full, before) == {"calc.py", "test_calc.py"}
    assert git(full, "status", "--short") == ""


def changed(project: Path, before: str) -> set[str]:
    """Return what main has otherwise than before, but for the story's own papers."""
    names = git(project, "diff", "--name-only", before, "main").splitlines()
    return {name for name in names if not name.startswith(f"specs/{STORY}_")}


def test_write_back_ticks_their_tasks_and_changes_nothing_else(new_desk: NewDesk, full: Path) -> None:
    before = git(full, "rev-parse", "main").strip()
    agents = cast(WRITTEN_BACK, Ticking(), PASS + PASS.split("criteria:\n")[1].replace("AC1", "AC2"))
    drive(desk_of(new_desk, full, **agents), WRITTEN_BACK.words)
    assert changed(full, before) == {"calc.py", "test_calc.py", TASKS}
    assert (full / TASKS).read_text() == FILES[TASKS].replace("[ ]", "[x]")


def test_an_issue_without_criteria_is_merged_on_github_and_asked_about_once(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
) -> None:
    text = f"It only adds.\n\n{TEXT}\n"
    delivered.hub.repository(REPOSITORY).issues[12] = Issue("Subtract", text, delivered.hub.actor("alice"))
    delivered.on_story(delivered.actions.job)
    desk = driven(delivered.desk(new_desk, Worker().whole(), judge(PASS), read_and_plan(OF_ISSUE)))
    with unasked(desk) as terminal:
        tell(terminal, "/implement #12", "May baton run these commands")
        terminal.answer = "1"
        terminal.wait_for(lambda: terminal.shows("Story 1: Subtract"), 240)
    assert (delivered.pull.state, agents_sent(delivered.project, "1")[0]) == ("MERGED", "planner")
    assert happened(delivered.project, "answered", "1") == ["accept (dialog, accept)"] * 2
    assert (desk.model.of("main"), len(terminal.prompts)) == ([], 2)


def test_a_hand_in_with_a_brace_before_a_quote_is_refused_as_said(new_desk: NewDesk, ready: Path) -> None:
    def planner(talk: Talk) -> Iterator[Step]:
        yield from begun(talk)
        for text in ('criteria: [{at: "a.md:1"}]', 'criteria:\n  - at: "a.md:1"'):
            yield hand_in(talk, "criteria", text)
            refused.append("too complex" in talk.result)

    refused = list[bool]()
    with desk_of(new_desk, ready, planner=planner).terminal() as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: refused[1:])
    assert refused[:2] == [True, False]
