"""What no one should hand in, and what looks odd and is fine: each has one clear answer, from file to finding."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.artifacts.document import read_document
from baton.artifacts.kinds import check_artifact
from baton.errors import BatonError

LAUGHS = "a0: &a0 lol\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
FINE = b'{"status": "partial", "next_steps": "go on"}\n'
Make = Callable[[Path], object]


def answer(make: Make, folder: Path) -> str:
    """Give what is said of a file as return metadata: the error, the finding, or that it is accepted."""
    path = folder / "meta"
    make(path)
    try:
        findings = check_artifact("return-meta", read_document(path), "meta")
    except BatonError as error:
        return str(error).replace(str(path), "meta")
    return "; ".join(map(str, findings)) or "accepted"


def holding(data: bytes | str) -> Make:
    return lambda path: path.write_bytes(data.encode() if isinstance(data, str) else data)


def linked(path: Path) -> None:
    path.with_name("real").write_bytes(FINE)
    path.symlink_to("real")


HOSTILE: dict[str, tuple[Make, str]] = {
    "a key twice in JSON": (holding('{"status": "failed", "status": "implemented"}'), "`status` stands twice"),
    "a key twice in YAML": (holding("status: failed\nstatus: implemented\n"), "line 2: `status` stands twice"),
    "NaN in JSON": (holding('{"status": "partial", "phases_total": NaN}'), "`NaN` is not a JSON number"),
    "NaN in YAML": (holding("status: partial\nphases_total: .nan\n"), "'.nan' is not a number"),
    "infinity": (holding('{"status": "partial", "x": -Infinity}'), "`-Infinity` is not a JSON number"),
    "a number beyond all numbers": (holding('{"status": "partial", "x": 1e999}'), "`1e999` is too large a number"),
    "a number of 9,000 digits": (holding('{"status": "x", "y": ' + "9" * 9000 + "}"), "a number of 9000 digits"),
    "10 MB of JSON": (holding(b'{"x": "' + b"x" * 10_000_000 + b'"}'), "larger than 1 MB"),
    "10 MB of nothing": (holding(b"\n" * 10_000_000), "larger than 1 MB"),
    "1 MB of YAML": (holding("a: " + "b" * 900_000), "longer than 50,000 characters"),
    "1 MB of lines": (holding("a: b\n" * 190_000), "more than 20,000 lines"),
    "a depth bomb in JSON": (holding('{"x": ' + "[" * 400_000), "nested deeper than 64 levels"),
    "a depth bomb of objects": (holding('{"x": ' * 100_000), "nested deeper than 64 levels"),
    "a depth bomb in YAML": (holding("x: " + "[" * 40_000), "line 1: nested too deeply"),
    "a depth bomb of YAML lists": (holding("- " * 20_000), "line 1: nested too deeply"),
    "anchors that laugh a billion times": (holding(LAUGHS), "anchors and aliases are not read"),
    "an alias to nothing": (holding("status: *x\n"), "anchors and aliases are not read"),
    "a tag that calls": (holding("status: !!python/object/apply:os.system [id]\n"), "tags are not read"),
    "a tag that does nothing": (holding("status: !!str partial\n"), "tags are not read"),
    "UTF-16": (holding(FINE.decode().encode("utf-16")), "UTF-16 at meta: save it as UTF-8"),
    "UTF-16 without its mark": (holding(FINE.decode().encode("utf-16-be")), "UTF-16 at meta: save it as UTF-8"),
    "bytes that are no UTF-8": (holding(b'{"status": "caf\xe9"}'), "not UTF-8 (byte 15) at meta: save it as UTF"),
    "half of a surrogate pair": (holding('{"status": "\\ud83c"}'), "half of a surrogate pair"),
    "a NUL": (holding(FINE + b"\0"), "a NUL byte at meta"),
    "a symbolic link": (linked, "cannot read (a symbolic link) at meta: give a plain file"),
    "a folder": (Path.mkdir, "cannot read (not a plain file) at meta: give a plain file"),
    "a pipe nobody writes to": (os.mkfifo, "cannot read (not a plain file) at meta: give a plain file"),
    "an empty file": (holding(b""), "meta:line 1: the file is empty"),
    "a file of blanks": (holding(b" \n\t\n"), "meta:line 1: the file is empty"),
    "a file cut off": (holding(FINE[:20]), "not readable as JSON: line 1, column"),
    "something after the end": (holding(FINE + b"}"), "not readable as JSON: line 2, column 1: Extra data"),
}  # fmt: skip
HARMLESS = {
    "a byte order mark": holding(b"\xef\xbb\xbf" + FINE),
    "carriage returns": holding(FINE.replace(b", ", b",\r\n") + b"\r\n"),
    "both, in YAML": holding(b"\xef\xbb\xbfstatus: partial\r\nnext_steps: go on\r\n"),
    "nearly 1 MB of text": holding(FINE.replace(b"go on", b"go on " * 160_000)),
    "a name of every kind": holding('{"status": "partial", "\\u0000": 1, "ŝ\u2028🎉": {"__proto__": []}}'),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_hostile_file_gets_its_own_clear_answer(name: str, tmp_path: Path) -> None:
    make, expected = HOSTILE[name]
    said = answer(make, tmp_path)
    assert expected in said
    assert (len(said.splitlines()), len(said) < 400) == (1, True)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_file_that_only_looks_odd_is_accepted(name: str, tmp_path: Path) -> None:
    assert answer(HARMLESS[name], tmp_path) == "accepted"
