"""The check tree is forced, cleaned and removed with all that is in it: no tree of the user's ever is."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.artifacts.config import Command
from baton.checks import cleanup as upkeep
from baton.checks import job as checks
from baton.checks.check_tree import check_tree
from baton.checks.job import Checks, story_checks
from baton.git.command import find_project
from baton.journal.atomic_file import write_durably
from bench import Bench


class Users:
    """The user's two work trees, each with work in it, beside the check tree of story 42."""

    def __init__(self, bench: Bench, linked: Path) -> None:
        self.bench, self.linked = bench, linked
        bench.git("worktree", "add", "--quiet", "-b", "mine", str(linked), "HEAD")
        for place in (bench.root, linked):
            Bench(place).write({"calc.py": "edited\n", "new.txt": "new\n", "seen.log": "ignored\n"})
        self.project = find_project(bench.root)
        self.tree = check_tree(self.project.common, "42")

    @property
    def content(self) -> list[dict[str, str]]:
        """What is checked out in each, and its files."""
        trees = (self.bench.root, self.linked)
        return [
            {str(file): file.read_text() for file in [self.git_dir(tree) / "HEAD", *files(tree)]} for tree in trees
        ]

    def git_dir(self, tree: Path) -> Path:
        return self.project.common / ("worktrees/check" if tree == self.linked else "")

    def check(self) -> list[str]:
        """Run a command in the check tree; returns where it ran."""
        commands = [Command("test", "pwd -P")]
        place, commit = (
            story_checks(self.project, "42"),
            (self.project.common / "refs/heads/main").read_text().strip(),
        )
        made = Checks(self.project, place, commit, commands, 60, "", "42")
        outcomes = made.begin() or made.wait(60)
        return [outcome.tail for outcome in outcomes or ()]


def files(tree: Path) -> list[Path]:
    return [path for path in sorted(tree.iterdir()) if path.is_file()]


@pytest.fixture
def users(bench: Bench, tmp_path: Path) -> Users:
    return Users(bench, tmp_path / "theirs/check")


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def forge_record(users: Users) -> None:
    users.tree.kept.mkdir(parents=True)
    told = {"path": str(users.linked), "spared": ["..", str(users.linked)], "setup": "x"}
    (users.tree.kept / "state.json").write_text(json.dumps(told))


def forge_git_file(users: Users) -> None:
    users.tree.path.mkdir(parents=True)
    (users.tree.path / ".git").write_bytes((users.linked / ".git").read_bytes())


LEADS: dict[str, Callable[[Users], object]] = {
    "a link to it": lambda users: link(users.tree.path, users.linked),
    "a link to its folder": lambda users: link(users.tree.path.parent, users.linked.parent),
    "a link to the main one": lambda users: link(users.tree.path, users.bench.root),
    "a forged record": forge_record,
    "its git file": forge_git_file,
    "core.worktree": lambda users: users.bench.git("config", "core.worktree", str(users.linked)),
}
each_lead = pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS)


@each_lead
def test_a_check_follows_no_link_to_the_users_trees(lead: Callable[[Users], None], users: Users) -> None:
    before = users.content
    lead(users)
    assert users.check() == [str(users.tree.path.resolve())]
    assert users.content == before


@each_lead
def test_a_removal_follows_no_link_to_the_users_trees(
    lead: Callable[[Users], None], users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "UNUSED_DAYS", -1)
    before = users.content
    lead(users)
    assert users.linked not in [tree.path.resolve() for tree in upkeep.stale_trees(users.project)]
    assert (upkeep.remove_trees(users.project, "42"), users.content) == ("", before)
    assert not users.tree.path.exists()


def test_a_pull_requests_tree_that_is_used_is_not_stale(users: Users) -> None:
    tree = check_tree(users.project.common, "pr-7")
    tree.path.mkdir(parents=True)
    os.utime(tree.path, (0, 0))
    assert tree in upkeep.stale_trees(users.project)
    tree.note(moved=int(time.time()))
    assert tree not in upkeep.stale_trees(users.project)


@pytest.mark.parametrize(
    "names", [("GIT_DIR",), ("GIT_DIR", "GIT_WORK_TREE"), ("GIT_COMMON_DIR", "GIT_INDEX_FILE")]
)
def test_trees_that_the_environment_names_are_not_touched(
    names: tuple[str, ...], users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, own = users.content, users.git_dir(users.linked)
    values = {
        "GIT_DIR": own, "GIT_WORK_TREE": users.linked, "GIT_COMMON_DIR": own, "GIT_INDEX_FILE": own / "index"
    }  # fmt: skip
    for name in names:
        monkeypatch.setenv(name, str(values[name]))
    assert users.check() == [str(users.tree.path.resolve())]
    assert (upkeep.remove_trees(users.project, "42"), users.content) == ("", before)


def test_a_setting_of_the_environment_names_no_other_tree(users: Users, monkeypatch: pytest.MonkeyPatch) -> None:
    before = users.content
    given = {"COUNT": "1", "KEY_0": "core.worktree", "VALUE_0": str(users.linked)}
    for name, value in given.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert users.check() == [str(users.tree.path.resolve())]
    assert (upkeep.remove_trees(users.project, "42"), users.content) == ("", before)


def test_a_forged_job_reaches_no_other_tree(users: Users, monkeypatch: pytest.MonkeyPatch) -> None:
    def forge(path: Path, text: str, *more: Path) -> None:
        write_durably(path, json.dumps({**json.loads(text), "path": str(users.linked)}), *more)

    before = users.content
    monkeypatch.setattr(checks, "write_durably", forge)
    assert users.check() == [str(users.tree.path.resolve())]
    assert users.content == before
