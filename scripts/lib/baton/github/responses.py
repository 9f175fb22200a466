"""Judge an answer of GitHub's: data, a reason to wait, or a refusal, by its status, headers and words.

The shapes are those of GitHub's documentation of its rate limits, and of reports of what it sends beside them: a
limit may come as 403, 429, 422 `abuse`, or 200 with an error; too slow a query as 502 or 504.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.process import Result
from baton.text import printable

BLANK = re.compile(r"\r?\n\r?\n")
# Without a word from GitHub on how long, a minute at least (its "Rate limits for the REST API").
MINUTE = 60.0
SLOW = (502, 504)
SIGN_IN = "`gh auth login --hostname HOST`, then call again"
LATER = "call again later"
# What a token needs for all that baton asks; headers name what one request needs, and where to sign on.
PERMISSIONS = "contents, pull requests and issues to write; checks, statuses, actions and deployments to read"
NEEDS, SSO = "x-accepted-github-permissions", "x-github-sso"
LOOK = "look at the URL, and `gh auth status`"


class RateLimited(BatonError):
    """GitHub wants to be left alone for longer than one call waits: for `wait_s`."""

    def __init__(self, what: str, where: str, remedy: str, wait_s: float) -> None:
        super().__init__(what, where, remedy)
        self.wait_s = wait_s


class Response(NamedTuple):
    """An answer as it came back: status 0 where none did; `said` is what `gh` told the user."""

    status: int
    headers: Mapping[str, str]
    body: str
    said: str = ""


class Fault(NamedTuple):
    """The reason why an answer is none; `wait_s` where a later try may help, `slow` where asking for less may."""

    what: str
    remedy: str
    wait_s: float | None = None
    slow: bool = False
    limit: bool = False  # a rate limit

    def error(self, host: str) -> BatonError:
        """Return the error to raise where no later try helped."""
        words = (self.what, host, self.remedy.replace("HOST", host))
        return RateLimited(*words, self.wait_s or 0.0) if self.limit else BatonError(*words)


class JudgedResponse(NamedTuple):
    """An answer with what it holds, or its fault; `holes`: all that is wrong is that some of it is not there."""

    status: int
    data: Any
    fault: Fault | None = None
    holes: bool = False


class _Read(NamedTuple):
    answer: Response
    value: Any  # the parsed body; None where it is no JSON
    errors: tuple[Mapping[str, Any], ...]
    words: str  # all that GitHub says went wrong, in small letters


class _Rule(NamedTuple):
    """A shape of answer, and what to do about it: the first that fits decides."""

    fits: Callable[[_Read], bool]
    what: str
    remedy: str
    again: str = ""  # "limit": when GitHub says; "soon": after a pause that doubles; "": not at all
    slow: bool = False


def _says(*words: str) -> Callable[[_Read], bool]:
    return lambda read: any(word in read.words for word in words)


def _is(*status: int) -> Callable[[_Read], bool]:
    return lambda read: read.answer.status in status


def _of_type(*types: str) -> Callable[[_Read], bool]:
    return lambda read: any(str(error.get("type", "")).upper() in types for error in read.errors)


def _is_limit(read: _Read) -> bool:
    spent = read.answer.headers.get("x-ratelimit-remaining") == "0"
    refused = read.answer.status in (403, 429) or bool(read.errors)
    return refused and (spent or "retry-after" in read.answer.headers)


RULES = (
    # gh 2.23.0 takes `\\u00` in a string for an escape, and breaks the JSON that it reads afterwards: where GitHub
    # answers `{"a":"\\u00 x"}`, `gh api graphql` ends with these words.
    _Rule(
        lambda read: "hexadecimal character escape" in read.answer.said,
        r"gh cannot pass on a comment here that holds `\u00` as text",
        "update gh, or have that comment edited",
    ),
    _Rule(_is(0), "gh could not reach it (SAID)", "look at the network, then call again", "soon"),
    _Rule(_is(401), "the login of gh is not accepted (401)", SIGN_IN),
    _Rule(_is(429), "GitHub's rate limit", LATER, "limit"),
    _Rule(_of_type("RATE_LIMITED"), "GitHub's rate limit", LATER, "limit"),
    _Rule(_is_limit, "GitHub's rate limit", LATER, "limit"),
    _Rule(
        _says("secondary rate limit", "abuse", "submitted too quickly", "rate limit exceeded"),
        "GitHub's secondary rate limit", LATER, "limit",
    ),
    _Rule(
        lambda read: "url=" in read.answer.headers.get(SSO, ""),
        "the organization wants a single sign-on (SAID)", "open SIGN_ON, where the token of gh is authorized",
    ),
    _Rule(_says("saml"), "the organization wants a single sign-on (SAID)", "`gh auth refresh --hostname HOST`"),
    _Rule(
        lambda read: read.answer.status == 403 and bool(read.answer.headers.get(NEEDS)),
        "the token of gh lacks a permission (403: SAID)", "give it PERMISSIONS, as GitHub names it",
    ),
    _Rule(
        _says("resource not accessible by"), "the token of gh lacks a permission (SAID)",
        f"give it what this needs: {PERMISSIONS}",
    ),
    _Rule(_is(403), "refused (403: SAID)", "give the login of gh the right to do this in that repository"),
    _Rule(_is(404), "not there, or not to be seen by the login of gh (404: SAID)", LOOK),
    _Rule(_is(*SLOW), "no answer in time (STATUS)", LATER, "soon", slow=True),
    _Rule(lambda read: read.answer.status >= 500, "a fault of GitHub's own (STATUS)", LATER, "soon"),
    _Rule(lambda read: read.answer.status >= 300, "refused (STATUS: SAID)", LOOK),
    _Rule(lambda read: read.value is None, "an answer that is no JSON (BYTES bytes)", LATER, "soon"),
    _Rule(_of_type("NOT_FOUND"), "not there, or not to be seen by the login of gh (SAID)", LOOK),
    _Rule(_of_type("FORBIDDEN", "INSUFFICIENT_SCOPES"), "refused (SAID)", "`gh auth refresh --hostname HOST`"),
    _Rule(
        _says("something went wrong", "timeout", "resource limits"),
        "no answer in time (SAID)", LATER, "soon", slow=True,
    ),
    _Rule(lambda read: bool(read.errors), "refused (SAID)", "see whether this GitHub is too old for it"),
)  # fmt: skip


def read_answer(result: Result, host: str) -> Response:
    """Parse the output of `gh api --include`; a BatonError where no answer of GitHub's came back."""
    blank = BLANK.search(result.out)
    first, _, rest = result.out[: blank.start()].partition("\n") if blank else ("", "", "")
    words = first.split()
    if not blank or len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdecimal():
        message = result.said
        if result.code == 4 or "gh auth login" in message:
            raise BatonError("gh is not logged in", host, f"`gh auth login --hostname {host}`, then call again")
        return Response(0, {}, "", message)
    pairs = (line.partition(":") for line in rest.splitlines())
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Response(int(words[1]), headers, result.out[blank.end() :], result.said)


