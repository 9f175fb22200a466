"""Two stories merged on GitHub, their steps one between the other's: each is checked on the base it meets."""

from typing import Any, NamedTuple

import pytest

from baton.delivery.pull_request import merge_pull
from baton.github.client import Change
from bench import FILES, Bench
from delivery.conftest import NewScene
from delivery.scene import DeliveryScene
from delivery.stages import WAY


class Two(NamedTuple):
    """Both of them, at their pull requests, with checks that run on each commit that is pushed."""

    scene: DeliveryScene
    first: Bench
    second: Bench

    def is_whole(self) -> bool:
        """Whether both were merged, once each, and nothing of either is lost."""
        git = self.scene.actions.git
        subjects = git("log", "--first-parent", "--format=%s", "main").splitlines()
        merged = [subject.partition(":")[0] for subject in subjects if subject.startswith("story ")]
        found = [git("show", f"main:{name}") for name in ("calc.py", "more.py")]
        return sorted(merged) == ["story 42", "story 43"] and found == ["SUB = 1", "M = 1"]


def bases_met(bench: Bench) -> list[str]:
    """The commits of base that a story was checked with, in order."""
    return list(dict.fromkeys(one.commit for one in bench.state.checked if one.rule == "sync/clean"))


def begin_jobs(scene: DeliveryScene) -> None:
    """Have a job begin on each commit of a story's that is pushed."""
    scene.actions.on_push = lambda branch, sha: scene.begin_job(sha) if branch.startswith("story/") else None


def open_second(scene: DeliveryScene) -> None:
    """Take a second story to where its check goes on, too."""
    begin_jobs(scene)
    second = Bench(scene.bench.root, "43")
    second.begin("--complexity", "1")
    own = {"more.py": "M = 1\n", "calc.py": FILES["calc.py"]}
    assert second.deliver(files=own)["rule"] == "ci/wait"


WAY["two"] = ("open", open_second)


@pytest.fixture
def two(scene_at: NewScene) -> Two:
    scene = scene_at(stage="two")
    begin_jobs(scene)
    return Two(scene, scene.bench, Bench(scene.bench.root, "43"))


@pytest.mark.parametrize("turned", [False, True], ids=["the first before", "the second before"])
def test_the_second_story_meets_the_base_that_the_first_left(two: Two, turned: bool) -> None:
    scene, *stories = two
    one, other = reversed(stories) if turned else stories
    begun = scene.base
    scene.actions.finish()  # both are green on the base both were made from
    assert one.next()["action"] == "complete"
    moved = scene.base
    assert (other.next()["rule"], scene.base) == ("ci/wait", moved)
    assert bases_met(other) == [begun, moved]
    scene.actions.finish()
    assert (other.next()["action"], two.is_whole()) == ("complete", True)


@pytest.mark.parametrize("turned", [False, True], ids=["the first before", "the second before"])
def test_two_stories_are_checked_together(two: Two, turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, *stories = two
    one, other = reversed(stories) if turned else stories
    scene.actions.finish()
    ended = list[str]()

    def merge(*given: Any) -> Change:
        if not ended:
            ended.append("")
            ended.append(one.next()["action"])
        return merge_pull(*given)

    monkeypatch.setattr("baton.delivery.merge.merge_pull", merge)
    assert (other.next()["action"], ended[1:], two.is_whole()) == ("complete", ["complete"], True)
    assert [one.rules.count("merge/checked-again"), other.rules.count("merge/checked-again")] == [0, 1]
