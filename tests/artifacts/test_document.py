"""A file of the user's tree is read only when it is plain text; each thing else has its own line."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.artifacts.document import SIZE_LIMIT, decode, read_document
from baton.errors import BatonError
from tables import named_cases


def link(path: Path) -> None:
    path.with_name("target").write_text("x")
    path.symlink_to("target")


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@named_cases("make, what", {
    "a link": (link, r"cannot read \(a symbolic link\)"),
    "a link to nothing": (lambda path: path.symlink_to("nothing"), r"cannot read \(a symbolic link\)"),
    "a folder": (Path.mkdir, r"cannot read \(not a plain file\)"),
    "a pipe nobody writes to": (os.mkfifo, r"cannot read \(not a plain file\)"),
    "a socket": (listen, r"cannot read \([a-z ]+\)"),
    "nothing": (lambda path: None, r"cannot read \(no such file or directory\)"),
    "Latin-1": (lambda path: path.write_bytes(b"caf\xe9"), r"not UTF-8 \(byte 3\)"),
    "UTF-16": (lambda path: path.write_bytes("text".encode("utf-16")), "UTF-16"),
    "UTF-16 of the other order": (
        lambda path: path.write_bytes(b"\xfe\xff" + "text".encode("utf-16-be")), "UTF-16",
    ),
    "UTF-16 without its mark": (lambda path: path.write_bytes("text".encode("utf-16-le")), "UTF-16"),
    "half of a surrogate pair": (lambda path: path.write_bytes(b"a\xed\xa0\xbcb"), r"not UTF-8 \(byte 1\)"),
    "a NUL": (lambda path: path.write_bytes(b"a\0b"), "a NUL byte"),
    "10 MB": (lambda path: path.write_bytes(b"x" * 10_000_000), "larger than 1 MB"),
})  # fmt: skip
def test_each_file_that_is_not_plain_text_has_its_own_error_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], what: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    make(Path("plan.md"))
    with pytest.raises(BatonError, match=f"^{what} at plan.md: ") as caught:
        read_document(Path("plan.md"))
    assert len(str(caught.value).splitlines()) == 1


def test_a_folder_by_a_link_in_the_middle_of_a_path_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "plan.md").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert read_document(tmp_path / "link" / "plan.md") == "x"


@pytest.mark.parametrize(("data", "text"), [
    (b"", ""),
    (b"a\r\nb\rc\n", "a\nb\nc\n"),
    (b"\xef\xbb\xbfa", "a"),
    ("ŝ 🎉\u2028".encode(), "ŝ 🎉\u2028"),
    (b"x" * SIZE_LIMIT, "x" * SIZE_LIMIT),
], ids=["nothing", "any line ends", "a byte order mark", "any script", "just small enough"])  # fmt: skip
def test_plain_text_is_read(data: bytes, text: str) -> None:
    assert decode(data, "stdin") == text


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        with pytest.raises(BatonError):
            read_document(tmp_path)
    assert len(os.listdir("/dev/fd")) == before


def test_the_error_for_utf_16_says_how_to_fix_it() -> None:
    with pytest.raises(BatonError) as caught:
        decode("# Plan".encode("utf-16"), "plan.md")
    assert str(caught.value) == "UTF-16 at plan.md: save it as UTF-8"
