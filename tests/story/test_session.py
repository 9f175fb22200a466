"""Opening a story: whose journal it is, what a crash or another version left of it, and who may work on it now."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.journal_head import head_of
from baton.story.session.open_story import open_story
from bench import Bench, new_bench

# Whose journal it is


def test_a_journal_copied_from_another_story_is_refused_and_stays(implementing: Bench) -> None:
    copy = implementing.journal.parents[1] / "43" / "journal.jsonl"
    shutil.copytree(implementing.journal.parent, copy.parent)
    said = implementing.baton("next", "43")
    assert "a journal of story 42" in said.refused
    assert copy.read_bytes() == implementing.journal.read_bytes()


def test_a_journal_copied_from_another_repository_is_refused(implementing: Bench, tmp_path: Path) -> None:
    other = new_bench(tmp_path / "other")
    other.new("Another", "--id", "7")
    shutil.copytree(implementing.journal.parent, find_project(other.root).journal("42").parent)
    said = other.baton("next", "42")
    assert "a journal of another repository" in said.refused
    assert other.baton("next", "7").code == 0


def test_a_repository_that_was_moved_keeps_its_stories(implementing: Bench, tmp_path: Path) -> None:
    implementing.root.rename(tmp_path / "moved")
    assert Bench(tmp_path / "moved").next()["rule"] == "in-progress/wait"


# A journal of another version, or one that was cut, emptied or put back


def cut(bench: Bench) -> None:
    """Cut the journal at a line end, so that each line that is left follows the one before it."""
    bench.journal.write_bytes(b"".join(bench.journal.read_bytes().splitlines(keepends=True)[:6]))


SPOILT: dict[str, tuple[Callable[[Bench], object], tuple[str, ...]]] = {
    "a newer version": (lambda bench: bench.rewrite(version=99), ("newer baton", "restart this session")),
    "version 1": (lambda bench: bench.rewrite(version=1), ("baton doctor 42 --set-aside",)),
    "version 2": (lambda bench: bench.rewrite(version=2), ("baton doctor 42 --set-aside",)),
    "cut at a line end": (cut, ("events are missing at its end", "--set-aside")),
}


@pytest.mark.parametrize(("spoil", "told"), SPOILT.values(), ids=SPOILT)
def test_a_journal_that_cannot_be_gone_on_with_is_refused_in_one_line_and_stays(
    spoil: Callable[[Bench], object], told: tuple[str, ...], implementing: Bench
) -> None:
    spoil(implementing)
    before = implementing.journal.read_bytes()
    for words in (("next", "42"), ("status", "42"), ("answer", "42", "retry"), ("timeline", "42")):
        said = implementing.baton(*words).refused
        assert [one for one in told if one not in said] == []
    assert implementing.journal.read_bytes() == before


@pytest.mark.parametrize(
    "lose", [lambda path: path.write_bytes(b""), lambda path: path.unlink()], ids=["0 bytes", "gone"]
)
def test_a_story_without_its_journal_is_not_forgotten(implementing: Bench, lose: Callable[[Path], object]) -> None:
    implementing.work(1)
    lose(implementing.journal)
    assert find_project(implementing.root).story_ids() == ["42"]
    for words in (("next", "42"), ("status", "42"), ("story", "new", "Again", "--id", "42", "--criterion", "x")):
        assert "events are missing at its end" in implementing.baton(*words).err
    assert "are missing at its end" in implementing.baton("status").out


def test_a_journal_without_its_head_is_believed_and_has_one_again(implementing: Bench) -> None:
    head = head_of(implementing.journal)
    head.unlink()
    implementing.work(1)
    last = json.loads(implementing.journal.read_bytes().splitlines()[-1])
    assert head.read_text() == f"{last['seq']} {last['sum']}\n"


# What a crash left


def test_a_torn_last_line_is_put_right_with_one_warning(implementing: Bench) -> None:
    whole = implementing.journal.read_bytes()
    implementing.journal.write_bytes(whole + b'{"seq":99,"ti')
    first, second = implementing.baton("next", "42"), implementing.baton("next", "42")
    assert (first.code, first.err.count("\n"), "an incomplete last line" in first.err) == (0, 1, True)
    assert (second.err, first.out) == ("", second.out)
    assert implementing.journal.read_bytes() == whole


def test_what_a_killed_write_left_is_swept_and_a_users_file_stays(implementing: Bench) -> None:
    folder = implementing.folder.path
    (folder / ".42.qa-report.md.123.tmp").write_text("half")
    (folder / "notes.tmp").write_text("mine")
    implementing.next()
    assert not (folder / ".42.qa-report.md.123.tmp").exists()
    assert (folder / "notes.tmp").read_text() == "mine"


# Who may work on it now


def locked(bench: Bench, story_id: str, root: Path) -> str:
    """Say what keeps a story from being opened in a work tree; nothing when nothing does."""
    try:
        with open_story(find_project(root), story_id, "the second"):
            return ""
    except BatonError as error:
        return error.what


def test_one_story_has_one_caller(implementing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.journal.lock.WAIT_SECONDS", 0)
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    with open_story(find_project(implementing.root), "42", "the first"):
        assert "(the first)" in locked(implementing, "42", tmp_path / "second")
    assert locked(implementing, "42", tmp_path / "second") == ""


def test_two_stories_wait_for_none_but_themselves(implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.journal.lock.WAIT_SECONDS", 0)
    Bench(implementing.root, "43").new("Another")
    with open_story(find_project(implementing.root), "42", "the first"):
        assert locked(implementing, "43", implementing.root) == ""


def test_a_branch_that_is_only_named_like_a_storys_is_said_to_hold_none(bench: Bench) -> None:
    bench.git("branch", "story/7-add-two")
    assert "holds no story: give the story another id" in bench.baton("next", "7").refused
