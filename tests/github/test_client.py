"""Requests that change something: sent again only where GitHub says that nothing came of them, never in haste."""

from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.github import client as module
from baton.github.client import TRIES, Change, GitHub
from baton.github.queries import resolve_mutation
from fake_github import misbehave
from fake_github.hub import Hub
from fake_github.misbehave import Errors, Fault, HangUp, Rewrite, Slow, Status, Truncated
from fake_github.pull_request import PullRequest
from tables import named_cases

pytestmark = pytest.mark.gh

PATH = "repos/octo/app/issues/7/comments"


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Give the seconds that were waited, none of them for real."""
    waited: list[float] = []
    monkeypatch.setattr(module, "sleep", waited.append)
    return waited


@pytest.fixture
def pull(hub: Hub, waits: list[float]) -> PullRequest:
    """Give a pull request in a repository where the viewer may push."""
    hub.permit("octo/app", "me", "write")
    return hub.pull_request("octo/app", 7)


@pytest.fixture
def github(hub: Hub, tmp_path: Path) -> GitHub:
    """Give the host, as the program knows it."""
    return GitHub(hub.host, tmp_path, say=lambda line: None)


def post(github: GitHub, pull: PullRequest) -> Change:
    return github.post(PATH, {"body": "Done."})


def resolve(github: GitHub, pull: PullRequest) -> Change:
    return github.mutate(
        resolve_mutation(len(pull.threads)), {f"t{at}": one.id for at, one in enumerate(pull.threads)}
    )


def carried_out(pull: PullRequest) -> int:
    """Count what was changed."""
    return len(pull.comments) + sum(thread.resolved for thread in pull.threads)


SENT: dict[str, Callable[[GitHub, PullRequest], Change]] = {"a comment": post, "a mutation": resolve}
each_change = pytest.mark.parametrize("name", SENT)


@pytest.fixture
def send(name: str, github: GitHub, pull: PullRequest) -> Callable[[], Change]:
    """Give the call of a change, with a thread to be resolved where it is that."""
    if name == "a mutation":
        pull.thread("src/a.py", 1, by="alice", body="rename")
    return lambda: SENT[name](github, pull)


@each_change
def test_a_change_is_one_request_and_its_answer(
    send: Callable[[], Change], hub: Hub, pull: PullRequest, waits: list[float]
) -> None:
    change = send()
    assert (change.lost, change.refused, len(hub.requests), carried_out(pull), waits) == ("", "", 1, 1, [])


# A text goes as it is


@pytest.mark.parametrize("body", [
    "@/etc/passwd", "@-", "-", "--input", "true", "null", "42", "{owner}", "{repo}/{branch}", '{"body": 1}',
    "$(id)", "a\r\nb\n\n\tc", "\\n", "é 🎉 \u202e", '"', "<!-- x -->",
])  # fmt: skip
def test_a_body_arrives_byte_for_byte(github: GitHub, pull: PullRequest, body: str) -> None:
    github.post(PATH, {"body": body})
    assert [comment.body for comment in pull.comments] == [body]


# An answer that was lost


LOST: dict[str, tuple[Fault, int]] = {
    "a lost line": (HangUp(), 0),
    "a lost line, carried out": (HangUp(applied=True), 1),
    "a fault of the host": (Status(500), 0),
    "a fault of the host, carried out": (Status(500, applied=True), 1),
    "a bad gateway": (Status(502, "<html>"), 0),
    "a bad gateway, carried out": (Status(502, "<html>", applied=True), 1),
    "no answer in time, carried out": (Status(504, applied=True), 1),
    "a bad gateway that speaks of a limit": (
        Status(502, {"message": "secondary rate limit"}, {"retry-after": "1"}, applied=True), 1,
    ),
    "unavailable, with a time": (Status(503, headers={"retry-after": "1"}), 0),
    "408": (Status(408, {"message": "timeout"}), 0),
    "half an answer": (Truncated(), 1),
    "half an answer, cut": (Truncated(cut=True), 1),
    "a page for people": (misbehave.page_for_people(), 0),
    "nothing": (misbehave.no_body(), 0),
    "something went wrong": (Errors(), 0),
}  # fmt: skip


@pytest.mark.sampled(8)
@each_change
@pytest.mark.parametrize("what", LOST)
def test_after_a_lost_answer_nothing_is_sent_again(
    send: Callable[[], Change], hub: Hub, pull: PullRequest, waits: list[float], what: str
) -> None:
    fault, number = LOST[what]
    hub.misbehave(fault)
    change = send()
    assert (bool(change.lost), change.refused) == (True, "")
    assert (len(hub.requests), carried_out(pull)) == (1, number)
    assert waits == [module.SEEN_AFTER_S]


@each_change
def test_a_hung_gh_leaves_it_open(send: Callable[[], Change], hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 1)
    hub.misbehave(Slow(30))
    assert "did not end" in send().lost
    assert len(hub.requests) == 1


# A limit


LIMITS: dict[str, tuple[Fault, float]] = {
    "403 that says how long": (misbehave.secondary_limit(30), 30),
    "403 that does not": (misbehave.secondary_limit(None), 60),
    "429": (misbehave.secondary_limit(7, 429), 7),
    "429 without a word": (Status(429, "<html>"), 60),
    "422 abuse": (misbehave.abuse(), 60),
    "too quickly": (misbehave.too_quickly(), 60),
    "422 too quickly": (Status(422, {"message": "was submitted too quickly"}), 60),
    "200 of the type": (Errors(({"type": "RATE_LIMITED", "message": "x"},)), 60),
    "none left": (Status(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}), 1),
}


@pytest.mark.sampled(6)
@each_change
@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_is_waited_for_as_nothing_came_of_it(
    send: Callable[[], Change], hub: Hub, pull: PullRequest, waits: list[float], what: str
) -> None:
    fault, seconds = LIMITS[what]
    hub.misbehave(fault)
    change = send()
    assert (change.lost, change.refused, carried_out(pull)) == ("", "", 1)
    assert waits == [seconds, module.APART_S]


@each_change
@named_cases("fault, times, told, tries", {
    "an hour": (misbehave.primary_limit(), 1, r"rate limit.*call again in", 1),
    "too long": (misbehave.secondary_limit(600), 1, r"rate limit.*call again in", 1),
    "again and again": (misbehave.secondary_limit(1), None, "rate limit", TRIES),
})  # fmt: skip
def test_a_limit_that_is_too_long_or_goes_on_is_an_error(
    send: Callable[[], Change], hub: Hub, fault: Fault, times: int | None, told: str, tries: int
) -> None:
    hub.misbehave(fault, times=times)
    with pytest.raises(BatonError, match=told):
        send()
    assert len(hub.requests) == tries


# A refusal


@each_change
@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_a_refusal_is_an_error_and_not_tried_again(send: Callable[[], Change], hub: Hub, status: int) -> None:
    hub.misbehave(Status(status, {"message": "No."}))
    with pytest.raises(BatonError):
        send()
    assert len(hub.requests) == 1


@pytest.mark.parametrize(("body", "said"), [
    ({"message": "Validation Failed", "errors": ["user_id can only have one"]},
     "Validation Failed; user_id can only have one"),
    ({"message": "Validation Failed", "errors": [{"message": "Body is too long"}]},
     "Validation Failed; Body is too long"),
    ({"message": "Validation Failed", "errors": [{"code": "missing"}, {}]}, "Validation Failed; missing"),
    ({"message": "Validation Failed", "errors": "a text"}, "Validation Failed; a text"),
    ("<html>", "refused (422: "),
])  # fmt: skip
def test_an_allowed_refusal_says_why(github: GitHub, pull: PullRequest, hub: Hub, body: object, said: str) -> None:
    hub.misbehave(Status(422, body))
    change = github.post(PATH, {"body": "x"}, (422,))
    assert (change.status, change.lost) == (422, "")
    assert change.refused.startswith(said)


def test_a_mutation_refused_in_part_tells_what_was_done_and_what_not(github: GitHub, pull: PullRequest) -> None:
    pull.thread("src/a.py", 1, by="alice", body="rename")
    first = pull.threads[0].id
    answer = github.mutate(resolve_mutation(2), {"t0": first, "t1": "PRRT_gone"}).data
    assert answer["data"]["t0"]["thread"]["id"] == first
    assert (answer["data"]["t1"], answer["errors"][0]["path"]) == (None, ["t1"])


def test_a_mutation_half_done_is_left(github: GitHub, pull: PullRequest, hub: Hub, waits: list[float]) -> None:
    for line in (1, 2):
        pull.thread("src/a.py", line, by="alice", body="rename")
    limit = {"message": "was submitted too quickly", "path": ["t1"]}
    half = Rewrite(lambda request, whole: {"data": {**whole["data"], "t1": None}, "errors": [limit]})
    hub.misbehave(half)
    assert resolve(github, pull).data["data"]["t1"] is None
    assert (len(hub.requests), waits) == (1, [])


def test_a_mutation_this_host_does_not_know_is_refused(github: GitHub, pull: PullRequest, hub: Hub) -> None:
    change = github.mutate("mutation M { resolvePullRequestReviewThread }", {})
    assert "doesn't exist on type 'Mutation'" in change.refused
    assert len(hub.requests) == 1


def test_a_login_is_needed(github: GitHub, pull: PullRequest, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GH_TOKEN")
    with pytest.raises(BatonError, match="not logged in"):
        post(github, pull)
    assert hub.requests == []


# Pace


def test_changes_not_reads_are_a_second_apart(github: GitHub, pull: PullRequest, waits: list[float]) -> None:
    for _ in range(3):
        post(github, pull)
        github.get("repos/octo/app/pulls/7")
    assert waits == [1, 1]


def test_hourly_changes_are_bounded(github: GitHub, pull: PullRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (module.MOST_CHANGES, 60 / module.APART_S <= 80) == (500, True)
    monkeypatch.setattr(module, "MOST_CHANGES", 2)
    for _ in range(2):
        post(github, pull)
    with pytest.raises(BatonError, match="call again in an hour"):
        post(github, pull)
    assert len(pull.comments) == 2
