"""One fetch of a pull request: which one, everything that was said on it, who is trusted, what is new."""

import os
from functools import lru_cache
from typing import NamedTuple

from baton.artifacts.config import Config
from baton.errors import BatonError
from baton.feedback.fetch.fetch import find_number, read_feedback
from baton.feedback.fetch.models import Feedback
from baton.feedback.fetch.pull_types import PullRequest
from baton.feedback.fetch.trust import (
    classify_comments,
    find_pushers,
    judge_comment,
    named_bots,
    without_untrusted_title,
)
from baton.feedback.record.digest import Digest
from baton.feedback.record.make_record import make_record
from baton.feedback.record.record import NAME, PullRequestRecord, as_read, load_record, load_record_in, save_record
from baton.feedback.store.questions import Answers
from baton.feedback.store.round_files import find_folder, folder_of
from baton.feedback.store.trusted_bots import TrustedBots
from baton.git.command import Git
from baton.git.remotes import pushed_as
from baton.github.address import NUMBER, PullRequestRef, find_address, known_remotes
from baton.github.client import GitHub
from baton.journal.paths import Project
from baton.project.settings import config_on, find_base


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


def read_pull_request(project: Project, address: PullRequestRef, after: str = "") -> Snapshot:
    """Fetch a pull request's feedback and keep it; `after` is the round it is fetched at the end of."""
    git, github = Git(project), GitHub(address.host, project.root)
    if not address.number:
        address = address._replace(number=_of_branch(git, github, address))
    settings = lru_cache(lambda pull: settings_for(git, pull))
    feedback = read_feedback(github, address, lambda pull: settings(pull).resolved_lookback)
    config = settings(feedback.pull)
    folder = folder_of(project, feedback.pull.host, feedback.pull.repository, feedback.pull.number)
    bots = named_bots(config.bots, feedback, TrustedBots(project, folder.parent).numbers)
    config, answers = config._replace(bots=bots), Answers(project, folder)
    pushers = find_pushers(github, feedback, answers.trusted)
    feedback = classify_comments(feedback, lambda comment: judge_comment(comment, pushers, bots), bots)
    feedback = feedback._replace(pull=without_untrusted_title(feedback.pull, pushers))
    record = make_record(feedback, config.resolved_lookback, config.volume, address.target, folder / NAME)
    record = record._replace(after=after)
    save_record(project, record)
    return Snapshot(feedback, as_read(project, record), config, github.requests)


def current_record(project: Project, record: PullRequestRecord) -> PullRequestRecord:
    """Return a record as it is; one that an older version kept is fetched anew, and is no newer for that."""
    if not record.is_older:
        return record
    kept = record.file.stat()
    fetched = read_pull_request(project, record.pull.ref).record
    os.utime(record.file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    return fetched


def read_before(project: Project, pull: str) -> PullRequestRecord:
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
