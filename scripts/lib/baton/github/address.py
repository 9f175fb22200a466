"""Find the pull request that is meant, and its host: by a number, a URL or the branch that is checked out."""

import re
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.remotes import remotes_of

# GitHub's names; an enterprise's managed users have an underscore in theirs.
_REPOSITORY = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._-]{1,100}"
_HOST = r"(?=[^/]{1,253}(?:/|\Z))[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+"
REPOSITORY = re.compile(rf"{_REPOSITORY}\Z")
HOST = re.compile(rf"{_HOST}\Z")
NUMBER = re.compile(r"#?([1-9][0-9]{0,9})\Z")
# No user, port or other scheme: a token goes nowhere a reader of the URL would not see.
URL = re.compile(
    rf"(?:https?://)?(?P<host>{_HOST})/(?P<repository>{_REPOSITORY})/pull/(?P<number>[1-9][0-9]{{0,9}})"
    r"(?:/(?P<page>[a-z]+)(?:/[^?#\s]*)?)?/?(?:\?[^#\s]*)?(?:#(?P<anchor>.*))?\Z"
)
ISSUE = re.compile(
    rf"(?:https?://)?(?P<host>{_HOST})/(?P<repository>{_REPOSITORY})/issues/(?P<number>[1-9][0-9]{{0,9}})/?(?:[?#]\S*)?\Z"
)
ANCHOR = re.compile(r"(discussion_r|issuecomment-|pullrequestreview-|r)([1-9][0-9]{0,18})\Z")
SURFACES = {
    "discussion_r": "review_thread", "issuecomment-": "pr_comment", "pullrequestreview-": "review_body",
    "r": "review_thread",  # the short form, on the pages of changed files alone
}  # fmt: skip
SHAPES = "a number, or https://HOST/OWNER/REPO/pull/N (#discussion_r…, #issuecomment-…, #pullrequestreview-…)"
REMOTE = re.compile(r"(?:[a-z+]+://)?(?:[^@/\s]+@)?([^:/\s@]+)(?::\d+(?=/))?[:/]/*(\S+)\Z", re.I)
# What the same host is called in the addresses of remotes.
ALIASES = {"ssh.github.com": "github.com", "www.github.com": "github.com"}


class GitHubRemote(NamedTuple):
    """A remote of the work tree that can be GitHub's: its name, host and `OWNER/REPO`."""

    name: str
    host: str
    repository: str
    chosen: bool = False  # what `gh repo set-default` settled


class CommentRef(NamedTuple):
    """The one piece of feedback a URL names: its surface, and its number in GitHub's URLs."""

    surface: str
    number: int
    resolved: bool = False  # its thread, once that was read


class PullRequestRef(NamedTuple):
    """A pull request; number 0 means that of the branch that is checked out."""

    host: str
    repository: str
    number: int
    target: CommentRef | None = None


def parse_remote(name: str, url: str, chosen: bool = False) -> GitHubRemote | None:
    """Read the address of a remote; None for one that cannot be a repository on GitHub."""
    match = REMOTE.match(url)
    if not match:
        return None
    host, path = match[1].lower(), match[2].rstrip("/").removesuffix(".git")
    known = HOST.match(host) and REPOSITORY.match(path)
    return GitHubRemote(name, ALIASES.get(host, host), path, chosen) if known else None


def known_remotes(git: Git) -> list[GitHubRemote]:
    """Return the remotes that can be GitHub's."""
    known = []
    for git_remote in remotes_of(git):
        parsed = (parse_remote(git_remote.name, url, bool(git_remote.settled)) for url in git_remote.urls)
        if remote := next((address for address in parsed if address), None):
            known.append(remote._replace(repository=git_remote.settled) if "/" in git_remote.settled else remote)
    return known


def find_address(text: str, repository: str, remotes: list[GitHubRemote]) -> PullRequestRef:
    """Find what `text` (a number, a URL or nothing) and `--repo` mean; a BatonError where they mean nothing."""
    if "/" in text:
        address = parse_url(text)
        names = (address.repository.lower(), f"{address.host}/{address.repository}".lower())
        if repository and repository.lower() not in names:
            what = f"the URL is of {address.repository}, --repo says {repository[:200]}"
            raise BatonError(what, "the command line", "leave --repo out")
        return _known(address, remotes)
    number = _number(text) if text else 0
    if repository:
        host, name = _split(repository)
        return _known(PullRequestRef(host or _home(remotes), name, number), remotes)
    remote = choose_remote(remotes)
    return PullRequestRef(remote.host, remote.repository, number)


