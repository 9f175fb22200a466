"""A file is replaced whole or not at all, and nothing is left beside it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.journal.atomic_file import move_durably, remove_temporary_files, write_all, write_durably
from journal.test_journal import disk_full_after


def fail(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def fail_from(number: int) -> Callable[[int], None]:
    """Give a call that fails from the n-th time on."""
    calls = iter(range(1, 100))
    return lambda _: fail() if next(calls) >= number else None


def test_a_written_text_is_read_back(tmp_path: Path) -> None:
    write_durably(tmp_path / "a" / "b" / "note.md", "ŝtormo 🎉\r\n\u2028", tmp_path)
    assert (tmp_path / "a" / "b" / "note.md").read_bytes().decode() == "ŝtormo 🎉\r\n\u2028"


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    for text in ("old and long", "new", ""):
        write_durably(tmp_path / "note.md", text, tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("note.md", "")]


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    write_durably(tmp_path / "note.md", "old", tmp_path)
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(BatonError, match="No space left on device; nothing was changed"):
        write_durably(tmp_path / "note.md", "new", tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("note.md", "old")]


def test_a_file_that_does_not_fit_on_the_disk_leaves_the_old_one(tmp_path: Path) -> None:
    write_durably(tmp_path / "note.md", "old", tmp_path)
    with disk_full_after(100), pytest.raises(BatonError, match="nothing was changed"):
        write_durably(tmp_path / "note.md", "new" * 100, tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("note.md", "old")]


def test_after_the_rename_no_failure_says_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.journal.atomic_file.os.fsync", fail_from(2))
    with pytest.raises(BatonError, match=r"cannot keep what was written .* call again"):
        write_durably(tmp_path / "note.md", "new", tmp_path)
    assert (tmp_path / "note.md").read_text() == "new"


@pytest.mark.parametrize("name", ["file/note.md", "folder"], ids=["under a file", "a folder"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BatonError, match=f"cannot write at {tmp_path / name}"):
        write_durably(tmp_path / name, "new", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_text_that_is_not_utf_8_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    with pytest.raises(BatonError, match="character 4 is not UTF-8"):
        write_durably(tmp_path / "a" / "note.md", "caf\udce9", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_byte_is_written_however_it_is_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_durably(tmp_path / "note.md", "ten letters and more", tmp_path)
    assert (tmp_path / "note.md").read_text() == "ten letters and more"


def test_nothing_to_write_calls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", fail)
    write_all(-1, b"")


@pytest.mark.parametrize("link", ["a", "a/b"])
def test_nothing_is_written_through_a_link_and_the_link_is_named(tmp_path: Path, link: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    outside.mkdir()
    (inside / link).parent.mkdir(parents=True)
    (inside / link).symlink_to(outside)
    with pytest.raises(BatonError, match=f"{inside / link} is a symbolic link: put the thing itself there"):
        write_durably(inside / "a" / "b" / "note.md", "new", inside)
    assert list(outside.iterdir()) == []


def test_a_file_that_is_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("kept")
    (tmp_path / "note.md").symlink_to("outside.md")
    write_durably(tmp_path / "note.md", "new", tmp_path)
    assert ((tmp_path / "outside.md").read_text(), (tmp_path / "note.md").is_symlink()) == ("kept", False)


def test_a_folder_above_the_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    write_durably(tmp_path / "linked" / "note.md", "new", tmp_path / "linked")
    assert (tmp_path / "real" / "note.md").read_text() == "new"


def test_only_files_of_a_killed_write_are_swept(tmp_path: Path) -> None:
    for name in (".note.md.123.tmp", ".note.md.tmp", "note.123.tmp", ".note.md.12x.tmp"):
        (tmp_path / name).touch()
    remove_temporary_files(tmp_path, tmp_path)
    remove_temporary_files(tmp_path / "nothing", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".note.md.12x.tmp", ".note.md.tmp", "note.123.tmp"]


def test_a_file_is_moved_whole_and_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path.parent)
    with pytest.raises(BatonError, match="link is a symbolic link"):
        move_durably(tmp_path / "note.md", tmp_path / "link" / "note.md", tmp_path)
    move_durably(tmp_path / "note.md", tmp_path / "a" / "note.md", tmp_path)
    assert ((tmp_path / "a" / "note.md").read_text(), (tmp_path / "note.md").exists()) == ("kept", False)
