"""A work tree that is out of the ordinary is found by git; a plain one is found as git finds it."""

import os
from pathlib import Path

import pytest

from baton.git.discover import git_dir_of, plain_work_tree
from baton.journal.paths import Project
from bench import Bench


def by_git(place: Path) -> Project:
    words = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    return Project(*map(Path, Bench(place).git(*words).splitlines()))


def test_a_plain_work_tree_is_the_one_git_finds(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    (link := tmp_path / "link").symlink_to(bench.root)
    for place in (bench.root, bench.root / "tools", tmp_path / "linked", link / "tools"):
        assert plain_work_tree(place) == by_git(place)
    assert git_dir_of(tmp_path / "linked") == by_git(tmp_path / "linked").git_dir


UNUSUAL = {
    "another work tree": ("config", "core.worktree", "/tmp"),
    "a bare repository": ("config", "core.bare", "true"),
    "extensions": ("config", "extensions.worktreeConfig", "true"),
    "another format": ("config", "core.repositoryFormatVersion", "1"),
    "settings elsewhere": ("config", "include.path", "/tmp/more"),
}


@pytest.mark.parametrize("words", UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_repository_is_left_to_git(words: tuple[str, ...], bench: Bench) -> None:
    bench.git(*words)
    assert plain_work_tree(bench.root) is None


@pytest.mark.parametrize("name", ["HEAD", "objects", "refs", "config"])
def test_an_incomplete_repository_is_left_to_git(name: str, bench: Bench) -> None:
    os.rename(bench.root / ".git" / name, bench.root / ".git" / f"{name}.gone")
    assert plain_work_tree(bench.root) is None


def test_inside_gits_own_folder_and_outside_of_all_git_is_asked(bench: Bench, tmp_path: Path) -> None:
    assert plain_work_tree(bench.root / ".git" / "refs") is None
    (tmp_path / "empty").mkdir()
    assert plain_work_tree(tmp_path / "empty") is None


def test_a_tree_whose_git_dir_leads_elsewhere_is_left_to_git(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    (tmp_path / "linked").rename(tmp_path / "moved")
    assert plain_work_tree(tmp_path / "moved") is None
