"""What was merged on GitHub is taken back by a pull request there, which is opened once and not merged."""

from __future__ import annotations

import pytest

from delivery.conftest import NewScene
from delivery.scene import STORY, URL, DeliveryScene

pytestmark = pytest.mark.sampled(1)
REVERT = f"revert-{STORY}"


@pytest.fixture
def merged(scene: DeliveryScene) -> DeliveryScene:
    scene.deliver()
    scene.push({"later.py": "LATER = 1\n"})
    return scene


@pytest.mark.gh
def test_a_pull_request_takes_back_what_was_merged_and_keeps_what_came_after(merged: DeliveryScene) -> None:
    base, said = merged.base, merged.bench.baton("undo", "42")
    assert said.out.startswith(f"{URL}/pull/2 takes the merge ")
    assert (merged.base, merged.pulls[1].state) == (base, "OPEN")
    assert "SUB" not in merged.actions.git("show", f"{REVERT}:calc.py")
    assert merged.actions.git("show", f"{REVERT}:later.py") == "LATER = 1"


def test_called_twice_it_is_opened_once(merged: DeliveryScene) -> None:
    first = merged.bench.baton("undo", "42", "--json").json
    assert merged.bench.baton("undo", "42", "--json").json == first
    assert len(merged.pulls) == 2


def test_once_it_is_merged_the_story_says_that_it_was_undone(merged: DeliveryScene) -> None:
    merged.bench.baton("undo", "42")
    pull = merged.pulls[1]
    pull.merge_commit = merged.actions.merge("main", pull.head_oid, "squash", "back")
    pull.state = "MERGED"
    merged.bench.baton("undo", "42")
    assert f"undone by {pull.merge_commit[:12]}" in merged.next()["reason"]


def test_a_story_pushed_straight_to_base_is_not_reverted_in_part(scene_at: NewScene) -> None:
    scene = scene_at(settings="quiet_s: 0, draft: true")
    scene.deliver()
    scene.actions.git("update-ref", "refs/heads/main", scene.pull.head_oid)
    scene.pull.merge_commit, scene.pulls[0].state = scene.pull.head_oid, "MERGED"
    assert scene.next()["action"] == "complete"
    assert "merged in several commits" in scene.bench.baton("undo", "42").refused


def test_a_conflict_with_later_changes_is_named_and_nothing_is_pushed(merged: DeliveryScene) -> None:
    merged.push({"calc.py": "SUB = 3\n"})
    assert "(calc.py)" in merged.bench.baton("undo", "42").refused
    assert merged.actions.head(REVERT) == ""


def test_a_story_merged_commit_by_commit_is_not_reverted_in_part(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, status="in_progress"))
    scene.deliver()
    scene.push({"calc.py": "SUB = 1\n"})
    last = scene.push({"test_calc.py": "TEST = 1\n"})
    scene.pull.merge_commit, scene.pulls[0].state = last, "MERGED"
    scene.next()
    assert "merged in several commits" in scene.bench.baton("undo", "42").refused
