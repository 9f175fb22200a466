"""The issue a story came from hears of it twice: with the pull request, and at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench import Bench, Reach
from delivery.scene import REPOSITORY, URL, Scene, make_scene
from fake_github.hub import Hub
from fake_github.misbehave import Fault, HangUp, Status
from fake_github.state import Issue

pytestmark = pytest.mark.sampled(4)


ISSUE = Issue("Subtract numbers", "## Acceptance Criteria\n\n- sub(3, 2) is 1\n- a test shows it\n", None)


@pytest.fixture
def of_issue(reach: Reach, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Give a story that was made of the issue 12, which QA is about to pass."""
    made = make_scene(reach("bench"), hub, tmp_path / "remote.git", "merge", "quiet_s: 0", monkeypatch)
    hub.repository(REPOSITORY).issues[12] = ISSUE._replace(author=hub.actor("me"))
    scene = replace(made, bench=Bench(made.bench.root, "1"), story="story/1-subtract-numbers")
    scene.on_push(scene.actions.job)
    assert scene.bench.baton("start", "-", stdin="#12\n").code == 0
    scene.bench.answer("accept")
    scene.bench.plan()
    scene.bench.implement()
    return scene


def said(scene: Scene) -> list[str]:
    return scene.hub.repository(REPOSITORY).issue_comments.get(12, [])


def finish(scene: Scene) -> None:
    step = scene.deliver()
    while step["action"] == "wait":
        step = scene.next()
    assert step["action"] == "complete"


def test_it_is_named_as_closed_by_the_pull_request_and_told_twice(of_issue: Scene) -> None:
    finish(of_issue)
    started, ended = said(of_issue)
    assert "Closes #12" in of_issue.pull.body
    assert started == f"Worked on as story 1: {URL}/pull/13\n\n<!-- baton:story 1 started -->"
    assert ended.startswith("Merged into main as ")


@pytest.mark.parametrize("fault", [HangUp(applied=True), HangUp(), Status(502, applied=True)], ids=str)
@pytest.mark.parametrize("which", [0, 1])
def test_a_lost_answer_leaves_no_second_comment(which: int, fault: Fault, of_issue: Scene) -> None:
    of_issue.hub.misbehave(
        fault, after=which, when=lambda one: one.path.endswith("/comments") and one.method == "POST"
    )
    finish(of_issue)
    assert len({one.rpartition("<!--")[2] for one in said(of_issue)}) == len(said(of_issue))


def test_a_locked_issue_holds_nothing_up(of_issue: Scene) -> None:
    of_issue.hub.misbehave(
        Status(403, {"message": "Unable to create comment because issue is locked."}), times=None,
        when=lambda one: one.path.endswith("/comments"),
    )  # fmt: skip
    finish(of_issue)
    assert said(of_issue) == []


def test_a_story_of_no_issue_writes_nowhere(scene: Scene) -> None:
    finish(scene)
    assert not [one for one in scene.changes if one.path.endswith("/comments")]
