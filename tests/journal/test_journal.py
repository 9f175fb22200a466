"""Nothing acknowledged is lost or altered unnoticed: each line vouches for itself and the one before it."""

import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.errors import BatonError
from baton.journal.events import KINDS, SCHEMA_VERSION, Event, IntegrationStepDone
from baton.journal.journal import RESTART, Journal, Record, _sealed
from baton.journal.journal_head import head_of
from journal.happenings import ANY_EVENTS, CREATED, STARTED, any_event, dispatched, ended, judged
from tables import named_cases

FIVE: tuple[Event, ...] = (CREATED, STARTED, dispatched("p1", "planner"), ended("p1"), judged("p1", "implementer"))
SNAG = "a snag: “ŝ” 🎉 \u2028 \x85 \x1f \x7f"


def written(path: Path, *events: Event) -> Journal:
    journal = Journal(path, clock=lambda: "2026-01-02T03:04:05Z")
    for event in events:
        journal.append(event)
    return journal


@pytest.fixture
def five(tmp_path: Path) -> Path:
    """A journal of five events, whose head a crash left at the fourth."""
    four = written(tmp_path / "journal.jsonl", *FIVE[:4]).path
    head = head_of(four).read_bytes()
    written(four, FIVE[4])
    head_of(four).write_bytes(head)
    return four


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """Let the system refuse to make a file longer than `size`, as a full disk would."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def overwrite(path: Path, place: int, byte: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(bytes([byte]))


def test_appended_events_are_read_back_in_order(five: Path) -> None:
    records = Journal(five).records
    assert tuple(record.event for record in records) == FIVE
    assert [record.seq for record in records] == [1, 2, 3, 4, 5]
    assert {record.time for record in records} == {"2026-01-02T03:04:05Z"}


def test_a_second_reader_appends_where_the_first_left_off(five: Path) -> None:
    written(five, IntegrationStepDone("sync/clean", "c", "because"))
    assert len(Journal(five).records) == 6


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@settings(max_examples=15, derandomize=True)
@given(data=st.data())
def test_an_event_of_any_kind_survives_with_any_text(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(any_event(kind))
    with TemporaryDirectory() as folder:
        record = written(Path(folder, "j"), event).records[0]
        assert Journal(Path(folder, "j")).records == [record] == [Record(1, record.time, event)]


@settings(max_examples=25, derandomize=True)
@given(events=st.lists(ANY_EVENTS, max_size=6))
def test_a_journal_of_any_events_is_read_back_equal(events: list[Event]) -> None:
    with TemporaryDirectory() as folder:
        written(Path(folder, "j"), *events)
        assert [record.event for record in Journal(Path(folder, "j")).records] == events


@pytest.mark.parametrize("name", [SNAG, os.fsdecode(b"caf\xe9.txt"), "", 'a"b\\c,"sum":"'])
def test_odd_text_stays_on_its_line(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "j", ended(name), ended(name)).path
    assert path.read_bytes().count(b"\n") == 2
    assert [record.event for record in Journal(path).records] == [ended(name)] * 2


@pytest.mark.parametrize("flip", [0x01, 0x80], ids=["the lowest bit", "the highest bit"])
def test_one_flipped_bit_anywhere_is_damage_or_a_torn_tail(five: Path, flip: int) -> None:
    whole = five.read_bytes()
    readable = {}
    for place, byte in enumerate(whole):
        overwrite(five, place, byte ^ flip)
        with suppress(BatonError):
            readable[place] = tuple(record.event for record in Journal(five).records)
        overwrite(five, place, byte)
    assert readable == {len(whole) - 1: FIVE[:4]}, "but for the last line's end, which then was never written"


@named_cases("edit, line", {
    "the first two reordered": (lambda lines: [lines[1], lines[0], *lines[2:]], 0),
    "the last two reordered": (lambda lines: [*lines[:3], lines[4], lines[3]], 3),
    "the first removed": (lambda lines: lines[1:], 0),
    "one in the middle removed": (lambda lines: [*lines[:2], *lines[3:]], 2),
    "one doubled": (lambda lines: [*lines[:2], lines[1], *lines[2:]], 2),
    "the first once more at the end": (lambda lines: [*lines, lines[0]], 5),
    "an empty line": (lambda lines: [*lines[:4], b"\n", lines[4]], 4),
})  # fmt: skip
def test_lines_out_of_order_are_refused(five: Path, edit: Callable[[list[bytes]], list[bytes]], line: int) -> None:
    lines = edit(five.read_bytes().splitlines(keepends=True))
    five.write_bytes(b"".join(lines))
    with pytest.raises(BatonError, match=f"byte {sum(map(len, lines[:line]))}: `baton doctor") as caught:
        Journal(five)
    assert caught.value.what.startswith("damaged journal")


def test_two_journals_do_not_mix(five: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", CREATED, ended("q"), ended("r")).path
    mixed = five.read_bytes().splitlines(keepends=True)[:2] + other.read_bytes().splitlines(keepends=True)[2:]
    five.write_bytes(b"".join(mixed))
    with pytest.raises(BatonError, match="does not follow"):
        Journal(five)


def test_a_torn_tail_is_not_read_and_cut_off_by_an_append(five: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    whole = five.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    head = head_of(five).read_bytes()
    for cut in range(last + 1, len(whole) - 1):
        five.write_bytes(whole[:cut])
        head_of(five).write_bytes(head)
        written(five, ended("next"))
        assert tuple(record.event for record in Journal(five).records) == (*FIVE[:4], ended("next"))


def test_a_last_line_that_lacks_its_end_alone_counts_and_is_ended(five: Path) -> None:
    five.write_bytes(five.read_bytes()[:-1])
    journal = Journal(five)
    assert (journal.torn, len(journal.records)) == (True, 5)
    journal.append(ended("next"))
    assert [record.event for record in Journal(five).records] == [*FIVE, ended("next")]


def cut(path: Path, lines: int) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))


@pytest.mark.parametrize("left", range(4))
def test_a_journal_that_was_cut_at_a_line_end_is_damaged(five: Path, left: int) -> None:
    cut(five, left)
    count = "1 event is" if left == 3 else f"{4 - left} events are"
    with pytest.raises(BatonError, match=f"damaged journal .{count} missing at its end: it was cut or put back"):
        Journal(five)
    cut(five, 0)
    five.unlink()
    with pytest.raises(BatonError, match="4 events are missing"):
        Journal(five)


def test_a_head_that_is_behind_is_a_crash_and_no_head_a_copy(five: Path) -> None:
    assert len(Journal(five).records) == 5
    head_of(five).unlink()
    Journal(five).append(ended("next"))
    cut(five, 5)
    with pytest.raises(BatonError, match="1 event is missing"):
        Journal(five)


def test_another_journal_in_its_place_is_noticed(five: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", CREATED, *(ended(str(number)) for number in range(9)))
    five.write_bytes(other.path.read_bytes())
    with pytest.raises(BatonError, match=r"event 4 is not the one that was written"):
        Journal(five)


@pytest.mark.parametrize("text", ["", "4", "4 abc\n", "0 " + "0" * 32 + "\n"])
def test_a_head_that_says_nothing_is_told_with_what_helps(five: Path, text: str) -> None:
    head_of(five).write_text(text)
    with pytest.raises(BatonError, match=r"damaged .*journal\.head: .* remove this file"):
        Journal(five)


def test_an_event_counts_whether_or_not_its_head_is_written(five: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise BatonError("cannot write", "the head", "a full disk")

    monkeypatch.setattr("baton.journal.journal.write_head", fail)
    assert Journal(five).append(ended("next")).seq == len(Journal(five).records) == 6


@pytest.mark.parametrize("suffix", [".jsonl", ".head"])
def test_a_file_with_another_name_and_a_pipe_are_refused_and_stay(five: Path, tmp_path: Path, suffix: str) -> None:
    journal, path = Journal(five), five.with_suffix(suffix)
    (tmp_path / "precious").hardlink_to(path)
    before = path.read_bytes()
    with pytest.raises(BatonError, match="it is a hard link"):
        Journal(five)
    if suffix == ".jsonl":
        with pytest.raises(BatonError, match="it is a hard link"):
            journal.append(ended("next"))
    assert (tmp_path / "precious").read_bytes() == before
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BatonError, match="not a regular file"):
        Journal(five)


def test_a_torn_line_is_cut_off_once_and_an_intact_journal_stays(five: Path) -> None:
    whole = five.read_bytes()
    five.write_bytes(whole + b'{"seq":6')
    for torn in (True, False):
        journal = Journal(five)
        assert journal.torn is torn
        journal.fix()
        assert five.read_bytes() == whole


def test_a_journal_that_is_gone_under_way_is_not_begun_anew(five: Path) -> None:
    journal = Journal(five)
    five.unlink()
    with pytest.raises(BatonError, match="the journal is gone"):
        journal.append(ended("next"))
    assert not five.exists()


def test_a_journal_is_not_followed_through_a_link(tmp_path: Path) -> None:
    written(tmp_path / "real" / "journal.jsonl", CREATED)
    (tmp_path / "42").symlink_to(tmp_path / "real")
    with pytest.raises(BatonError, match="42 is a symbolic link"):
        Journal(tmp_path / "42" / "journal.jsonl")


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 99, "4", None])
def test_a_journal_of_a_later_version_is_refused_and_stays(five: Path, version: Any) -> None:
    path = written(five.with_name("later"), CREATED._replace(version=version)).path
    before = path.read_bytes()
    with pytest.raises(BatonError, match="written by a newer baton") as caught:
        Journal(path)
    assert (caught.value.remedy, path.read_bytes()) == (RESTART, before)


@pytest.mark.parametrize("version", [1, 2])
def test_a_journal_of_an_earlier_version_is_refused_and_can_be_set_aside(five: Path, version: int) -> None:
    path = written(five.with_name("earlier"), CREATED._replace(version=version)).path
    with pytest.raises(BatonError, match=f"a journal of version {version}, .* --set-aside` keeps it"):
        Journal(path)


def test_a_tail_that_is_left_alone_stays_on_the_disk(five: Path) -> None:
    with five.open("ab") as file:
        file.write(b'{"seq":6')
    before = five.read_bytes()
    assert len(Journal(five).records) == 5
    assert five.read_bytes() == before


def sealed_journal(five: Path, kind: str, data: dict[str, object], seq: int = 6) -> None:
    body = {"seq": seq, "time": "t", "kind": kind, "data": data}
    line, _ = _sealed(body, json.loads(five.read_bytes().splitlines()[-1])["sum"])
    with five.open("ab") as file:
        file.write(line)


@pytest.mark.parametrize(("kind", "data"), [
    ("teleported", {"run": "p1"}),
    ("ended", {"run": "p1", "how": "caller", "mood": "good"}),
    ("ended", {"run": "p1"}),
], ids=["a kind", "a field", "a field left out"])  # fmt: skip
def test_an_event_of_a_newer_version_is_one_line(five: Path, kind: str, data: dict[str, object]) -> None:
    sealed_journal(five, kind, data)
    with pytest.raises(BatonError, match=r"newer baton .*does not know.*: restart this session") as caught:
        Journal(five)
    assert "damaged" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seq", [5, 7])
def test_a_line_out_of_sequence_is_refused_however_it_is_sealed(five: Path, seq: int) -> None:
    sealed_journal(five, "ended", {"run": "p1", "how": "caller"}, seq)
    with pytest.raises(BatonError, match="does not follow"):
        Journal(five)


def test_an_event_that_this_version_knows_is_not_refused(five: Path) -> None:
    sealed_journal(five, "ended", {"run": "p1", "how": "caller"})
    assert Journal(five).records[-1].event == ended("p1")


def test_a_full_disk_is_reported_leaves_nothing_behind_and_the_next_append_works(five: Path) -> None:
    before, journal = five.read_bytes(), Journal(five)
    with disk_full_after(len(before) + 10), pytest.raises(BatonError, match=r"cannot write .* not recorded"):
        journal.append(ended("x"))
    assert (five.read_bytes(), len(journal.records)) == (before, 5)
    journal.append(ended("y"))
    assert Journal(five).records == journal.records
    assert journal.records[-1] == Record(6, journal.records[-1].time, ended("y"))


def fail(_: int) -> None:
    raise OSError(5, "Input/output error")


def test_an_event_perhaps_not_on_the_disk_is_not_read_later(five: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(five)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(BatonError, match="Input/output error; not recorded"):
        journal.append(ended("x"))
    assert len(Journal(five).records) == 5


def test_a_journal_whose_folder_is_not_kept_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "42" / "journal.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(BatonError):
            journal.append(CREATED)
    journal.append(CREATED)
    assert [record.event for record in Journal(journal.path).records] == [CREATED]


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to(path)], ids=["a folder", "a loop"])
def test_a_journal_that_cannot_be_read_is_no_empty_journal(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "journal.jsonl"
    make(path)
    with pytest.raises(BatonError, match=r"cannot (read|write)"):
        Journal(path).append(CREATED)


def test_a_story_that_has_none_has_an_empty_journal(tmp_path: Path) -> None:
    assert Journal(tmp_path / "nothing").records == []
