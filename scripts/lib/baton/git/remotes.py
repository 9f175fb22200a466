"""The remotes of a work tree: as git knows them, where a branch is pushed, what is fetched and pushed."""

from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git

LOOK_SECONDS, FETCH_SECONDS, PUSH_SECONDS = 120, 600, 600
# Of what is fetched the program keeps the commit alone: no ref of the user's, no tag, no FETCH_HEAD.
QUIETLY = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=")
# Whatever the user's settings add to a push: no tag, and nothing of a submodule's.
ALONE = ("--quiet", "--no-follow-tags", "--recurse-submodules=no")

# Git's `couldn't find remote ref NAME` (`get_fetch_map` in its remote.c, as of 2.39; before, with a capital).
NO_REMOTE_BRANCH = "find remote ref"


class NoRemoteBranch(BatonError):
    """The remote has no branch of this name."""


class Remote(NamedTuple):
    """A remote: its name, its addresses, and what `gh repo set-default` settled for it.

    The addresses are the one git fetches from, then the one that was written down, before any `insteadOf`.
    """

    name: str
    urls: tuple[str, ...]
    settled: str


def remotes_of(git: Git) -> list[Remote]:
    """Return the remotes of a work tree."""
    settings = _settings(git, r"^remote\..*\.(url|gh-resolved)$")
    lines = (line.split("\t", 1) for line in git.do("remote", "--verbose").splitlines())
    # Behind the address: what it is for, and in a partial clone its filter.
    fetched = {name: rest.rpartition(" (fetch)")[0] for name, rest in lines if " (fetch)" in rest}
    return [
        Remote(name, (url, settings.get(f"remote.{name}.url", "")), settings.get(f"remote.{name}.gh-resolved", ""))
        for name, url in fetched.items()
    ]


def pushed_as(git: Git, branch: str) -> tuple[str, str]:
    """Return the remote and the name a branch is pushed as; the remote is empty where none is set."""
    settings = _settings(git, r"^(branch\..*\.(pushremote|remote|merge)|remote\.pushdefault)$")
    names = (f"branch.{branch}.pushremote", "remote.pushdefault", f"branch.{branch}.remote")
    remote = next((settings[name] for name in names if settings.get(name)), "")
    return remote, settings.get(f"branch.{branch}.merge", "").removeprefix("refs/heads/") or branch


def remote_refs(git: Git, place: str, pattern: str) -> dict[str, str]:
    """Return a remote's refs that fit a pattern, each with its object."""
    out = git.ask("ls-remote", "--quiet", "--refs", "--", place, pattern, no=(), seconds=LOOK_SECONDS).out
    return {ref: target for target, _, ref in (line.partition("\t") for line in out.split("\n")[:-1])}


def remote_head(git: Git, place: str, ref: str) -> str:
    """Return the commit a remote has at a ref; empty where it has none."""
    return remote_refs(git, place, ref).get(ref, "")


def state_remote(git: Git) -> str:
    """Return the remote stories travel by: origin, or the only one there is; empty for none."""
    names = git.do("remote").splitlines()
    return "origin" if "origin" in names else names[0] if len(names) == 1 else ""


def fetch_branch(git: Git, remote: str, branch: str, ref: str) -> str:
    """Fetch a remote's branch under a ref of ours, and nowhere else; returns its commit, a BatonError for none."""
    git.ask("symbolic-ref", "--quiet", "--delete", ref, no=(1, 128))  # through which another ref would move
    spec = f"+refs/heads/{branch}:{ref}"
    tried = git.ask("fetch", *QUIETLY, "--", remote, spec, no=range(1, 256), seconds=FETCH_SECONDS)
    if tried.code:
        kind = NoRemoteBranch if NO_REMOTE_BRANCH in tried.said else BatonError
        raise kind(f"{branch} cannot be fetched ({tried.said})", remote, "see why, then call again")
    return git.commit_of(ref)


def push_commit(git: Git, remote: str, ref: str, commit: str, expected: str) -> str:
    """Push a commit to a remote's ref that is at `expected`, which it contains; returns why it was refused.

    The lease is what makes git name the expected commit to the remote (git-push(1)). It would also let history be
    rewritten, which is why the caller must have seen that `commit` contains `expected`; with no commit (empty),
    the ref is deleted.
    """
    words = ("push", *ALONE, f"--force-with-lease={ref}:{expected}", "--", remote, f"{commit}:{ref}")
    tried = git.ask(*words, no=range(1, 256), seconds=PUSH_SECONDS)
    return "" if tried.code == 0 or remote_head(git, remote, ref) == commit else tried.tail


def _settings(git: Git, pattern: str) -> dict[str, str]:
    """Return the settings whose names match, by name as git normalizes it; the last value of each counts."""
    entries = git.ask("config", "--null", "--get-regexp", "--", pattern).out.split("\0")
    return dict(entry.partition("\n")[::2] for entry in entries if entry)
