"""Killed before or after any request or push, or with an answer lost, a delivery goes on: all is there once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from baton.delivery import after_merge, deliver, merge
from baton.github.client import GitHub
from delivery.scene import STORY, Scene
from fake_github.misbehave import HangUp, Status
from fake_github.request import Request
from scenes import pass_qa

pytestmark = pytest.mark.sampled(6)

# More than a delivery has; the last numbers strike nothing, and that is asserted.
MOST = 32


class Killed(BaseException):
    """The end of a process, which nothing in it can catch."""


class Killer:
    """Counts the calls that reach outside, and ends the process at one of them."""

    def __init__(self, number: int, after: bool) -> None:
        self.left, self.after, self.struck = number, after, ""

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def struck(*words: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                self.strike(name)
            result = call(*words, **named)
            if self.left == 0 and self.after:
                self.strike(name)
            return result

        return struck

    def strike(self, name: str) -> None:
        self.struck = name
        raise Killed


def deliver_killed(scene: Scene, killer: Killer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliver a story as far as it comes."""
    pass_qa(scene.bench)
    with monkeypatch.context() as patch:
        patch.setattr(GitHub, "_run", killer.around("gh", GitHub._run))
        for module in (deliver, merge, after_merge):
            for name in ("push_commit", "fetch_branch"):
                if call := getattr(module, name, None):
                    patch.setattr(module, name, killer.around(name, call))
        try:
            scene.bench.next()
        except Killed:
            return


def is_all_there_once(scene: Scene) -> None:
    opened = [one for one in scene.changes if one.path.endswith("/pulls")]
    assert scene.next()["action"] == "complete"
    assert (len(scene.pulls), scene.merges, scene.pull.state) == (1, 1, "MERGED")
    assert len(opened) <= 1
    assert scene.head == ""
    assert {branch for branch, _ in scene.actions.seen} == {"main", STORY}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, MOST))
def test_killed_anywhere_it_goes_on_and_merges_once(
    number: int, after: bool, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver_killed(scene, Killer(number, after), monkeypatch)
    is_all_there_once(scene)


def test_the_last_kill_strikes_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(MOST, after=False)
    deliver_killed(scene, killer, monkeypatch)
    assert (killer.struck, killer.left > 0) == ("", True)


CHANGES = {"opening": ("POST", "/pulls"), "merging": ("PUT", "/merge")}


@pytest.mark.parametrize(
    "fault", [HangUp(applied=True), HangUp(), Status(502, applied=True), Status(502)], ids=str
)
@pytest.mark.parametrize("what", CHANGES)
def test_a_lost_answer_leaves_one_pull_request_and_one_merge(
    what: str, fault: HangUp | Status, scene: Scene
) -> None:
    method, end = CHANGES[what]

    def is_meant(one: Request) -> bool:
        return one.method == method and one.path.endswith(end)

    scene.hub.misbehave(fault, when=is_meant)
    step = scene.deliver()
    while step["action"] == "wait":
        step = scene.next()
    assert (step["action"], len(scene.pulls), scene.merges) == ("complete", 1, 1)
