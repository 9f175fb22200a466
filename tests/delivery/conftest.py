"""A story that QA is about to pass, in a clone of a repository on the stand-in for GitHub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench import Bench, Reach
from delivery.scene import REPOSITORY, Scene, make_scene
from fake_github.hub import Hub
from fake_github.state import Issue

NewScene = Callable[..., Scene]
ISSUE = Issue("Subtract numbers", "## Acceptance Criteria\n\n- sub(3, 2) is 1\n- a test shows it\n", None)


@pytest.fixture
def scene_at(reach: Reach, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewScene:
    """Make a scene in a mode, with more settings of `integrate`."""

    def made(mode: str = "merge", settings: str = "quiet_s: 0") -> Scene:
        return make_scene(reach("judging"), hub, tmp_path / "remote.git", mode, settings, monkeypatch)

    return made


@pytest.fixture
def scene(scene_at: NewScene) -> Scene:
    """Make a scene whose story is to be merged on GitHub."""
    return scene_at()


@pytest.fixture
def of_issue_with(reach: Reach, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewScene:
    """Make a story out of the issue 12, with more settings, which QA is about to judge."""

    def made(settings: str = "", mode: str = "merge", repository: str = REPOSITORY) -> Scene:
        first = make_scene(reach("bench"), hub, tmp_path / "remote.git", mode, "quiet_s: 0", monkeypatch)
        scene = replace(first, bench=Bench(first.bench.root, "1"), story="story/1-subtract-numbers")
        if settings:
            scene.settle(settings)
        hub.permit(repository, "me", "write")
        hub.repository(repository).issues[12] = ISSUE._replace(author=hub.actor("me"))
        scene.on_push(scene.actions.job)
        issue = f"https://github.com/{repository}/issues/12\n"
        assert scene.bench.baton("start", "-", stdin=issue).code == 0
        scene.bench.answer("accept")
        scene.bench.plan()
        scene.bench.implement()
        return scene

    return made


@pytest.fixture
def of_issue(of_issue_with: NewScene) -> Scene:
    """Give a story that was made of the issue 12, which QA is about to pass."""
    return of_issue_with()
