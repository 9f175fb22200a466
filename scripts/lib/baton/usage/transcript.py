"""What a transcript of the client says was used: the requests by model, from when to when, and how it ended.

Each block of an answer is a line that repeats the usage of its whole request, and some lines hold an early count:
the largest numbers of a request's lines hold. For output even those can be too small, so that is a lower bound.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

MARK = b'"usage"'
LONGEST_LINE = 1 << 24
# The name under which the client writes by itself what no model said, as that the service refused a request.
SYNTHETIC = "<synthetic>"
MODEL = re.compile(r"[\w.:/@\[\]-]{1,80}")
MOST = 10**12


class Tokens(NamedTuple):
    """What requests used; of `cache_write` so much for 5 minutes and for an hour, of the rest nobody says."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    write_5m: int = 0
    write_1h: int = 0

    @property
    def total(self) -> int:
        """All tokens, those from the cache too."""
        return self.input + self.output + self.cache_read + self.cache_write


class Failure(NamedTuple):
    """The refusal a transcript ends with: the client's word for it, the status, until when (or 0), its text."""

    error: str
    status: int
    resets_at: int
    text: str


class Usage(NamedTuple):
    """What a transcript tells; `newest` is when its newest request began, `damaged` counts unreadable lines."""

    models: dict[str, Tokens]
    first: str = ""
    last: str = ""
    newest: str = ""
    damaged: int = 0
    failure: Failure | None = None

    @property
    def seconds(self) -> int:
        """How long it is from its first answer to its last; 0 where that cannot be told."""
        try:
            return int((datetime.fromisoformat(self.last) - datetime.fromisoformat(self.first)).total_seconds())
        except (ValueError, TypeError):
            return 0


class _Line(NamedTuple):
    """One line of an answer."""

    request: str
    time: str
    model: str
    counts: tuple[int, ...]
    failure: Failure | None


def read_usage(lines: Iterable[bytes], agent: str = "", after: str = "") -> Usage:
    """Add up what `agent`, or the conversation without one, has asked since a time; "" is from the beginning.

    Neither the order of the lines nor a line that is there twice changes anything.
    """
    requests: dict[str, _Line] = {}
    times: dict[str, str] = {}
    newest: tuple[str, bool, Any] = ("", False, ())
    damaged = set[bytes]()
    for line in lines:
        if MARK not in line:
            continue
        try:
            found = _read_line(json.loads(line), agent)
        except (ValueError, RecursionError):
            damaged.add(line)
            continue
        if found is None:
            continue
        newest = max(newest, (found.time, found.failure is not None, found.failure or ()))
        if found.model == SYNTHETIC:
            continue
        before = requests.get(found.request, found)
        counts = tuple(map(max, before.counts, found.counts))
        requests[found.request] = found._replace(
            time=min(before.time, found.time), model=max(before.model, found.model), counts=counts
        )
        times[found.request] = max(times.get(found.request, ""), found.time)
    counted = {name: one for name, one in requests.items() if one.time > after or not after}
    models = {model: _sum(counted.values(), model) for model in sorted({one.model for one in counted.values()})}
    began = sorted(one.time for one in counted.values() if one.time) or [""]
    last = max((times[name] for name in counted), default="")
    return Usage(models, began[0], last, began[-1], len(damaged), newest[2] or None)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines of a transcript, but one longer than any answer, or not yet written to its end."""
    while line := file.readline(LONGEST_LINE):
        if line.endswith(b"\n"):
            yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)


def read_transcript(path: str, agent: str = "", after: str = "") -> Usage | None:
    """Read the usage from a transcript's file; None where there is none that can be read."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        with open(os.open(path, flags), "rb") as file:
            return read_usage(lines_of(file), agent, after) if _is_plain(file) else None
    except (OSError, ValueError):
        return None


def _is_plain(file: BinaryIO) -> bool:
    from stat import S_ISREG

    return S_ISREG(os.fstat(file.fileno()).st_mode)


def _read_line(entry: object, agent: str) -> _Line | None:
    """Read one line; None for what is no answer, or another's."""
    if not isinstance(entry, dict) or entry.get("type") != "assistant":
        return None
    if entry.get("agentId") != agent if agent else entry.get("isSidechain") is True:
        return None
    message = _part(entry, "message")
    usage, model = _part(message, "usage"), _text(message, "model")
    request = _text(entry, "requestId") or _text(message, "id") or _text(entry, "uuid")
    if not usage or not request:
        return None
    kept = _part(usage, "cache_creation")
    counts = (
        _count(usage, "input_tokens"), _count(usage, "output_tokens"), _count(usage, "cache_read_input_tokens"),
        _count(usage, "cache_creation_input_tokens"), _count(kept, "ephemeral_5m_input_tokens"),
        _count(kept, "ephemeral_1h_input_tokens"),
    )  # fmt: skip
    if model != SYNTHETIC and not MODEL.fullmatch(model):
        model = "unknown"
    failure = _failure(entry, message) if entry.get("isApiErrorMessage") is True else None
    return _Line(request, _text(entry, "timestamp"), model, counts, failure)


def _failure(entry: Mapping[str, Any], message: Mapping[str, Any]) -> Failure:
    quota = _part(entry, "quotaLimits")
    resets = _count(quota, "resetsAt") if quota.get("status") == "rejected" else 0
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    text = " ".join(_text(one, "text") for one in blocks if isinstance(one, dict))
    return Failure(_text(entry, "error"), _count(entry, "apiErrorStatus"), resets, text[:300])


def _sum(lines: Iterable[_Line], model: str) -> Tokens:
    rows = [one.counts for one in lines if one.model == model]
    return Tokens(len(rows), *map(sum, zip(*rows, strict=True)))


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


def _count(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name)
    return min(count, MOST) if type(count) is int and count > 0 else 0
