"""The mutations the hub knows: what each checks, and what it changes."""

from __future__ import annotations

from typing import Any

from .fields import Ask, Resolver, constant, plain
from .pages import Edge, cursor
from .pull_request import PullRequest
from .request import forbidden, no_node, unprocessable
from .state import Comment, Review, Thread

LONGEST = 65_536
TOO_LONG = f"Body is too long (maximum is {LONGEST} characters)"
BLANK = "Body can't be blank"
ONE_PENDING = "user_id can only have one pending review per pull request"


class Payload:
    """What a mutation gives back."""

    def __init__(self, given: dict[str, Any], **found: Any) -> None:
        self.client_mutation_id = given.get("clientMutationId")
        self.__dict__.update(found)


def body_problem(body: str) -> str | None:
    """Say why GitHub would not take a text."""
    if not body.strip():
        return BLANK
    return TOO_LONG if len(body) > LONGEST else None


def may_write(pull_request: PullRequest, hub: Any) -> bool:
    return not pull_request.locked or pull_request.repository.can_push(hub.viewer)


def add_thread_reply(hub: Any, thread: Thread, body: str) -> Comment:
    """Answer in a thread; where the viewer has begun a review, the answer goes into it, unseen by others."""
    pending = thread.pull_request.pending_review(hub.viewer)
    if pending is None:
        return thread.reply(by=hub.viewer, body=body)
    return thread.pull_request.say(thread, by=hub.viewer, body=body, review=pending)


def _found(ask: Ask, given: str, kind: type[Any]) -> Any:
    found = ask.hub.nodes.get(given)
    if found is None or not isinstance(found, kind) or not found.visible_to(ask.hub.viewer):
        raise no_node(given)
    return found


def _resolution(mutation: str, resolved: bool) -> Resolver:
    def resolve(value: None, ask: Ask) -> Payload:
        given = ask.arguments["input"]
        thread: Thread = _found(ask, given["threadId"], Thread)
        if not thread.may_resolve(ask.hub.viewer):
            raise forbidden(ask.hub.viewer.login, mutation)
        if thread.resolved != resolved:
            thread.resolved = resolved
            # GitHub's type for who resolved is User: a bot that did is not said.
            is_user = resolved and ask.hub.viewer.kind == "User"
            thread.resolved_by = ask.hub.viewer if is_user else None
            ask.hub.tick()
        return Payload(given, thread=thread)

    return resolve


def _reply(value: None, ask: Ask) -> Payload:
    given = ask.arguments["input"]
    thread: Thread = _found(ask, given["pullRequestReviewThreadId"], Thread)
    _check(thread.pull_request, ask, given["body"], "AddPullRequestReviewThreadReply")
    if given.get("pullRequestReviewId") is not None:
        review: Review = _found(ask, given["pullRequestReviewId"], Review)
        if review.state != "PENDING":
            raise unprocessable("Pull request review has already been submitted")
    return Payload(given, comment=add_thread_reply(ask.hub, thread, given["body"]))


def _comment(value: None, ask: Ask) -> Payload:
    given = ask.arguments["input"]
    subject: PullRequest = _found(ask, given["subjectId"], PullRequest)
    _check(subject, ask, given["body"], "AddComment")
    comment = subject.comment(by=ask.hub.viewer, body=given["body"])
    return Payload(given, subject=subject, comment_edge=Edge(comment, cursor(comment), "IssueCommentEdge"))


def _check(pull_request: PullRequest, ask: Ask, body: str, mutation: str) -> None:
    if problem := body_problem(body):
        raise unprocessable(problem)
    if not may_write(pull_request, ask.hub):
        raise forbidden(ask.hub.viewer.login, mutation)


MUTATION_ID = plain(clientMutationId="client_mutation_id")
CHANGES: dict[str, dict[str, Resolver]] = {
    "Mutation": {
        "resolveReviewThread": _resolution("ResolveReviewThread", True),
        "unresolveReviewThread": _resolution("UnresolveReviewThread", False),
        "addPullRequestReviewThreadReply": _reply,
        "addComment": _comment,
    },
    "ResolveReviewThreadPayload": {**MUTATION_ID, **plain("thread")},
    "UnresolveReviewThreadPayload": {**MUTATION_ID, **plain("thread")},
    "AddPullRequestReviewThreadReplyPayload": {**MUTATION_ID, **plain("comment")},
    "AddCommentPayload": {
        **MUTATION_ID, **plain("subject", commentEdge="comment_edge"), **constant(timelineEdge=None),
    },
}  # fmt: skip
