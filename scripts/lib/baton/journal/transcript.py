"""What the client writes of a conversation: read for what nobody else tells, and never believed to be whole."""

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

TAIL, LONGEST_LINE = 1 << 18, 1 << 24
NAME = re.compile(r"[\w-]+")
INTERRUPTED = "[Request interrupted by user"


def find_transcript(session: str, agent: str) -> str:
    """Return the file in which the client writes what an agent does, or a session; nothing where there is none."""
    if not (NAME.fullmatch(session) and NAME.fullmatch(agent or session)):
        return ""
    own = f"{session}/subagents/agent-{agent}" if agent else session  # a process for a run has no other
    return next(iter(glob.glob(f"{glob.escape(_home())}/projects/*/{own}.jsonl")), "")


def _home() -> str:
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")


def find_agents(session: str) -> list[str]:
    """Return the ids of the agents that a session had."""
    names = glob.glob(f"{glob.escape(_home())}/projects/*/{session}/subagents/agent-*.jsonl") if session else []
    return sorted(os.path.basename(name)[6:-6] for name in names)


def was_cut_off(path: str, since: str = "") -> bool:
    """Whether the user interrupted a conversation since a time, or its last answer is that its service failed.

    Measured: the client leaves a message of the user's with this text at Esc, Ctrl-C and a declined prompt.
    """
    failed = False
    with suppress(OSError):
        for line in _lines(path, TAIL):
            if line.get("type") == "assistant":
                failed = bool(line.get("isApiErrorMessage"))
            stopped = any(text.startswith(INTERRUPTED) for text in _texts(line, "user"))
            if stopped and str(line.get("timestamp", ""))[:19] >= since[:19]:
                return True
    return failed


def commands_of(path: str) -> list[str] | None:
    """Return the shell commands of a conversation, in order; None where it cannot be read."""
    try:
        return [
            str(given.get("command", ""))
            for line in _lines(path)
            for block in _blocks(line)
            if block.get("name") == "Bash" and isinstance(given := block.get("input"), dict)
        ]
    except OSError:
        return None


def _lines(path: str, last: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a file, of its last bytes alone if so many are named; OSError for none to be read."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    with open(path, "rb") as file:
        if last:
            file.seek(max(0, os.fstat(file.fileno()).st_size - last))
        for raw in iter(lambda: file.readline(LONGEST_LINE), b""):
            try:
                entry = json.loads(raw)
            except (ValueError, RecursionError):  # cut off, or being written
                continue
            if isinstance(entry, dict):
                yield entry


def _blocks(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _texts(line: Mapping[str, Any], who: str) -> list[str]:
    """Return the texts of an entry, if it is this one's."""
    blocks = _blocks(line) if line.get("type") == who else []
    return [str(one.get("text", "")) for one in blocks if one.get("type") == "text"]
