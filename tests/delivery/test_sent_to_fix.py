"""A story that base no longer goes with after its push: one run is sent to fix it before anything goes on."""

from typing import Any

import pytest

from baton.journal.events import IntegrationStepDone, Judged, QuestionAsked
from delivery.conftest import NewScene
from delivery.scene import DeliveryScene
from fake_github.misbehave import Meanwhile

pytestmark = pytest.mark.sampled(2)
FAILS = ("sync/conflict", "build/introduced", "test/introduced", "test/unclear", "ci/introduced")


def move_base(scene: DeliveryScene, files: dict[str, str]) -> Any:
    """Have base get these files once the story is pushed and its checks are green; gives the next step."""

    def act(sha: str) -> None:
        scene.actions.job(sha)
        scene.push(files)
        scene.on_push(scene.actions.job)

    scene.on_push(act)
    return scene.deliver()


def sent(scene: DeliveryScene) -> list[str]:
    """What failed, which runs were to fix it, and what was asked instead, in order."""
    told = [
        event
        for event in scene.bench.state.events
        if isinstance(event, IntegrationStepDone | Judged | QuestionAsked)
    ]
    return [one.rule for one in told if one.rule in FAILS or one.rule.startswith("fix/")]


def test_a_conflict_after_the_push_goes_to_one_run_whose_work_is_merged(scene: DeliveryScene) -> None:
    step = move_base(scene, {"calc.py": "SUB = 9\n"})
    assert (step["action"], step["agent"], step["rule"]) == ("spawn", "baton:implementer", "fix/run")
    assert sent(scene) == ["sync/conflict", "fix/run"]
    assert scene.bench.implement({"calc.py": "SUB = 3\n"})["agent"] == "baton:qa"
    assert (scene.deliver()["action"], scene.merges) == ("complete", 1)
    assert scene.actions.git("show", "main:calc.py") == "SUB = 3"
    assert sent(scene) == ["sync/conflict", "fix/run"]


def test_each_later_conflict_counts_once_more_until_no_run_is_left(scene: DeliveryScene) -> None:
    for number in (1, 2):
        assert move_base(scene, {"calc.py": f"SUB = 9{number}\n"})["rule"] == "fix/run"
        assert sent(scene) == ["sync/conflict", "fix/run"] * number
        scene.bench.implement({"calc.py": f"SUB = {number}\n"})
    step = move_base(scene, {"calc.py": "SUB = 93\n"})
    assert (step["action"], step["rule"], scene.merges) == ("escalate", "fix/exhausted", 0)
    assert (scene.bench.state.count("implementer"), "2 fix runs did not solve it" in step["reason"]) == (3, True)


@pytest.mark.parametrize("name", ["build", "test"])
def test_a_command_that_fails_on_the_base_of_now_goes_to_one_run(name: str, scene: DeliveryScene) -> None:
    script = f"tools/{name}.sh"
    step = move_base(scene, {script: "if grep -q 'SUB = 1' calc.py; then echo FAIL: one; exit 1; fi\n"})
    assert (step["agent"], sent(scene)) == ("baton:implementer", [f"{name}/introduced", "fix/run"])
    scene.bench.implement({"calc.py": "SUB = 3\n"})
    assert (scene.deliver()["action"], scene.merges) == ("complete", 1)


def test_a_conflict_as_github_merges_goes_to_one_run(scene: DeliveryScene) -> None:
    moved = Meanwhile(lambda: scene.push({"calc.py": "SUB = 9\n"}))
    scene.hub.misbehave(moved, when=lambda one: one.path.endswith("/merge"))
    step = scene.deliver()
    assert (step["rule"], sent(scene), scene.merges) == ("fix/run", ["sync/conflict", "fix/run"], 0)


def test_a_question_about_the_base_of_now_is_asked_and_nothing_goes_on(scene: DeliveryScene) -> None:
    step = move_base(scene, {"tools/test.sh": "! grep -q SUB calc.py || no-such-tester\n"})
    pushed = scene.head
    assert (step["action"], step["rule"], sent(scene)) == ("escalate", "test/unclear", ["test/unclear"])
    assert (scene.next()["rule"], scene.head, scene.merges) == ("test/unclear", pushed, 0)


@pytest.mark.parametrize("moves", [True, False], ids=["base moves", "base stays"])
def test_a_story_that_was_edited_after_the_push_goes_to_qa(moves: bool, scene_at: NewScene) -> None:
    scene = scene_at(settings="quiet_s: 0}\nartifacts: local\nfeedback: {volume: 3", stage="open")
    text = scene.bench.place("story").read_text(encoding="utf-8")
    assert scene.bench.baton("story", "edit", "42", stdin=f"{text}\nMore.\n").code == 0
    if moves:
        scene.push({"new.py": "NEW = 1\n"})
    scene.actions.finish()
    assert (scene.next()["agent"], scene.rules.count("merge/head-moved")) == ("baton:qa", 1)


def test_in_mode_pr_a_conflict_that_a_fix_meets_is_the_second(scene_at: NewScene) -> None:
    scene = scene_at("pr")
    scene.actions.job(scene.base)
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="failure"))
    assert scene.deliver()["rule"] == "fix/run"
    scene.push({"calc.py": "SUB = 9\n"})
    scene.bench.implement({"calc.py": "SUB = 2\n"})
    assert scene.deliver()["agent"] == "baton:implementer"
    assert sent(scene) == ["ci/introduced", "fix/run", "sync/conflict", "fix/run"]
    scene.on_push(scene.actions.job)
    scene.bench.implement({"calc.py": "SUB = 3\n"})
    assert scene.deliver()["rule"] == "integrate/pr"
