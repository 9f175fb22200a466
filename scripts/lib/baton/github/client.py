"""GitHub, through the user's `gh`: one request a call, its answer judged, its waits bounded."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import sleep, time
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.github.responses import Fault, JudgedResponse, judge_response, read_answer
from baton.process import Result, run

# The oldest `gh` that the tests drive: 2.23.0, as Debian 12 packages it.
OLDEST = (2, 23)
# What would send a request elsewhere, or mix something into its answer. The token is the user's and stays.
SCRUBBED = ("GH_HOST", "GH_REPO", "GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_PAGER", "PAGER")
SECONDS = 60  # for one request: GitHub itself gives up after 10 (its "Troubleshooting the REST API")
TRIES = 4
# All waits of one call together: an agent's shell gives a command two minutes.
WAITS_S = 75.0
# GitHub takes 80 requests a minute that write something, and 500 an hour (its "Rate limits for the REST API").
APART_S = 1.0
MOST_CHANGES = 500
# A log that the login may not read, that was never kept, or no longer is.
FORBIDDEN = 403
NO_TEXT = (403, 404, 410)
# What was carried out although its answer was lost may not be seen at once.
SEEN_AFTER_S = 2.0


def gh_environment() -> dict[str, str]:
    """The environment `gh` gets: the user's, without what points elsewhere, never asking a question."""
    kept = {name: value for name, value in os.environ.items() if name not in SCRUBBED}
    return {**kept, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1", "LC_ALL": "C"}


def find_gh(folder: Path) -> str:
    """Return the version of the user's `gh`; a BatonError when there is none that will do."""
    words = run(("gh", "--version"), folder, gh_environment()).out.split()
    version = words[2] if words[:2] == ["gh", "version"] and len(words) > 2 else "of its own build"
    parts = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if len(parts) == 2 and parts < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise BatonError(f"gh {version} is too old", "`gh --version`", f"install gh {wanted} or newer")
    return version


class Change(NamedTuple):
    """The result of a request that changes something.

    With `lost` it may have been carried out or not, and why: look before anything else. With `refused` it was not.
    """

    status: int
    data: Any = None
    lost: str = ""
    refused: str = ""


class GitHub:
    """One host of GitHub's. Every method is a request; `requests` counts those that were sent.

    `changes` counts those of them that change something.
    """

    def __init__(
        self, host: str, folder: Path, say: Callable[[str], None] | None = None, waits_s: float = WAITS_S
    ) -> None:
        self.host = host
        self.requests = 0
        self.changes = 0
        self._folder = folder
        self._left = waits_s
        self.say = say or _say  # a line for the user
        self._version = ""

    def query(
        self,
        document: str,
        variables: Mapping[str, Any],
        quick: Callable[[], object] | None = None,
        holes: bool = False,
    ) -> Any:
        """Run a GraphQL query; returns its data, whole. A BatonError for anything but that.

        Where GitHub takes too long, `quick` is called before the next try: it may make the variables ask for less.
        With `holes`, what is not there may be missing from the data.
        """
        words = ("--input", "-", "graphql")
        answer = self._send(words, lambda: {"query": document, "variables": variables}, quick, holes=holes).data
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            raise BatonError("an answer without data", self.host, "call again later")
        return data

    def get(self, path: str, allowed: tuple[int, ...] = ()) -> JudgedResponse:
        """Read a REST resource; an answer with a status in `allowed` is given, not raised."""
        return self._send(("--method", "GET", path), allowed=allowed)

    def post(self, path: str, body: Mapping[str, Any], allowed: tuple[int, ...] = ()) -> Change:
        """Send JSON to a REST path; it is sent again only where GitHub says that it was not carried out.

        A refusal with a status in `allowed` is given, any other is a BatonError.
        """
        return self._change(("--method", "POST", "--input", "-", path), body, allowed)

    def put(self, path: str, body: Mapping[str, Any], allowed: tuple[int, ...] = ()) -> Change:
        """Send JSON to be put to a REST path, as `post` does."""
        return self._change(("--method", "PUT", "--input", "-", path), body, allowed)

    def text(self, path: str) -> str:
        """Read a resource that is plain text, such as a log; empty where GitHub says that there is none."""

        def send(turn: int) -> JudgedResponse:
            answer = read_answer(self._run(("--method", "GET", path), b""), self.host)
            read = JudgedResponse(answer.status, answer.body)
            return read if answer.status == 200 else judge_response(answer, turn, time())

        self._know_gh()
        judged = self._try(
            send, lambda judged: judged.status in NO_TEXT and not (judged.fault and judged.fault.wait_s)
        )
        return "" if judged.fault else str(judged.data)

    def mutate(self, document: str, variables: Mapping[str, Any]) -> Change:
        """Run a GraphQL mutation; returns its answer whole, as some fields may be data and others `errors`.

        It is sent again only where GitHub says that nothing of it was carried out. One that is `refused` did
        nothing.
        """
        return self._change(("--input", "-", "graphql"), {"query": document, "variables": variables}, (200,))

    def _change(self, words: tuple[str, ...], body: Mapping[str, Any], allowed: tuple[int, ...] = ()) -> Change:
        data = json.dumps(body).encode()

        def is_refused(judged: JudgedResponse) -> bool:
            return judged.fault is not None and judged.fault.wait_s is None and judged.status in allowed

        judged = self._try(
            lambda turn: self._change_once(words, data, turn),
            lambda judged: _is_in_part(judged) or _is_lost(judged) or is_refused(judged),
        )
        if judged.fault is None or _is_in_part(judged):
            return Change(judged.status, judged.data)
        if _is_lost(judged):
            sleep(SEEN_AFTER_S)
            return Change(judged.status, judged.data, lost=judged.fault.what)
        lacks = f"{judged.fault.what}: {judged.fault.remedy}" if judged.status == FORBIDDEN else ""
        return Change(judged.status, judged.data, refused=lacks or _reasons(judged.data) or judged.fault.what)

    def _change_once(self, words: tuple[str, ...], body: bytes, turn: int) -> JudgedResponse:
        if self.changes == MOST_CHANGES:
            what = f"{MOST_CHANGES} changes in one call, GitHub's most for an hour"
            raise BatonError(what, self.host, "call again in an hour: it goes on where it stopped")
        if self.changes:
            sleep(APART_S)
        self._know_gh()
        self.changes += 1
        try:
            result = self._run(words, body)
        except BatonError as error:  # it did not end in time
            return JudgedResponse(0, None, Fault(error.what, error.remedy))
        return judge_response(read_answer(result, self.host), turn, time())

    def _send(
        self,
        words: tuple[str, ...],
        body: Callable[[], object] | None = None,
        quick: Callable[[], object] | None = None,
        allowed: tuple[int, ...] = (),
        holes: bool = False,
    ) -> JudgedResponse:
        def send(turn: int) -> JudgedResponse:
            data = json.dumps(body()).encode() if body else b""
            self._know_gh()
            return judge_response(read_answer(self._run(words, data), self.host), turn, time())

        def is_enough(judged: JudgedResponse) -> bool:
            may_be = judged.status in allowed or (holes and judged.holes)
            return may_be and judged.fault is not None and judged.fault.wait_s is None

        return self._try(send, is_enough, quick)

    def _try(
        self,
        send: Callable[[int], JudgedResponse],
        is_enough: Callable[[JudgedResponse], bool],
        quick: Callable[[], object] | None = None,
    ) -> JudgedResponse:
        """Send a request until its answer has no fault or is enough all the same; a BatonError if none comes."""
        for turn in range(1, TRIES + 1):
            judged = send(turn)
            fault = judged.fault
            if fault is None or is_enough(judged):
                return judged
            if turn == TRIES or fault.wait_s is None or fault.wait_s > self._left:
                raise fault.error(self.host)
            if fault.slow and quick:
                quick()
            self._wait(fault)
        raise AssertionError("every turn ends in an answer or an error")

    def _know_gh(self) -> None:
        if not self._version:
            self._version = find_gh(self._folder)

    def _run(self, words: tuple[str, ...], body: bytes) -> Result:
        self.requests += 1
        *options, path = words
        argv = ("gh", "api", "--hostname", self.host, "--include", *options, "--", path)
        return run(argv, self._folder, gh_environment(), SECONDS, body)

    def pause(self, seconds: float) -> None:
        """Let some time pass before GitHub is asked again."""
        sleep(seconds)

    def _wait(self, fault: Fault) -> None:
        seconds = fault.wait_s or 0.0
        self._left -= seconds
        if seconds >= 5:
            self.say(f"baton: {fault.what}: waiting {seconds:.0f} s")
        sleep(seconds)


def _is_in_part(judged: JudgedResponse) -> bool:
    """Whether some fields of a mutation have data, so that something of it was carried out."""
    data = judged.data.get("data") if isinstance(judged.data, dict) else None
    return judged.status < 300 and isinstance(data, dict) and any(data.values())


def _is_lost(judged: JudgedResponse) -> bool:
    """Whether an answer leaves open if what was asked was carried out; no limit and no refusal does."""
    answered = isinstance(judged.data, dict) and judged.fault is not None and not judged.fault.slow
    return judged.status == 408 or judged.status >= 500 or (judged.status < 300 and not answered)


def _reasons(data: Any) -> str:
    """Return all that a refusal says: the reason may be a text among the `errors`, which `gh` does not tell."""
    fields = data if isinstance(data, dict) else {}
    errors = fields.get("errors") or []
    listed = errors if isinstance(errors, list) else [errors]
    details = [error.get("message") or error.get("code") if isinstance(error, dict) else error for error in listed]
    return "; ".join(str(detail) for detail in (fields.get("message"), *details) if detail)[:300]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
