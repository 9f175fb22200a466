"""Parse GitHub's nodes: what is missing or of another shape makes the whole read void."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from baton.feedback.fetch.pull_feedback import Comment, PullRequest, Thread
from baton.github.accounts import read_actor


class Incomplete(ValueError):
    """Why what came from GitHub cannot be taken for the whole; its text says what does not add up."""


class Page(NamedTuple):
    """A page of a connection; `cursor` is where the next one begins."""

    nodes: list[Any]
    total: int
    more: bool
    cursor: str


@contextmanager
def incomplete_where_odd(what: str) -> Iterator[None]:
    """Raise Incomplete for whatever a node lacks."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, Incomplete):
            raise
        raise Incomplete(f"{what} not as it should be: {type(error).__name__} {error}") from error


def page_of(connection: Any, name: str) -> Page:
    """Read one page of a connection."""
    nodes, about = connection["nodes"], connection["pageInfo"]
    if not isinstance(nodes, list) or any(node is None for node in nodes):
        raise Incomplete(f"a page of {name} has holes")
    more, cursor = about["hasNextPage"], about["endCursor"]
    if more and not cursor:
        raise Incomplete(f"the {name} go on, but not from where")
    return Page(nodes, int(connection["totalCount"]), bool(more), str(cursor or ""))


def read_comment(node: Any) -> Comment:
    """Read a comment, of whatever sort."""
    editor, body = node["editor"], _text(node["body"])
    minimized = node["minimizedReason"] or "minimized" if node["isMinimized"] else ""
    return Comment(
        id=_text(node["id"]),
        number=int(node["fullDatabaseId"] or 0),
        author=read_actor(node["author"]),
        body=body.replace("\r\n", "\n"),
        size=len(body.encode("utf-8", "surrogatepass")) if body.strip() else 0,
        created_at=_text(node["createdAt"]),
        url=_text(node["url"]),
        own=node["viewerDidAuthor"] is True,
        state=str(node.get("state") or ""),
        edited_at=node["lastEditedAt"] or "",
        editor=read_actor(editor) if editor or node["lastEditedAt"] else None,
        minimized=minimized,
        can_push=node.get("authorCanPushToRepository"),
    )


def read_review(node: Any) -> Comment:
    """Read what a review says as a whole; GitHub tells beside it whether its author may push."""
    return read_comment({**node, "authorCanPushToRepository": bool(node["authorCanPushToRepository"])})


def read_thread_comment(node: Any) -> Comment:
    """Read a comment in a thread; what its review tells of its author counts when it has the same author."""
    review, comment = node["pullRequestReview"], read_comment(node)
    if review is None:
        return comment
    same = read_actor(review["author"]) == comment.author
    can_push = bool(review["authorCanPushToRepository"]) if same else None
    return comment._replace(can_push=can_push, review=_text(review["id"]))


def read_thread(node: Any) -> Thread:
    """Read a thread with the first page of its comments; `cursor` is where they go on."""
    page = page_of(node["comments"], "comments of a thread")
    newest = node["newest"]["nodes"]
    commit = (page.nodes[0]["originalCommit"] or {}).get("oid", "") if page.nodes else ""
    if not page.more and len(page.nodes) != page.total:
        raise Incomplete(f"{len(page.nodes)} of {page.total} comments of {node['id']} came")
    return Thread(
        id=_text(node["id"]),
        path=_text(node["path"]),
        line=read_line(node["line"]),
        start_line=read_line(node["startLine"]),
        original_line=read_line(node["originalLine"]),
        original_start_line=read_line(node["originalStartLine"]),
        resolved=bool(node["isResolved"]),
        outdated=bool(node["isOutdated"]),
        last_at=_text(newest[0]["createdAt"]) if newest else "",
        comments=tuple(map(read_thread_comment, page.nodes)),
        cursor=page.cursor if page.more else "",
        commit=commit,
    )


def read_pull(repository: Any, host: str) -> PullRequest:
    """Read the pull request itself."""
    node = repository["pullRequest"]
    head = node["headRepository"]
    return PullRequest(
        host=host,
        repository=_text(repository["nameWithOwner"]),
        number=int(node["number"]),
        id=_text(node["id"]),
        title=_text(node["title"]),
        url=_text(node["url"]),
        state=_text(node["state"]),
        draft=bool(node["isDraft"]),
        author=read_actor(node["author"]),
        base=_text(node["baseRefName"]),
        head=_text(node["headRefName"]),
        head_oid=_text(node["headRefOid"]),
        head_repository=_text(head["nameWithOwner"]) if head else "",
        cross_repository=bool(node["isCrossRepository"]),
        maintainer_can_modify=bool(node["maintainerCanModify"]),
        own=node["viewerDidAuthor"] is True,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} instead of a text")
    return value


def read_line(value: Any) -> int | None:
    """Return the number of a line, or None for none; a TypeError for anything else."""
    if value is not None and (type(value) is not int or value < 1):
        raise TypeError(f"{value!r} instead of a line")
    return value
