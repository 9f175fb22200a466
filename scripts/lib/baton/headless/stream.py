"""The output of a process of the client, line by line, and its end by the last line.

Measured: the exit code is 0 for a run whose calls were refused and 1 for many ends; a process that was killed
leaves no result; `subtype` is `success` for one that the service failed.
"""

import json
from collections.abc import Iterable, Mapping
from signal import SIGKILL
from typing import Any, Literal

from baton.story.run.progress import in_plain
from baton.text import clip
from baton.usage.transcript import Tokens

How = Literal["ended", "failed", "budget", "killed", "unstarted"]
COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
EXACT = (
    "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens",
    "cacheCreationEphemeral5mInputTokens", "cacheCreationEphemeral1hInputTokens",
)  # fmt: skip
SAYS = ("description", "command", "file_path", "pattern")
# The plugin by which a process has its agents: without it there is no run.
PLUGIN = "baton"
LINE_LENGTH = 100


class Stream:
    """The output of one process so far."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self.started = False
        self.line = ""
        self.noise = ""
        self.signal = 0
        self.result: Mapping[str, Any] = {}
        self._requests: dict[str, tuple[str, int]] = {}
        for line in lines:
            self.take(line)

    @property
    def tokens(self) -> int:
        """All tokens so far; too few of an answer that is being written."""
        return sum(count for _, count in self._requests.values())

    @property
    def how(self) -> How:
        """The end of the process, valid once it is over."""
        if not self.result:
            return "killed" if self.started else "unstarted"
        if not self.result.get("is_error"):
            return "ended"
        if self.result.get("subtype") == "error_max_budget_usd":
            return "budget"
        return "failed" if self.result.get("terminal_reason") == "api_error" else "ended"

    @property
    def why(self) -> str:
        """The reason it gave last for its failure, in one line."""
        if self.how == "killed" and self.signal:
            return (
                f"it was killed by signal {self.signal}{', as where memory is short' * (self.signal == SIGKILL)}"
            )
        if self.how == "killed" and not self.noise:
            return "it ended without a result"
        return clip(in_plain(str(self.result.get("result") or self.noise or "it said nothing")), 2 * LINE_LENGTH)

    @property
    def refused(self) -> list[str]:
        """The calls that the client refused, since nobody could answer."""
        denials = self.result.get("permission_denials")
        return [_call_text(part, "tool_name", "tool_input") for part in _parts(denials)]

    @property
    def models(self) -> dict[str, Tokens]:
        """The exact use by model, from the last line; empty where there is none."""
        used = self.result.get("modelUsage")
        asked = [model for model, _ in self._requests.values()]
        return {
            name: Tokens(asked.count(name), *(_number(counts, key) for key in EXACT))
            for name, counts in (used.items() if isinstance(used, dict) else ())
            if isinstance(counts, dict)
        }

    @property
    def cost(self) -> float | None:
        """The cost of the process in US dollars, by the client; None where it gave none."""
        cost = self.result.get("total_cost_usd")
        return float(cost) if isinstance(cost, int | float) else None

    def take(self, raw: bytes) -> None:
        """Take in one line."""
        try:
            entry = json.loads(raw)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            self.noise = raw.decode(errors="replace").strip() or self.noise
        elif entry.get("type") == "system" and entry.get("subtype") == "init":
            self.started = any(part.get("name") == PLUGIN for part in _parts(entry.get("plugins")))
        elif entry.get("subtype") == "ui_log":  # what the client's module tells
            self.line = clip(in_plain(str(entry.get("text", ""))), LINE_LENGTH) or self.line
        elif entry.get("type") == "assistant":
            self._answer(entry.get("message"))
        elif entry.get("type") == "result":
            self.result = entry

    def _answer(self, message: object) -> None:
        if not isinstance(message, dict):
            return
        usage = message.get("usage")
        counts = sum(_number(usage, name) for name in COUNTS) if isinstance(usage, dict) else 0
        if counts:
            self._requests[str(message.get("id"))] = (str(message.get("model")), counts)
        for block in _parts(message.get("content")):
            text = (
                str(block.get("text", "")) if block.get("type") == "text" else _call_text(block, "name", "input")
            )
            self.line = clip(in_plain(text), LINE_LENGTH) or self.line


def _call_text(block: Mapping[str, Any], name: str, given: str) -> str:
    """Return a call of a tool in a few words; empty for a block that is none."""
    tool, words = block.get(name), block.get(given)
    if not tool:
        return ""
    says = next((str(words[key]) for key in SAYS if words.get(key)), "") if isinstance(words, dict) else ""
    return clip(in_plain(f"{tool}: {says.partition(chr(10))[0]}".rstrip(": ")), LINE_LENGTH)


def _parts(value: object) -> list[Mapping[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _number(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name)
    return count if type(count) is int and count > 0 else 0
