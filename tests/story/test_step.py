"""What a step belongs to and what its run is shown as: one table for each."""

import pytest

from baton.story.step import LABEL_LENGTH, STAGES, label_of, stage_of
from bench import Bench

STEPS = {
    ("planning", "ask", "start/commands"): "preflight",
    ("planning", "ask", "request/unknown"): "preflight",
    ("planning", "spawn", "start/planning"): "plan",
    ("planning", "wait", "in-progress/wait"): "plan",
    ("planning", "ask", "planning/approval"): "plan",
    ("implementation", "spawn", "implementation/continue"): "delegate",
    ("implementation", "spawn", "fix/run"): "delegate",
    ("implementation", "wait", "limit/backoff"): "delegate",
    ("micro", "spawn", "start/micro"): "delegate",
    ("implementation", "escalate", "run/blocked"): "gate",
    ("implementation", "ask", "limit/iterations"): "gate",
    ("micro", "ask", "micro/exhausted"): "gate",
    ("qa", "spawn", "report/valid"): "qa",
    ("qa", "escalate", "qa/fail-twice"): "qa",
    ("integration", "wait", "build/wait"): "integrate",
    ("integration", "ask", "test/unclear"): "integrate",
    ("integration", "complete", "merge/done"): "summary",
}


@pytest.mark.parametrize("step", STEPS, ids=" ".join)
def test_a_step_belongs_to_one_stage(step: tuple[str, str, str]) -> None:
    assert stage_of(*step) == STEPS[step]


def test_each_stage_has_a_step() -> None:
    assert set(STEPS.values()) == set(STAGES)


@pytest.mark.parametrize(("title", "role", "detail", "label"), [
    ("dark mode", "planner", "", "42 dark mode: plan"),
    ("dark mode", "implementer", "phase 3 of 4", "42 dark mode: implement, phase 3 of 4"),
    ("two\nlines\u200b", "qa", "try 2", "42 two lines[U+200B]: QA, try 2"),
    ("x" * 90, "micro-delivery", "", f"42 {'x' * 34}…: implement in one run"),
])  # fmt: skip
def test_a_label_is_one_short_line(title: str, role: str, detail: str, label: str) -> None:
    assert label_of("42", title, role, detail) == label
    assert len(label) <= LABEL_LENGTH


def test_next_names_stage_and_label(story: Bench) -> None:
    step = story.baton("next", "42", "--json").json
    assert (step["stage"], step["label"]) == ("plan", "42 Subtract numbers: plan")
    step = story.plan()
    assert (step["stage"], step["label"]) == ("delegate", "42 Subtract numbers: implement, phase 1 of 2")
