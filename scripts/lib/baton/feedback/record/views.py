"""A pull request and its items, shown: as the JSON of `pr fetch` and `pr show`, and in full.

The names in JSON are others' to rely on (docs/commands.md). Who reads the texts may be an agent with a shell:
prompts for agents that they fold away are a line each.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import TRUSTED, Comment, PullRequest, Thread
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.text.flags import flags_of, fold_prompts
from baton.github.client import GitHub
from baton.github.queries import EDITS
from baton.text import on_one_line, quoted, visible

# What is named alike in JSON.
PULL_FIELDS = (
    "host", "number", "url", "head_oid", "base", "own", "cross_repository", "maintainer_can_modify", "state",
    "draft",
)  # fmt: skip
THREAD_FIELDS = ("id", "path", "line", "start_line", "original_line", "original_start_line", "outdated", "commit")
ITEM_FIELDS = (
    "id", "surface", "state", "why", "path", "line", "start_line", "outdated", "author", "trust", "category",
    "severity", "url", "at", "repeated", "review", "heard", "body_bytes",
)  # fmt: skip
MOST_IDS = 100  # ids: of more GitHub refuses all (sourcecred/sourcecred#908)


def view_record(record: PullRequestRecord) -> dict[str, Any]:
    """Return a pull request with all that was said, and the items it comes to."""
    unresolved = [thread for thread in record.threads if thread.is_open]
    return {
        "pr": view_pull(record.pull),
        "viewer": record.viewer,
        "pending_review": record.pending_review and record.pending_review._asdict(),
        "review_threads": [_thread(thread) for thread in unresolved if not thread.outdated],
        "outdated_threads": [_thread(thread) for thread in unresolved if thread.outdated],
        "pr_comments": [view_comment(comment) for comment in record.comments],
        "review_bodies": [{**view_comment(review), "state": review.state} for review in record.reviews],
        "cross_invocation": {
            "signal": record.signal,
            "resolved_threads": [
                _resolved(thread, record.categories.get(thread.id)) for thread in record.resolved
            ],
        },
        "items": [view_item(item) for item in record.items],
        "counts": record.counts,
        "unverified": dict(record.unverified),
        "not_reviewed": [bot._asdict() for bot in record.not_reviewed],
        "not_read": list(record.not_read),
        **({"target": record.target._asdict()} if record.target else {}),
        "file": str(record.file),
        **({"after": record.after} if record.after else {}),
    }


def view_pull(pull: PullRequest) -> dict[str, Any]:
    """Return a pull request; the name of a fork's branch is its author's words."""
    return {
        **{name: getattr(pull, name) for name in PULL_FIELDS},
        "repo": pull.repository,
        "title": None if pull.title is None else visible(pull.title),
        "head": pull.target if pull.cross_repository else pull.head,
        "head_branch": pull.head,
        "head_repo": pull.head_repository,
        "author": pull.author.login,
    }


def view_comment(comment: Comment) -> dict[str, Any]:
    """Return a comment; the body of one that is not trusted stays behind, but for its size."""
    trusted = comment.trust == TRUSTED
    return {
        "id": comment.id, "author": comment.author.login, "trust": comment.trust,
        "body": visible(comment.body) if trusted else None, "created_at": comment.created_at, "url": comment.url,
        **({} if trusted else {"body_bytes": comment.size}),
        **({"edited_at": comment.edited_at} if comment.edited_at else {}),
    }  # fmt: skip


def view_item(item: Item) -> dict[str, Any]:
    """Return an item; of a finding within a body also the part of it that it stands in."""
    data = {name: getattr(item, name) for name in ITEM_FIELDS}
    data |= {"title": visible(item.title), "flags": list(item.flags)}
    return {**data, "body": visible(item.text)} if item.is_part else data


def _thread(thread: Thread) -> dict[str, Any]:
    first = thread.comments[0] if thread.comments else None
    return {
        **{name: getattr(thread, name) for name in THREAD_FIELDS},
        "url": first.url if first else "",
        "root_comment_id": first.number if first else None,
        "comments": [view_comment(comment) for comment in thread.comments if comment.state != "PENDING"],
    }


def _resolved(thread: Thread, category: str | None) -> dict[str, Any]:
    comments = [view_comment(comment) for comment in thread.comments]
    return {
        "thread_id": thread.id, "path": thread.path, "line": thread.line or thread.original_line,
        "start_line": thread.lines.start or None, "category": category, "answered": thread.answered,
        "first_comment_body": comments[0]["body"], "last_comment_at": thread.last_at, "comments": comments,
    }  # fmt: skip


class ItemView(NamedTuple):
    """An item, or a thread that was resolved before, with all its texts."""

    shown: Item | Thread
    comments: tuple[Comment, ...]

    def text(self) -> str:
        """Return it as text."""
        return "\n".join([self._head(), *map(_quote_comment, self.comments)])

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        shown = self.shown
        if isinstance(shown, Item):
            data = view_item(shown)
        else:
            data = {"id": shown.id, "state": "resolved", "path": shown.path, "line": shown.line}
        return {**data, "comments": [view_comment(comment) for comment in self.comments]}

    def _head(self) -> str:
        shown = self.shown
        lines = shown.lines if isinstance(shown, Item) else str(shown.line or "")
        place = on_one_line(shown.path) + (lines and f":{lines}") if shown.path else ""
        name = f"{shown.id} {place or 'on the pull request'}"
        if isinstance(shown, Thread):
            return f"{name} resolved before: for what it tells, not to be worked on"
        words = [shown.category, shown.severity, "outdated" if shown.outdated else ""]
        return f"{name} {shown.state}: {on_one_line(shown.why)} ({', '.join(word for word in words if word)})"


def find_view(record: PullRequestRecord, name: str) -> ItemView:
    """Return the view of an item or of a thread that was resolved before; a BatonError where there is none.

    A bot's prompts for agents are folded: whoever works on an item is told what to do by its brief alone.
    """
    shown, comments = _found(record, name)
    return ItemView(
        shown,
        tuple(
            comment._replace(body=fold_prompts(comment.body)) for comment in comments if comment.state != "PENDING"
        ),
    )


def _found(record: PullRequestRecord, name: str) -> tuple[Item | Thread, Sequence[Comment]]:
    item = next((item for item in record.items if item.id == name), None)
    if item is None:
        if resolved := next((thread for thread in record.resolved if thread.id == name), None):
            return resolved, resolved.comments
        raise BatonError(f"no item {name[:200]}", str(record.file), _list_ids(record))
    if thread := next((thread for thread in record.threads if thread.id == name), None):
        return item, thread.comments
    comments = (*record.comments, *record.reviews)
    comment = next(comment for comment in comments if comment.id == (item.review or name))
    return item, [comment._replace(body=item.text) if item.is_part else comment]


def _list_ids(record: PullRequestRecord) -> str:
    more = f" and {len(record.ids) - 5} more" if len(record.ids) > 5 else ""
    return f"one of: {', '.join(record.ids[:5])}{more}" if record.ids else "run `baton pr fetch` again"


def _quote_comment(comment: Comment) -> str:
    who = f"@{comment.author.login}, {comment.trust}, {comment.created_at}"
    if comment.trust != TRUSTED:
        return f"not shown: {comment.size} bytes of {who} {comment.url}"
    edited = f", edited {comment.edited_at}" if comment.edited_at else ""
    flagged = f"; {', '.join(flagged)}" if (flagged := flags_of(comment.body)) else ""
    return quoted(f"{who}{edited}{flagged}", comment.body)


def was_edited(github: GitHub, views: Sequence[ItemView]) -> bool:
    """Whether any of the texts is not as it was read: edited, minimized or gone."""
    known = {comment.id: comment.edited_at for view in views for comment in view.comments}
    return any(not _is_same(node, known) for nodes in _nodes(github, list(known)) for node in nodes)


def _nodes(github: GitHub, ids: list[str]) -> Iterator[list[Any]]:
    for begin in range(0, len(ids), MOST_IDS):
        part = ids[begin : begin + MOST_IDS]
        nodes = github.query(EDITS, {"ids": part}, holes=True).get("nodes")
        yield nodes if isinstance(nodes, list) and len(nodes) == len(part) else [None]


def _is_same(node: Any, known: dict[str, str]) -> bool:
    if not isinstance(node, dict) or node.get("isMinimized"):
        return False
    return (node.get("lastEditedAt") or "") == known.get(str(node.get("id")))
