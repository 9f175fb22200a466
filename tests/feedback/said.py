"""What was said on a pull request, written down short: who, what, and when by the order it is made in."""

from itertools import count
from pathlib import Path
from typing import Any

from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import Comment, Feedback, PullRequest, Thread
from baton.feedback.fetch.trust import classify_comments, judge_comment
from baton.feedback.reader.readings import ReadFinding, Readings, ReadText
from baton.feedback.record.fetch_pull import make_record
from baton.feedback.record.record import PullRequestRecord, with_readings
from baton.feedback.text.comment_marks import make_mark
from baton.github.accounts import Actor

BOTS = ("coderabbitai", "sourcery-ai")
# A review of a bot that asks for one thing, and a notice that it did not review.
NITPICK = "**Nitpicks (1)**\n\n`src/a.py`, 12-14: **Name the unit.**\n\nSeconds or milliseconds?"
LIMITED = "> [!WARNING]\n> ## Rate limit exceeded\n>\n> @me has exceeded the limit for the number of commits."
IGNORE = ReadText("ignore")
ROUND = "r1a2b3c4"
ME = Actor("me", "User", 1)
# May push: alice and bob; may not: stranger; of newcomer GitHub does not tell.
PUSHERS = {"alice": True, "bob": True, "stranger": False}
_numbers = count(1)
PULL = PullRequest(
    host="github.com", repository="octo/app", number=7, id="PR_7", title="Title",
    url="https://github.com/octo/app/pull/7",
    state="OPEN", draft=False, author=Actor("alice", "User", 2), base="main", head="topic", head_oid="a" * 40,
    head_repository="octo/app", cross_repository=False, maintainer_can_modify=False, own=False,
)  # fmt: skip


def at_first() -> None:
    """Number what is made from here on anew."""
    global _numbers
    _numbers = count(1)


def by(name: str, body: str, **more: Any) -> Comment:
    """Make a comment, later than all that were made before."""
    number = next(_numbers)
    bot = name in BOTS
    author = ME if name == "me" else Actor(name, "Bot" if bot else "User", number)
    at = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
    known = {
        "created_at": at,
        "url": f"https://github.com/octo/app/pull/7#{number}",
        "own": name == "me",
        "size": len(body.strip()),
    }
    return Comment(f"C_{number}", number, author, body, **{**known, **more})


def edited(comment: Comment) -> Comment:
    """Give a comment as its author has edited it by now."""
    return comment._replace(edited_at=by("me", "").created_at)


def thread(*comments: Comment, **more: Any) -> Thread:
    """Make a thread of these comments."""
    known: dict[str, Any] = {
        "id": f"T_{next(_numbers)}", "path": "src/a.py", "line": 12, "start_line": None, "original_line": 10,
        "original_start_line": None, "resolved": False, "outdated": False,
        "last_at": comments[-1].created_at if comments else "",
    }  # fmt: skip
    return Thread(**{**known, **more}, comments=comments)


def talk(words: str, **more: Any) -> Thread:
    """Make the thread T_1 of who spoke in turn, as `alice me:fixed alice`.

    `me:fixed` is our answer with that verdict, `me:fixed@r2` one of round r2, `me:draft` one that is not sent;
    `alice~` has been edited by now. The word `resolved` says that of the thread.
    """
    spoke = words.removesuffix(" resolved").split()
    comments = []
    for name, _, verdict in (one.rstrip("~").partition(":") for one in spoke):
        answer = make_mark("T_1", verdict.partition("@")[0], verdict.partition("@")[2] or ROUND) if verdict else ""
        draft = {"state": "PENDING"} if verdict == "draft" else {}
        comments.append(by(name, f"A word of {name}. {answer}".strip(), **draft))
    now = [edited(one) if word.endswith("~") else one for word, one in zip(spoke, comments, strict=True)]
    return thread(*now, **{"id": "T_1", "resolved": words.endswith(" resolved"), **more})


def fetched(
    *threads: Thread, comments: tuple[Comment, ...] = (), reviews: tuple[Comment, ...] = ()
) -> PullRequestRecord:
    """Make the record of what was said, before anybody read it."""
    said = Feedback(PULL, "me", list(threads), comments, reviews)
    said = classify_comments(said, lambda one: judge_comment(one, PUSHERS, BOTS), BOTS)
    return make_record(said, 10, 3, None, Path("/x/feedback.json"))


def read(record: PullRequestRecord, *texts: ReadText, **categories: str) -> PullRequestRecord:
    """Return a record as it was read: what each of its texts says, in their order; of the others nobody did."""
    said = {one.key: text for one, text in zip(record.texts, texts, strict=False)}
    return with_readings(record, Readings(said, categories), {})


def asks(quote: str, path: str | None = None, line: int | None = None, **more: Any) -> ReadText:
    """Return what is read of a text that asks for one thing."""
    return ReadText("actionable", (ReadFinding(quote, 0, **{"category": "naming", **more}, path=path, line=line),))


def sort(*threads: Thread, **more: tuple[Comment, ...]) -> tuple[Item, ...]:
    """Sort what was said, before anybody read it."""
    return fetched(*threads, **more).found


def only(*threads: Thread, **more: tuple[Comment, ...]) -> Item:
    """Sort what comes to one item, and give that."""
    [item] = sort(*threads, **more)
    return item


def record_of(*items: Item, **more: Any) -> PullRequestRecord:
    """Make a record of these items."""
    known: dict[str, Any] = {
        "pull": PULL, "viewer": "me", "pending_review": None, "threads": (), "comments": (), "reviews": (),
        "resolved": (), "found": items, "texts": (), "file": Path("/x/feedback.json"),
    }  # fmt: skip
    return PullRequestRecord(**{**known, **more}, items=items)
