"""The head of a pull request: brought here without touching a branch, and pushed to, forward only."""

import re
from collections.abc import Iterator
from pathlib import Path

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


def refs_of(folder: Path) -> str:
    """Return the prefix of the refs that keep what belongs to the pull request of a folder."""
    return f"refs/baton/{owner_of(folder)}"


def bring(git: Git, pull: PullRequest) -> None:
    """Have the head commit in this repository, fetching it if need be; no branch moves."""
    if not git.commit_of(pull.head_oid):
        said = ""
        for place, ref in _sources(git, pull):
            words = ("fetch", *QUIETLY, "--", place, ref)
            tried = git.ask(*words, no=range(1, 256), seconds=FETCH_SECONDS)
            if git.commit_of(pull.head_oid):
                break
            said = tried.said if tried.code else "it is not there"
        else:
            what = f"the head {pull.head_oid[:12]} cannot be fetched ({said or 'no remote has it'})"
            raise BatonError(what, pull.name, f"`gh pr checkout {pull.number}`, then call again")
    set_ref(git, f"{refs_of(Path(pull.host, pull.repository, str(pull.number)))}/head", pull.head_oid)


def _sources(git: Git, pull: PullRequest) -> Iterator[tuple[str, str]]:
    """Return where the head may be fetched from: each a remote or a URL, and a ref."""
    for one in known_remotes(git):
        if (one.host, one.repository.lower()) == (pull.host, pull.repository.lower()):
            yield one.name, f"refs/pull/{pull.number}/head"
    if pull.head_repository:
        yield push_place(git, pull), pull.head_ref


def cannot_push(pull: PullRequest) -> tuple[str, str]:
    """Say why nothing can be pushed to the head, and what to do; two empty strings when it can."""
    if not pull.head_repository:
        return "the fork it comes from is gone", "its author has to open another pull request"
    if pull.cross_repository and not pull.maintainer_can_modify and not pull.own:
        return "its author does not let maintainers push to it", "ask them to allow edits"
    if not pull.cross_repository and pull.head == pull.base:
        return f"its head is its base, {pull.base}", "nothing is pushed there"
    return "", ""


def push_place(git: Git, pull: PullRequest) -> str:
    """Return the remote or URL the head is pushed to; a BatonError says what is missing."""
    what, remedy = cannot_push(pull)
    if what:
        raise BatonError(what, pull.name, remedy)
    wanted = (pull.host, pull.head_repository.lower())
    for one in known_remotes(git):
        if (one.host, one.repository.lower()) == wanted:
            return one.name
    # The fork is reached as the repository itself is: by the same protocol, with the same login.
    for remote in remotes_of(git):
        known = parse_remote(remote.name, remote.urls[-1])
        if known and (known.host, known.repository.lower()) == (pull.host, pull.repository.lower()):
            return re.sub(re.escape(known.repository), pull.head_repository, remote.urls[-1], count=1)
    url = f"https://{pull.host}/{pull.head_repository}.git"
    raise BatonError(
        f"no remote is {pull.head_repository}", pull.name, f"`git remote add fork {url}`, then call again"
    )


def remote_head(git: Git, place: str, ref: str) -> str:
    """Return the commit a remote has at a ref; empty where it has none."""
    out = git.ask("ls-remote", "--quiet", "--refs", "--", place, ref, no=(), seconds=120).out
    return out.split("\t")[0].strip() if out else ""


def default_branch(git: Git, place: str) -> str:
    """Return the branch a remote calls its default; empty where it does not say."""
    out = git.ask("ls-remote", "--symref", "--", place, "HEAD", no=(), seconds=120).out
    found = re.match(r"ref: refs/heads/(\S+)\tHEAD", out)
    return found[1] if found else ""
