"""A pull request on the stand-in for GitHub, and a clone to read it from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench import Bench, Said
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from feedback.kill_scene import PLAIN, Scene, repository, scene


@dataclass(frozen=True)
class Clone:
    """A work tree whose remote is on a host, and the pull request a test is about; me, alice and bob may push."""

    bench: Bench
    hub: Hub
    pull: PullRequest
    waits: list[float]

    def fetch(self, *words: str) -> Said:
        """Call `pr fetch` for the pull request."""
        return self.bench.baton("pr", "fetch", *(words or ("7",)))

    def read(self, *words: str) -> Any:
        """Read the pull request, as data."""
        return self.fetch(*(words or ("7",)), "--json").json

    def show(self, *words: str) -> Said:
        """Call `pr show`."""
        return self.bench.baton("pr", "show", *words)

    @property
    def asked(self) -> list[str]:
        """What the host was asked, in order: the name of each query, the path of each other request."""
        return [
            request.query.split("(")[0].split()[-1] if request.query else request.path
            for request in self.hub.requests
        ]


def clone(bench: Bench, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """Give a clone of `octo/app` on a host, with the pull request 7."""
    waits: list[float] = []
    monkeypatch.setattr("baton.github.client.sleep", waits.append)
    bench.git("remote", "add", "origin", f"https://{hub.host}/octo/app.git")
    for name in ("me", "alice", "bob"):
        hub.permit("octo/app", name, "write")
    return Clone(bench, hub, hub.pull_request("octo/app", 7, author="alice"), waits)


@pytest.fixture
def here(bench: Bench, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """Give a clone of a repository on github.com."""
    return clone(bench, hub, monkeypatch)


@pytest.fixture
def at_work(bench: Bench, enterprise: Hub, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """Give a clone of a repository on an enterprise host."""
    return clone(bench, enterprise, monkeypatch)


def whole(data: Any) -> str:
    """Give the text of the file a read was kept in."""
    return Path(data["file"]).read_text(encoding="utf-8")


@pytest.fixture
def settings() -> str:
    """What is settled on the base branch; a test may say otherwise."""
    return PLAIN


@pytest.fixture
def to_land(bench: Bench, hub: Hub, tmp_path: Path, settings: str, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Give a pull request to land, in a clone of its own."""
    monkeypatch.setattr("baton.github.client.sleep", lambda seconds: None)
    repository(bench, tmp_path / "remote.git", settings)
    return scene(bench, hub, tmp_path / "remote.git")
