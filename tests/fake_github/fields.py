"""The fields of GitHub's schema that baton asks for, by type; a field that is not here stops a test, loudly.

What is a dictionary here (a payload, an entry) has the fields that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .merge_rules import merge_state, required_checks
from .pages import Connection, PageInfo, page
from .pull_request import OPINIONS
from .request import Refusal, Unmodeled, forbidden, no_node, not_found, unprocessable
from .state import Comment, Commit, Review, Thread

if TYPE_CHECKING:
    from .hub import Hub


class HeadCommit(NamedTuple):
    """A commit with what runs in its repository."""

    oid: str
    actions: Any

    @property
    def typename(self) -> str:
        return "Commit"


class Ask(NamedTuple):
    """What a resolver is told beside the object: the host, and the arguments of the field."""

    hub: Hub
    arguments: Mapping[str, Any]


Resolver = Callable[[Any, Ask], Any]
Fields = dict[str, Resolver]


def plain(*same: str, **named: str) -> Fields:
    """Give fields that are attributes: of the same name, or of the one that is given."""
    return {name: _attribute(attribute) for name, attribute in {**{one: one for one in same}, **named}.items()}


def _attribute(name: str) -> Resolver:
    return lambda value, ask: getattr(value, name)


def listed(name: str, of: str) -> Resolver:
    """Give a connection over those in a list that the viewer may see, in these states if some are named."""

    def resolve(value: Any, ask: Ask) -> Connection:
        asked = dict(ask.arguments)
        states = asked.pop("states", None)
        found = [one for one in getattr(value, of) if one.visible_to(ask.hub.viewer)]
        return page(name, [one for one in found if states is None or one.state in states], asked)

    return resolve


def _found(hub: Hub, given: str) -> Any:
    found = hub.nodes.get(given)
    if found is None or (hasattr(found, "visible_to") and not found.visible_to(hub.viewer)):
        raise no_node(given)
    return found


def _nodes(value: None, ask: Ask) -> list[Any]:
    if len(ask.arguments["ids"]) > 100:
        raise Refusal("You may not provide more than 100 node ids", "ARGUMENT_LIMIT")
    nodes: list[Any] = []
    for given in ask.arguments["ids"]:
        try:
            nodes.append(_found(ask.hub, given))
        except Refusal as refusal:
            nodes.append(refusal)
    return nodes


def _repository(value: None, ask: Ask) -> Any:
    name = f"{ask.arguments['owner']}/{ask.arguments['name']}"
    found = ask.hub.repositories.get(name.lower())
    if found is None or found.permission(ask.hub.viewer).level == "none":
        raise not_found("a Repository", f"with the name '{name}'")
    return found


def numbered(kind: str, of: str) -> Resolver:
    """Give what a repository has under a number."""

    def resolve(value: Any, ask: Ask) -> Any:
        found, number = getattr(value, of), ask.arguments["number"]
        if number not in found:
            raise not_found(kind, f"with the number of {number}")
        return found[number]

    return resolve


def _pull_requests(value: Any, ask: Ask) -> Connection:
    asked = dict(ask.arguments)
    head, states = asked.pop("headRefName", None), asked.pop("states", None)
    found = [
        request for request in value.pull_requests.values()
        if head in (None, request.head) and (states is None or request.state in states)
    ]  # fmt: skip
    return page("pullRequests", found, asked)


def _resolve_thread(value: None, ask: Ask) -> dict[str, Thread]:
    viewer, thread = ask.hub.viewer, _found(ask.hub, ask.arguments["input"]["threadId"])
    if not isinstance(thread, Thread):
        raise Unmodeled(f"what GitHub says when it is to resolve a {thread.typename}")
    if not thread.may_resolve(viewer):
        raise forbidden(viewer.login, "ResolveReviewThread")
    if not thread.resolved:
        thread.resolved = True
        ask.hub.tick()
    return {"thread": thread}


def _requested(value: Any, ask: Ask) -> Connection:
    asked = [{"requestedReviewer": one} for one in value.asked]
    return Connection(asked, len(asked), PageInfo(False, None))


def _opinions(value: Any, ask: Ask) -> Connection:
    asked = dict(ask.arguments)
    writers = asked.pop("writersOnly", False)
    said = [review for review in value.reviews if review.visible_to(ask.hub.viewer) and review.state in OPINIONS]
    newest = {one.author: one for one in said if not writers or value.repository.can_push(one.author)}
    return page("latestOpinionatedReviews", list(newest.values()), asked)


def _queue_entry(value: Any, ask: Ask) -> dict[str, Any] | None:
    queue = value.repository.actions.queue if value.repository.actions else []
    return (
        {"state": "AWAITING_CHECKS", "position": queue.index(value.number) + 1} if value.number in queue else None
    )


def _statuses(value: HeadCommit, ask: Ask) -> dict[str, Any] | None:
    newest = {status["context"]: status for status in reversed(value.actions.statuses.get(value.oid, []))}
    return {"contexts": [{**one, "actions": value.actions} for one in newest.values()]} if newest else None


def _is_required(value: Any, ask: Ask) -> bool:
    wanted = required_checks(value["actions"])
    return any(name == value["context"] and app in (None, -1, value["app"]) for name, app in wanted)


def _can_merge_as_admin(value: Any, ask: Ask) -> bool:
    """Say it in the schema's words: "can bypass branch protections and merge the pull request immediately"."""
    ready = value.state == "OPEN" and merge_state(value) not in ("DIRTY", "DRAFT", "UNKNOWN")
    return ready and bool(value.repository.can_bypass(ask.hub.viewer))


