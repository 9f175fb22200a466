"""Answer what baton asks gh in this process, as gh would print it: for tests of hundreds of deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from baton.github.client import GitHub
from baton.process import Result

from .request import Answer, Request
from .server import answer

if TYPE_CHECKING:
    from .hub import Hub


def answer_inside(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every request go straight to a host; gh is not started."""

    def run(github: GitHub, words: tuple[str, ...], body: bytes) -> Result:
        github.requests += 1
        *options, path = words
        method = options[options.index("--method") + 1] if "--method" in options else "POST"
        target = hub.graphql_path if path == "graphql" else f"{hub.api_path}/{path}"
        return printed(hub, Request(method, target, hub.api_host, {}, body))

    monkeypatch.setattr(GitHub, "_run", run)
    monkeypatch.setattr(GitHub, "_know_gh", lambda github: None)
    monkeypatch.setattr("baton.story.begin.start.find_lacks", lambda git: [])


def printed(hub: Hub, request: Request) -> Result:
    """Return what `gh api --include` prints about a request's answer, and how it ends."""
    given = answer(hub, request)
    if given is None:
        return Result(1, "", f'{request.method.capitalize()} "https://{request.host}{request.target}": EOF')
    if 300 <= given.status < 400:
        place = urlsplit(given.headers["location"])
        return printed(hub, Request("GET", place.path, place.netloc, {}, b""))
    head = "".join(f"{name}: {value}\r\n" for name, value in given.headers.items())
    out = f"HTTP/1.1 {given.status} Status\r\n{head}\r\n{given.body.decode()}"
    return Result(int(is_refusal(given)), out, "")


def is_refusal(given: Answer) -> bool:
    """Whether gh ends with an error: by the status, or, of GraphQL, by what stands in the answer."""
    return given.status >= 300 or b'"errors":' in given.body
