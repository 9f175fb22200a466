"""One git answers for all objects that are looked up in a work tree; what it does not know it has not denied."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.git.command import Git, find_project
from baton.git.object_store import Entry, Object, entries_of
from baton.git.objects import commit_message, tree_of, with_folder
from bench import Bench


def test_a_branch_is_looked_up_anew_each_time(git: Git, bench: Bench) -> None:
    before = git.branch_commit("main")
    bench.commit({"calc.py": "new = 1\n"})
    bench.git("pack-refs", "--all")
    assert git.branch_commit("main") == bench.git("rev-parse", "main") != before
    assert git.committed_text("main", "calc.py") == "new = 1\n"


def test_a_git_that_was_killed_is_started_again(git: Git, bench: Bench) -> None:
    assert git.store.find("HEAD")
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    for child in children.read_text().split():
        os.kill(int(child), signal.SIGKILL)
    assert git.commit_of("HEAD") == bench.git("rev-parse", "HEAD")
    assert git.store.find("HEAD")


@pytest.mark.parametrize("name", ["nothing", "main:nothing", "two\nlines", "", "refs/heads/a b"])
def test_a_name_that_leads_nowhere_has_no_object(name: str, git: Git) -> None:
    assert (git.store.find(name), git.store.read(name)) == (None, None)
    assert git.store.find("main")


def test_all_who_read_in_a_work_tree_share_one_git(git: Git) -> None:
    assert Git(git.project).store is git.store


def test_no_two_threads_share_one_git(git: Git, bench: Bench) -> None:
    with ThreadPoolExecutor(1) as pool:
        other = Git(find_project(bench.root))
        theirs, again = (pool.submit(lambda: other.store).result() for _ in range(2))
    assert theirs is again
    assert theirs is not git.store


def test_a_tree_has_the_entries_it_was_made_of(git: Git) -> None:
    blob = git.do("hash-object", "-w", "--stdin", stdin=b"x").strip()
    entries = [Entry("100755", "b \udcff", blob), Entry("120000", "ä", blob)]
    made = git.store.read(git.store.make_tree(entries))
    assert made
    assert entries_of(made) == entries
    assert git.store.make_tree([]) == ""


def raw(*entries: tuple[bytes, bytes]) -> Object:
    content = b"".join(mode + b" " + name + b"\0" + bytes(20) for mode, name in entries)
    return Object("1" * 40, "tree", content)


@pytest.mark.parametrize(("mode", "taken"), [
    (b"100664", "100644"), (b"100755", "100755"), (b"40000", "040000"), (b"120777", "120000"),
    (b"160000", "160000"),
])  # fmt: skip
def test_a_mode_is_what_git_takes_it_for(mode: bytes, taken: str) -> None:
    assert entries_of(raw((mode, b"a"))) == [Entry(taken, "a", "0" * 40)]


@pytest.mark.parametrize("entries", [
    [(b"100644", b"x/y")], [(b"100644", b"a")] * 2, [(b"100\xff", b"a")], [(b"9", b"a")], [(b"100644", b"")],
])  # fmt: skip
def test_a_tree_that_git_would_not_make_is_told_in_one_line(entries: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(BatonError, match="a damaged tree, 111111111111"):
        entries_of(raw(*entries))


def test_a_folder_below_others_is_put_in_its_place_and_its_siblings_stay(git: Git, bench: Bench) -> None:
    bench.commit({"a/b/c/x": "x\n", "a/b.txt": "b\n", "a/link": "l\n"})
    before = tree_of(git, "main")
    made = with_folder(git, before, "a/b/c", bench.git("rev-parse", "main:tools"))
    names = bench.git("ls-tree", "-r", "--name-only", made, "a").split()
    assert names == ["a/b.txt", *(f"a/b/c/{name}.sh" for name in ("build", "setup", "test")), "a/link"]
    without = with_folder(git, made, "a/b/c", "")
    assert without == with_folder(git, before, "a/b/c", "")
    assert bench.git("ls-tree", "-r", "--name-only", without, "a").split() == ["a/b.txt", "a/link"]


def test_a_message_is_what_was_written(git: Git, bench: Bench) -> None:
    bench.git("commit", "--quiet", "--allow-empty", "--message", "sübject\n\nbody\n\nmore")
    assert commit_message(git, "HEAD") == "sübject\n\nbody\n\nmore"
