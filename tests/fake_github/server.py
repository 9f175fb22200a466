"""The host's door: HTTP over a unix socket, as gh reaches it with `http_unix_socket`."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import rest
from .delivery import LOGS, stored_log
from .request import DOCS, Answer, Refused, Request, Unmodeled, answer_json

if TYPE_CHECKING:
    from .hub import Hub

LIMIT = 5_000
LOGS_HOST = LOGS.removeprefix("https://")
SECRETS = ("authorization", "cookie")


def answer(hub: Hub, request: Request) -> Answer | None:
    """Take a request; give what the host answers, or nothing where it hangs up."""
    with hub.lock:
        hub.requests.append(request)
        fault = next((fault.fault for fault in hub.faults if fault.meets(request)), None)

    def proceed() -> Answer:
        with hub.lock:
            return _right(hub, request)

    given = proceed() if fault is None else fault.answer(hub, request, proceed)
    return None if given is None else given._replace(headers={**_limits(hub, request), **given.headers})


def _right(hub: Hub, request: Request) -> Answer:
    """Give the answer of a host that does what it should."""
    if request.host == LOGS_HOST:
        return stored_log(hub, request.path)
    hub.follow()
    if request.host.lower() != hub.api_host:
        return answer_json({"message": "Not Found", "status": "404"}, 404)
    if not request.signed_in:
        return answer_json({"message": "Bad credentials", "documentation_url": DOCS, "status": "401"}, 401)
    if request.reads_only and request.changes_something:
        return Refused(403, "Resource not accessible by integration").answer
    try:
        if request.path == hub.graphql_path and request.method == "POST":
            from . import query  # most tests ask no host, and graphql is slow to import

            return answer_json(query.answer(hub, request.json))
        if request.path.startswith(hub.api_path):
            return rest.answer(hub, request)
    except Unmodeled as gap:
        hub.unmodeled.append(str(gap))
        return answer_json({"message": f"the stand-in for GitHub: {gap}"}, 501)
    return answer_json({"message": "Not Found", "status": "404"}, 404)


def _limits(hub: Hub, request: Request) -> dict[str, str]:
    used = len(hub.requests)
    return {
        "server": "github.com", "x-github-request-id": f"HUB0:{used:04X}", "x-github-media-type": "github.v4",
        "x-oauth-scopes": "repo", "x-accepted-oauth-scopes": "repo", "x-ratelimit-limit": str(LIMIT),
        "x-ratelimit-remaining": str(LIMIT - used), "x-ratelimit-used": str(used),
        "x-ratelimit-reset": "1893456000", "x-ratelimit-resource": "graphql" if request.query else "core",
    }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what came is in the hub's requests."""

    def _answer(self) -> None:
        hub = self.server.hub
        headers = {name.lower(): value for name, value in self.headers.items()}
        token = headers.get("authorization", "").partition(" ")[2]
        kept = {name: value for name, value in headers.items() if name not in SECRETS}
        request = Request(self.command, self.path, headers.get("host", ""), kept, self._body(),
                          token in (hub.token, hub.reads_only), token == hub.reads_only)  # fmt: skip
        given = answer(hub, request)
        if given is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._send(given)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, given: Answer) -> None:
        self.send_response_only(given.status)
        length = {"content-length": str(len(given.body) + given.missing)}
        for name, value in {**given.headers, **length}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(given.body)
        self.close_connection = self.close_connection or bool(given.missing)

    do_GET = do_POST = do_PUT = _answer


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path: Path, hub: Hub) -> None:
        self.hub = hub
        self.broken: list[BaseException] = []
        super().__init__(str(path), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what failed here for the end of the test; a caller that went away is no failure."""
        import sys

        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, OSError):
            self.broken.append(error)


@contextlib.contextmanager
def served(hub: Hub, path: Path) -> Iterator[None]:
    """Serve a host on a socket; at the end say what it could not answer."""
    with _Server(path, hub) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield
        finally:
            hub.closing.set()
            server.shutdown()
    assert not server.broken, f"the stand-in for GitHub failed: {server.broken!r}"
    assert not hub.unmodeled, f"the stand-in for GitHub cannot answer: {hub.unmodeled}"
