"""The head of a pull request: brought here without touching a branch, and pushed to, forward only."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.read.address import parse_remote
from baton.feedback.read.models import PullRequest
from baton.feedback.read.read_command import known_remotes
from baton.feedback.store import owner_of
from baton.git.command import Git
from baton.git.objects import set_ref
from baton.git.remotes import remotes_of

FETCH_SECONDS, PUSH_SECONDS = 600, 600
# Of what is fetched the program keeps the commit alone: no ref of the user's, no tag, no FETCH_HEAD.
QUIETLY = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=")


class Head(NamedTuple):
    """Where the commits of a pull request are, and whose code they may be."""

    host: str
    repository: str
    number: int
    branch: str
    base: str
    commit: str
    source: str  # the repository the branch is in; empty when that is gone
    forked: bool
    editable: bool  # maintainers may push to the fork
    own: bool  # the viewer opened the pull request
    author: str

    @property
    def is_strange(self) -> bool:
        """Whether it is code of somebody who need not be allowed to push."""
        return self.forked and not self.own

    @property
    def where(self) -> str:
        """What it is called in a message."""
        return f"{self.repository}#{self.number}"

    @property
    def ref(self) -> str:
        """The branch as a ref of its repository."""
        return f"refs/heads/{self.branch}"


def head_of(pull: PullRequest) -> Head:
    """Return the head of a pull request as it was read."""
    return Head(
        pull.host, pull.repository, pull.number, pull.head, pull.base, pull.head_oid, pull.head_repository,
        pull.cross_repository, pull.maintainer_can_modify, pull.own, pull.author.login,
    )  # fmt: skip


def refs_of(folder: Path) -> str:
    """Return the prefix of the refs that keep what belongs to the pull request of a folder."""
    return f"refs/baton/{owner_of(folder)}"


def bring(git: Git, head: Head) -> None:
    """Have the head commit in this repository, fetching it if need be; no branch moves."""
    if not git.commit_of(head.commit):
        said = ""
        for place, ref in _sources(git, head):
            words = ("fetch", *QUIETLY, "--", place, ref)
            tried = git.ask(*words, no=range(1, 256), seconds=FETCH_SECONDS)
            if git.commit_of(head.commit):
                break
            said = tried.said if tried.code else "it is not there"
        else:
            what = f"the head {head.commit[:12]} cannot be fetched ({said or 'no remote has it'})"
            raise BatonError(what, head.where, f"`gh pr checkout {head.number}`, then call again")
    set_ref(git, f"{refs_of(Path(head.host, head.repository, str(head.number)))}/head", head.commit)


def _sources(git: Git, head: Head) -> Iterator[tuple[str, str]]:
    """Return where the head may be fetched from: each a remote or a URL, and a ref."""
    for one in known_remotes(git):
        if (one.host, one.repository.lower()) == (head.host, head.repository.lower()):
            yield one.name, f"refs/pull/{head.number}/head"
    if head.source:
        yield push_place(git, head), head.ref


def cannot_push(head: Head) -> tuple[str, str]:
    """Say why nothing can be pushed to the head, and what to do; two empty strings when it can."""
    if not head.source:
        return "the fork it comes from is gone", "its author has to open another pull request"
    if head.forked and not head.editable and not head.own:
        return "its author does not let maintainers push to it", "ask them to allow edits"
    if not head.forked and head.branch == head.base:
        return f"its head is its base, {head.base}", "nothing is pushed there"
    return "", ""


def push_place(git: Git, head: Head) -> str:
    """Return the remote or URL the head is pushed to; a BatonError says what is missing."""
    what, remedy = cannot_push(head)
    if what:
        raise BatonError(what, head.where, remedy)
    wanted = (head.host, head.source.lower())
    for one in known_remotes(git):
        if (one.host, one.repository.lower()) == wanted:
            return one.name
    # The fork is reached as the repository itself is: by the same protocol, with the same login.
    for remote in remotes_of(git):
        known = parse_remote(remote.name, remote.urls[-1])
        if known and (known.host, known.repository.lower()) == (head.host, head.repository.lower()):
            return re.sub(re.escape(known.repository), head.source, remote.urls[-1], count=1)
    url = f"https://{head.host}/{head.source}.git"
    raise BatonError(f"no remote is {head.source}", head.where, f"`git remote add fork {url}`, then call again")


def remote_head(git: Git, place: str, ref: str) -> str:
    """Return the commit a remote has at a ref; empty where it has none."""
    out = git.ask("ls-remote", "--quiet", "--refs", "--", place, ref, no=(), seconds=120).out
    return out.split("\t")[0].strip() if out else ""


def default_branch(git: Git, place: str) -> str:
    """Return the branch a remote calls its default; empty where it does not say."""
    out = git.ask("ls-remote", "--symref", "--", place, "HEAD", no=(), seconds=120).out
    found = re.match(r"ref: refs/heads/(\S+)\tHEAD", out)
    return found[1] if found else ""
