"""One fetch of a pull request: which one, everything that was said on it, who is trusted, what is new."""

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.config import Config
from baton.errors import BatonError
from baton.feedback.fetch.fetch_feedback import fetch_feedback, find_number
from baton.feedback.fetch.general_comments import PastAnswers, comment_item
from baton.feedback.fetch.item import PENDING, Item
from baton.feedback.fetch.pull_feedback import Feedback, PullRequest, Thread
from baton.feedback.fetch.threads import our_verdict, speaks_again, thread_item
from baton.feedback.fetch.trust import (
    classify_comments,
    find_pushers,
    judge_comment,
    named_bots,
    without_untrusted_title,
)
from baton.feedback.reader.items import KnownThread
from baton.feedback.reader.texts import Text, texts_of
from baton.feedback.record.digest import Digest
from baton.feedback.record.record import (
    PullRequestRecord,
    load_record,
    load_record_in,
    save_record,
    with_kept_readings,
)
from baton.feedback.store.kept_files import RECORD_FILE, find_folder, folder_of
from baton.feedback.store.questions import Answers, load_trusted_bots
from baton.feedback.text.excerpt import excerpt
from baton.git.command import Git
from baton.git.remotes import pushed_as
from baton.github.address import NUMBER, CommentRef, PullRequestRef, find_address, known_remotes
from baton.github.client import GitHub
from baton.journal.paths import Project
from baton.project.settings import config_on, find_base

MOST_KNOWN, KNOWN_WORDS = 40, 80  # threads, and characters of each


def find_pull(project: Project, text: str, repository: str = "") -> PullRequestRef:
    """Find the pull request that is meant, asking GitHub for nothing; number 0 where its branch has to tell."""
    return find_address(text, repository, known_remotes(Git(project)))


class Snapshot(NamedTuple):
    """A pull request as it was fetched: everything that was said, and what is kept of it."""

    feedback: Feedback
    record: PullRequestRecord
    config: Config
    requests: int

    @property
    def digest(self) -> Digest:
        """The digest of it that is printed."""
        return Digest(self.record, self.requests)


def fetch_pull_request(project: Project, address: PullRequestRef, after: str = "") -> Snapshot:
    """Fetch a pull request's feedback and keep it; `after` is the round it is fetched at the end of."""
    git, github = Git(project), GitHub(address.host, project.root)
    if not address.number:
        address = address._replace(number=_of_branch(git, github, address))
    settings = lru_cache(lambda pull: settings_for(git, pull))
    feedback = fetch_feedback(github, address, lambda pull: settings(pull).resolved_lookback)
    config = settings(feedback.pull)
    folder = folder_of(project, feedback.pull.host, feedback.pull.repository, feedback.pull.number)
    bots = named_bots(config.bots, feedback, load_trusted_bots(project, folder).trusted)
    config, answers = config._replace(bots=bots), Answers(project, folder)
    pushers = find_pushers(github, feedback, answers.kept.trusted)
    feedback = classify_comments(feedback, lambda comment: judge_comment(comment, pushers, bots), bots)
    feedback = feedback._replace(pull=without_untrusted_title(feedback.pull, pushers))
    record = make_record(feedback, config.resolved_lookback, config.volume, address.target, folder / RECORD_FILE)
    record = record._replace(after=after)
    save_record(project, record)
    return Snapshot(feedback, with_kept_readings(project, record), config, github.requests)


