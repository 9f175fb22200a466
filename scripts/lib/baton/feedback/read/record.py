"""Everything that was read of a pull request, as it is kept and shown: no text of those who are not trusted."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.read.category import category_of
from baton.feedback.read.item import NEW, PENDING, STATES, Item
from baton.feedback.read.models import Comment, Feedback, PendingReview, Thread
from baton.feedback.read.pull_request import PullRequest
from baton.feedback.read.threads import our_verdict
from baton.feedback.read.triage import NotReviewed, Triaged
from baton.feedback.store import FOLDER, folder_of, read_kept
from baton.github.address import CommentRef, PullRequestRef
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project

NAME = "feedback.json"
AGAIN = "`baton pr fetch` reads it anew"


class PullRequestRecord(NamedTuple):
    """A pull request as it was read: what is unresolved, what was resolved last, and the items."""

    pull: PullRequest
    viewer: str
    pending_review: PendingReview | None
    threads: tuple[Thread, ...]  # the unresolved ones
    comments: tuple[Comment, ...]
    reviews: tuple[Comment, ...]
    resolved: tuple[Thread, ...]  # and what we answered and left open; the newest, newest first
    items: tuple[Item, ...]
    unverified: Mapping[str, int]  # the accounts that may be trusted by an answer, with their numbers
    not_reviewed: tuple[NotReviewed, ...]
    problems: tuple[str, ...]  # what did not add up in what bots wrote
    file: Path
    target: CommentRef | None = None  # the one piece of feedback that was asked for
    after: str = ""  # the round it was read at the end of

    @property
    def new(self) -> list[Item]:
        """The items that are to be worked on."""
        return [item for item in self.items if item.state == NEW]

    @property
    def signal(self) -> bool:
        """Whether there is something new beside what was resolved before."""
        settled = {thread.id for thread in self.resolved}
        open_now = any(not thread.outdated and thread.id not in settled for thread in self.threads)
        return bool(settled) and (open_now or any(item.is_part for item in self.new))

    @property
    def counts(self) -> dict[str, int]:
        """How many items there are of each state."""
        counts = Counter(item.state for item in self.items)
        return {state: counts[state] for state in STATES}

    @property
    def ids(self) -> list[str]:
        """The ids of everything `pr show` can show: items, and threads that were resolved before."""
        return [item.id for item in self.items] + [thread.id for thread in self.resolved]

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        data = {
            "pr": self.pull.to_data(),
            "viewer": self.viewer,
            "pending_review": self.pending_review and self.pending_review._asdict(),
            "review_threads": [thread.to_data() for thread in self.threads if not thread.outdated],
            "outdated_threads": [thread.to_data() for thread in self.threads if thread.outdated],
            "pr_comments": [comment.to_data() for comment in self.comments],
            "review_bodies": [{**review.to_data(), "state": review.state} for review in self.reviews],
            "cross_invocation": {
                "signal": self.signal,
                "resolved_threads": [thread.to_resolved_data() for thread in self.resolved],
            },
            "items": [item.to_data() for item in self.items],
            "counts": self.counts,
            "unverified": dict(self.unverified),
            "not_reviewed": [bot._asdict() for bot in self.not_reviewed],
            "problems": list(self.problems),
            **({"target": self.target._asdict()} if self.target else {}),
            "file": str(self.file),
        }
        return {**data, "after": self.after} if self.after else data

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "PullRequestRecord":
        """Return the record that JSON holds."""
        return cls(
            PullRequest.from_data(data["pr"]),
            data["viewer"],
            PendingReview(**data["pending_review"]) if data["pending_review"] else None,
            tuple(map(Thread.from_data, [*data["review_threads"], *data["outdated_threads"]])),
            tuple(map(Comment.from_data, data["pr_comments"])),
            tuple(map(Comment.from_data, data["review_bodies"])),
            tuple(map(Thread.from_resolved_data, data["cross_invocation"]["resolved_threads"])),
            tuple(map(Item.from_data, data["items"])),
            dict(data["unverified"]),
            tuple(NotReviewed(**bot) for bot in data["not_reviewed"]),
            tuple(data["problems"]),
            Path(data["file"]),
            CommentRef(**data["target"]) if "target" in data else None,
            data.get("after", ""),
        )


def make_record(
    feedback: Feedback, triaged: Triaged, lookback: int, target: CommentRef | None, file: Path
) -> PullRequestRecord:
    """Make a record of what was read; of what a URL names alone, where it names a piece of feedback."""
    names = find_target(feedback, target) if target else None

    def is_wanted(*ids: str) -> bool:
        return names is None or not names.isdisjoint(ids)

    threads = [thread for thread in feedback.threads if is_wanted(thread.id)]
    if target and target.surface == "review_thread":
        target = target._replace(resolved=any(thread.resolved for thread in threads))
    return PullRequestRecord(
        feedback.pull,
        feedback.viewer,
        feedback.pending_review,
        tuple(thread for thread in threads if thread.is_open),
        tuple(comment for comment in feedback.comments if comment.size and is_wanted(comment.id)),
        tuple(review for review in feedback.reviews if review.is_submitted and is_wanted(review.id)),
        _settled(feedback, triaged, lookback) if names is None else (),
        tuple(item for item in triaged.items if is_wanted(item.id, item.review)),
        dict(_unverified(feedback)),
        triaged.not_reviewed,
        triaged.problems,
        file,
        target,
    )


def _settled(feedback: Feedback, triaged: Triaged, lookback: int) -> tuple[Thread, ...]:
    """Return the newest threads that are settled, each with what it is about and our verdict on it."""
    answered = {item.id for item in triaged.items if item.state == PENDING}
    return tuple(
        thread._replace(category=_category(thread), answered=our_verdict(thread))
        for thread in feedback.newest_resolved(lookback, answered)
    )


def _category(thread: Thread) -> str:
    """Return what a thread is about: of one that a stranger began, as far as its path tells."""
    first = thread.comments[0]
    return category_of(first.text, first.parsed.label, thread.path).name


def find_target(feedback: Feedback, target: CommentRef) -> frozenset[str]:
    """Return the ids of what a URL names: a thread, a comment, or a review with all its threads."""
    if target.surface == "review_thread":
        found = {
            thread.id
            for thread in feedback.threads
            if target.number in (comment.number for comment in thread.comments)
        }
    else:
        comments = feedback.comments if target.surface == "pr_comment" else feedback.reviews
        found = {comment.id for comment in comments if comment.number == target.number}
        found |= {
            thread.id
            for thread in feedback.threads
            if found.intersection(comment.review for comment in thread.comments)
        }
    if not found:
        remedy = "it may have been deleted; leave out what follows `#` to read all that is there"
        raise BatonError(f"no feedback has the number {target.number}", feedback.pull.url, remedy)
    return frozenset(found)


def _unverified(feedback: Feedback) -> Iterator[tuple[str, int]]:
    """Return the users of whom it is not known whether they may push, and the bots nobody named, by number."""
    for comment in feedback.all_comments:
        if comment.unknown and comment.unknown.number is not None:
            yield comment.unknown.account, comment.unknown.number


def save_record(project: Project, record: PullRequestRecord) -> None:
    """Keep a record, as what was read last."""
    write_durably(record.file, json_lines(record), project.common)
    write_durably(project.state / FOLDER / "last", f"{record.file}\n", project.common)


def json_lines(record: PullRequestRecord) -> Iterator[bytes]:
    """Return a record as JSON, an entry of a list in each line; of a long one the whole is never held at once."""
    yield b"{"
    for number, (name, value) in enumerate(record.to_data().items()):
        yield f"{',' if number else ''}\n{json.dumps(name)}: ".encode()
        if not isinstance(value, list):
            yield json.dumps(value).encode()
            continue
        yield b"["
        for place, entry in enumerate(value):
            yield f"{',' if place else ''}\n {json.dumps(entry)}".encode()
        yield b"]"
    yield b"\n}\n"


def load_record(project: Project, address: PullRequestRef | None) -> PullRequestRecord:
    """Read what was kept of a pull request, or of the one that was read last; a BatonError when nothing was."""
    if address:
        return load_record_in(project, folder_of(project, address.host, address.repository, address.number))
    path = project.state / FOLDER / "last"
    try:
        last = read_plain(path, project.common)
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), AGAIN) from error
    if last is None:
        raise BatonError("no pull request was read here", str(project.root), "read one: `baton pr fetch 123`")
    return load_record_in(project, Path(last.decode(errors="surrogateescape").rstrip("\n")).parent)


def load_record_in(project: Project, folder: Path) -> PullRequestRecord:
    """Read what was kept in the folder of a pull request."""
    record = read_kept(project, folder / NAME, PullRequestRecord.from_data, AGAIN)
    if record is None:
        raise BatonError("this pull request was not read yet", str(folder / NAME), "read it: `baton pr fetch 123`")
    return record


def save_text(project: Project, record: PullRequestRecord, name: str, text: str) -> Path:
    """Keep a text that is too long to print beside the record; return its place."""
    # The name is GitHub's: it may hold what a file's may not.
    path = record.file.parent / "shown" / f"{sha256(name.encode()).hexdigest()[:16]}.txt"
    write_durably(path, text.encode("utf-8", "backslashreplace"), project.common)
    return path
