"""How far a story has come on its way to GitHub: played once, and copied with what GitHub knows of it."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from bench import Bench, isolate
from delivery.scene import OF_ISSUE, REPOSITORY, STORY, DeliveryScene, attach_scene, make_issue_scene, make_scene
from fake_github.hub import Hub
from fake_github.inside import answer_inside
from fake_github.kept import load, save
from killing import killed_at
from shelf import Shelf


class Kind(NamedTuple):
    """How a story is delivered: `issue` says that it was made of the issue 12, `more` is more of its settings."""

    mode: str = "merge"
    settings: str = "quiet_s: 0"
    issue: bool = False
    more: str = ""
    repository: str = REPOSITORY


def close(scene: DeliveryScene) -> None:
    """Take a story to where its delivery begins: it was checked here, and nothing of it is on GitHub."""
    scene.pass_qa()
    with killed_at("delivery.deliver.deliver_head"):
        while scene.next()["action"] == "wait":  # for commands, on a busy machine
            scene.bench.rest()
    assert scene.rules[-1] == "close/written"


def open_pull(scene: DeliveryScene) -> None:
    """Take a story to where its pull request is open, and a check of its head goes on."""
    scene.on_push(scene.begin_job)
    assert scene.next()["rule"] == "ci/wait"


# Each stage: where it begins, and what leads from there to it.
WAY: dict[str, tuple[str, Callable[[DeliveryScene], object]]] = {
    "judging": ("", lambda scene: None), "closed": ("judging", close), "open": ("closed", open_pull),
}  # fmt: skip


@dataclass(frozen=True)
class Stages:
    """What stories are copied from."""

    shelf: Shelf
    benches: dict[str, Bench]

    def take(self, kind: Kind, name: str, to: Path, hub: Hub, patch: pytest.MonkeyPatch) -> DeliveryScene:
        """Give a story at a stage, in a folder and on a host of its own."""
        key = sha256(repr((kind, name)).encode()).hexdigest()[:16]
        at = self.shelf(f"delivery-{key}", lambda folder: self._make(kind, name, folder))
        bench = Bench(at / "project", "1" if kind.issue else "42").copy(to / "project")
        shutil.copytree(at / "remote.git", to / "remote.git", symlinks=True)
        config = bench.root / ".git/config"
        config.write_text(config.read_text().replace(f'"{at}/', f'"{to}/'))
        load(hub, at / "hub")
        # However late in a test run it is copied, no more time has passed in it.
        ago = time.time() - float((at / "time").read_text())
        scene = attach_scene(bench, hub, to / "remote.git", patch, OF_ISSUE if kind.issue else STORY, ago)
        if name == "open":
            scene.on_push(scene.begin_job)
        return scene

    def _make(self, kind: Kind, name: str, folder: Path) -> None:
        (before, play), hub = WAY[name], Hub()
        with pytest.MonkeyPatch.context() as patch:
            isolate(patch, folder / "home")
            answer_inside(hub, patch)
            take = self.take if before else self._begin
            scene = take(kind, before, folder, hub, patch)
            play(scene)
            scene.bench.rest()
        save(hub, folder / "hub")
        (folder / "time").write_text(str(time.time() + scene.clock[0]))

    def _begin(self, kind: Kind, _: str, folder: Path, hub: Hub, patch: pytest.MonkeyPatch) -> DeliveryScene:
        bench = self.benches["bench" if kind.issue else "judging"].copy(folder / "project")
        given = (bench, hub, folder / "remote.git", kind.mode, kind.settings, patch)
        return make_issue_scene(*given, kind.more, kind.repository) if kind.issue else make_scene(*given)
