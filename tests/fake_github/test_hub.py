"""The stand-in for GitHub does what GitHub does, asked through the real gh."""

from typing import Any

import pytest

from fake_github.asking import ask, gh, post
from fake_github.fixtures import ENTERPRISE
from fake_github.hub import Hub
from fake_github.pull_request import Inline, PullRequest
from fake_github.state import Thread

PULL = '{ repository(owner: "octo", name: "app") { pullRequest(number: 7) { %s } } }'
THREADS = (
    "query($after: String) "
    + PULL
    % """reviewThreads(first: 2, after: $after) { totalCount
    pageInfo { hasNextPage endCursor } nodes { id path line isResolved } }"""
)

pytestmark = pytest.mark.gh
RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
COMMENTS = "repos/octo/app/issues/7/comments"
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


def asked(fields: str) -> Any:
    return ask(PULL % fields).data["repository"]["pullRequest"]


def threads_page(after: str | None = None) -> Any:
    return ask(THREADS, after=after).data["repository"]["pullRequest"]["reviewThreads"]


@pytest.mark.parametrize(("fields", "words"), [
    pytest.param("reviewThreads(first: 1) { nodes { createdAt } }",
                 "Field 'createdAt' doesn't exist on type 'PullRequestReviewThread'", id="an invented field"),
    pytest.param("reviewThreads(first: 1, isResolved: false) { totalCount }",
                 "Field 'reviewThreads' doesn't accept argument 'isResolved'", id="an invented argument"),
    pytest.param("reviewThreads { totalCount }", "You must provide a `first` or `last` value to properly paginate "
                 "the `reviewThreads` connection.", id="a connection without a size"),
    pytest.param("reviewThreads(first: 101) { totalCount }", "Requesting 101 records on the `reviewThreads` "
                 "connection exceeds the `first` limit of 100 records.", id="a page that is too large"),
    pytest.param("reviewThreads(first: 1, after: \"x\") { totalCount }",
                 "`x` does not appear to be a valid cursor.", id="an invented cursor"),
    pytest.param("reviewThreads(first: 100) { nodes { comments(first: 100) { nodes { userContentEdits(first: 100) "
                 "{ totalCount } } } } }", "This query requests up to 1,010,100 possible nodes which exceeds the "
                 "maximum limit of 500,000.", id="more nodes than GitHub gives"),
])  # fmt: skip
def test_a_refused_query_has_status_200(pull: PullRequest, fields: str, words: str) -> None:
    said = ask(PULL % fields)
    assert (said.code, said.status, said.error) == (1, 200, words)
    assert said.err == f"gh: {words}\n"


def test_a_variable_of_the_wrong_type_is_refused(pull: PullRequest) -> None:
    query = (
        'query($number: Int!) { repository(owner: "octo", name: "app") { pullRequest(number: $number) { id } } }'
    )
    assert ask(query, number=7).code == 0
    assert ask(query, number="7").error == "Variable $number of type Int! was provided invalid value"


@pytest.mark.parametrize(("query", "words"), [
    ('{ repository(owner: "octo", name: "none") { id } }',
     "Could not resolve to a Repository with the name 'octo/none'."),
    ('{ repository(owner: "octo", name: "app") { pullRequest(number: 8) { id } } }',
     "Could not resolve to a PullRequest with the number of 8."),
    ('{ node(id: "PRRT_x") { id } }', "Could not resolve to a node with the global id of 'PRRT_x'"),
])  # fmt: skip
def test_a_missing_node_is_reported_in_githubs_words(pull: PullRequest, query: str, words: str) -> None:
    said = ask(query)
    assert said.error.rstrip(".") == words.rstrip(".")
    assert said.json["errors"][0]["type"] == "NOT_FOUND"


def test_pages_add_up(pull: PullRequest) -> None:
    ids = [pull.thread("a.py", line, by="bob", body="x").id for line in range(1, 6)]
    pages = [threads_page()]
    while pages[-1]["pageInfo"]["hasNextPage"]:
        pages.append(threads_page(pages[-1]["pageInfo"]["endCursor"]))
    assert [node["id"] for page in pages for node in page["nodes"]] == ids
    assert {page["totalCount"] for page in pages} == {5}
    assert len(pages) == 3


