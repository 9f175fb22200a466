"""Everything fetched of a pull request, and its items as readers and the user judged them.

Only what was fetched is kept; the items are made anew at each load, so that no answer given meanwhile is lost.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.general_comments import PastAnswer
from baton.feedback.fetch.item import NEW, STATES, UNREAD, Item
from baton.feedback.fetch.pull_feedback import Comment, PendingReview, PullRequest, Thread
from baton.feedback.fetch.threads import HEARD_ONCE
from baton.feedback.reader.items import ACTIONABLE, IGNORE, KnownThread, ReadSource, UserVerdict, items_of
from baton.feedback.reader.readings import Readings, ReadText, load_readings
from baton.feedback.reader.texts import Text, needs_reader
from baton.feedback.store.kept_files import RECORD_FILE, folder_of, kept_fields, read_as, to_data
from baton.feedback.store.questions import Answers
from baton.github.address import CommentRef, PullRequestRef
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import PULLS_FOLDER, Project

FETCH_AGAIN = "run `baton pr fetch` again"
DERIVED = ("items", "unread", "not_reviewed", "ignored", "not_read", "miscounted", "categories")


class NotReviewed(NamedTuple):
    """A bot that wrote that it did not review, and why; its silence is no approval."""

    bot: str
    why: str
    url: str


class PullRequestRecord(NamedTuple):
    """A pull request as it was fetched; `items` and the fields after it follow from that and its readings."""

    pull: PullRequest
    viewer: str
    pending_review: PendingReview | None
    threads: tuple[Thread, ...]  # the unresolved ones, and those in which somebody speaks again
    comments: tuple[Comment, ...]
    reviews: tuple[Comment, ...]
    resolved: tuple[Thread, ...]  # and what we answered and left open; the newest, newest first
    found: tuple[Item, ...]  # before anything was read
    texts: tuple[Text, ...]  # of the new ones
    file: Path
    answers: Mapping[str, PastAnswer] = {}  # ours, by item
    known: Mapping[str, KnownThread] = {}  # what bots said in threads who also write bodies
    unverified: Mapping[str, int] = {}  # the accounts that may be trusted by an answer, with their numbers
    volume: int = 3  # as many new items are grouped
    target: CommentRef | None = None  # the one piece of feedback that was asked for
    after: str = ""  # the round it was fetched at the end of
    is_older: bool = False  # an older version kept it: the pull request alone is known
    items: tuple[Item, ...] = ()
    unread: tuple[Text, ...] = ()
    not_reviewed: tuple[NotReviewed, ...] = ()
    ignored: tuple[Item, ...] = ()  # what a reader left out of what people said
    not_read: tuple[str, ...] = ()  # the addresses of what is taken as it stands, since its reader failed
    miscounted: tuple[str, ...] = ()  # the addresses of bodies that count more findings than were read there
    categories: Mapping[str, str] = {}  # of the threads in `resolved`

    @property
    def folder(self) -> Path:
        """The folder of the pull request, where all that is kept of it lies."""
        return self.file.parent

    @property
    def new(self) -> list[Item]:
        """The items that are to be worked on."""
        return [item for item in self.items if item.state == NEW]

    @property
    def left(self) -> list[Item]:
        """The items that are to be worked on or to be read."""
        return [item for item in self.items if item.state in (NEW, UNREAD)]

    @property
    def signal(self) -> bool:
        """Whether there are unresolved threads on today's lines beside threads that were resolved before."""
        settled = {thread.id for thread in self.resolved}
        now = (thread for thread in self.threads if not thread.outdated and not thread.is_draft)
        return bool(settled) and any(thread.id not in settled for thread in now)

    @property
    def is_recurring(self) -> bool:
        """Whether there is something new beside what was resolved before, findings in bodies included."""
        return self.signal or (bool(self.resolved) and any(item.is_part for item in self.new))

    @property
    def counts(self) -> dict[str, int]:
        """How many items there are of each state."""
        counts = Counter(item.state for item in self.items)
        return {state: counts[state] for state in STATES}

    @property
    def ids(self) -> list[str]:
        """The ids of everything `pr show` can show: items, and threads that were resolved before."""
        return [item.id for item in self.items] + [thread.id for thread in self.resolved]


def with_readings(
    record: PullRequestRecord, readings: Readings, verdicts: Mapping[str, UserVerdict]
) -> PullRequestRecord:
    """Return a record with its items, and what follows from them, as read and as the user judged by now."""
    texts = {text.item: text for text in record.texts}
    times, urls = {item.id: item.at for item in record.found}, {item.id: item.url for item in record.found}
    judged = {name for name, given in verdicts.items() if given.at == times.get(name)}
    unread = [text for text in record.texts if text.key not in readings.texts and text.item not in judged]
    needed = needs_reader(unread, record.volume, record.signal, record.target is not None)
    read = {text.item: readings.texts[text.key] for text in record.texts if text.key in readings.texts}
    # A thread that waits for a decision has no text left: what it is about was read before.
    labelled = [item._replace(category=readings.categories.get(item.id, item.category)) for item in record.found]
    items = items_of(ReadSource(
        labelled, texts, readings.texts, verdicts, record.answers, record.known, needed
    ))  # fmt: skip
    return record._replace(
        items=tuple(items),
        unread=tuple(unread) if needed else (),
        not_reviewed=tuple(_not_reviewed(record, read)),
        ignored=tuple(
            item
            for item in items
            if item.id in read
            and read[item.id].says == "ignore"
            and not texts[item.id].is_bot
            and item.state != NEW
        ),
        not_read=tuple(urls[name] for name, reading in read.items() if reading.failed),
        miscounted=tuple(urls[name] for name, reading in read.items() if reading.doubted == "count"),
        categories={
            thread.id: readings.categories[thread.id]
            for thread in record.resolved
            if thread.id in readings.categories
        },
    )


