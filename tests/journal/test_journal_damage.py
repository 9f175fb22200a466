"""Whatever happens to a journal's bytes is found, or is a tail that was never acknowledged."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.journal.events import Event
from baton.journal.journal import Journal
from baton.journal.journal_head import head_of
from journal.happenings import ended
from journal.test_journal import FIVE, written

Damage = Callable[[bytes], Iterator[tuple[str, bytes]]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal of five events."""
    return written(tmp_path_factory.mktemp("journal") / "journal.jsonl", *FIVE).path.read_bytes()


def read(path: Path, data: bytes) -> tuple[Event, ...] | str:
    """Give what is read from these bytes, or where the damage is said to be."""
    path.write_bytes(data)
    try:
        return tuple(record.event for record in Journal(path).records)
    except BatonError as error:
        return error.where if error.what.startswith("damaged journal") else error.what


def unnoticed(path: Path, whole: bytes, damages: Iterator[tuple[str, bytes]]) -> dict[str, object]:
    """Give the damages that were read as something else than a part that was whole."""
    found: dict[str, object] = {}
    for name, data in damages:
        came = read(path, data)
        if isinstance(came, str):
            told = re.search(r"byte (\d+)", came)
            at = int(told[1]) if told else -1
            if not 0 <= at <= len(data) or (at and data[at - 1 : at] != b"\n"):
                found[name] = came
        elif came != FIVE[: len(came)] or len(came) < kept(whole, data):
            found[name] = came
    return found


def kept(whole: bytes, data: bytes) -> int:
    """Count the lines that are still whole, and so were acknowledged."""
    same = next(
        (at for at, (one, other) in enumerate(zip(whole, data, strict=False)) if one != other),
        min(len(whole), len(data)),
    )
    return whole[:same].count(b"\n")


def lines_in(whole: bytes, data: bytes) -> int:
    """Count the lines that a beginning of the journal holds; the last one is whole without its end, too."""
    return data.count(b"\n") + (whole[len(data) : len(data) + 1] == b"\n")


def bit_flips(whole: bytes) -> Iterator[tuple[str, bytes]]:
    for place, byte in enumerate(whole):
        for bit in range(8):
            yield f"bit {bit} of byte {place}", whole[:place] + bytes([byte ^ 1 << bit]) + whole[place + 1 :]


def byte_edits(whole: bytes) -> Iterator[tuple[str, bytes]]:
    for place, byte in enumerate(whole):
        edits = {"a newline": b"\n", "a NUL": b"\0", "nothing": b"", "itself twice": bytes([byte]) * 2}
        for name, new in edits.items():
            if new != bytes([byte]):
                yield f"byte {place} made {name}", whole[:place] + new + whole[place + 1 :]


def line_edits(whole: bytes) -> Iterator[tuple[str, bytes]]:
    lines = whole.splitlines(keepends=True)
    for one in range(len(lines)):
        yield f"line {one} deleted", b"".join([*lines[:one], *lines[one + 1 :]])
        for other in range(len(lines) + 1):
            yield f"line {one} once more at {other}", b"".join([*lines[:other], lines[one], *lines[other:]])
        for other in range(one):
            swapped = [*lines[:other], lines[one], *lines[other + 1 : one], lines[other], *lines[one + 1 :]]
            yield f"lines {other} and {one} swapped", b"".join(swapped)


def truncations(whole: bytes) -> Iterator[tuple[str, bytes]]:
    return ((f"cut to {length} bytes", whole[:length]) for length in range(len(whole)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "damage",
    [pytest.param(bit_flips, marks=pytest.mark.long), byte_edits, line_edits, truncations],
    ids=["every bit flipped", "every byte replaced", "every line moved", "every length"],
)
def test_no_damage_goes_unnoticed(tmp_path: Path, whole: bytes, damage: Damage) -> None:
    assert unnoticed(tmp_path / "j", whole, damage(whole)) == {}


@pytest.mark.long
def test_only_the_end_of_the_last_line_can_be_damaged_without_a_word(tmp_path: Path, whole: bytes) -> None:
    silent = {name for name, data in bit_flips(whole) if not isinstance(read(tmp_path / "j", data), str)}
    assert silent == {f"bit {bit} of byte {len(whole) - 1}" for bit in range(8)}


def test_beside_its_head_a_cut_at_any_length_is_told(tmp_path: Path, whole: bytes) -> None:
    last = json.loads(whole.splitlines()[-1])
    head_of(tmp_path / "j").write_text(f"{last['seq']} {last['sum']}\n")
    silent = [name for name, data in truncations(whole) if not isinstance(read(tmp_path / "j", data), str)]
    assert silent == [f"cut to {len(whole) - 1} bytes"], "only the end of the last line was lost"


def test_a_cut_at_any_length_leaves_the_whole_lines(tmp_path: Path, whole: bytes) -> None:
    for name, data in truncations(whole):
        assert read(tmp_path / "j", data) == FIVE[: lines_in(whole, data)], name


def test_a_cut_journal_goes_on_where_whole(tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for name, data in truncations(whole):
        (tmp_path / "j").write_bytes(data)
        head_of(tmp_path / "j").unlink(missing_ok=True)
        Journal(tmp_path / "j").append(ended("next"))
        assert read(tmp_path / "j", (tmp_path / "j").read_bytes())[-1:] == (ended("next"),), name
        assert read(tmp_path / "j", (tmp_path / "j").read_bytes())[:-1] == FIVE[: lines_in(whole, data)], name