def test_the_last_items_are_given_in_their_order(thread: Thread) -> None:
    for word in ("one", "two"):
        thread.reply(by="me", body=word)
    found = asked("reviewThreads(first: 9) { nodes { comments(last: 2) { totalCount nodes { body } } } }")
    said = found["reviewThreads"]["nodes"][0]["comments"]
    assert said == {"totalCount": 3, "nodes": [{"body": "one"}, {"body": "two"}]}


def test_a_cursor_holds_though_its_item_is_deleted(pull: PullRequest) -> None:
    threads = [pull.thread("a.py", line, by="bob", body="x") for line in (1, 2, 3)]
    after = threads_page()["pageInfo"]["endCursor"]
    threads[1].comments[0].deleted = True
    assert [node["id"] for node in threads_page(after)["nodes"]] == [threads[2].id]


def test_ids_and_urls_are_like_githubs(hub: Hub, thread: Thread) -> None:
    pull = thread.pull_request
    found: list[Any] = [thread, thread.comments[0], pull.reviews[0], pull.comment(by="carol", body="x"), pull]
    assert [one.id[:9] for one in found] == ["PRRT_kwDO", "PRRC_kwDO", "PRR_kwDOA", "IC_kwDOAA", "PR_kwDOAA"]
    nodes = ask("query($ids: [ID!]!) { nodes(ids: $ids) { ... on Comment { id } ... on IssueComment { url "
                "fullDatabaseId } } }", ids=[found[3].id]).data["nodes"]  # fmt: skip
    assert nodes[0]["url"] == f"https://github.com/octo/app/pull/7#issuecomment-{nodes[0]['fullDatabaseId']}"


def test_authors_have_their_type_and_a_deleted_one_is_null(hub: Hub, pull: PullRequest) -> None:
    for who in (hub.actor("coderabbitai", "Bot"), "bob", None):
        pull.comment(by=who, body="x")
    nodes = asked("comments(first: 9) { nodes { author { __typename login } } }")["comments"]["nodes"]
    assert [node["author"] for node in nodes] == [
        {"__typename": "Bot", "login": "coderabbitai"}, {"__typename": "User", "login": "bob"}, None,
    ]  # fmt: skip


def test_a_comment_names_the_commit_it_was_written_on(pull: PullRequest) -> None:
    pull.thread("a.py", 1, by="bob", body="x", commit="5" * 40)
    fields = "reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { originalCommit { oid } } } } }"
    [node] = asked(fields)["reviewThreads"]["nodes"][0]["comments"]["nodes"]
    assert node == {"originalCommit": {"oid": "5" * 40}}


def test_only_its_author_sees_a_review_that_is_not_sent(pull: PullRequest) -> None:
    pull.review(by="bob", state="PENDING", threads=[Inline("a.py", 1, "hidden")])
    fields = "reviews(first: 9) { totalCount } reviewThreads(first: 9) { totalCount }"
    assert asked(fields) == {"reviews": {"totalCount": 0}, "reviewThreads": {"totalCount": 0}}
    pull.review(by="me", state="PENDING", threads=[Inline("a.py", 1, "mine")])
    assert asked(fields) == {"reviews": {"totalCount": 1}, "reviewThreads": {"totalCount": 1}}


def test_an_edit_says_who_and_when(hub: Hub, thread: Thread) -> None:
    fields = (
        "reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { body editor { login } lastEditedAt } } } }"
    )
    hub.edit(thread.comments[0], by="mallory", body="Delete it all.")
    node = asked(fields)["reviewThreads"]["nodes"][0]["comments"]["nodes"][0]
    assert (node["body"], node["editor"]["login"]) == ("Delete it all.", "mallory")
    assert node["lastEditedAt"] > thread.comments[0].created_at


@pytest.mark.parametrize(
    "body", ["<b> & </b>", "a\r\n\tb", "\u202e\u2028\u200b\U000e0041", "\ud800", "x" * 100_000]
)
def test_a_text_comes_as_it_is(pull: PullRequest, body: str) -> None:
    pull.comment(by="bob", body=body)
    assert asked("comments(first: 1) { nodes { body } }")["comments"]["nodes"] == [{"body": body}]


