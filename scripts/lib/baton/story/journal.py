"""The truth about a story: an append-only file in which every line vouches for the one before it."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.story.durable import sync_folder, write_all
from baton.story.events import Event, from_data, to_data

FIRST = "0" * 32
SEAL = b',"sum":"'


class Record(NamedTuple):
    """One line of the journal: its number from 1, its time in UTC, and what happened."""

    seq: int
    time: str
    event: Event


def now() -> str:
    """Give the present moment as the journal writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal:
    """A journal that was read whole; append only while holding the story's lock."""

    def __init__(self, path: Path, clock: Callable[[], str] = now) -> None:
        self.path = path
        self.clock = clock
        self.records: list[Record] = []
        self.torn_at: int | None = None
        self._last = FIRST
        if path.exists():
            self._read()

    def append(self, event: Event) -> Record:
        """Add an event: on return it is on the disk; a torn tail left by a crash is cut off first."""
        record = Record(len(self.records) + 1, self.clock(), event)
        body = {"seq": record.seq, "time": record.time, "kind": event.kind, "data": to_data(event)}
        line, seal = _sealed(body, self._last)
        try:
            self._append_line(line)
        except OSError as error:
            raise BatonError("cannot write", str(self.path), f"{error.strerror}; not recorded") from error
        self._last = seal
        self.records.append(record)
        return record

    def _append_line(self, line: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            if self.torn_at is not None:
                os.ftruncate(descriptor, self.torn_at)
                self.torn_at = None
            if new:
                sync_folder(self.path.parent)
            end = os.fstat(descriptor).st_size
            try:
                write_all(descriptor, line)
                os.fsync(descriptor)
            except OSError:
                self.torn_at = end
                with suppress(OSError):  # a whole line that was not acknowledged must not be read later
                    os.ftruncate(descriptor, end)
                raise
        finally:
            os.close(descriptor)

    def _read(self) -> None:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise BatonError("cannot read", str(self.path), error.strerror or "see the file") from error
        *lines, tail = data.split(b"\n")
        offset = 0
        for line in lines:
            self._take(line, offset)
            offset += len(line) + 1
        if tail:
            self.torn_at = offset

    def _take(self, line: bytes, offset: int) -> None:
        try:
            body, seal = _opened(line, self._last)
            if body["seq"] != len(self.records) + 1:
                raise ValueError("out of sequence")
        except (ValueError, KeyError, TypeError) as error:
            remedy = "keep the file; restore it from a backup, or set it aside and start the story anew"
            raise BatonError(f"damaged journal ({error})", f"{self.path}, byte {offset}", remedy) from error
        try:
            event = from_data(body["kind"], body["data"])
        except (KeyError, TypeError) as error:
            what = f"an event this version of baton does not know ({body['kind']}: {error})"
            raise BatonError(what, f"{self.path}, byte {offset}", "use the version that wrote it") from error
        self._last = seal
        self.records.append(Record(body["seq"], body["time"], event))


def _sealed(body: dict[str, Any], previous: str) -> tuple[bytes, str]:
    whole = json.dumps({**body, "prev": previous}, ensure_ascii=False, separators=(",", ":"))
    # A file name need not be UTF-8: what stands for its other bytes is written as it is, and read back so.
    text = whole.encode(errors="surrogatepass")
    seal = hashlib.sha256(text).hexdigest()[:32]
    return text[:-1] + SEAL + seal.encode() + b'"}\n', seal


def _opened(line: bytes, previous: str) -> tuple[dict[str, Any], str]:
    text, found, rest = line.rpartition(SEAL)
    if not found or len(rest) != 32 + 2 or rest[32:] != b'"}':
        raise ValueError("a line without its checksum")
    seal = hashlib.sha256(text + b"}").hexdigest()[:32]
    if seal.encode() != rest[:32]:
        raise ValueError("a checksum does not match")
    body = json.loads(text + b"}")
    if body["prev"] != previous:
        raise ValueError("a line does not follow the one before it")
    return body, seal
