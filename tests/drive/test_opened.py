"""Opening a story: whose journal it is, what a crash or another version left of it, and who may work on it now."""

import shutil
from pathlib import Path

import pytest

from baton.drive.opened import opened
from baton.errors import BatonError
from baton.outside.git import find_project
from baton.story.events import SCHEMA_VERSION, Created
from baton.story.journal import Journal
from bench import Bench, new_bench


def rewrite(bench: Bench, **fields: object) -> bytes:
    """Write the journal anew with another first event; gives its bytes."""
    records = Journal(bench.journal).records
    bench.journal.unlink()
    times = iter([record.time for record in records])
    journal = Journal(bench.journal, clock=lambda: next(times))
    for record in records:
        event = record.event
        journal.append(event._replace(**fields) if isinstance(event, Created) else event)  # type: ignore[arg-type]
    return bench.journal.read_bytes()


# Whose journal it is


def test_a_journal_copied_from_another_story_is_refused_and_stays(implementing: Bench) -> None:
    copy = implementing.journal.parents[1] / "43" / "journal.jsonl"
    shutil.copytree(implementing.journal.parent, copy.parent)
    said = implementing.baton("next", "43")
    assert (said.code, "a journal of story 42" in said.err) == (2, True)
    assert copy.read_bytes() == implementing.journal.read_bytes()


def test_a_journal_copied_from_another_repository_is_refused(implementing: Bench, tmp_path: Path) -> None:
    other = new_bench(tmp_path / "other")
    other.new("Another", "--id", "7")
    shutil.copytree(implementing.journal.parent, find_project(other.root).journal("42").parent)
    said = other.baton("next", "42")
    assert (said.code, "a journal of another repository" in said.err) == (2, True)
    assert other.baton("next", "7").code == 0


def test_a_repository_that_was_moved_keeps_its_stories(implementing: Bench, tmp_path: Path) -> None:
    implementing.root.rename(tmp_path / "moved")
    assert Bench(tmp_path / "moved").next()["rule"] == "under-way/wait"


# Which version wrote it


def test_a_story_goes_on_after_an_update_of_the_plugin(implementing: Bench) -> None:
    before = rewrite(implementing, version=1, repository="/where/it/was/.git")
    assert implementing.baton("status", "42").code == 0
    assert implementing.journal.read_bytes() == before
    assert implementing.implement()["agent"] == "baton:qa"
    assert implementing.state.created.version == SCHEMA_VERSION
    assert implementing.journal.with_name("journal.v1.jsonl").read_bytes() == before


def test_a_migrated_journal_is_this_repositorys(implementing: Bench) -> None:
    name = implementing.state.created.repository
    rewrite(implementing, version=1, repository="/where/it/was/.git")
    implementing.next()
    assert (name != "", implementing.state.created.repository) == (True, name)


@pytest.mark.parametrize(
    "words", [("next", "42"), ("status", "42"), ("answer", "42", "retry"), ("timeline", "42")]
)
def test_after_a_step_back_to_an_older_plugin_nothing_is_touched(
    implementing: Bench, words: tuple[str, ...]
) -> None:
    before = rewrite(implementing, version=99)
    said = implementing.baton(*words)
    assert (said.code, "version 99" in said.err, "update the plugin" in said.err) == (2, True, True)
    assert implementing.journal.read_bytes() == before


# What a crash left


def test_a_torn_last_line_is_put_right_with_one_warning(implementing: Bench) -> None:
    whole = implementing.journal.read_bytes()
    implementing.journal.write_bytes(whole + b'{"seq":99,"ti')
    first, second = implementing.baton("next", "42"), implementing.baton("next", "42")
    assert (first.code, first.err.count("\n"), "a torn last line" in first.err) == (0, 1, True)
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
        with opened(find_project(root), story_id, "the second"):
            return ""
    except BatonError as error:
        return error.what


def test_one_story_is_one_callers_in_whichever_work_tree(
    implementing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baton.story.lock.WAIT_SECONDS", 0)
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    with opened(find_project(implementing.root), "42", "the first"):
        assert "(the first)" in locked(implementing, "42", tmp_path / "second")
    assert locked(implementing, "42", tmp_path / "second") == ""


def test_two_stories_wait_for_none_but_themselves(implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.story.lock.WAIT_SECONDS", 0)
    Bench(implementing.root, "43").new("Another")
    with opened(find_project(implementing.root), "42", "the first"):
        assert locked(implementing, "43", implementing.root) == ""


# A long journal


def test_of_a_long_journal_only_what_still_counts_is_read_again(
    implementing: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baton.drive.opened.LONG", 20)
    for _ in range(30):
        assert implementing.hand_in("return-meta", "{}").code == 1
    kept = implementing.journal.parents[1] / "valid" / f"journal-{SCHEMA_VERSION}-42"
    before, whole = kept.read_bytes(), implementing.next()
    kept.write_bytes(before[:-1] + b"x")
    assert implementing.next() == whole
    with opened(find_project(implementing.root), "42", "a test") as story:
        assert (len(story.journal.records) < 30, story.journal.seq) == (
            True,
            len(Journal(implementing.journal).records),
        )
