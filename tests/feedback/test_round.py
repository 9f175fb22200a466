"""A round, from what was read to what is left: planned, resolved, landed; the second one after it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import Said
from feedback.conftest import Clone
from github.misbehave import Meanwhile


class Working:
    """A clone whose head is that of the pull request, with a bare repository to push to."""

    def __init__(self, clone: Clone, remote: Path) -> None:
        self.clone = clone
        self.bench = clone.bench
        self.pull = clone.pull
        self.remote = remote

    def plan(self, *words: str) -> Any:
        return self.bench.baton("pr", "plan", "--json", *words).json

    def hand_in(self, unit: str, results: list[dict[str, Any]], **more: Any) -> Said:
        text = json.dumps({"unit": unit, "results": results, **more})
        return self.bench.baton("hand-in", "pr-7", "resolver-result", "--run", unit, stdin=text)

    def land(self, *words: str) -> Said:
        return self.bench.baton("pr", "land", *words)

    def edit(self, path: str, text: str) -> None:
        self.bench.write({path: text})


def result(item: str, verdict: str = "fixed", *files: str, **more: Any) -> dict[str, Any]:
    return {
        "feedback_id": item, "feedback_type": "review_thread", "verdict": verdict, "reply_text": "Renamed it.",
        "reason": "it was misleading", "files_changed": list(files), **more,
    }  # fmt: skip


def follow(here: Clone, remote: Path) -> None:
    """Have the host show the head that was pushed, as it does."""

    def look() -> None:
        here.pull.head_oid = here.bench.git("--git-dir", str(remote), "rev-parse", "topic").strip()

    here.hub.misbehave(Meanwhile(look), times=None)


ASSESSED = {"cluster_assessment": {"mode": "systemic", "summary": "the same check", "files_investigated": []}}


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


def landed(working: Working) -> Said:
    """Land as far as the host goes: what was pushed is the head there once it was asked for."""
    working.land()
    working.bench.baton("answer", "pr-7", "accept")
    said = working.land()
    while said.out.startswith("DO wait"):
        said = working.land()
    return said


def test_a_thread_is_fixed_pushed_replied_and_resolved(working: Working) -> None:
    first = working.pull.thread("src/a.py", 1, by="me", body="Rename this variable.")
    working.clone.fetch()
    planned = working.plan()
    assert (planned["action"], planned["rule"], len(planned["spawn"])) == ("spawn", "gate/none", 1)
    working.edit("src/a.py", "alpha = 1\n")
    assert working.hand_in(planned["spawn"][0]["unit"], [result(first.id, "fixed", "src/a.py")]).code == 0
    said = landed(working)
    print(said.out, said.err)
    assert said.out.startswith("DO report\nWHY verify/clean")
    assert (first.resolved, len(first.comments)) == (True, 2)