def _not_reviewed(record: PullRequestRecord, read: Mapping[str, ReadText]) -> Iterator[NotReviewed]:
    """Return the bots whose last body says that they did not review."""
    bodies = {item.id: item for item in record.found}
    last = {
        text.author: text for text in sorted(record.texts, key=lambda text: bodies[text.item].at) if text.is_bot
    }
    for author, text in last.items():
        if text.item in read and read[text.item].says == "not-reviewed":
            yield NotReviewed(author, read[text.item].quote, bodies[text.item].url)


def user_verdicts(answers: Answers) -> dict[str, UserVerdict]:
    """Return the user's verdicts on items, the last on each."""
    ignored = {item: UserVerdict(IGNORE, at) for item, at in answers.kept.ignored.items()}
    return ignored | {item: UserVerdict(ACTIONABLE, at) for item, at in answers.kept.wanted.items()}


def with_kept_readings(project: Project, record: PullRequestRecord, edited: bool = False) -> PullRequestRecord:
    """Return a record with its items, as they were read and as the user judged them by now.

    With `edited`, earlier readings of an edited body count as far as its words still stand there.
    """
    folder = record.folder
    readings, verdicts = load_readings(project, folder), user_verdicts(Answers(project, folder))
    return with_readings(record, readings.carried_over(record.texts) if edited else readings, verdicts)


def save_record(project: Project, record: PullRequestRecord) -> None:
    """Keep what was fetched, and that it was fetched last; the items are made anew at each load."""
    bare = record._replace(**{name: PullRequestRecord._field_defaults[name] for name in DERIVED})
    write_durably(record.file, json_lines(kept_fields(bare)), project.common)
    write_durably(project.state / PULLS_FOLDER / "last", f"{record.file}\n", project.common)


def json_lines(data: Mapping[str, Any]) -> Iterator[bytes]:
    """Return an object as JSON, an entry of a list in each line; of a long one the whole is never held at once."""
    yield b"{"
    for number, (name, value) in enumerate(data.items()):
        yield f"{',' if number else ''}\n{json.dumps(name)}: ".encode()
        if type(value) not in (list, tuple):  # a named tuple is an object
            yield json.dumps(to_data(value)).encode()
            continue
        yield b"["
        for place, entry in enumerate(value):
            yield f"{',' if place else ''}\n {json.dumps(to_data(entry))}".encode()
        yield b"]"
    yield b"\n}\n"


def load_record(project: Project, address: PullRequestRef | None) -> PullRequestRecord:
    """Read the record of a pull request, or of the one fetched last; a BatonError if there is none."""
    if address:
        return load_record_in(project, folder_of(project, address.host, address.repository, address.number))
    path = project.state / PULLS_FOLDER / "last"
    try:
        last = read_plain(path, project.common)
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), FETCH_AGAIN) from error
    if last is None:
        raise BatonError("no pull request was fetched here", str(project.root), "fetch one: `baton pr fetch 123`")
    return load_record_in(project, Path(last.decode(errors="surrogateescape").rstrip("\n")).parent)


def load_record_in(project: Project, folder: Path) -> PullRequestRecord:
    """Read the record in the folder of a pull request; a BatonError if there is none."""
    record = read_as(project, folder / RECORD_FILE, PullRequestRecord, FETCH_AGAIN, _upgraded)
    if record is None:
        raise BatonError(
            "this pull request was not fetched yet", str(folder / RECORD_FILE), "`baton pr fetch 123`"
        )
    return with_kept_readings(project, record)


def _upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record as it is kept now; of one that an older version kept, what a round under way needs."""
    if "review_threads" not in data:
        return {**data, "found": list(map(_upgraded_item, data["found"]))}
    pull = data["pr"]  # as `pr fetch` prints it
    alike = {name: pull[name] for name in PullRequest._fields if name in pull}
    renamed = {"repository": pull["repo"], "head": pull["head_branch"], "head_repository": pull["head_repo"]}
    kept = {**alike, **renamed, "id": "", "author": {"login": pull["author"], "kind": ""}}
    unread = {name: list[Any]() for name in ("threads", "comments", "reviews", "resolved", "found", "texts")}
    same = {name: data[name] for name in ("viewer", "file", "unverified")}
    return {"pull": kept, "pending_review": None, **unread, **same, "is_older": True}


def _upgraded_item(data: dict[str, Any]) -> dict[str, Any]:
    """Return an item as it is kept now: that its bot spoke again stood at the end of why alone."""
    return {**data, "spoke_again": True} if data["why"].endswith(HEARD_ONCE) else data


def save_text(project: Project, record: PullRequestRecord, name: str, text: str) -> Path:
    """Keep a text that is too long to print beside the record; return its place."""
    # The name is GitHub's: it may hold what a file's may not.
    path = record.folder / "shown" / f"{sha256(name.encode()).hexdigest()[:16]}.txt"
    write_durably(path, text.encode("utf-8", "backslashreplace"), project.common)
    return path
