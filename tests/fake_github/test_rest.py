"""The REST interface of the stand-in, asked through the real gh."""

from __future__ import annotations

import pytest

from fake_github.asking import gh, post
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from fake_github.state import Thread

PERMISSION = "repos/octo/app/collaborators/%s/permission"


@pytest.fixture
def pull(hub: Hub) -> PullRequest:
    """Give a pull request of someone else's, in a repository where the viewer may push."""
    hub.permit("octo/app", "me", "write")
    return hub.pull_request("octo/app", 7, author="alice")


@pytest.fixture
def thread(pull: PullRequest) -> Thread:
    """Give an unresolved thread with one comment."""
    return pull.thread("src/a.py", 12, by="bob", body="Check for None.")


def test_an_answer_through_rest_fails_while_a_review_is_not_sent(thread: Thread) -> None:
    place = f"repos/octo/app/pulls/7/comments/{thread.comments[0].number}/replies"
    assert post(place, body="Done.").status == 201
    thread.pull_request.review(by="me", state="PENDING")
    said = post(place, body="Done again.")
    assert (said.status, said.json["errors"]) == (
        422,
        ["user_id can only have one pending review per pull request"],
    )
    assert [one.body for one in thread.comments] == ["Check for None.", "Done."]


def test_an_answer_to_an_answer_is_not_found(thread: Thread) -> None:
    nested = thread.reply(by="me", body="Done.").number
    assert post(f"repos/octo/app/pulls/7/comments/{nested}/replies", body="x").status == 404


@pytest.mark.parametrize(("length", "status"), [(65_536, 201), (65_537, 422)])
def test_a_comment_has_a_greatest_length(pull: PullRequest, length: int, status: int) -> None:
    assert post("repos/octo/app/issues/7/comments", body="x" * length).status == status
    assert len(pull.comments) == (status == 201)


@pytest.mark.parametrize(("level", "role", "shown"), [
    ("admin", None, ("admin", "admin")), ("maintain", None, ("write", "maintain")),
    ("write", "release-team", ("write", "release-team")), ("triage", None, ("read", "triage")),
    ("read", None, ("read", "read")), ("none", None, ("none", "none")),
])  # fmt: skip
def test_a_permission_is_looked_up(
    hub: Hub, pull: PullRequest, level: str, role: str | None, shown: tuple[str, str]
) -> None:
    hub.permit("octo/app", "alice", level, role)
    found = gh(PERMISSION % "alice").json
    assert (found["permission"], found["role_name"]) == shown


def test_a_permission_can_be_unknowable(hub: Hub, pull: PullRequest) -> None:
    hub.permit("octo/app", "alice", 403)
    assert gh(PERMISSION % "alice").status == 403
    assert gh(PERMISSION % "nobody").status == 404
    hub.permit("octo/app", "me", "read")
    assert gh(PERMISSION % "alice").json["message"] == "Must have push access to view collaborator permission."


def test_lists_of_the_rest_interface_have_pages(pull: PullRequest) -> None:
    for number in range(3):
        pull.comment(by="bob", body=str(number))
    said = gh("repos/octo/app/issues/7/comments?per_page=2&page=1")
    assert [one["body"] for one in said.json] == ["0", "1"]
    assert 'rel="next"' in said.headers["link"]
    assert "link" not in gh("repos/octo/app/issues/7/comments?per_page=2&page=2").headers
