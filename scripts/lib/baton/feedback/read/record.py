"""The whole of what was read, as JSON: every text as a person would see it, none of those who are not trusted."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.read.address import Target
from baton.feedback.read.fetch import newest
from baton.feedback.read.item import STATES, Item
from baton.feedback.read.models import Comment, Feedback, PullRequest, Thread
from baton.feedback.read.triage import Sorted, Voices
from baton.feedback.read.trust import TRUSTED, UNVERIFIED, edited_by_another
from baton.text import visible

Record = dict[str, Any]


class Reader(NamedTuple):
    """What a record is made from; `only` are the ids of what a URL names, None for everything."""

    feedback: Feedback
    voices: Voices
    sorted: Sorted
    lookback: int
    titled: bool  # whether who gave the pull request its title is trusted
    only: frozenset[str] | None = None

    @property
    def items(self) -> list[Item]:
        """The items that were asked for."""
        return [one for one in self.sorted.items if self.wants(one.id) or self.wants(one.review)]

    def wants(self, name: str) -> bool:
        """Whether something was asked for."""
        return self.only is None or name in self.only


def named(feedback: Feedback, target: Target) -> frozenset[str]:
    """Give the ids of what a URL names: a thread, a comment, or a review with all its threads."""
    if target.surface == "review_thread":
        found = {one.id for one in feedback.threads if any(said.number == target.number for said in one.comments)}
    else:
        said = feedback.comments if target.surface == "pr_comment" else feedback.reviews
        found = {one.id for one in said if one.number == target.number}
        found |= {one.id for one in feedback.threads if any(said.review in found for said in one.comments)}
    if not found:
        remedy = "it may have been deleted; leave out what follows `#` to read all that is there"
        raise BatonError(f"no feedback has the number {target.number}", feedback.pull.url, remedy)
    return frozenset(found)


def make_record(reader: Reader) -> Record:
    """Give everything as JSON has it, but for where it is kept."""
    feedback, items = reader.feedback, reader.items
    counts = Counter(one.state for one in items)
    open_threads = [one for one in feedback.threads if _is_open(one) and reader.wants(one.id)]
    current = [one for one in open_threads if not one.outdated]
    resolved = newest(feedback.threads, reader.lookback) if reader.only is None else []
    return {
        "pr": describe(feedback.pull, reader.titled),
        "viewer": feedback.viewer,
        "pending_review": pending_review(feedback),
        "review_threads": [_thread(one, reader) for one in current],
        "outdated_threads": [_thread(one, reader) for one in open_threads if one.outdated],
        "pr_comments": _said(feedback.comments, reader),
        "review_bodies": [
            {**made, "state": one.state}
            for one in feedback.reviews
            if one.state != "PENDING"
            for made in _said([one], reader)
        ],
        "cross_invocation": {
            "signal": bool(resolved and current),
            "resolved_threads": [_resolved(one, reader) for one in resolved],
        },
        "items": [_item(one) for one in items],
        "counts": {state: counts[state] for state in STATES},
        "unverified": dict(_unverified(reader)),
        "not_reviewed": [one._asdict() for one in reader.sorted.not_reviewed],
        "problems": list(reader.sorted.problems),
    }


def _unverified(reader: Reader) -> Iterator[tuple[str, int]]:
    """Give the users of whom it is not known whether they may push, with the numbers of their accounts."""
    for voice in reader.voices.values():
        said = voice.comment
        who = said.editor if said.editor and edited_by_another(said) else said.author
        if voice.trust.value == UNVERIFIED and who.number is not None:
            yield who.login.lower(), who.number


def pending_review(feedback: Feedback) -> Record | None:
    """Give the review the viewer has begun and not submitted; replies would vanish into it."""
    drafts = (one for one in feedback.reviews if one.state == "PENDING" and one.own)
    return next(({"id": one.id, "url": one.url} for one in drafts), None)


def seen(text: str) -> str:
    """Give a text as it is kept and shown: what nobody would see made visible, its lines ended alike."""
    return visible(text.replace("\r\n", "\n"))


def describe(pull: PullRequest, titled: bool) -> Record:
    """Give the pull request itself, with its title where who gave it is trusted."""
    return {
        "host": pull.host,
        "repo": pull.repository,
        "number": pull.number,
        "title": seen(pull.title) if titled else None,
        "url": pull.url,
        "head": pull.target if pull.cross_repository else pull.head,
        "head_branch": pull.head,
        "head_oid": pull.head_oid,
        "head_repo": pull.head_repository,
        "base": pull.base,
        "author": pull.author.login,
        "own": pull.own,
        "cross_repository": pull.cross_repository,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "state": pull.state,
        "draft": pull.draft,
    }


def _is_open(thread: Thread) -> bool:
    """Whether a thread is unresolved, and more than a draft of the viewer's."""
    draft = thread.comments and all(one.state == "PENDING" for one in thread.comments)
    return not thread.resolved and not draft


def _thread(thread: Thread, reader: Reader) -> Record:
    first = thread.comments[0] if thread.comments else None
    return {
        "id": thread.id,
        "path": thread.path,
        "line": thread.line,
        "start_line": thread.start_line,
        "original_line": thread.original_line,
        "original_start_line": thread.original_start_line,
        "outdated": thread.outdated,
        "commit": thread.commit,
        "url": first.url if first else "",
        "root_comment_id": first.number if first else None,
        "comments": [_comment(one, reader) for one in thread.comments if one.state != "PENDING"],
    }


def _resolved(thread: Thread, reader: Reader) -> Record:
    comments = [_comment(one, reader) for one in thread.comments]
    return {
        "thread_id": thread.id,
        "path": thread.path,
        "line": thread.line or thread.original_line,
        "first_comment_body": comments[0]["body"],
        "last_comment_at": thread.last_at,
        "comments": comments,
    }


def _said(comments: Iterable[Comment], reader: Reader) -> list[Record]:
    return [_comment(one, reader) for one in comments if one.size and reader.wants(one.id)]


def _comment(comment: Comment, reader: Reader) -> Record:
    """Give a comment; the body of one that is not trusted stays behind, but for its size."""
    voice = reader.voices[comment.id]
    told = voice.trust.value == TRUSTED
    made: Record = {
        "id": comment.id,
        "author": comment.author.login,
        "trust": voice.trust.value,
        "body": seen(voice.reading.text) if told else None,
        "created_at": comment.created_at,
        "url": comment.url,
    }
    if not told:
        made["body_bytes"] = comment.size
    if comment.edited_at:
        made["edited_at"] = comment.edited_at
    return made


ITEM_FIELDS = (
    "id", "surface", "state", "why", "path", "line", "start_line", "outdated", "author", "trust", "category",
    "severity", "url", "at", "sure", "sure_category", "repeated", "review",
)  # fmt: skip


def _item(item: Item) -> Record:
    made: Record = {name: getattr(item, name) for name in ITEM_FIELDS}
    made |= {name: seen(getattr(item, name)) for name in ("title", "label", "key")}
    made |= {"flags": list(item.flags), "body_bytes": item.body_bytes}
    return {**made, "body": seen(item.text)} if item.surface == "review_body_part" else made


def ids_of(record: Record) -> Collection[str]:
    """Give the ids of everything `pr show` can show of a record: items, and threads that were resolved before."""
    return [one["id"] for one in record["items"]] + [
        one["thread_id"] for one in record["cross_invocation"]["resolved_threads"]
    ]
