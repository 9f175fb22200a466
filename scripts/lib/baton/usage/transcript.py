"""Read the client's transcripts: usage by model, the end of a conversation, and its commands.

A transcript may be incomplete. Each block of an answer is a line that repeats the usage of its request, and
some lines hold an early count: the largest numbers of a request's lines hold. For output even those can be too
small, so that is a lower bound.
"""

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

MARK = b'"usage"'
LONGEST_LINE, TAIL = 1 << 24, 1 << 18
SESSION_ID = re.compile(r"[\w-]+")
INTERRUPTED = "[Request interrupted by user"
# The name under which the client writes by itself what no model said, as that the service refused a request.
SYNTHETIC = "<synthetic>"
MODEL = re.compile(r"[\w.:/@\[\]-]{1,80}")
MOST = 10**12


class Tokens(NamedTuple):
    """Tokens of requests; of `cache_write` so many for 5 minutes and for an hour, the rest is not said."""

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
    """The refusal at the end of a transcript: the client's word for it, status, time of reset (or 0), text."""

    error: str
    status: int
    resets_at: int
    text: str


class Usage(NamedTuple):
    """The usage in a transcript; `newest` is when its newest request began, `damaged` counts unreadable lines."""

    models: dict[str, Tokens]
    first: str = ""
    last: str = ""
    newest: str = ""
    damaged: int = 0
    failure: Failure | None = None

    @property
    def seconds(self) -> int:
        """The seconds from its first answer to its last; 0 where unknown."""
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
    """Add up the usage of `agent`, or of the conversation without one, since a time; "" is from the beginning.

    The order of the lines and repeated lines make no difference.
    """
    requests: dict[str, _Line] = {}
    times: dict[str, str] = {}
    newest: tuple[str, bool, Any] = ("", False, ())
    damaged = set[bytes]()
    for line in lines:
        if MARK not in line:
            continue
        try:
            answer = _read_line(json.loads(line), agent)
        except (ValueError, RecursionError):
            damaged.add(line)
            continue
        if answer is None:
            continue
        newest = max(newest, (answer.time, answer.failure is not None, answer.failure or ()))
        if answer.model == SYNTHETIC:
            continue
        before = requests.get(answer.request, answer)
        counts = tuple(map(max, before.counts, answer.counts))
        requests[answer.request] = answer._replace(
            time=min(before.time, answer.time), model=max(before.model, answer.model), counts=counts
        )
        times[answer.request] = max(times.get(answer.request, ""), answer.time)
    counted = {name: row for name, row in requests.items() if row.time > after or not after}
    models = {model: _sum(counted.values(), model) for model in sorted({row.model for row in counted.values()})}
    began = sorted(row.time for row in counted.values() if row.time) or [""]
    last = max((times[name] for name in counted), default="")
    return Usage(models, began[0], last, began[-1], len(damaged), newest[2] or None)


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines of a transcript, without those that are too long or not yet written to their end."""
    while line := file.readline(LONGEST_LINE):
        if line.endswith(b"\n"):
            yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)


def read_transcript(path: str, agent: str = "", after: str = "") -> Usage | None:
    """Read the usage from a transcript's file; None where it cannot be read."""
    try:
        with _open(path) as file:
            return read_usage(lines_of(file), agent, after)
    except OSError:
        return None


def find_transcript(session: str, agent: str) -> str:
    """Return the path of the transcript of an agent, or of a session; empty where there is none."""
    if not (SESSION_ID.fullmatch(session) and SESSION_ID.fullmatch(agent or session)):
        return ""
    own = f"{session}/subagents/agent-{agent}" if agent else session  # a process for a run has no other
    return next(iter(_find(own)), "")


def find_agents(session: str) -> list[str]:
    """Return the ids of the agents that a session had."""
    names = _find(f"{session}/subagents/agent-*") if session else []
    return sorted(os.path.basename(name)[6:-6] for name in names)


def _find(name: str) -> list[str]:
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return glob.glob(f"{glob.escape(home)}/projects/*/{name}.jsonl")


def was_cut_off(path: str, since: str = "") -> bool:
    """Whether the user interrupted a conversation since a time, or its last answer is an error of the service.

    Measured: the client leaves a message of the user's with this text at Esc, Ctrl-C and a declined prompt.
    """
    failed = False
    with suppress(OSError):
        for entry in _entries(path, TAIL):
            if entry.get("type") == "assistant":
                failed = bool(entry.get("isApiErrorMessage"))
            stopped = entry.get("type") == "user" and any(
                _text(block, "text").startswith(INTERRUPTED) for block in _blocks(entry)
            )
            if stopped and str(entry.get("timestamp", ""))[:19] >= since[:19]:
                return True
    return failed


def commands_of(path: str) -> list[str] | None:
    """Return the shell commands of a conversation, in order; None where it cannot be read."""
    with suppress(OSError):
        blocks = (block for entry in _entries(path) for block in _blocks(entry))
        return [_text(_part(block, "input"), "command") for block in blocks if block.get("name") == "Bash"]
    return None


def _open(path: str) -> BinaryIO:
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    return open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")  # a pipe by now would wait


def _entries(path: str, last: int = 0) -> Iterator[Mapping[str, Any]]:
    """Give the entries of a file, of its last bytes alone if `last` is given; OSError if it cannot be read."""
    with _open(path) as file:
        if last:
            file.seek(max(0, os.fstat(file.fileno()).st_size - last))
        for line in lines_of(file):
            with suppress(ValueError, RecursionError):  # cut off, or being written
                if isinstance(entry := json.loads(line), dict):
                    yield entry


def _read_line(entry: object, agent: str) -> _Line | None:
    """Read one line; None for one that is no answer, or another agent's."""
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
    failure = _failure(entry) if entry.get("isApiErrorMessage") is True else None
    return _Line(request, _text(entry, "timestamp"), model, counts, failure)


def _failure(entry: Mapping[str, Any]) -> Failure:
    quota = _part(entry, "quotaLimits")
    resets = _count(quota, "resetsAt") if quota.get("status") == "rejected" else 0
    text = " ".join(_text(block, "text") for block in _blocks(entry))
    return Failure(_text(entry, "error"), _count(entry, "apiErrorStatus"), resets, text[:300])


def _sum(lines: Iterable[_Line], model: str) -> Tokens:
    rows = [line.counts for line in lines if line.model == model]
    return Tokens(len(rows), *map(sum, zip(*rows, strict=True)))


def _blocks(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = _part(entry, "message").get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


def _count(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name)
    return min(count, MOST) if type(count) is int and count > 0 else 0
