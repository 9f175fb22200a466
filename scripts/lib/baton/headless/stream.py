"""What a process of the client says while it works, line by line, and how it ended by its last.

Measured: the exit code is 0 for a run whose calls were refused and 1 for many ends; a process that was killed
leaves no result; `subtype` is `success` for one that the service failed.
"""

import json
from collections.abc import Iterable, Mapping
from signal import SIGKILL
from typing import Any, Literal

from baton.story.progress import in_plain
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
    """What one process has said so far."""

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
        """All tokens so far; of an answer that is being written, too few."""
        return sum(count for _, count in self._requests.values())

    @property
    def how(self) -> How:
        """How the process ended, now that it has."""
        if not self.result:
            return "killed" if self.started else "unstarted"
        if not self.result.get("is_error"):
            return "ended"
        if self.result.get("subtype") == "error_max_budget_usd":
            return "budget"
        return "failed" if self.result.get("terminal_reason") == "api_error" else "ended"

    @property
    def why(self) -> str:
        """What it said last of why it failed, in one line."""
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
        found = self.result.get("permission_denials")
        return [_call_text(part, "tool_name", "tool_input") for part in _parts(found)]

    @property
    def models(self) -> dict[str, Tokens]:
        """What was used, by model, as the last line has it: exact; nothing where there is none."""
        used = self.result.get("modelUsage")
        asked = [model for model, _ in self._requests.values()]
        return {
            name: Tokens(asked.count(name), *(_number(one, key) for key in EXACT))
            for name, one in (used.items() if isinstance(used, dict) else ())
            if isinstance(one, dict)
        }

    @property
    def cost(self) -> float | None:
        """What the process cost in US dollars, as the client says; None where it did not."""
        cost = self.result.get("total_cost_usd")
        return float(cost) if isinstance(cost, int | float) else None

    def take(self, raw: bytes) -> None:
        """Take in one line."""
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            self.noise = raw.decode(errors="replace").strip() or self.noise
        elif said.get("type") == "system" and said.get("subtype") == "init":
            self.started = any(part.get("name") == PLUGIN for part in _parts(said.get("plugins")))
        elif said.get("subtype") == "ui_log":  # what the client's module tells
            self.line = clip(in_plain(str(said.get("text", ""))), LINE_LENGTH) or self.line
        elif said.get("type") == "assistant":
            self._answer(said.get("message"))
        elif said.get("type") == "result":
            self.result = said

    def _answer(self, message: object) -> None:
        if not isinstance(message, dict):
            return
        usage = message.get("usage")
        counts = sum(_number(usage, name) for name in COUNTS) if isinstance(usage, dict) else 0
        if counts:
            self._requests[str(message.get("id"))] = (str(message.get("model")), counts)
        for block in _parts(message.get("content")):
            said = (
                str(block.get("text", "")) if block.get("type") == "text" else _call_text(block, "name", "input")
            )
            self.line = clip(in_plain(said), LINE_LENGTH) or self.line


def _call_text(block: Mapping[str, Any], name: str, given: str) -> str:
    """Return a call of a tool in a few words; nothing for what is none."""
    tool, words = block.get(name), block.get(given)
    if not tool:
        return ""
    says = next((str(words[key]) for key in SAYS if words.get(key)), "") if isinstance(words, dict) else ""
    return clip(in_plain(f"{tool}: {says.partition(chr(10))[0]}".rstrip(": ")), LINE_LENGTH)


def _parts(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _number(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name)
    return count if type(count) is int and count > 0 else 0
