"""The fields of GitHub's schema that the hub knows, by type; a field that is not here stops a test, loudly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .pages import Connection, Edge, cursor, page
from .request import Refusal, no_node, not_found
from .state import Commit, Ref, Text

if TYPE_CHECKING:
    from .hub import Hub

LIMIT = 5_000


class Ask(NamedTuple):
    """What a resolver is told beside the object: the host, and the arguments of the field."""

    hub: Hub
    arguments: Mapping[str, Any]


Resolver = Callable[[Any, Ask], Any]
Fields = dict[str, Resolver]


def plain(*same: str, **named: str) -> Fields:
    """Give fields that are attributes: of the same name, or of the one that is given."""
    return {
        name: _attribute(attribute) for name, attribute in {**dict(zip(same, same, strict=True)), **named}.items()
    }


def _attribute(name: str) -> Resolver:
    return lambda value, ask: getattr(value, name)


def constant(**values: Any) -> Fields:
    return {name: _always(found) for name, found in values.items()}


def _always(found: Any) -> Resolver:
    return lambda value, ask: found


def listed(name: str, of: str, typename: str) -> Resolver:
    """Give a connection over those in a list that the viewer may see."""

    def resolve(value: Any, ask: Ask) -> Connection:
        found = [one for one in getattr(value, of) if one.visible_to(ask.hub.viewer)]
        return page(name, found, ask.arguments, typename)

    return resolve


def _node(hub: Any, given: str) -> Any:
    found = hub.nodes.get(given)
    if found is None or (hasattr(found, "visible_to") and not found.visible_to(hub.viewer)):
        raise no_node(given)
    return found


def _node_or_refusal(hub: Hub, given: str) -> Any:
    try:
        return _node(hub, given)
    except Refusal as refusal:
        return refusal


def _nodes(value: None, ask: Ask) -> list[Any]:
    given = ask.arguments["ids"]
    if len(given) > 100:
        raise Refusal("You may not provide more than 100 node ids", "ARGUMENT_LIMIT")
    return [_node_or_refusal(ask.hub, one) for one in given]


def _repository(value: None, ask: Ask) -> Any:
    name = f"{ask.arguments['owner']}/{ask.arguments['name']}"
    found = ask.hub.repositories.get(name.lower())
    if found is None or found.permission(ask.hub.viewer).level == "none":
        raise not_found("a Repository", f"with the name '{name}'")
    return found


def _pull_request(value: Any, ask: Ask) -> Any:
    number = ask.arguments["number"]
    if number not in value.pull_requests:
        raise not_found("a PullRequest", f"with the number of {number}")
    return value.pull_requests[number]


def _pull_requests(value: Any, ask: Ask) -> Connection:
    head, base, states = (ask.arguments.get(name) for name in ("headRefName", "baseRefName", "states"))
    found = [
        one for one in value.pull_requests.values()
        if one.head == (head or one.head) and one.base == (base or one.base)
        and one.state in (states or (one.state,))
    ]  # fmt: skip
    order = ask.arguments.get("orderBy") or {"direction": "ASC"}
    found.sort(key=lambda one: one.database_id, reverse=order["direction"] == "DESC")
    return page("pullRequests", found, ask.arguments, "PullRequestConnection")


def _resource(value: None, ask: Ask) -> Any:
    place = re.fullmatch(rf"https://{re.escape(ask.hub.host)}/([^/]+/[^/]+)/pull/(\d+)", ask.arguments["url"])
    found = ask.hub.repositories.get(place[1].lower()) if place else None
    return found.pull_requests.get(int(place[2])) if found and place else None


def _reviews(value: Any, ask: Ask) -> Connection:
    states, author = ask.arguments.get("states"), ask.arguments.get("author")
    found = [
        one for one in value.reviews
        if one.visible_to(ask.hub.viewer) and (not states or one.state in states)
        and (not author or (one.author and one.author.login == author))
    ]  # fmt: skip
    return page("reviews", found, ask.arguments, "PullRequestReviewConnection")


def _edges(value: Connection, ask: Ask) -> list[Edge]:
    kind = value.typename.replace("Connection", "Edge")
    return [Edge(one, cursor(one), kind) for one in value.nodes]


def _owns(value: Text, ask: Ask) -> bool:
    return value.author is ask.hub.viewer


def _may_update(value: Text, ask: Ask) -> bool:
    return value.author is ask.hub.viewer or value.repository.can_push(ask.hub.viewer)


def commit(attribute: str) -> Resolver:
    return lambda value, ask: Commit(getattr(value, attribute), value.repository)


def _head_ref(value: Any, ask: Ask) -> Ref | None:
    where = value.head_repository
    return None if where is None else Ref(value.head, where, value.head_oid)


def _of_thread(attribute: str) -> Resolver:
    return lambda value, ask: getattr(value.thread, attribute)


PLACE = {
    "path": "path", "line": "line", "startLine": "start_line", "originalLine": "original_line",
    "originalStartLine": "original_start_line", "subjectType": "subject_type",
}  # fmt: skip
PAGED = ("PullRequest", "PullRequestReviewThread", "PullRequestReview", "PullRequestReviewComment", "IssueComment",
         "UserContentEdit")  # fmt: skip
CONNECTION: Fields = {**plain("nodes", totalCount="total", pageInfo="page_info"), "edges": _edges}
EDGE = plain("node", "cursor")
ACTOR: Fields = {
    **plain("id", "login", "url", databaseId="number", resourcePath="resource_path"),
    "avatarUrl": lambda value, ask: f"https://avatars.{value.host}/u/{value.number}",
}
NAMED: Fields = {**ACTOR, **constant(name=None)}
TEXT: Fields = {
    **plain("id", "body", "author", "url", "repository", authorAssociation="association", createdAt="created_at",
            updatedAt="updated_at", resourcePath="resource_path"),
    "bodyText": lambda value, ask: value.body, "publishedAt": lambda value, ask: value.created_at,
    "fullDatabaseId": lambda value, ask: str(value.number),
    "editor": lambda value, ask: value.edits[-1].by if value.edits else None,
    "lastEditedAt": lambda value, ask: value.edits[-1].at if value.edits else None,
    "includesCreatedEdit": lambda value, ask: bool(value.edits),
    "userContentEdits": lambda value, ask: page("userContentEdits", value.edits, ask.arguments,
                                                "UserContentEditConnection"),
    "viewerDidAuthor": _owns, "viewerCanUpdate": _may_update, **constant(createdViaEmail=False),
}  # fmt: skip
MINIMIZABLE: Fields = {
    **plain(pullRequest="pull_request"),
    "isMinimized": lambda value, ask: value.minimized is not None, "minimizedReason": _attribute("minimized"),
    "viewerCanDelete": _may_update, "viewerCanMinimize": _may_update,
}  # fmt: skip
FIELDS: dict[str, Fields] = {
    "Query": {
        "viewer": lambda value, ask: ask.hub.viewer, "repository": _repository, "nodes": _nodes,
        "node": lambda value, ask: _node(ask.hub, ask.arguments["id"]), "resource": _resource,
        "rateLimit": lambda value, ask: ask.hub,
    },
    "RateLimit": {
        **constant(cost=1, limit=LIMIT, nodeCount=0, resetAt="2030-01-01T00:00:00Z"),
        "used": lambda hub, ask: len(hub.requests), "remaining": lambda hub, ask: LIMIT - len(hub.requests),
    },
    "Repository": {
        **plain("id", "name", "owner", "url", databaseId="number", nameWithOwner="full_name", isPrivate="private"),
        "viewerPermission": lambda value, ask: value.permission(ask.hub.viewer).level.upper(),
        "defaultBranchRef": lambda value, ask: Ref(value.default_branch, value, ask.hub.oid(value.full_name)),
        "pullRequest": _pull_request, "pullRequests": _pull_requests, **constant(isArchived=False),
    },
    "PullRequest": {
        **TEXT, **plain("number", "title", "state", "locked", isDraft="draft", headRefName="head",
                        baseRefName="base", headRefOid="head_oid", baseRefOid="base_oid", permalink="url",
                        maintainerCanModify="maintainer_can_modify", baseRepository="repository",
                        headRepository="head_repository"),
        "fullDatabaseId": lambda value, ask: str(value.database_id), "headRef": _head_ref,
        "headRepositoryOwner": lambda value, ask: value.head_repository and value.head_repository.owner,
        "isCrossRepository": lambda value, ask: value.head_repository is not value.repository,
        "merged": lambda value, ask: value.state == "MERGED", "closed": lambda value, ask: value.state != "OPEN",
        "viewerCanEditFiles": lambda value, ask: value.repository.can_push(ask.hub.viewer),
        "reviewThreads": listed("reviewThreads", "threads", "PullRequestReviewThreadConnection"),
        "comments": listed("comments", "comments", "IssueCommentConnection"), "reviews": _reviews,
    },
    "PullRequestReviewThread": {
        **plain("id", "repository", **PLACE, diffSide="diff_side",
                isResolved="resolved", resolvedBy="resolved_by", isOutdated="outdated", isCollapsed="resolved",
                pullRequest="pull_request"),
        "startDiffSide": lambda value, ask: value.diff_side if value.original_start_line else None,
        "comments": listed("comments", "comments", "PullRequestReviewCommentConnection"),
        "viewerCanReply": lambda value, ask: not value.pull_request.locked or value.may_resolve(ask.hub.viewer),
        "viewerCanResolve": lambda value, ask: not value.resolved and value.may_resolve(ask.hub.viewer),
        "viewerCanUnresolve": lambda value, ask: value.resolved and value.may_resolve(ask.hub.viewer),
    },
    "PullRequestReviewComment": {
        **TEXT, **MINIMIZABLE, **plain("state", pullRequestReview="review", replyTo="reply_to"),
        "commit": lambda value, ask: Commit(value.pull_request.head_oid, value.repository),
        "originalCommit": commit("original_commit"), "outdated": lambda value, ask: value.thread.outdated,
        **{name: _of_thread(attribute) for name, attribute in PLACE.items()},
        **constant(diffHunk="@@ -1 +1 @@"), "draftedAt": lambda value, ask: value.created_at,
    },
    "PullRequestReview": {
        **TEXT, **MINIMIZABLE, **plain("state", submittedAt="submitted_at"), "commit": commit("commit"),
        "authorCanPushToRepository": lambda value, ask: value.repository.can_push(value.author),
        "comments": listed("comments", "comments", "PullRequestReviewCommentConnection"),
    },
    "IssueComment": {**TEXT, **MINIMIZABLE},
    "User": NAMED, "Organization": NAMED, "Bot": ACTOR, "Mannequin": ACTOR,
    "EnterpriseUserAccount": {key: value for key, value in NAMED.items() if key != "databaseId"},
    "Commit": plain("id", "oid", "url", "repository", abbreviatedOid="short"),
    "Ref": plain("id", "name", "prefix", "repository", "target"),
    "UserContentEdit": plain("id", editor="by", editedAt="at", createdAt="at", updatedAt="at", diff="body"),
    "PageInfo": plain(hasNextPage="has_next_page", hasPreviousPage="has_previous_page",
                      startCursor="start_cursor", endCursor="end_cursor"),
    **{f"{name}Connection": CONNECTION for name in PAGED},
    **{f"{name}Edge": EDGE for name in PAGED},
}  # fmt: skip