def parse_url(text: str) -> PullRequestRef:
    """Read the URL of a pull request or of feedback on one."""
    match = URL.match(text)
    if not match:
        raise BatonError("not the URL of a pull request", repr(text[:200]), f"give {SHAPES}")
    host, anchor = match["host"].lower(), match["anchor"]
    comment = _parse_anchor(anchor, match["page"] or "", text) if anchor else None
    return PullRequestRef(ALIASES.get(host, host), match["repository"], int(match["number"]), comment)


def _parse_anchor(anchor: str, page: str, text: str) -> CommentRef:
    match = ANCHOR.match(anchor)
    if not match or (match[1] == "r" and page not in ("files", "changes")):
        remedy = "leave out what follows `#` to read all of it"
        raise BatonError("the end of the URL names no feedback", repr(text[:200]), remedy)
    return CommentRef(SURFACES[match[1]], int(match[2]))


def _number(text: str) -> int:
    match = NUMBER.match(text)
    if not match:
        raise BatonError("not a pull request", repr(text[:200]), f"give {SHAPES}")
    return int(match[1])


def _split(repository: str) -> tuple[str, str]:
    """Split `[HOST/]OWNER/REPO`."""
    host, name = "", repository
    if repository.count("/") == 2:
        host, _, name = repository.partition("/")
    if not REPOSITORY.match(name) or (host and not HOST.match(host.lower())):
        raise BatonError("not a repository", repr(repository[:200]), "give --repo OWNER/REPO, or HOST/OWNER/REPO")
    return ALIASES.get(host.lower(), host.lower()), name


def _home(remotes: list[GitHubRemote]) -> str:
    """Return the host `--repo OWNER/REPO` is on: that of the remotes, where they agree."""
    hosts = {remote.host for remote in remotes}
    return hosts.pop() if len(hosts) == 1 else "github.com"


def _known(address: PullRequestRef, remotes: list[GitHubRemote]) -> PullRequestRef:
    """Refuse a host that is none of ours: `gh` would send a token for enterprise hosts to any it is told."""
    if address.host != "github.com" and address.host not in {remote.host for remote in remotes}:
        remedy = "call from a clone of that repository, or check the URL"
        raise BatonError("no remote of this work tree is on that host", address.host, remedy)
    return address


def find_issue(text: str, remotes: list[GitHubRemote]) -> PullRequestRef:
    """Find the issue that `#12` or a URL means; issues and pull requests share their numbers."""
    if match := ISSUE.match(text):
        host = match["host"].lower()
        place = PullRequestRef(ALIASES.get(host, host), match["repository"], int(match["number"]))
        return _known(place, remotes)
    number = NUMBER.match(text)
    if not number:
        raise BatonError("not an issue", repr(text[:200]), "give #12, or https://HOST/OWNER/REPO/issues/12")
    remote = choose_remote(remotes, "give the URL of the issue")
    return PullRequestRef(remote.host, remote.repository, int(number[1]))


def choose_remote(
    remotes: list[GitHubRemote], remedy: str = "give its URL, https://HOST/OWNER/REPO/pull/N"
) -> GitHubRemote:
    """Choose where pull requests go: to the one settled for gh, the only one, or the one called upstream."""
    different = {(remote.host, remote.repository.lower()) for remote in remotes}
    wanted = [remote for remote in remotes if remote.chosen] or (remotes if len(different) == 1 else [])
    wanted = wanted or [remote for remote in remotes if remote.name == "upstream"]
    if wanted:
        return wanted[0]
    if not remotes:
        raise BatonError("no remote that could be GitHub's", "`git remote --verbose`", remedy)
    names = ", ".join(sorted({remote.repository for remote in remotes}))
    raise BatonError(f"it may be of {names}", "`git remote --verbose`", remedy)


def link_to(text: str) -> str:
    """Return the plain https URL of the pull request a text is the URL of; empty for any other text."""
    match = URL.match(text)
    return f"https://{match['host']}/{match['repository']}/pull/{match['number']}" if match else ""
