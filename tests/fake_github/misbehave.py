"""What can go wrong between a caller and GitHub, each made to happen on command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .pages import is_cursor
from .request import DOCS, JSON, Answer, Request, answer_json, as_json

if TYPE_CHECKING:
    from .hub import Hub

Proceed = Callable[[], Answer]
SAYS = {
    401: "Bad credentials", 403: "Resource not accessible by personal access token", 404: "Not Found",
    422: "Validation Failed", 429: "You have exceeded a secondary rate limit.", 500: "Server Error",
    502: "Server Error", 503: "Service Unavailable",
    504: "We couldn't respond to your request in time. Sorry about that.",
}  # fmt: skip
UNICORN = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body>{}</body></html>\n"


class Fault(Protocol):
    """One way to go wrong; `proceed` is what the host would do: no answer means that it hangs up."""

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer | None: ...


@dataclass
class Misbehavior:
    """A fault, and which requests it meets."""

    fault: Fault
    times: int | None
    after: int
    when: Callable[[Request], bool]

    def meets(self, request: Request) -> bool:
        """Say whether a request is met; each call counts."""
        if self.times == 0 or not self.when(request):
            return False
        if self.after:
            self.after -= 1
            return False
        self.times = None if self.times is None else self.times - 1
        return True


@dataclass(frozen=True)
class Status:
    """An HTTP status; `applied`: after the host did what it was asked."""

    code: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    applied: bool = False

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        if self.applied:
            proceed()
        body = self.body
        if body is None:
            body = {"message": SAYS[self.code], "documentation_url": DOCS, "status": str(self.code)}
        content = body.encode() if isinstance(body, str) else as_json(body)
        return Answer(self.code, content, {"content-type": JSON, **self.headers})


@dataclass(frozen=True)
class Errors:
    """200 with `errors`; the data is kept, or with `data=False` not even begun on."""

    errors: tuple[Any, ...] = ("Something went wrong while executing your query.",)
    data: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        said = [{"message": error} if isinstance(error, str) else dict(error) for error in self.errors]
        data = proceed().json["data"] if self.data else None
        found = answer_json({"data": data, "errors": said} if self.data else {"errors": said})
        return found._replace(headers={**found.headers, **self.headers})


@dataclass(frozen=True)
class Rewrite:
    """The right answer, changed; `change` takes the request and the JSON and gives what is sent."""

    change: Callable[[Request, Any], Any]

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        answer = proceed()
        return answer.with_json(self.change(request, answer.json))


@dataclass(frozen=True)
class Truncated:
    """Half of the answer; `cut`: the connection ends in the middle of it."""

    cut: bool = False

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        answer = proceed()
        half = len(answer.body) // 2
        return answer._replace(body=answer.body[:half], missing=len(answer.body) - half if self.cut else 0)


@dataclass(frozen=True)
class HangUp:
    """A lost connection; `applied`: only the answer is lost."""

    applied: bool = False

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> None:
        if self.applied:
            proceed()


@dataclass(frozen=True)
class Slow:
    """The right answer, late: after so many seconds, or when the host is closed."""

    seconds: float

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        hub.closing.wait(self.seconds)
        return proceed()


@dataclass(frozen=True)
class Meanwhile:
    """The right answer, after something has happened on the host."""

    act: Callable[[], object]

    def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer:
        self.act()
        return proceed()


def page_for_people(code: int = 200) -> Fault:
    """Answer with a page of HTML."""
    return Status(code, UNICORN.format(code), {"content-type": "text/html; charset=utf-8"})


def no_body() -> Fault:
    """Answer with a status and nothing else."""
    return Status(200, "")


def null_data() -> Fault:
    """Make a 200 that holds nothing and says nothing."""
    return Rewrite(lambda request, whole: {"data": None})


def null_node(at: str, index: int = 0) -> Fault:
    """Make one node of a connection null, as when it cannot be read."""
    return _in_each(at, lambda request, one: one["nodes"].__setitem__(index, None))


def repeated_cursor(at: str) -> Fault:
    """Give the cursor again that was asked with."""

    def change(request: Request, one: Any) -> None:
        asked = next((given for given in request.variables.values() if is_cursor(given)), None)
        one["pageInfo"].update(hasNextPage=True, endCursor=asked or one["pageInfo"].get("endCursor"))

    return _in_each(at, change)


def no_cursor(at: str) -> Fault:
    """Say that there is more, and not where."""
    return _in_each(at, lambda request, one: one["pageInfo"].update(hasNextPage=True, endCursor=None))


def wrong_count(at: str, by: int = 1) -> Fault:
    """Count what is not given."""
    return _in_each(at, lambda request, one: one.update(totalCount=one["totalCount"] + by))


def primary_limit(reset: int = 1_900_000_000) -> Fault:
    """Say, with status 200, that this hour's points are used up."""
    said = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1000001."}
    return Errors((said,), headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)})


def secondary_limit(retry_after: int | None = 60, code: int = 403) -> Fault:
    """Refuse because of too many requests at a time; 429 says the same."""
    said = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    wait = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Status(code, {"message": said, "documentation_url": DOCS}, wait)


def abuse() -> Fault:
    """Refuse a text because too many were written."""
    error = {"resource": "PullRequestReviewComment", "code": "abuse", "field": "body"}
    return Status(422, {"message": "Validation Failed", "errors": [error], "documentation_url": DOCS})


def too_quickly() -> Fault:
    """Refuse a mutation because it followed too soon."""
    return Errors(({"type": "UNPROCESSABLE", "message": "was submitted too quickly"},))


def _in_each(name: str, change: Callable[[Request, Any], None]) -> Fault:
    """Make a fault that changes each connection of a name in the right answer."""

    def changed(request: Request, whole: Any) -> Any:
        for connection in _connections(whole, name):
            change(request, connection)
        return whole

    return Rewrite(changed)


def _connections(value: Any, key: str) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        for name, one in value.items():
            if name == key and isinstance(one, dict):
                yield one
            yield from _connections(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _connections(one, key)
