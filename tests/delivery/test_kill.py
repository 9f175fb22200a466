"""Killed before or after any request or push, or with any answer lost, a delivery goes on: all is there once."""

from typing import NamedTuple

import pytest

from baton.delivery import after_merge, deliver, remote_base
from baton.github.client import GitHub
from delivery.conftest import NewScene
from delivery.scene import OF_ISSUE, DeliveryScene
from delivery.stages import Kind as Delivered
from fake_github.misbehave import Fault, HangUp, Status
from killing import Killed, Killer


class Kind(NamedTuple):
    """How a story of an issue is delivered, and more than it has of calls outside, of reads and of changes.

    The last number of each strikes nothing, and that is asserted.
    """

    mode: str
    settings: str
    queue: bool
    calls: int
    reads: int
    changes: int


KINDS = {
    "a draft, merged": Kind("merge", "quiet_s: 0, draft: true", False, 50, 41, 6),
    "by a queue": Kind("merge", "quiet_s: 0", True, 41, 33, 5),
    "a draft, left open": Kind("pr", "quiet_s: 0, draft: true", False, 24, 20, 4),
}
# Whether what was asked for was carried out before the answer was lost; of a read nobody can tell.
LOST: tuple[Fault, ...] = (HangUp(), Status(502))
CARRIED_OUT: tuple[Fault, ...] = (HangUp(applied=True), Status(502, applied=True))


def lie_in_wait(killer: Killer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it count the calls that reach outside."""
    monkeypatch.setattr(GitHub, "_run", killer.around("gh", GitHub._run))
    for module in (remote_base, deliver, after_merge):
        for name in ("push_commit", "fetch_branch"):
            if call := getattr(module, name, None):
                monkeypatch.setattr(module, name, killer.around(name, call))


@pytest.fixture
def closed(request: pytest.FixtureRequest, new_scene: NewScene) -> DeliveryScene:
    """Give a story of the kind that a test names, checked here."""
    kind = KINDS[request.param]
    scene = new_scene(Delivered(kind.mode, kind.settings, issue=True), "closed")
    if kind.queue:
        scene.actions.rules.append({"type": "merge_queue", "parameters": {}})
    return scene


def numbers(of: str) -> pytest.MarkDecorator:
    """Have a test run for each kind with each number but the last."""
    cases = [(kind, number) for kind, known in KINDS.items() for number in range(1, known._asdict()[of])]
    return pytest.mark.parametrize(("closed", "number"), cases, indirect=["closed"])


def finish(scene: DeliveryScene) -> None:
    """Go on until the story is complete, and see that all is there once."""
    for _ in range(12):
        try:
            step = scene.next()
        except Killed:
            continue
        if step["action"] != "wait":
            break
        scene.turn_queue()
    assert step["action"] == "complete"
    ends = {"close/done": (1, ["started -->", "ended -->"]), "integrate/pr": (0, ["started -->"])}
    said = [one.rpartition("<!-- baton:story 1 ")[2] for one in scene.said]
    assert (scene.merges, said) == ends[step["rule"]]
    assert (len(scene.pulls), scene.pull.draft) == (1, False)
    assert len({sha for branch, sha in scene.actions.seen if branch == OF_ISSUE}) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@numbers("calls")
def test_no_kill_ends_it(number: int, after: bool, closed: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    lie_in_wait(Killer(number, after), monkeypatch)
    finish(closed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", [*LOST, *CARRIED_OUT], ids=str)
@numbers("changes")
def test_the_answer_to_a_change_is_lost(number: int, fault: Fault, closed: DeliveryScene) -> None:
    closed.hub.misbehave(fault, after=number - 1, when=lambda one: one.changes_something)
    finish(closed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", LOST, ids=str)
@numbers("reads")
def test_the_answer_to_a_read_is_lost(number: int, fault: Fault, closed: DeliveryScene) -> None:
    closed.hub.misbehave(fault, after=number - 1, when=lambda one: not one.changes_something)
    finish(closed)


@pytest.mark.gh
@pytest.mark.parametrize(("closed", "kind"), KINDS.items(), indirect=["closed"], ids=list(KINDS))
def test_the_last_number_strikes_none(kind: Kind, closed: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    killer = Killer(kind.calls)
    lie_in_wait(killer, monkeypatch)
    finish(closed)
    changes = len(closed.changes)
    made = (len(killer.calls), changes, len(closed.hub.requests) - changes)
    assert (killer.struck, made) == ("", (kind.calls - 1, kind.changes - 1, kind.reads - 1))
