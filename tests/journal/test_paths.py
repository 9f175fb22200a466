"""Names: what is a story id, and that its folder and branch are names a file system and git take."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.errors import BatonError
from baton.journal.paths import ARTIFACTS, Folder, Project, natural_sort_key, slug, validate_story_id

IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", fullmatch=True)


def folder(story: str, title: str) -> Folder:
    return Folder(Path("/p"), f"specs/{story}_{slug(title)}", story)


def is_branch(name: str) -> bool:
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("text", [
    "42", "886", "E06S41", "0", "a_b", "a-b", "a.b", "x" * 32, "42.locked",
    # only like a name of baton's own
    "pr-x", "pr-5a", "pr", "valid-2", "my-checks", "tree", "confirmed",
])  # fmt: skip
def test_an_id_is_accepted(text: str) -> None:
    assert validate_story_id(text) == text


@pytest.mark.parametrize("text", [
    "", ".", "..", "a..b", "a.", ".a", "-a", "_a", "a/b", "a b", "a\n", "a\0", "x" * 33, "a.lock", "new.LOCK", "é",
    "٤", "a~1", "a:b", "a@{1}", "a*", "../x",
])  # fmt: skip
def test_an_invalid_id_is_refused_as_it_was_typed(text: str) -> None:
    with pytest.raises(BatonError) as caught:
        validate_story_id(text)
    assert (caught.value.what, caught.value.where) == ("not a story id", repr(text))


@pytest.mark.parametrize("text", [
    "confirmed.json", "repository", "valid", "baselines", "checks", "trees", "stories", "pr-5", "PR-12", "Valid",
    "CHECKS",
])  # fmt: skip
def test_a_name_of_batons_own_is_no_id(text: str) -> None:
    with pytest.raises(BatonError, match="a name that baton itself uses"):
        validate_story_id(text)


@pytest.mark.parametrize(("title", "expected"), [
    ("Dark mode", "dark-mode"),
    ("  Fix: the 2nd `--flag` (again)!  ", "fix-the-2nd-flag-again"),
    ("Café Ünïcode ﬁle", "cafe-unicode-file"),
    ("Größe ändern", "grosse-andern"), ("暗いモード", "story"),
    ("", "story"),
    ("../../etc", "etc"),
    ("x" * 60, "x" * 40),
    ("a" * 39 + " b", "a" * 39),
])  # fmt: skip
def test_a_title_becomes_a_readable_name(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize("story", ["42", "a_b", "E06S41", "1.lock2", "A.b-c_d"])
@pytest.mark.parametrize("title", ["Dark mode", "暗いモード", "v1.lock", "@{-1}", "x" * 99])
def test_a_branch_is_a_name_git_takes(story: str, title: str) -> None:
    assert is_branch(folder(story, title).branch)


@settings(max_examples=25, derandomize=True)
@given(story=IDS, title=st.text())
def test_any_accepted_id_and_any_title_make_a_branch(story: str, title: str) -> None:
    try:
        validate_story_id(story)
    except BatonError:
        return
    assert is_branch(folder(story, title).branch)


def test_git_does_not_take_every_name() -> None:
    assert not is_branch("story/42-dark..mode")


def test_the_branch_is_named_like_the_folder() -> None:
    assert folder("42", "Dark mode").branch == "story/42-dark-mode"
    assert folder("a_b", "c").branch == "story/a-b_c"


def test_ids_are_in_natural_order() -> None:
    ids = ["E10", "b", "10", "a1", "E1S10", "9", "E02", "100", "E1S2", "a"]
    assert sorted(ids, key=natural_sort_key) == ["9", "10", "100", "E1S2", "E1S10", "E02", "E10", "a", "a1", "b"]


def test_any_name_of_a_folder_has_a_place_in_the_order() -> None:
    assert sorted(["²", "1", "٤", ""], key=natural_sort_key) == ["", "1", "٤", "²"]


def test_the_stories_are_the_folders_with_a_journal(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path / ".git", tmp_path / ".git")
    assert project.story_ids() == []
    for story in ("10", "9"):
        project.journal(story).parent.mkdir(parents=True)
        project.journal(story).write_text("x")
    (project.state / "8").mkdir()
    assert project.story_ids() == ["9", "10"]


@pytest.mark.parametrize("kind", sorted({*ARTIFACTS} - {"return-meta"}))
def test_an_artifact_has_one_place_in_the_storys_folder(kind: str) -> None:
    place = folder("42", "Dark mode")
    assert place.artifact(kind).is_relative_to("/p/specs/42_dark-mode")
    assert place.relative_to_root(place.artifact("plan")) == "specs/42_dark-mode/42.execution-plan.md"


def test_files_that_are_never_in_git_lie_beside_the_copy_of_the_folder(tmp_path: Path) -> None:
    copy = Project(tmp_path, tmp_path / ".git", tmp_path / ".git").copy_of("specs/42_dark-mode", "42")
    places = (copy.artifact("return-meta"), copy.history("r1").parent, copy.brief("r1").parent)
    assert {path.parent for path in places} == {tmp_path / ".git/baton/42"}
    assert copy.relative_to_root(copy.artifact("plan")) == "specs/42_dark-mode/42.execution-plan.md"


def test_a_handoff_has_no_single_place() -> None:
    with pytest.raises(KeyError):
        folder("42", "Dark mode").artifact("handoff")