@contextmanager
def shape_checked(what: str, where: str) -> Iterator[None]:
    """Turn the errors of reading an answer that has another shape than GitHub's into a BatonError."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BatonError(f"{what} ({error!r})", where, LATER) from error


def judge_response(answer: Response, turn: int, now: float) -> JudgedResponse:
    """Judge an answer to the `turn`-th try at `now` (seconds since 1970): its data, or what was wrong with it."""
    read = _read(answer)
    rule = next((rule for rule in RULES if rule.fits(read)), None)
    data = read.value
    if rule is None:
        return JudgedResponse(answer.status, data)
    wait = {"limit": _limit(answer.headers, now), "soon": 2.0**turn / 2}.get(rule.again)
    remedy = f"call again in {wait:.0f} s" if rule.again == "limit" and wait else _pointed(rule.remedy, answer)
    holes = bool(read.errors) and all(error.get("type") == "NOT_FOUND" for error in read.errors)
    return JudgedResponse(
        answer.status, data, Fault(_filled(rule.what, read), remedy, wait, rule.slow, rule.again == "limit"), holes
    )


def _read(answer: Response) -> _Read:
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        value = None
    fields = value if isinstance(value, dict) else {}
    errors = tuple(error for error in fields.get("errors") or () if isinstance(error, dict))
    if answer.status < 300 and not errors:
        return _Read(answer, value, (), "")
    words = [str(error.get(key, "")) for error in (fields, *errors) for key in ("message", "code")]
    return _Read(answer, value, errors, " ".join(words).lower())


def _limit(headers: Mapping[str, str], now: float) -> float:
    """Return the seconds GitHub wants to be left alone."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal():
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now)
    return MINUTE


def _pointed(remedy: str, answer: Response) -> str:
    """Fill what GitHub's headers name into a remedy."""
    needed = " or ".join(f"`{header.strip()}`" for header in answer.headers.get(NEEDS, "").split(";"))
    place = answer.headers.get(SSO, "").partition("url=")[2].split(";")[0].strip()
    return remedy.replace("SIGN_ON", printable(place)).replace("PERMISSIONS", printable(needed.replace("=", ": ")))


def _filled(what: str, read: _Read) -> str:
    fields = read.value if isinstance(read.value, dict) else {}
    message = "; ".join(str(error.get("message", "")) for error in read.errors) or str(fields.get("message", ""))
    shown = " ".join((message or read.answer.said).split())[:300]
    return (
        what.replace("BYTES", str(len(read.answer.body)))
        .replace("STATUS", str(read.answer.status))
        .replace("SAID", shown)
    )
