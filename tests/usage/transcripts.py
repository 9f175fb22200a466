"""Transcripts as the client writes them: one line for each block of an answer, each with its request's usage."""

import json
from pathlib import Path
from typing import Any

AGENT = "a39ff4067488694b3"
COUNTS = {
    "input_tokens": 10,
    "output_tokens": 20,
    "cache_read_input_tokens": 300,
    "cache_creation_input_tokens": 40,
}


def answer(
    request: str, second: int = 0, agent: str = AGENT, model: str = "claude-opus-5-5", **counts: Any
) -> str:
    """Return a line of an agent's answer, or with agent "" of the conversation's."""
    usage = {**COUNTS, **counts}
    message = {"id": f"msg_{request}", "model": model, "usage": usage, "content": [{"type": "text", "text": "x"}]}
    whose = {"agentId": agent, "isSidechain": True} if agent else {"isSidechain": False}
    time = f"2026-11-24T08:20:{second:02}.349Z"
    return json.dumps({"type": "assistant", "requestId": request, "timestamp": time, "message": message, **whose})


def refusal(error: str, status: int, text: str, second: int = 59, agent: str = AGENT, **more: Any) -> str:
    """Return the line the client writes where the service refused a request."""
    entry = json.loads(answer("", second, agent, "<synthetic>", **dict.fromkeys(COUNTS, 0)))
    entry["message"]["content"] = [{"type": "text", "text": text}]
    told = {"isApiErrorMessage": True, "error": error, "apiErrorStatus": status}
    return json.dumps({**entry, "requestId": None, "uuid": "u", **told, **more})


def write(path: Path, *lines: str | bytes) -> Path:
    """Write a transcript; gives its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = [line.encode() if isinstance(line, str) else line for line in lines]
    path.write_bytes(b"".join(one + b"\n" for one in data))
    return path
