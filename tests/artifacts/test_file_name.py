"""A name someone gave is that of a file of the work tree, or it is refused with why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.file_name import folded_name, is_git_folder, name_fault, quote_name
from scale import QUICKLY


@pytest.mark.parametrize(
    "name",
    ["a.py", "src/a b.py", "-rf", "--output=x", "a\nb", "ünï/日本.py", "...x", ".gitignore", ".github/x", "ab:c"],
)  # fmt: skip
def test_a_plain_relative_name_has_no_fault(name: str) -> None:
    assert name_fault(name) == ""


@pytest.mark.parametrize(("name", "why"), [
    ("", "empty"), ("\t", "empty"), ("a\0", "NUL"), ("/etc/passwd", "absolute"), ("C:\\x", "absolute"),
    ("c:x", "absolute"), ("\\\\srv\\x", "absolute"), ("~/.ssh/id", "home"), ("~root/x", "home"),
    ("a\\b", "backslash"),
    ("..", "`..`"), ("../x", "`..`"), ("a/../b", "`..`"), ("a/..", "`..`"), (".", "folder"), ("./", "folder"),
    ("a/", "folder"), ("a//b", "plainly"), ("./a", "plainly"), ("a/./b", "plainly"), (".. /x", "plainly"),
    ("a/ /b", "plainly"), ("\u200b/x", "plainly"), ("a" * 256, "longer"), ("é" * 128, "longer"),
    ("a/" * 2100 + "b", "longer"),
])  # fmt: skip
def test_a_name_that_leads_out_or_names_no_file_is_refused_with_why(name: str, why: str) -> None:
    assert why in name_fault(name)


@pytest.mark.parametrize(
    "part",
    [".git", ".GIT", ".Git", ".git ", ".git.", ".git...", "git~1", "GIT~12", ".git::$INDEX_ALLOCATION", ".git:x",
     ".g\u200cit", ".gi\ufefft", "\u202e.git", "．git", ".ｇｉｔ"],
)  # fmt: skip
def test_git_s_own_folder_is_known_in_every_spelling(part: str) -> None:
    assert is_git_folder(part)
    assert "git's own folder" in name_fault(f"sub/{part}/hooks/x")


@pytest.mark.parametrize("part", [".github", ".gitignore", "git", "git~", "git~x", ".git2", "x.git", "agit~1"])
def test_a_similar_name_is_no_git_folder(part: str) -> None:
    assert not is_git_folder(part)


def test_a_name_is_folded_as_the_least_careful_file_system_reads_it() -> None:
    assert [folded_name(one) for one in ("CLAUDE.md", "Claude.MD. ", "AGENTS.md::$DATA")] == [
        "claude.md",
        "claude.md",
        "agents.md",
    ]


@QUICKLY
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_judged_and_told_on_one_line(name: str) -> None:
    assert name_fault(name) is not None
    assert quote_name(name).isprintable()
