"""Names, paths and environments that strangers choose: each is data, and a canary shows that nothing of it ran."""

import os
from pathlib import Path

import pytest

from bench import Said
from feedback.conftest import Working, result

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


def moved(working: Working, branch: str) -> None:
    """Have the pull request come from a branch of another name."""
    working.bench.git("branch", "--move", "--", "topic", branch)
    working.bench.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    working.pull.head = branch


def landed(working: Working, item: str, *files: str) -> Said:
    working.clone.fetch()
    unit = working.plan()["spawn"][0]["unit"]
    for one in files:
        working.edit(unit, one, "changed\n")
    assert working.hand_in(unit, [result(item, "fixed", *files)]).code == 0
    return to_the_end(working)


def to_the_end(working: Working) -> Said:
    said = working.land()
    while said.out.startswith("DO wait"):
        said = working.land()
    return said


def canaries(working: Working) -> list[Path]:
    return [one for one in working.bench.root.parent.rglob(CANARY) if "refs" not in one.parts]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BRANCHES)
def test_the_name_of_a_branch_runs_nothing_and_is_pushed_to(working: Working, name: str) -> None:
    moved(working, BRANCHES[name])
    thread = working.pull.thread("src/a.py", 1, by="me", body="Rename this.")
    said = landed(working, thread.id, "src/a.py")
    head = working.bench.git("--git-dir", str(working.remote), "rev-parse", f"refs/heads/{BRANCHES[name]}").strip()
    assert (said.code, head) == (0, working.bench.git("rev-parse", "HEAD").strip())
    assert canaries(working) == []
    assert "\u202e" not in working.clone.fetch().out


PATHS = (
    "$(touch canary).py", "a;touch canary;.py", "`touch canary`.py", "-rf.py", "--output=canary",
    "*.py", "a'b\".py",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PATHS)
def test_the_name_of_a_file_runs_nothing_and_is_that_file_alone(working: Working, path: str) -> None:
    thread = working.pull.thread(path, 1, by="me", body="Rename this.")
    working.bench.write({"other.py": "the user's\n"})
    landed(working, thread.id, path)
    changed = working.bench.git("show", "--name-only", "--format=", "-z", "HEAD").split("\0")
    assert [one for one in changed if one] == [path]
    assert (canaries(working), thread.resolved) == ([], True)


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["@/etc/passwd", "true", "null", "{owner}", "-", "@-"])
def test_a_reply_arrives_as_the_text_it_is(working: Working, text: str) -> None:
    thread = working.pull.thread("src/a.py", 1, by="me", body="Why is this so?")
    working.clone.fetch()
    unit = working.plan()["spawn"][0]["unit"]
    said = f"It says {text} there."
    working.hand_in(unit, [result(thread.id, "replied", reply_text=said)])
    assert working.land().code == 0
    posted = thread.comments[-1].body
    assert text.lstrip("@") in posted
    assert "root:" not in posted


def test_what_looks_like_a_secret_is_neither_posted_nor_committed(working: Working) -> None:
    thread = working.pull.thread("src/a.py", 1, by="me", body="Why is this so?")
    working.clone.fetch()
    unit = working.plan()["spawn"][0]["unit"]
    said = working.hand_in(unit, [result(thread.id, "replied", reply_text=f"The token is {SECRET}.")])
    assert (said.code, "looks like a secret" in said.out) == (1, True)
    working.edit(unit, "src/a.py", f"token = '{SECRET}'\n")
    said = working.hand_in(unit, [result(thread.id, "fixed", "src/a.py")])
    assert (said.code, "looks like a secret" in said.out) == (1, True)
    assert working.land().out.startswith("DO wait")
    assert len(thread.comments) == 1


HOSTILE = {
    "GIT_DIR": "/nonexistent", "GIT_EXTERNAL_DIFF": "touch canary", "GH_HOST": "evil.example",
    "GH_REPO": "evil/app",
    "GIT_GLOB_PATHSPECS": "1",
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", HOSTILE)
def test_the_environment_leads_nowhere_else(working: Working, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    thread = working.pull.thread("src/a.py", 1, by="me", body="Rename this.")
    working.clone.fetch()
    unit = working.plan()["spawn"][0]["unit"]
    working.edit(unit, "src/a.py", "changed\n")
    working.hand_in(unit, [result(thread.id, "fixed", "src/a.py")])
    environment = {**os.environ, name: HOSTILE[name]}
    with monkeypatch.context() as patch:
        patch.setattr("os.environ", environment)
        assert to_the_end(working).out.startswith("DO report")
    assert (canaries(working), thread.resolved) == ([], True)
    assert {one.host for one in working.clone.hub.requests} == {"api.github.com"}
