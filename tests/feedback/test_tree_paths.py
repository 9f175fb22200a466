"""A file that was named is a plain text file of this repository, there or deleted, reached through no link."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.feedback.land.tree_paths import Tree
from baton.git.command import Git, find_project
from bench import Bench

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


@pytest.fixture
def tree(bench: Bench) -> Tree:
    bench.write({"src/a.py": "A = 1\n", "src/new.py": "N = 1\n", "README": "x\n"})
    return Tree(Git(find_project(bench.root)))


def make_socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # the path of one may not be long
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("name", ["calc.py", "src/new.py", "README"])
def test_a_file_that_is_there_is_one(name: str, tree: Tree) -> None:
    assert tree.fault(name) == ""


@pytest.mark.parametrize("name", ["calc.py", "tools/test.sh"])
def test_a_file_that_was_deleted_is_one_and_what_never_was_is_none(name: str, tree: Tree) -> None:
    (tree.root / name).unlink()
    assert tree.fault(name) == ""
    assert "is not there" in tree.fault(f"{name}x")
    assert "is not there" in tree.fault("no/such/folder.py")


Making = Callable[[Path], object]
MADE: dict[str, tuple[str, Making, str]] = {
    "a link to a file": ("link.py", lambda path: path.symlink_to("calc.py"), "is a symbolic link"),
    "a link that dangles": ("link.py", lambda path: path.symlink_to("/nowhere"), "is a symbolic link"),
    "a link to itself": ("link.py", lambda path: path.symlink_to("link.py"), "is a symbolic link"),
    "a link among the folders": ("way/x.py", lambda path: path.parent.symlink_to("tools"), "behind a symbolic"),
    "a loop among the folders": ("way/x.py", lambda path: path.parent.symlink_to("way"), "behind a symbolic link"),
    "a link that dangles among them": ("way/x.py", lambda path: path.parent.symlink_to("/no"), "symbolic link"),
    "a folder": ("dir", lambda path: path.mkdir(), "is a folder"),
    "a file among the folders": ("file/x.py", lambda path: path.parent.write_text("x"), "which is no folder"),
    "a pipe": ("pipe", os.mkfifo, "is no plain file"),
    "a socket": ("socket", make_socket, "is no plain file"),
    "another repository": ("sub", lambda path: (path / ".git").mkdir(parents=True), "is another repository"),
    "inside of another one": ("sub/x.py", lambda path: (path.parent / ".git").mkdir(parents=True), "in another"),
    "a file of LFS": ("big.bin", lambda path: path.write_text(LFS), "git LFS"),
    "a binary file": ("image.png", lambda path: path.write_bytes(b"\x89PNG\0\0"), "is no text"),
    "another case": ("Calc.py", lambda path: None, "is spelled otherwise here: `calc.py`"),
    "another case of a folder": ("Tools/test.sh", lambda path: None, "is spelled otherwise here: `tools`"),
}


@pytest.mark.parametrize(("name", "make", "fault"), MADE.values(), ids=MADE)
def test_what_is_no_text_file_of_this_repository_is_refused(
    name: str, make: Making, fault: str, tree: Tree
) -> None:
    make(tree.root / name)
    assert fault in tree.fault(name)


def test_a_name_in_another_normal_form_is_another_name(tree: Tree) -> None:
    (tree.root / "caf\u00e9.py").write_text("x\n")
    assert tree.fault("caf\u00e9.py") == ""
    assert "spelled otherwise" in tree.fault("cafe\u0301.py")


@pytest.mark.parametrize("name", ["-rf", "--output=x", "a\nb.py", ":(glob)*", "*"])
def test_a_name_like_an_option_or_a_pattern_is_a_name(name: str, tree: Tree) -> None:
    assert "is not there" in tree.fault(name)
    (tree.root / name).write_text("x\n")
    assert tree.fault(name) == ""
