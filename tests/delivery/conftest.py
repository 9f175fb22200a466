"""A story that QA is about to pass, in a clone of a repository on the stand-in for GitHub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import Reach
from delivery.scene import REPOSITORY, Scene, make_issue_scene, make_scene
from fake_github.hub import Hub

NewScene = Callable[..., Scene]


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
        place, bench = tmp_path / "remote.git", reach("bench")
        return make_issue_scene(bench, hub, place, mode, "quiet_s: 0", monkeypatch, settings, repository)

    return made


@pytest.fixture
def of_issue(of_issue_with: NewScene) -> Scene:
    """Give a story that was made of the issue 12, which QA is about to pass."""
    return of_issue_with()
