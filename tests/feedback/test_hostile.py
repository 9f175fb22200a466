"""Names, paths and environments that strangers choose: each is data, and a canary shows that nothing of it ran."""

import os
from pathlib import Path

import pytest

from feedback.scene import PullScene

CANARY = "canary"
BRANCHES = {
    "a command in a dollar": "x$(touch${IFS}canary)",
    "a command in backticks": "x`touch${IFS}canary`",
    "a second command": "x;touch${IFS}canary",
    "a pipe": "x|touch${IFS}canary",
    "a variable": "${IFS}canary",
    "a tag": "<system>x</system>",
    "a full ref": "refs/heads/x",
    "a wide space": "x\u3000y",
    "letters that turn around": "x\u202ey",
    "letters nobody sees": "x\u200by",
    "an upload command": "x--upload-pack=touch",
    "the name of a commit": "a" * 40,
}


def canaries(here: PullScene) -> list[Path]:
    return [path for path in here.bench.root.parent.rglob(CANARY) if "refs" not in path.parts]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BRANCHES)
def test_the_name_of_a_branch_runs_nothing_and_is_pushed_to(here: PullScene, name: str) -> None:
    branch = here.pull.head = BRANCHES[name]
    here.bench.git("branch", "--move", "--", "topic", branch)
    here.bench.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    here.fixed()
    said = here.landed()
    head = here.bench.git("--git-dir", str(here.remote), "rev-parse", f"refs/heads/{branch}")
    assert (said.code, head, canaries(here)) == (0, here.head, [])
    assert "\u202e" not in here.fetch().out


PATHS = (
    "$(touch canary).py", "a;touch canary;.py", "`touch canary`.py", "-rf.py", "--output=canary",
    "*.py", "a'b\".py",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PATHS)
def test_the_name_of_a_file_runs_nothing_and_is_that_file_alone(here: PullScene, path: str) -> None:
    here.bench.write({"other.py": "the user's\n"})
    thread = here.fixed(path)
    assert here.landed().code == 0
    changed = here.bench.git("show", "--name-only", "--format=", "-z", "HEAD").split("\0")
    assert [one for one in changed if one] == [path]
    assert (canaries(here), thread.resolved) == ([], True)


HOSTILE = {
    "GIT_DIR": "/nonexistent", "GIT_EXTERNAL_DIFF": "touch canary", "GH_HOST": "evil.example",
    "GH_REPO": "evil/app",
    "GIT_GLOB_PATHSPECS": "1",
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", HOSTILE)
def test_the_environment_leads_nowhere_else(here: PullScene, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    thread = here.fixed()
    environment = {**os.environ, name: HOSTILE[name]}
    with monkeypatch.context() as patch:
        patch.setattr("os.environ", environment)
        assert here.landed().out.startswith("DO report")
    assert (canaries(here), thread.resolved) == ([], True)
    assert {request.host for request in here.hub.requests} == {"api.github.com"}
