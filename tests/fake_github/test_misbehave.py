"""Each way to go wrong is what it says, as the real gh meets it."""

import json
import subprocess
from typing import Any

import pytest

from fake_github import misbehave
from fake_github.asking import ask, gh, post
from fake_github.hub import Hub
from fake_github.misbehave import Errors, Fault, HangUp, Meanwhile, Slow, Status, Truncated
from fake_github.pull_request import PullRequest

pytestmark = pytest.mark.gh

VIEWER = "{ viewer { login } }"
COMMENTS = """query($after: String) { repository(owner: "octo", name: "app") { pullRequest(number: 7) {
    comments(first: 2, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { body } } } } }"""


@pytest.fixture
def pull(hub: Hub) -> PullRequest:
    """Give a pull request with three comments."""
    hub.permit("octo/app", "me", "write")
    made = hub.pull_request("octo/app", 7)
    for word in ("one", "two", "three"):
        made.comment(by="bob", body=word)
    return made


def comments(after: str | None = None) -> Any:
    return ask(COMMENTS, after=after).data["repository"]["pullRequest"]["comments"]


@pytest.mark.parametrize("code", [401, 403, 404, 422, 429, 500, 502, 503, 504])
def test_a_status_has_githubs_words(hub: Hub, code: int) -> None:
    hub.misbehave(Status(code, headers={"retry-after": "7"}))
    said = ask(VIEWER)
    assert (said.code, said.status, said.headers["retry-after"]) == (1, code, "7")
    assert said.err.startswith(f"gh: {said.json['message']} (HTTP {code})")


@pytest.mark.parametrize(("fault", "code", "status", "err"), [
    pytest.param(misbehave.page_for_people(), 0, 200, "", id="a page for people"),
    pytest.param(misbehave.page_for_people(502), 1, 502, "gh: HTTP 502\n", id="a page for people that says 502"),
    pytest.param(Truncated(), 1, 200, "unexpected end of JSON input\n", id="half of the JSON"),
    pytest.param(Truncated(cut=True), 1, 200, "unexpected EOF\n", id="a connection that ends in the JSON"),
    pytest.param(misbehave.no_body(), 1, 200, "unexpected end of JSON input\n", id="an empty body"),
    pytest.param(Errors(("Oh.", "No.")), 1, 200, "gh: Oh.\nNo.\n", id="errors without data"),
    pytest.param(misbehave.null_data(), 0, 200, "", id="no data and no error"),
    pytest.param(misbehave.primary_limit(), 1, 200, "gh: API rate limit exceeded for user ID 1000001.\n",
                 id="the hour's limit"),
    pytest.param(misbehave.too_quickly(), 1, 200, "gh: was submitted too quickly\n", id="one after another"),
    pytest.param(misbehave.abuse(), 1, 422, "gh: Validation Failed (HTTP 422)\n", id="taken for abuse"),
])  # fmt: skip
def test_an_answer_goes_wrong(hub: Hub, fault: Fault, code: int, status: int, err: str) -> None:
    hub.misbehave(fault)
    said = ask(VIEWER)
    assert (said.code, said.status, said.err) == (code, status, err)
    assert ask(VIEWER).data == {"viewer": {"login": "me"}}


def test_limits_say_when_to_come_back(hub: Hub) -> None:
    hub.misbehave(misbehave.primary_limit(reset=123))
    headers = ask(VIEWER).headers
    assert (headers["x-ratelimit-remaining"], headers["x-ratelimit-reset"]) == ("0", "123")
    hub.misbehave(misbehave.secondary_limit(retry_after=9))
    assert (said := ask(VIEWER)).status == 403
    assert said.headers["retry-after"] == "9"
    assert int(ask(VIEWER).headers["x-ratelimit-remaining"]) == 4_997


def test_errors_may_stand_beside_data(hub: Hub) -> None:
    hub.misbehave(Errors(({"type": "X", "message": "Oh.", "path": ["viewer"]},), data=True))
    said = ask(VIEWER)
    assert said.code == 1
    assert said.json["data"] == {"viewer": {"login": "me"}}
    assert said.json["errors"][0]["path"] == ["viewer"]


@pytest.mark.parametrize(("applied", "kept"), [(False, 3), (True, 4)])
def test_a_connection_is_lost_before_or_after_the_work(pull: PullRequest, applied: bool, kept: int) -> None:
    pull.repository.hub.misbehave(HangUp(applied))
    said = post("repos/octo/app/issues/7/comments", body="four")
    assert (said.code, said.head) == (1, "")
    assert len(pull.comments) == kept


@pytest.mark.parametrize(("applied", "kept"), [(False, 3), (True, 4)])
def test_an_error_comes_before_or_after_the_work(pull: PullRequest, applied: bool, kept: int) -> None:
    pull.repository.hub.misbehave(Status(502, applied=applied))
    assert post("repos/octo/app/issues/7/comments", body="four").status == 502
    assert len(pull.comments) == kept


def test_a_slow_answer_comes_when_the_caller_has_gone(hub: Hub) -> None:
    hub.misbehave(Slow(3600))
    line = ["gh", "api", "graphql", "--input", "-"]
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(line, input=json.dumps({"query": VIEWER}).encode(), timeout=0.5, check=False)
    assert ask(VIEWER).code == 0


@pytest.mark.parametrize(("fault", "changed"), [
    (misbehave.no_cursor("comments"), {"pageInfo": {"hasNextPage": True, "endCursor": None}}),
    (misbehave.wrong_count("comments", by=2), {"totalCount": 5}),
    (misbehave.null_node("comments", 1), {"nodes": [{"body": "one"}, None]}),
], ids=["more and no cursor", "a count that does not fit", "a node that is null"])  # fmt: skip
def test_a_page_goes_wrong(pull: PullRequest, fault: Fault, changed: dict[str, object]) -> None:
    right = comments()
    pull.repository.hub.misbehave(fault)
    assert comments() == {**right, **changed} != right


def test_a_cursor_is_repeated(pull: PullRequest) -> None:
    first = comments()["pageInfo"]["endCursor"]
    pull.repository.hub.misbehave(misbehave.repeated_cursor("comments"))
    assert comments(first)["pageInfo"] == {"hasNextPage": True, "endCursor": first}


def test_what_is_written_between_two_pages_is_on_the_second(pull: PullRequest) -> None:
    pull.repository.hub.misbehave(Meanwhile(lambda: pull.comment(by="bob", body="four")), after=1)
    first = comments()
    second = comments(first["pageInfo"]["endCursor"])
    assert (first["totalCount"], second["totalCount"]) == (3, 4)
    assert [node["body"] for node in second["nodes"]] == ["three", "four"]


def test_only_the_requests_that_fit_are_met(hub: Hub) -> None:
    hub.misbehave(Status(500), times=None, when=lambda request: request.path == "/user")
    statuses = [said.status for said in (gh("user"), ask(VIEWER), gh("user"))]
    assert statuses == [500, 200, 500]


def test_a_fault_ends_after_its_times(hub: Hub) -> None:
    hub.misbehave(Status(502), times=2, after=1)
    assert [ask(VIEWER).status for _ in range(4)] == [200, 502, 502, 200]
