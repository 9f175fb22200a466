"""A repository on the stand-in for GitHub, with the issue 12, and a runner for the workflow."""

from pathlib import Path

import pytest

from actions.runner import Runner
from bench import Bench, Reach
from delivery.scene import ISSUE, REPOSITORY, DeliveryScene, attach_scene
from fake_github.hub import Hub


@pytest.fixture
def home(reach: Reach, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DeliveryScene:
    """Give the user's own clone, pushed; `ask_on: github`, mode pr."""
    bench, remote = reach("bench"), tmp_path / "remote.git"
    bench.git("init", "--quiet", "--bare", "-b", "main", str(remote))
    bench.git("remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
    bench.git("config", f"url.{remote}.insteadOf", f"https://github.com/{REPOSITORY}.git")
    bench.settle("integrate: {mode: local}", "integrate: {mode: pr, quiet_s: 0}\nask_on: github")
    bench.git("push", "--quiet", "origin", "main")
    scene = attach_scene(Bench(bench.root, "1"), hub, remote, monkeypatch, "story/1-subtract-numbers")
    hub.repository(REPOSITORY).issues[12] = ISSUE._replace(author=hub.actor("me"))
    return scene


@pytest.fixture
def runner(home: DeliveryScene, hub: Hub, tmp_path: Path) -> Runner:
    return Runner(tmp_path / "runner", home.actions.place, hub)