def _make_ready(value: None, ask: Ask) -> dict[str, Any]:
    pull = _found(ask.hub, ask.arguments["input"]["pullRequestId"])
    pull.draft = False
    return {"pullRequest": pull}


def _enqueue(value: None, ask: Ask) -> dict[str, Any]:
    given = ask.arguments["input"]
    pull = _found(ask.hub, given["pullRequestId"])
    if given.get("expectedHeadOid") not in (None, pull.head_oid):
        raise unprocessable("The head of the pull request has changed")
    if pull.number not in pull.repository.actions.queue:
        pull.repository.actions.queue.append(pull.number)
    return {"mergeQueueEntry": _queue_entry(pull, ask)}


def _draft(ask: Ask, given: str) -> Review:
    """Return the viewer's own draft of an id."""
    found = _found(ask.hub, given)
    if not isinstance(found, Review) or found.author is not ask.hub.viewer or found.state != "PENDING":
        raise unprocessable("Could not find a pending review")
    return found


def _begin_review(value: None, ask: Ask) -> dict[str, Review]:
    pull = _found(ask.hub, ask.arguments["input"]["pullRequestId"])
    if pull.pending_review(ask.hub.viewer):
        raise unprocessable("User can only have one pending review per pull request")
    return {"pullRequestReview": pull.review(by=ask.hub.viewer, state="PENDING")}


def _draft_reply(value: None, ask: Ask) -> dict[str, Comment]:
    given = ask.arguments["input"]
    draft, thread = _draft(ask, given["pullRequestReviewId"]), _found(ask.hub, given["pullRequestReviewThreadId"])
    if thread.pull_request.locked and not thread.repository.can_push(ask.hub.viewer):
        raise forbidden(ask.hub.viewer.login, "AddPullRequestReviewThreadReply")
    said = thread.pull_request.say(thread, by=ask.hub.viewer, body=given["body"], review=draft)
    return {"comment": said}


def _submit_review(value: None, ask: Ask) -> dict[str, Review]:
    draft = _draft(ask, ask.arguments["input"]["pullRequestReviewId"])
    draft.state = "COMMENTED"
    ask.hub.tick()
    return {"pullRequestReview": draft}


def _delete_review(value: None, ask: Ask) -> dict[str, Review]:
    draft = _draft(ask, ask.arguments["input"]["pullRequestReviewId"])
    for said in (draft, *draft.comments):
        said.deleted = True
    return {"pullRequestReview": draft}


