"""A file is replaced whole or not at all, and nothing is left beside it."""

import os
import resource
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.story.durable import write_all, write_durably


def fail(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_durably(tmp_path / "a" / "b" / "note.md", "ŝtormo 🎉\r\n\u2028")
    assert (tmp_path / "a" / "b" / "note.md").read_bytes().decode() == "ŝtormo 🎉\r\n\u2028"


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    for text in ("old and long", "new", ""):
        write_durably(tmp_path / "note.md", text)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("note.md", "")]


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_failure_before_the_rename_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write_durably(tmp_path / "note.md", "old")
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(BatonError, match="No space left on device; nothing was changed"):
        write_durably(tmp_path / "note.md", "new")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("note.md", "old")]


def test_a_file_that_does_not_fit_on_the_disk_leaves_the_old_one(tmp_path: Path) -> None:
    write_durably(tmp_path / "note.md", "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(BatonError, match="nothing was changed"):
            write_durably(tmp_path / "note.md", "new" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("note.md", "old")]


def test_a_failure_after_the_rename_does_not_say_that_nothing_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baton.story.durable.sync_folder", fail)
    with pytest.raises(BatonError, match=r"cannot keep what was written .* call again"):
        write_durably(tmp_path / "note.md", "new")
    assert (tmp_path / "note.md").read_text() == "new"


@pytest.mark.parametrize("name", ["file/note.md", "folder"], ids=["under a file", "a folder"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BatonError, match=f"cannot write at {tmp_path / name}"):
        write_durably(tmp_path / name, "new")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder"]


def test_text_that_is_not_utf_8_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    with pytest.raises(BatonError, match="character 4 is not UTF-8"):
        write_durably(tmp_path / "a" / "note.md", "caf\udce9")
    assert list(tmp_path.iterdir()) == []


def test_every_byte_is_written_however_the_system_splits_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_durably(tmp_path / "note.md", "ten letters and more")
    assert (tmp_path / "note.md").read_text() == "ten letters and more"


def test_nothing_to_write_calls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", fail)
    write_all(-1, b"")
