"""A pull request on the stand-in for GitHub, and a clone to read it from and to land it in."""

import hashlib
import shutil
from pathlib import Path

import pytest

from bench import Bench, isolate
from fake_github.hub import Hub
from feedback.desk import ReplyDesk, desk_at
from feedback.scene import PLAIN, PullScene, repository, scene
from shelf import Shelf


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> str:
    """What is settled on the base branch: what the test says, or `SETTINGS` of its file."""
    return str(getattr(request.module, "SETTINGS", PLAIN))


@pytest.fixture
def here(
    hub: Hub, shelf: Shelf, stages: dict[str, Bench], surrounded: Path, tmp_path: Path, settings: str,
    monkeypatch: pytest.MonkeyPatch,
) -> PullScene:  # fmt: skip
    """Give the pull request 7, in a clone of its own."""

    def make(top: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            isolate(patch, top / "home")
            repository(stages["bench"].copy(top / "project"), top / "remote.git", settings)

    made = shelf(f"pull-{hashlib.sha256(settings.encode()).hexdigest()[:12]}", make)
    bench, remote = Bench(made / "project").copy(tmp_path / "project"), tmp_path / "remote.git"
    shutil.copytree(made / "remote.git", remote)
    bench.git("config", "--rename-section", f"url.{made / 'remote.git'}", f"url.{remote}")
    pull = scene(bench, hub, remote)
    monkeypatch.setattr("baton.github.client.sleep", pull.waits.append)
    return pull


@pytest.fixture
def desk(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplyDesk:
    """Give somewhere to post from, with the pull request 7 on github.com."""
    return desk_at(hub, tmp_path, monkeypatch)