ACTOR = plain("id", "login", databaseId="number")
TEXT: Fields = {
    **plain("id", "body", "author", "url", createdAt="created_at", minimizedReason="minimized",
            authorAssociation="association"),
    "fullDatabaseId": lambda value, ask: str(value.number),
    "editor": lambda value, ask: value.edits[-1].by if value.edits else None,
    "lastEditedAt": lambda value, ask: value.edits[-1].at if value.edits else None,
    "viewerDidAuthor": lambda value, ask: value.author is ask.hub.viewer,
    "isMinimized": lambda value, ask: value.minimized is not None,
}  # fmt: skip
FIELDS: dict[str, Fields] = {
    "Query": {
        "viewer": lambda value, ask: ask.hub.viewer, "repository": _repository, "nodes": _nodes,
        "node": lambda value, ask: _found(ask.hub, ask.arguments["id"]),
    },
    "Mutation": {
        "resolveReviewThread": _resolve_thread, "addPullRequestReview": _begin_review,
        "addPullRequestReviewThreadReply": _draft_reply, "submitPullRequestReview": _submit_review,
        "deletePullRequestReview": _delete_review, "enqueuePullRequest": _enqueue,
        "markPullRequestReadyForReview": _make_ready,
    },
    "Repository": {
        **plain("id", nameWithOwner="full_name"), "pullRequests": _pull_requests,
        "pullRequest": numbered("a PullRequest", "pull_requests"), "issue": numbered("an Issue", "issues"),
        "squashMergeAllowed": lambda value, ask: "squash" in value.methods,
        "mergeCommitAllowed": lambda value, ask: "merge" in value.methods,
        "object": lambda value, ask: HeadCommit(ask.arguments["oid"], value.actions),
    },
    "StatusContext": {"isRequired": _is_required},
    "Issue": {
        "editor": lambda value, ask: value.edit.by if value.edit else None,
        "lastEditedAt": lambda value, ask: value.edit.at if value.edit else None,
        "timelineItems": lambda value, ask: {"nodes": [value.renamed] if value.renamed else []},
    },
    "RenamedTitleEvent": plain(actor="by"),
    "PullRequest": {
        **plain("id", "number", "title", "state", "author", "url", isDraft="draft", headRefName="head",
                baseRefName="base", headRefOid="head_oid", maintainerCanModify="maintainer_can_modify",
                headRepository="head_repository", reviewDecision="decision"),
        "viewerDidAuthor": TEXT["viewerDidAuthor"],
        "isCrossRepository": lambda value, ask: value.head_repository is not value.repository,
        "reviewThreads": listed("reviewThreads", "threads"), "comments": listed("comments", "comments"),
        "reviews": listed("reviews", "reviews"), "reviewRequests": _requested,
        "latestOpinionatedReviews": _opinions, "mergeQueueEntry": _queue_entry,
        "mergeStateStatus": lambda value, ask: merge_state(value), "viewerCanMergeAsAdmin": _can_merge_as_admin,
        "baseRef": lambda value, ask: {"actions": value.repository.actions},
        "isMergeQueueEnabled": lambda value, ask: bool(
            value.repository.actions and value.repository.actions.has_queue),
    },
    "Ref": {"refUpdateRule": lambda value, ask: value["actions"]},
    "RefUpdateRule": {"requiresLinearHistory": lambda value, ask: value.linear},
    "PullRequestReviewThread": {
        **plain("id", "path", "line", startLine="start_line", originalLine="original_line",
                originalStartLine="original_start_line", isResolved="resolved", isOutdated="outdated",
                pullRequest="pull_request"),
        "comments": listed("comments", "comments"),
        "viewerCanResolve": lambda value, ask: not value.resolved and value.may_resolve(ask.hub.viewer),
    },
    "PullRequestReviewComment": {
        **TEXT, **plain("state", pullRequestReview="review", originalCommit="original_commit"),
    },
    "PullRequestReview": {
        **TEXT, **plain("state"), "comments": listed("comments", "comments"),
        "authorCanPushToRepository": lambda value, ask: value.repository.can_push(value.author),
        "commit": lambda value, ask: Commit(value.commit),
    },
    "Commit": {**plain("oid"), "status": _statuses},
    "IssueComment": TEXT,
    "User": ACTOR, "Organization": ACTOR, "Bot": ACTOR, "Mannequin": ACTOR,
    "PageInfo": plain(hasNextPage="has_next_page", endCursor="end_cursor"),
    **{
        f"{name}Connection": plain("nodes", totalCount="total", pageInfo="page_info")
        for name in ("PullRequest", "PullRequestReviewThread", "PullRequestReview", "PullRequestReviewComment",
                     "IssueComment", "ReviewRequest")
    },
}  # fmt: skip
