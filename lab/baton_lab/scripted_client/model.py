"""The scripted model: plays its scripts to the client and keeps every request."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton_lab.scripted_client.api import Blocks, ErrorAnswer, Sender, serve, usage_of
from baton_lab.scripted_client.network import open_network
from baton_lab.scripted_client.script import Call, Player, Say, Script, Step, Talk, role_of

SIDE = "side"


class Asked(NamedTuple):
    """One request of the client to the model, and what it was answered."""

    role: str
    agent: str
    request: dict[str, Any]
    answer: list[dict[str, Any]]

    @property
    def usage(self) -> dict[str, int]:
        """Return what the answer cost."""
        return usage_of(self.request, self.answer)

    @property
    def talk(self) -> Talk:
        """Return the conversation as it was at this request."""
        return Talk(self.agent, self.request["messages"])

    @property
    def calls(self) -> list[str]:
        """Return the names of the tools used in the answer."""
        return [block["name"] for block in self.answer if block["type"] == "tool_use"]

    @property
    def said(self) -> str:
        """Return the text of the answer."""
        return "\n".join(block["text"] for block in self.answer if block["type"] == "text")


class Model:
    """A server that plays scripts: every conversation gets its own instance of its role's script.

    A script's key is "main", or a text that is found in the system prompt of the sub-agents that play it.
    """

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self.network = open_network()
        self.asked: list[Asked] = []
        self._scripts = scripts
        self._players: dict[Sender, Player] = {}
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._server = serve(self.network.listener, self.answer)

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self.network.close()

    def answer(self, sender: Sender, request: dict[str, Any]) -> Blocks | ErrorAnswer:
        """Take who asks and the request; return the answer's content blocks, or the refusal a script plays."""
        with self._lock:
            role, step = self._step(sender, request)
            if isinstance(step, ErrorAnswer):
                return step
            parts = step if isinstance(step, list) else [step]
            blocks = [_block(part, next(self._ids)) for part in parts]
            self.asked.append(Asked(role, sender.agent, request, blocks))
        return blocks

    def of(self, role: str) -> list[Asked]:
        """Take a role; return what was asked of it, oldest first."""
        return [asked for asked in list(self.asked) if asked.role == role]

    def calls(self, role: str, tool: str | None = None) -> list[str]:
        """Take a role (and a tool); return the names of the tools it has used, oldest first."""
        return [name for asked in self.of(role) for name in asked.calls if tool in (None, name)]

    def said(self, role: str) -> list[str]:
        """Take a role; return what it has said, oldest first."""
        return [asked.said for asked in self.of(role) if asked.said]

    def dump(self, path: Path) -> None:
        """Take a path; write every request and answer there, one JSON object a line."""
        path.write_text("".join(f"{json.dumps(asked._asdict())}\n" for asked in list(self.asked)))

    def _step(self, sender: Sender, request: dict[str, Any]) -> tuple[str, Step]:
        # Titles, summaries and probes bring no tools: no script speaks there.
        if not request.get("tools"):
            return SIDE, Say("ok")
        if sender not in self._players:
            system = json.dumps(request.get("system", ""), ensure_ascii=False)
            role = role_of(sender.agent, system, self._scripts)
            talk = Talk(sender.agent, request["messages"])
            self._players[sender] = Player(role, self._scripts.get(role), talk)
        player = self._players[sender]
        return player.role, player.answer(request["messages"])


def _block(part: Call | Say, number: int) -> dict[str, Any]:
    if isinstance(part, Say):
        return {"type": "text", "text": part.text}
    return {"type": "tool_use", "id": f"toolu_{number:04}", "name": part.tool, "input": part.given}