def current_record(project: Project, record: PullRequestRecord) -> PullRequestRecord:
    """Return a record as it is; one that an older version kept is fetched anew, and is no newer for that."""
    if not record.is_older:
        return record
    kept = record.file.stat()
    fetched = fetch_pull_request(project, record.pull.ref).record
    os.utime(record.file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    return fetched


def find_record(project: Project, pull: str) -> PullRequestRecord:
    """Return the record of a pull request; a number alone means the one with it that was fetched last."""
    if match := NUMBER.match(pull):
        return load_record_in(project, find_folder(project, int(match[1])))
    address = find_pull(project, pull)._replace(target=None) if pull else None
    if address and not address.number:
        raise BatonError("no number", "--pr", "give the number of the pull request, or its URL")
    return load_record(project, address)


def _of_branch(git: Git, github: GitHub, address: PullRequestRef) -> int:
    """Find the number of the pull request of the branch that is checked out."""
    local = git.branch
    if not local:
        raise BatonError("no branch is checked out", str(git.project.root), "give the number of the pull request")
    remote, branch = pushed_as(git, local)
    heads = (known.repository for known in known_remotes(git) if known.name == remote)
    return find_number(github, address, branch, next(heads, ""))


def settings_for(git: Git, pull: PullRequest) -> Config:
    """Return the settings committed on the base branch; the defaults where only its own are here."""
    base = find_base(git)
    config = config_on(git, base) if base else None
    if config and config.base not in ("", base) and git.branch_commit(config.base):
        base, config = config.base, config_on(git, config.base)
    # While it is open, a branch that has its head is not the one it is to be merged into.
    if config is None or (pull.state == "OPEN" and git.contains(pull.head_oid, f"refs/heads/{base}")):
        return Config()
    return config


def make_record(
    feedback: Feedback, lookback: int, volume: int, target: CommentRef | None, file: Path
) -> PullRequestRecord:
    """Make a record of what was fetched; of what a URL names alone, where it names a piece of feedback."""
    names = _find_target(feedback, target) if target else None

    def is_wanted(*ids: str) -> bool:
        return names is None or not names.isdisjoint(ids)

    answers = PastAnswers(comment for comment in feedback.bodies if comment.own)
    items = _sorted(feedback, answers)
    texts = texts_of(feedback, items)
    heard = {item.id for item in items}
    threads = [thread for thread in feedback.threads if is_wanted(thread.id)]
    if target and target.surface == "review_thread":
        target = target._replace(resolved=any(thread.resolved for thread in threads))
    wanted = {item.id: item for item in items if is_wanted(item.id, item.review)}
    return PullRequestRecord(
        feedback.pull,
        feedback.viewer,
        feedback.pending_review,
        tuple(thread for thread in threads if thread.is_open or thread.id in heard),
        tuple(comment for comment in feedback.comments if comment.size and is_wanted(comment.id)),
        tuple(review for review in feedback.reviews if review.is_submitted and is_wanted(review.id)),
        _settled(feedback, items, texts, lookback) if names is None else (),
        tuple(wanted.values()),
        tuple(text for text in texts if text.item in wanted),
        file,
        answers.marked,
        dict(_known(feedback)),
        dict(_unverified(feedback)),
        volume,
        target,
    )


def _sorted(feedback: Feedback, answers: PastAnswers) -> tuple[Item, ...]:
    """Return an item for each thread that has to be heard, for each comment and for each body of a review."""
    threads = [thread for thread in feedback.threads if not thread.resolved or speaks_again(thread)]
    by_surface = (("pr_comment", feedback.comments), ("review_body", feedback.reviews))
    bodies = (
        (surface, comment) for surface, comments in by_surface for comment in comments if comment.is_submitted
    )
    return (*map(thread_item, threads), *(comment_item(comment, surface, answers) for surface, comment in bodies))


def _settled(
    feedback: Feedback, items: Sequence[Item], texts: Sequence[Text], lookback: int
) -> tuple[Thread, ...]:
    """Return the newest threads that are settled, each with our verdict; none in which people speak again."""
    if_ignored = {text.item: text.otherwise for text in texts if text.after and text.is_bot}  # its state, by item
    objected = {text.item for text in texts if text.after} - if_ignored.keys()
    answered = {item.id for item in items if PENDING in (item.state, if_ignored.get(item.id))} - objected
    newest = feedback.newest_resolved(lookback + len(objected), answered)
    settled = [thread._replace(answered=our_verdict(thread)) for thread in newest if thread.id not in objected]
    return tuple(settled[:lookback])


def _known(feedback: Feedback) -> Iterator[tuple[str, KnownThread]]:
    """Return the newest threads of those bots that write bodies, too."""
    authors = {comment.author.login for comment in feedback.bodies if comment.is_bot and comment.size}
    threads = [
        thread for thread in feedback.threads if thread.comments and thread.comments[0].author.login in authors
    ]
    for thread in sorted(threads, key=lambda thread: thread.last_at, reverse=True)[:MOST_KNOWN]:
        first, numbers = thread.comments[0], thread.lines
        answered = max((comment.created_at for comment in thread.comments if comment.own), default=thread.last_at)
        lines = f"{numbers.start}-{numbers.stop - 1}" if len(numbers) > 1 else str(numbers.start or "")
        yield thread.id, KnownThread(
            first.author.login, thread.path, lines, excerpt(first.body, KNOWN_WORDS), not thread.resolved,
            our_verdict(thread), answered,
        )  # fmt: skip


def _find_target(feedback: Feedback, target: CommentRef) -> frozenset[str]:
    """Return the ids of what a URL names: a thread, a comment, or a review with all its threads."""
    if target.surface == "review_thread":
        ids = {
            thread.id
            for thread in feedback.threads
            if target.number in (comment.number for comment in thread.comments)
        }
    else:
        comments = feedback.comments if target.surface == "pr_comment" else feedback.reviews
        ids = {comment.id for comment in comments if comment.number == target.number}
        ids |= {
            thread.id
            for thread in feedback.threads
            if ids.intersection(comment.review for comment in thread.comments)
        }
    if not ids:
        remedy = "it may have been deleted; leave out what follows `#` to read all that is there"
        raise BatonError(f"no feedback has the number {target.number}", feedback.pull.url, remedy)
    return frozenset(ids)


def _unverified(feedback: Feedback) -> Iterator[tuple[str, int]]:
    """Return the accounts of users who may or may not push and of bots nobody named, each with its number."""
    for comment in feedback.all_comments:
        if comment.unknown and comment.unknown.number is not None:
            yield comment.unknown.account, comment.unknown.number
