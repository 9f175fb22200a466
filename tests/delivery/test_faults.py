"""What keeps baton from GitHub in the middle of a delivery is one line, and the next call goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from delivery.conftest import NewScene
from delivery.scene import DeliveryScene
from fake_github.misbehave import HangUp

pytestmark = pytest.mark.sampled(1)
Spoil = Callable[[DeliveryScene, pytest.MonkeyPatch, Path], object]


def without_gh(scene: DeliveryScene, patch: pytest.MonkeyPatch, place: Path) -> None:
    (place / "git").symlink_to(scene.bench.git("--exec-path") + "/git")
    (place / "sh").symlink_to("/bin/sh")
    patch.setenv("PATH", str(place))


FAULTS: dict[str, Spoil] = {
    "`gh` cannot be started": without_gh,
    "gh is not logged in": lambda scene, patch, _: patch.delenv("GH_TOKEN"),
    "gh could not reach it": lambda scene, *_: scene.hub.misbehave(
        HangUp(), times=4, when=lambda one: "check-runs" in one.path
    ),
}


@pytest.mark.gh
@pytest.mark.parametrize("said", FAULTS)
def test_it_is_one_line_and_the_next_call_goes_on(said: str, scene: DeliveryScene, tmp_path: Path) -> None:
    (place := tmp_path / "bin").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        FAULTS[said](scene, patch, place)
        assert said in scene.bench.baton("next", "42").refused
    assert scene.next()["action"] == "complete"
    assert (len(scene.pulls), scene.merges) == (1, 1)


def test_a_wait_that_says_something_else_at_each_look_is_journalled_once(scene_at: NewScene) -> None:
    scene = scene_at(settings="quiet_s: 120")
    first, events = scene.deliver()["reason"], len(scene.bench.state.events)
    scene.later(20)
    assert scene.next()["reason"] != first
    assert len(scene.bench.state.events) == events
