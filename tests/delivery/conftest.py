"""A story in a clone of a repository on the stand-in for GitHub: checked here, and about to be delivered."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import Bench
from delivery.scene import DeliveryScene
from delivery.stages import Kind, Stages
from fake_github.hub import Hub
from shelf import Shelf

NewScene = Callable[..., DeliveryScene]


@pytest.fixture
def new_scene(
    shelf: Shelf, stages: dict[str, Bench], surrounded: Path, hub: Hub, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> NewScene:  # fmt: skip
    """Take a story of a kind to a stage of its way."""
    return lambda kind, stage: Stages(shelf, stages).take(kind, stage, tmp_path, hub, monkeypatch)


@pytest.fixture
def scene_at(new_scene: NewScene) -> NewScene:
    """Make a scene in a mode, with more settings of `integrate`."""

    def made(mode: str = "merge", settings: str = "quiet_s: 0", stage: str = "closed") -> DeliveryScene:
        return new_scene(Kind(mode, settings), stage)

    return made


@pytest.fixture
def scene(scene_at: NewScene) -> DeliveryScene:
    """Give a story that is to be merged on GitHub, checked here, with nothing of it there."""
    return scene_at()


@pytest.fixture
def early(scene_at: NewScene) -> DeliveryScene:
    """Give a story that is to be merged on GitHub, which QA is about to pass."""
    return scene_at(stage="judging")


@pytest.fixture
def opened(scene_at: NewScene) -> DeliveryScene:
    """Give a story whose pull request is open, and whose check goes on."""
    return scene_at(stage="open")


@pytest.fixture
def of_issue_with(new_scene: NewScene) -> NewScene:
    """Make a story out of the issue 12, with more settings."""

    def made(more: str = "", mode: str = "merge", stage: str = "judging", **kind: str) -> DeliveryScene:
        return new_scene(Kind(mode, issue=True, more=more, **kind), stage)

    return made


@pytest.fixture
def of_issue(of_issue_with: NewScene) -> DeliveryScene:
    """Give a story that was made of the issue 12, checked here."""
    return of_issue_with(stage="closed")
