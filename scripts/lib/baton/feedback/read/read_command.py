"""One read of a pull request: which one, everything that was said on it, who is trusted, what is new."""

from collections.abc import Mapping
from typing import NamedTuple

from baton.artifacts.config import Config
from baton.errors import BatonError
from baton.feedback.questions import Answers
from baton.feedback.read.address import Address, Remote, Target, find_address, parse_remote
from baton.feedback.read.digest import Digest
from baton.feedback.read.fetch import find_number, read_feedback
from baton.feedback.read.models import Feedback, PullRequest
from baton.feedback.read.permissions import ask_pushers
from baton.feedback.read.record import Reader, Record, make_record, named
from baton.feedback.read.triage import Voices, hear_all, triage
from baton.feedback.read.trust import Pushers, judge_author, to_ask, told_beside_reviews
from baton.feedback.store import folder_of, save
from baton.git.command import Git
from baton.git.remotes import pushed_as, remotes_of
from baton.github.client import GitHub
from baton.journal.paths import Project
from baton.project.settings import find_base, read_settings


class Wanted(NamedTuple):
    """What a person asked for: a number, a URL or nothing, and the repository when it is said."""

    text: str = ""
    repository: str = ""


def find_pull(project: Project, wanted: Wanted) -> Address:
    """Find the pull request that is meant, asking GitHub for nothing; number 0 where its branch has to tell."""
    return find_address(wanted.text, wanted.repository, known_remotes(Git(project)))


def known_remotes(git: Git) -> list[Remote]:
    """Give the remotes that can be GitHub's."""
    known = []
    for one in remotes_of(git):
        parsed = (parse_remote(one.name, url, bool(one.settled)) for url in one.urls)
        if remote := next((found for found in parsed if found), None):
            known.append(remote._replace(repository=one.settled) if "/" in one.settled else remote)
    return known


class Read(NamedTuple):
    """A pull request as it was read: everything that was said, and what is kept of it."""

    reader: Reader
    record: Record
    config: Config
    requests: int

    @property
    def digest(self) -> Digest:
        """What to tell of it."""
        return Digest(self.record, self.reader.items, self.requests)


def read_pull_request(project: Project, address: Address, after: str = "") -> Read:
    """Read a pull request's feedback and keep it; `after` is the round it is read at the end of."""
    git, github = Git(project), GitHub(address.host, project.root)
    if not address.number:
        address = address._replace(number=_of_branch(git, github, address))
    folder = folder_of(project, address.host, address.repository, address.number)
    heard = _hear(git, github, address, Answers(project, folder).trusted)
    pull, said = heard.feedback.pull, heard.feedback
    only = named(said, address.target) if address.target else None
    lookback = heard.config.resolved_lookback
    reader = Reader(said, heard.voices, triage(said, heard.voices), lookback, heard.titled, only)
    path = folder_of(project, pull.host, pull.repository, pull.number) / "feedback.json"
    record = {**make_record(reader), **_target(said, address.target), "file": str(path)}
    if after:
        record["after"] = after
    save(project, record)
    return Read(reader, record, heard.config, github.requests)


class _Heard(NamedTuple):
    """What was said, without a word of others; what may be known of it; and whether the title may be."""

    feedback: Feedback
    voices: Voices
    config: Config
    titled: bool


def _hear(git: Git, github: GitHub, address: Address, trusted: Mapping[str, int]) -> _Heard:
    feedback = read_feedback(github, address, lambda pull: trusted_settings(git, pull).resolved_lookback)
    pull, config = feedback.pull, trusted_settings(git, feedback.pull)
    pushers = _pushers(github, feedback, trusted)
    quiet, voices = hear_all(feedback, lambda one: judge_author(one, pushers, config.bots), config.bots)
    titled = pull.own or (pull.author.kind == "User" and pushers.get(pull.author.login.lower()) is True)
    return _Heard(quiet, voices, config, titled)


def _of_branch(git: Git, github: GitHub, address: Address) -> int:
    """Find the number of the pull request of the branch that is checked out."""
    if not git.branch:
        raise BatonError("no branch is checked out", str(git.project.root), "give the number of the pull request")
    remote, branch = pushed_as(git)
    heads = (one.repository for one in known_remotes(git) if one.name == remote)
    return find_number(github, address, branch, next(heads, ""))


def trusted_settings(git: Git, pull: PullRequest) -> Config:
    """Give the settings a pull request is judged by."""
    return settings_beside(git, pull.state, pull.head_oid)


def settings_beside(git: Git, state: str, head: str) -> Config:
    """Give the settings committed on the base branch; the defaults where only the pull request's own are here."""
    base = find_base(git)
    if not base:
        return Config()
    config = read_settings(git, base)[1]
    if config.base and config.base != base and git.branch_commit(config.base):
        base, config = read_settings(git, config.base)
    # While it is open, a branch that has its head is not the one it is to be merged into.
    is_its_own = state == "OPEN" and git.contains(head, git.branch_commit(base))
    return Config() if is_its_own else config


def _pushers(github: GitHub, feedback: Feedback, trusted: Mapping[str, int]) -> Pushers:
    """Give who may push: as GitHub tells it, and where it does not, as a person said of an account."""
    threads = (one for thread in feedback.threads for one in thread.comments)
    said = [*threads, *feedback.reviews, *feedback.comments]
    unknown = to_ask(said)
    told = {**ask_pushers(github, feedback.pull.repository, unknown), **told_beside_reviews(said)}
    settled = (one.login.lower() for one in unknown if trusted.get(one.login.lower(), 0) == one.number)
    return {**told, **{name: True for name in settled if told[name] is None}}


def _target(feedback: Feedback, target: Target | None) -> Record:
    """Say what a URL named; of a comment in a thread, whether that is resolved."""
    if not target:
        return {}
    threads = (one for one in feedback.threads if any(said.number == target.number for said in one.comments))
    resolved = target.surface == "review_thread" and any(one.resolved for one in threads)
    return {"target": {"surface": target.surface, "number": target.number, "resolved": resolved}}
