"""What is answered in this process is what the real gh prints of the same host."""

from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.github.client import GitHub
from baton.github.queries import REVIEWS

from .hub import Hub
from .inside import answer_inside
from .misbehave import Errors, Fault, HangUp, Status, page_for_people, secondary_limit

pytestmark = pytest.mark.gh

PULL = {"owner": "octo", "name": "app", "number": 1}
COMMENTS = "repos/octo/app/issues/1/comments"
CALLS: dict[str, Callable[[GitHub], object]] = {
    "read": lambda github: github.get("repos/octo/app/pulls/1").data["number"],
    "not there": lambda github: github.get("repos/octo/app/pulls/9", (404,)).status,
    "change": lambda github: github.post(COMMENTS, {"body": "x"})._replace(data=None),
    "refused": lambda github: github.post(COMMENTS, {"body": ""}, (422,)),
    "query": lambda github: github.query(REVIEWS, PULL)["repository"]["pullRequest"]["reviews"],
    "log": lambda github: github.text("repos/octo/app/actions/jobs/1001/logs"),
}
FAULTS: tuple[Fault | None, ...] = (
    None, HangUp(), HangUp(applied=True), Status(502), page_for_people(), Errors(), secondary_limit(3600),
)  # fmt: skip


@pytest.fixture
def served(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.setattr("baton.github.client.sleep", lambda seconds: None)
    hub.permit("octo/app", "me", "write")
    actions = hub.serve("octo/app", tmp_path)
    actions.git("init", "--quiet", "--bare")
    actions.job("1" * 40, log="it fails\n", suite=0)
    hub.pull_request("octo/app", 1, state="CLOSED")
    return hub


def outcome(call: str, fault: Fault | None, hub: Hub, folder: Path) -> object:
    hub.faults.clear()
    if fault:
        hub.misbehave(fault, times=2)
    try:
        return CALLS[call](GitHub("github.com", folder))
    except BatonError as error:
        return error.what


@pytest.mark.parametrize("call", CALLS)
def test_both_ways_are_the_same(call: str, served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = [outcome(call, fault, served, tmp_path) for fault in FAULTS]
    answer_inside(served, monkeypatch)
    assert [outcome(call, fault, served, tmp_path) for fault in FAULTS] == real
