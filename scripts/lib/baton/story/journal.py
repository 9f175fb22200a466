"""The truth about a story: an append-only file in which every line vouches for the one before it."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.story.durable import open_folder, read_plain, why, write_all, write_durably
from baton.story.events import SCHEMA_VERSION, Event, from_data, kind_of, to_data
from baton.story.migrate import Body, upgraded, version_of

FIRST = "0" * 32
SEAL = b',"sum":"'
END = b'"}'
SEALED = len(SEAL) + 32 + len(END)


class Record(NamedTuple):
    """One line of the journal: its number from 1, its time in UTC, and what happened."""

    seq: int
    time: str
    event: Event


class Beginning(NamedTuple):
    """What a journal's first lines came to: their length and digest, the last one's seal and number.

    `kept` are the bodies of those that still count for the state of the story.
    """

    end: int
    digest: str
    seal: str
    seq: int
    kept: list[Body]


def now() -> str:
    """Give the present moment as the journal writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal:
    """A journal that was read whole; change it only while holding the story's lock.

    `torn` says that its last line was cut short by a crash, or lacks its end; the next append mends that. `seq` is
    the number of its last record. Where it begins with the very bytes of `beginning`, only what still counts of
    them is among the `records`.
    """

    def __init__(self, path: Path, clock: Callable[[], str] = now, beginning: Beginning | None = None) -> None:
        self.path = path
        self.clock = clock
        self.records: list[Record] = []
        self.seq = 0
        self.torn = False
        self.version = SCHEMA_VERSION
        # A journal lies at `baton/<id>/journal.jsonl` in git's folder, which is taken as it is.
        self._inside = path.parents[2]
        self._begin = self._end = 0
        self._last = FIRST
        self._read(beginning)

    def append(self, event: Event) -> Record:
        """Add an event: on return it is on the disk; a torn tail left by a crash is cut off first."""
        record = Record(self.seq + 1, self.clock(), event)
        line, seal = _sealed(_body(record), self._last)
        self._write(line)
        self._last = seal
        self._end += len(line)
        self.seq = record.seq
        self.records.append(record)
        return record

    def beginning(self, counting: Callable[[Sequence[Record]], Sequence[Record]]) -> Beginning:
        """Give what this journal came to, of whose records those still count that `counting` gives."""
        digest = hashlib.sha256(self._bytes()[: self._end]).hexdigest()
        return Beginning(self._end, digest, self._last, self.seq, [_body(one) for one in counting(self.records)])

    def mend(self) -> None:
        """Cut off what a crash left of a last line, or end one that is whole."""
        self._write(b"")

    def migrated(self, repository: str) -> "Journal":
        """Rewrite a journal of an earlier version in this one's, as that of `repository`; the old file is kept."""
        data = self._bytes()
        write_durably(self.path.with_name(f"journal.v{self.version}.jsonl"), data, self._inside)
        text, last = b"", FIRST
        whole = [line for line in data[: self._end].split(b"\n") if line]
        for body in upgraded(json.loads(_array(whole)), repository):
            line, last = _sealed({name: body[name] for name in ("seq", "time", "kind", "data")}, last)
            text += line
        write_durably(self.path, text, self._inside)
        return Journal(self.path, self.clock)

    def _write(self, line: bytes) -> None:
        try:
            with open_folder(self.path.parent, self._inside) as folder:
                self._write_in(folder, line)
            self.torn = False
        except FileNotFoundError as error:
            remedy = "somebody removed it under way: put it back, or see `baton doctor`"
            raise BatonError("the journal is gone", str(self.path), remedy) from error
        except OSError as error:
            remedy = f"{why(error, self.path, self._inside)}; not recorded"
            raise BatonError("cannot write", str(self.path), remedy) from error

    def _write_in(self, folder: int, line: bytes) -> None:
        created = 0 if self.records else os.O_CREAT
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | created
        descriptor = os.open(self.path.name, flags, 0o644, dir_fd=folder)
        try:
            if os.fstat(descriptor).st_size != self._end:
                self._cut(descriptor)
            if created:
                os.fsync(folder)
            os.lseek(descriptor, self._end, os.SEEK_SET)
            try:
                write_all(descriptor, line)
                os.fsync(descriptor)
            except OSError:
                with suppress(OSError):  # a whole line that was not acknowledged must not be read later
                    self._cut(descriptor)
                raise
        finally:
            with suppress(OSError):  # it is on the disk, or was cut off
                os.close(descriptor)

    def _cut(self, descriptor: int) -> None:
        """End the file with the line end of its last whole record."""
        os.ftruncate(descriptor, max(self._end - 1, 0))
        if self._end:
            os.pwrite(descriptor, b"\n", self._end - 1)
        os.fsync(descriptor)

    def _bytes(self) -> bytes:
        try:
            return read_plain(self.path, self._inside) or b""
        except OSError as error:
            raise BatonError("cannot read", str(self.path), why(error, self.path, self._inside)) from error

    def _read(self, beginning: Beginning | None) -> None:
        data = self._bytes()
        if beginning and hashlib.sha256(data[: beginning.end]).hexdigest() == beginning.digest:
            self._begin, _, self._last, self.seq, kept = beginning
            self._keep(kept)
        *lines, tail = data[self._begin :].split(b"\n")
        if tail:
            self.torn = True
            with suppress(ValueError):  # all of it but its line end: it was written
                _check_seal(tail)
                lines.append(tail)
        for number, line in enumerate(lines):
            try:
                _check_seal(line)
            except ValueError as error:
                raise self._damaged(lines, number, str(error)) from error
        self._take(lines, json.loads(_array(lines)))

    def _take(self, lines: Sequence[bytes], bodies: list[Body]) -> None:
        """Take in what the lines say, each of which is whole: they must follow one another, and be known."""
        for number, body in enumerate(bodies):
            if body["prev"] != self._last or body["seq"] != self.seq + 1:
                raise self._damaged(lines, number, "a line does not follow the one before it")
            self._last, self.seq = body["sum"], body["seq"]
        if not self._begin:
            self.version = version_of(bodies, str(self.path))
            bodies = bodies if self.version == SCHEMA_VERSION else upgraded(bodies)
        self._keep(bodies)
        self._end = self._begin + sum(map(len, lines)) + len(lines)

    def _keep(self, bodies: Sequence[Body]) -> None:
        for body in bodies:
            try:
                self.records.append(Record(body["seq"], body["time"], from_data(body["kind"], body["data"])))
            except (KeyError, TypeError) as error:
                what = f"an event this version of baton does not know ({body['kind']}: {error})"
                where = f"{self.path}, line {body['seq']}"
                raise BatonError(what, where, "use the version that wrote it") from error

    def _damaged(self, lines: Sequence[bytes], number: int, why: str) -> BatonError:
        remedy = f"keep the file; `baton doctor {self.path.parent.name}` says what can be done"
        return BatonError(f"damaged journal ({why})", self._place(lines, number), remedy)

    def _place(self, lines: Sequence[bytes], number: int) -> str:
        return f"{self.path}, byte {self._begin + sum(map(len, lines[:number])) + number}"


