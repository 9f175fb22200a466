"""A pull request on the stand-in for GitHub, and a clone to read it from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench import Bench, Said, call
from fake_github.hub import Hub
from fake_github.misbehave import Meanwhile
from fake_github.pull_request import PullRequest
from feedback.kill_scene import PLAIN, Scene, begun, repository, scene


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
        return [one.query.split("(")[0].split()[-1] if one.query else one.path for one in self.hub.requests]


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


class Working:
    """A clone whose head is that of the pull request, with a bare repository to push to."""

    def __init__(self, clone: Clone, remote: Path) -> None:
        self.clone = clone
        self.bench = clone.bench
        self.pull = clone.pull
        self.remote = remote

    def plan(self, *words: str, stdin: str = "") -> Any:
        """Plan a round, having confirmed the commands."""
        step = self.bench.baton("pr", "plan", "--json", *words, stdin=stdin).json
        if step.get("rule") != "land/commands":
            return step
        assert self.bench.baton("answer", f"pr-{step['pr']}", "accept").code == 0
        return self.bench.baton("pr", "plan", "--json", *words, stdin=stdin).json

    def hand_in(self, unit: str, results: list[dict[str, Any]], **more: Any) -> Said:
        text = json.dumps({"unit": unit, "results": results, **more})
        words = ("hand-in", "pr-7", "resolver-result", "--run", unit)
        return call("--project", str(begun(self.bench, unit).root), *words, stdin=text)

    def land(self, *words: str) -> Said:
        return self.bench.baton("pr", "land", *words)

    def edit(self, unit: str, path: str, text: str) -> None:
        begun(self.bench, unit).write({path: text})


def result(item: str, verdict: str = "fixed", *files: str, **more: Any) -> dict[str, Any]:
    return {
        "feedback_id": item, "feedback_type": "review_thread", "verdict": verdict, "reply_text": "Renamed it.",
        "reason": "it was misleading", "files_changed": list(files), **more,
    }  # fmt: skip


def follow(here: Clone, remote: Path) -> None:
    """Have the host show the head that was pushed, as it does."""

    def look() -> None:
        ref = f"refs/heads/{here.pull.head}"
        here.pull.head_oid = here.bench.git("--git-dir", str(remote), "rev-parse", "--verify", ref).strip()

    here.hub.misbehave(Meanwhile(look), times=None)


@pytest.fixture
def working(here: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Working:
    """Give a clone on the pull request's branch; what is pushed there is its head on the host, too."""
    remote = tmp_path / "remote.git"
    git = here.bench.git
    git("init", "--quiet", "--bare", str(remote))
    git("config", f"url.{remote}.insteadOf", "https://github.com/octo/app.git")
    git("switch", "--quiet", "--create", "topic")
    here.bench.write({"src/a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    git("add", "--", "src")
    git("commit", "--quiet", "--message", "topic")
    git("push", "--quiet", "origin", "topic", "main")
    follow(here, remote)
    here.pull.head_oid = git("rev-parse", "HEAD").strip()
    return Working(here, remote)


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
