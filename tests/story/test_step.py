"""What a step belongs to and what its run is shown as: one table for each."""

import pytest

from baton.story.ask.step import SKILL_STAGES, skill_stage_of
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
    assert skill_stage_of(*step) == STEPS[step]


def test_each_stage_has_a_step() -> None:
    assert set(STEPS.values()) == set(SKILL_STAGES)


def test_next_names_stage_and_label(story: Bench) -> None:
    step = story.baton("next", "42", "--json").json
    assert (step["stage"], step["label"]) == ("plan", "42 Subtract numbers: plan")
    step = story.plan()
    assert (step["stage"], step["label"]) == ("delegate", "42 Subtract numbers: implement, phase 1 of 2")
