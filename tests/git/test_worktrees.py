"""The work trees of runs: whose one is, and that none is removed with work in it."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from baton.errors import BatonError
from baton.git.command import Git, find_project
from baton.git.worktrees import (
    MARK,
    RunMark,
    agent_of,
    clear_path,
    content_of,
    local_changes,
    make_tree,
    marked_trees,
    put_at,
    read_mark,
    remove_worktree,
    work_trees,
    write_mark,
)
from bench import Bench


@pytest.fixture
def tree(git: Git, tmp_path: Path) -> Bench:
    make_tree(git, tmp_path / "agent-7f", "main")
    return Bench(tmp_path / "agent-7f")


# Whose it is


def test_a_tree_of_the_client_is_known_by_its_git_dir(tree: Bench, bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "mine"))
    bench.git("worktree", "add", "--quiet", "--detach", str(bench.root / ".claude/worktrees/feat"))
    projects = [tree.root, bench.root, tmp_path / "mine", bench.root / ".claude/worktrees/feat"]
    assert [agent_of(find_project(project)) for project in projects] == ["7f", "", "", ""]


def test_a_mark_says_which_run_works_in_a_tree(tree: Bench) -> None:
    project = find_project(tree.root)
    assert read_mark(project) is None
    write_mark(project, RunMark("sess_1_a_iter1", "42"))
    assert read_mark(project) == RunMark("sess_1_a_iter1", "42")
    (project.git_dir / MARK).write_text("{")
    with pytest.raises(BatonError, match="unreadable mark of a run"):
        read_mark(project)


def test_a_tree_that_git_cannot_place_is_named(git: Git, tree: Bench) -> None:
    project = find_project(tree.root)
    write_mark(project, RunMark("sess_1_a_iter1", "42"))
    assert [tree.path for tree in marked_trees(git.project)] == [tree.root]
    (project.git_dir / "gitdir").unlink()
    with pytest.raises(BatonError, match="git lost where a work tree is"):
        marked_trees(git.project)
    git.do("worktree", "repair", str(tree.root))
    assert [tree.path for tree in marked_trees(git.project)] == [tree.root]


# How it begins


def test_a_tree_is_put_at_a_commit_without_a_hook(tree: Bench, bench: Bench) -> None:
    bench.hook("post-checkout", "touch ran")
    later = bench.commit({"later.py": "L = 1\n"}, "hobby")
    put_at(Git(find_project(tree.root)), later)
    assert (tree.git("rev-parse", "HEAD"), tree.branch) == (later, "")
    assert not list(tree.root.glob("ran"))


def test_files_from_before_the_start_are_known_by_their_content(tree: Bench) -> None:
    tree.write({".envrc": "A=1\n", "deps/x.txt": "x\n", "calc.py": "OTHER = 1\n"})
    found = local_changes(Git(find_project(tree.root)))
    assert {name: what.split(" ")[0] for name, what in found.items()} == {
        ".envrc": "file", "deps": "folder", "calc.py": "file"
    }  # fmt: skip
    assert found[".envrc"] == content_of(tree.root / ".envrc")
    tree.write({".envrc": "A=2\n"})
    assert found[".envrc"] != content_of(tree.root / ".envrc")


# How it goes

KEPT: dict[str, dict[str, str]] = {
    "a change": {"calc.py": "A = 1\n"},
    "a new file": {"new.py": "x\n"},
    "a file git ignores": {"notes.env": "x\n", ".git/info/exclude": "*.env\n"},
    "a file git ignores beside what tools make": {"notes.env": "x\n", "a/__pycache__/a.pyc": "x"},
}
GOES: dict[str, dict[str, str]] = {
    "nothing": {},
    "a log git ignores": {"a.log": "x\n"},
    "what tools make": {"node_modules/a/b.js": "x\n", "a/__pycache__/a.pyc": "x"},
}


def ignore(bench: Bench) -> None:
    bench.write({".git/info/exclude": "*.env\nnode_modules\n__pycache__\n/my.env\n"})


@pytest.mark.parametrize("files", KEPT.values(), ids=KEPT)
def test_a_tree_with_work_in_it_stays(files: dict[str, str], git: Git, tree: Bench, bench: Bench) -> None:
    ignore(bench)
    tree.write({name: text for name, text in files.items() if not name.startswith(".git/")})
    assert remove_worktree(git, tree.root, {}) != ""
    assert tree.root.is_dir()


@pytest.mark.parametrize("files", GOES.values(), ids=GOES)
def test_a_tree_without_work_goes(files: dict[str, str], git: Git, tree: Bench, bench: Bench) -> None:
    ignore(bench)
    tree.write(files)
    assert (remove_worktree(git, tree.root, {}), tree.root.exists()) == ("", False)
    assert remove_worktree(git, tree.root, {}) == ""


def test_an_ignored_file_there_from_the_start_goes_unless_changed(git: Git, tree: Bench, bench: Bench) -> None:
    ignore(bench)
    tree.write({"copied.env": "A=1\n"})
    spared = {"copied.env": content_of(tree.root / "copied.env")}
    tree.write({"copied.env": "A=2\n"})
    assert remove_worktree(git, tree.root, spared) == "it holds ignored files: copied.env"
    tree.write({"copied.env": "A=1\n"})
    assert remove_worktree(git, tree.root, spared) == ""


def test_a_users_tree_on_a_disk_that_is_away_is_kept(git: Git, tree: Bench, bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "disk"))
    for one in (tmp_path / "disk", tree.root):
        one.rename(tmp_path / f"{one.name} away")
    assert remove_worktree(git, tree.root, {}) == ""
    listed = bench.git("worktree", "list")
    assert (str(tmp_path / "disk") in listed, str(tree.root) in listed) == (True, False)


def test_a_tree_the_client_has_locked_goes(git: Git, tree: Bench) -> None:
    tree.git("worktree", "lock", str(tree.root))
    assert remove_worktree(git, tree.root, {}) == ""


def test_a_tree_with_a_submodule_stays_and_says_why(git: Git, tree: Bench, bench: Bench, tmp_path: Path) -> None:
    bench.git("clone", "--quiet", ".", str(tmp_path / "lib"))
    tree.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")
    tree.git("commit", "--quiet", "--message", "lib")
    said = remove_worktree(git, tree.root, {})
    assert said.startswith("git keeps it for its submodules, which have no work of their own: lib: `git worktree")
    assert tree.root.is_dir()
    Bench(tree.root / "lib").git("commit", "--quiet", "--allow-empty", "--message", "own")
    assert remove_worktree(git, tree.root, {}).startswith(
        "its submodules have work of their own: lib: commit and push"
    )
    (tree.root / "new.txt").write_text("work\n")
    assert remove_worktree(git, tree.root, {}).startswith("it holds changes that are not committed")


def test_the_target_of_a_link_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (theirs := tmp_path / "theirs" / "folder").mkdir(parents=True, mode=0o755)
    (link := tmp_path / "link").symlink_to(tmp_path / "theirs")
    with monkeypatch.context() as patch:
        patch.setattr("os.unlink", Mock(side_effect=PermissionError))
        clear_path(str(link))
    assert (link.is_symlink(), theirs.stat().st_mode & 0o777) == (True, 0o755)
    clear_path(str(link))
    assert (link.is_symlink(), theirs.is_dir()) == (False, True)


def test_a_tree_another_git_makes_is_waited_for(git: Git, tree: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    commondir = git.project.common / "worktrees" / tree.root.name / "commondir"
    commondir.write_text("")
    monkeypatch.setattr("baton.git.command.sleep", lambda _: commondir.write_text("../..\n"))
    assert str(tree.root) in work_trees(git.project.common)


def test_a_tree_that_stays_half_made_is_named(git: Git, tree: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (git.project.common / "worktrees" / tree.root.name / "commondir").write_text("")
    monkeypatch.setattr("baton.git.command.sleep", lambda _: None)
    with pytest.raises(BatonError, match="`git worktree list` failed"):
        work_trees(git.project.common)
