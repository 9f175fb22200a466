"""The JSON of `pr fetch` and `pr show`: its names are others' to rely on (docs/commands.md)."""

from typing import Any

from baton.feedback.fetch.item import Item
from baton.feedback.fetch.models import TRUSTED, Comment, Thread
from baton.feedback.fetch.pull_types import PullRequest
from baton.feedback.record.record import PullRequestRecord
from baton.text import visible

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
