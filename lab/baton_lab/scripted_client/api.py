"""The wire: the part of the Messages API that the client speaks, streamed and plain."""

import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

Blocks = list[dict[str, Any]]
IDS = itertools.count(1)


class Sender(NamedTuple):
    """Which conversation a request belongs to: the client names its session and, in a sub-agent, the agent."""

    session: str
    agent: str


class ErrorAnswer(NamedTuple):
    """What the service answers instead of a message: a status, an error's type and text, headers."""

    status: int
    kind: str
    text: str
    headers: Mapping[str, str] = MappingProxyType({})


Answer = Callable[[Sender, dict[str, Any]], "Blocks | ErrorAnswer"]


class Server(ThreadingHTTPServer):
    """A server on a listener that is already open."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, answer: Answer) -> None:
        super().__init__(listener.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.answer = answer


def serve(listener: socket.socket, answer: Answer) -> Server:
    """Take a listener and what answers; return the server, at work in a thread of its own."""
    server = Server(listener, answer)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def count_tokens(request: Mapping[str, Any]) -> int:
    """Count the tokens of what a request says: four characters each, as is usual for English."""
    said = [message["content"] for message in request["messages"]]
    texts = [one if isinstance(one, str) else "".join(part.get("text", "") for part in one) for one in said]
    return sum(map(len, texts)) // 4


class Handler(BaseHTTPRequestHandler):
    """One request of the client."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        """Say nothing: stderr is the caller's."""

    def do_HEAD(self) -> None:
        """Answer the client's look whether anything is there."""
        self._send("application/json", "")

    def do_GET(self) -> None:
        """Answer what no script speaks to."""
        self._send("application/json", "{}")

    def do_POST(self) -> None:
        """Answer a message, or a count of its tokens."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if "/messages" not in self.path:
            return self._send("application/json", "{}")
        request: dict[str, Any] = json.loads(body)
        if "count_tokens" in self.path:
            return self._send("application/json", json.dumps({"input_tokens": count_tokens(request)}))
        sender = Sender(self.headers.get("x-claude-code-session-id", ""),
                        self.headers.get("x-claude-code-agent-id", ""))  # fmt: skip
        answer = self.server.answer(sender, request)
        if isinstance(answer, ErrorAnswer):
            error = {"type": "error", "error": {"type": answer.kind, "message": answer.text}}
            return self._send("application/json", json.dumps(error), answer.status, answer.headers)
        message = whole(request.get("model", ""), answer, usage_of(request, answer))
        if not request.get("stream"):
            return self._send("application/json", json.dumps(message))
        lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(message))
        return self._send("text/event-stream", "".join(lines))

    def _send(
        self, kind: str, text: str, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {"content-type": kind, **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def usage_of(request: Mapping[str, Any], content: Blocks) -> dict[str, int]:
    """Say what an answer costs: all but the newest message is read from the cache."""
    read = count_tokens({"messages": request["messages"][:-1]})
    return {
        "input_tokens": 3,
        "cache_creation_input_tokens": count_tokens(request) - read,
        "cache_read_input_tokens": read,
        "output_tokens": 5 + len(json.dumps(content)) // 4,
    }


def whole(model: str, content: Blocks, usage: Mapping[str, int]) -> dict[str, Any]:
    """Take a model's name, content blocks and what they cost; return the message they make."""
    uses = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{next(IDS):04}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if uses else "end_turn",
        "stop_sequence": None,
        "usage": dict(usage),
    }


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Take a whole message; yield the events that stream it."""
    early = {**message["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": early}}
    for index, block in enumerate(message["content"]):
        start, delta = _parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ends = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ends, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _parts(block: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