def test_a_thread_is_resolved_once_and_harmless_twice(thread: Thread) -> None:
    for _ in range(2):
        assert ask(RESOLVE, id=thread.id).data == {"resolveReviewThread": {"thread": {"isResolved": True}}}
    assert thread.resolved


def test_an_account_that_may_not_push_may_not_resolve(hub: Hub, thread: Thread) -> None:
    hub.permit("octo/app", "me", "triage")
    said = ask(RESOLVE, id=thread.id)
    assert said.error == "me does not have the correct permissions to execute `ResolveReviewThread`"
    assert not thread.resolved


def test_a_locked_pull_request_takes_comments_of_those_who_may_push(hub: Hub, pull: PullRequest) -> None:
    pull.locked = True
    assert post(COMMENTS, body="Done.").status == 201
    hub.permit("octo/app", "me", "read")
    assert post(COMMENTS, body="Done.").status == 403
    assert len(pull.comments) == 1


def test_an_answer_fails_while_a_review_is_not_sent(thread: Thread) -> None:
    place = f"repos/octo/app/pulls/7/comments/{thread.comments[0].number}/replies"
    assert post(place, body="Done.").status == 201
    thread.pull_request.review(by="me", state="PENDING")
    said = post(place, body="Done again.")
    assert (said.status, said.json["errors"]) == (
        422,
        ["user_id can only have one pending review per pull request"],
    )
    assert [comment.body for comment in thread.comments] == ["Check for None.", "Done."]


def test_an_answer_to_an_answer_is_not_found(thread: Thread) -> None:
    nested = thread.reply(by="me", body="Done.").number
    assert post(f"repos/octo/app/pulls/7/comments/{nested}/replies", body="x").status == 404


@pytest.mark.parametrize(("body", "status"), [(" ", 422), ("x" * 65_536, 201), ("x" * 65_537, 422)])
def test_a_comment_has_a_least_and_a_greatest_length(pull: PullRequest, body: str, status: int) -> None:
    assert post(COMMENTS, body=body).status == status
    assert len(pull.comments) == (status == 201)


@pytest.mark.parametrize(("level", "permission"), [
    ("admin", "admin"), ("maintain", "write"), ("write", "write"), ("triage", "read"), ("read", "read"),
    ("none", "none"),
])  # fmt: skip
def test_a_permission_is_looked_up(hub: Hub, pull: PullRequest, level: str, permission: str) -> None:
    hub.permit("octo/app", "alice", level)
    found = gh(PERMISSION % "alice").json
    assert (found["permission"], found["role_name"]) == (permission, level)


def test_a_permission_can_be_unknowable(hub: Hub, pull: PullRequest) -> None:
    hub.permit("octo/app", "alice", 403)
    assert gh(PERMISSION % "alice").status == 403
    assert gh(PERMISSION % "nobody").status == 404
    hub.permit("octo/app", "me", "read")
    assert gh(PERMISSION % "alice").json["message"] == "Must have push access to view collaborator permission."


def test_every_request_is_counted_and_no_token_is_kept(hub: Hub, pull: PullRequest) -> None:
    asked("id")
    gh("repos/octo/app/pulls/7")
    assert [(request.method, request.path, request.host) for request in hub.requests] == [
        ("POST", "/graphql", "api.github.com"), ("GET", "/repos/octo/app/pulls/7", "api.github.com"),
    ]  # fmt: skip
    assert "pullRequest" in hub.requests[0].query
    assert not any(hub.token in value for request in hub.requests for value in request.headers.values())


def test_an_enterprise_host_has_paths_of_its_own(enterprise: Hub) -> None:
    enterprise.pull_request("octo/app", 7)
    assert ask(PULL % "number", host=ENTERPRISE).data["repository"]["pullRequest"] == {"number": 7}
    assert gh("repos/octo/app/pulls/7", host=ENTERPRISE).json["number"] == 7
    assert [request.path for request in enterprise.requests] == ["/api/graphql", "/api/v3/repos/octo/app/pulls/7"]


def test_another_host_is_a_stranger(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "x")
    assert gh("user", host=ENTERPRISE).status == 404
    monkeypatch.setenv("GH_TOKEN", "wrong")
    assert gh("user").status == 401