def _array(lines: Sequence[bytes]) -> bytes:
    """Give lines of JSON as one: a long journal is read several times faster so."""
    return b"[" + b",".join(lines) + b"]"


def _body(record: Record) -> Body:
    seq, time, event = record
    return {"seq": seq, "time": time, "kind": kind_of(event), "data": to_data(event)}


def _sealed(body: dict[str, Any], previous: str) -> tuple[bytes, str]:
    whole = json.dumps({**body, "prev": previous}, ensure_ascii=False, separators=(",", ":"))
    # A file name need not be UTF-8: what stands for its other bytes is written as it is, and read back so.
    text = whole.encode(errors="surrogatepass")
    seal = hashlib.sha256(text).hexdigest()[:32]
    return text[:-1] + SEAL + seal.encode() + END + b"\n", seal


def _check_seal(line: bytes) -> None:
    """Raise ValueError for a line that is not as it was written."""
    place = len(line) - SEALED
    if place < 0 or line[place : place + len(SEAL)] != SEAL or line[-len(END) :] != END:
        raise ValueError("a line without its checksum")
    seal = hashlib.sha256(line[:place] + b"}").hexdigest()[:32]
    if seal.encode() != line[place + len(SEAL) : -len(END)]:
        raise ValueError("a checksum does not match")
