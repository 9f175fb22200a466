"""The remotes of a work tree, as git knows them, and where the branch that is checked out is pushed."""

from typing import NamedTuple

from baton.git.command import Git


class Remote(NamedTuple):
    """A remote: its name, its addresses, and what `gh repo set-default` settled for it.

    The addresses are the one git fetches from, then the one that was written down, before any `insteadOf`.
    """

    name: str
    urls: tuple[str, ...]
    settled: str


def remotes_of(git: Git) -> list[Remote]:
    """Give the remotes of a work tree."""
    return [_remote(git, one) for one in git.do("remote").splitlines()]


def _remote(git: Git, name: str) -> Remote:
    urls = (git.do("remote", "get-url", "--", name).strip(), _setting(git, f"remote.{name}.url"))
    return Remote(name, urls, _setting(git, f"remote.{name}.gh-resolved"))


def pushed_as(git: Git) -> tuple[str, str]:
    """Give the remote and the name the branch that is checked out is pushed as; empty names where none is set."""
    branch = git.branch
    settings = (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote")
    remote = next((found for one in settings if (found := _setting(git, one))), "")
    return remote, _setting(git, f"branch.{branch}.merge").removeprefix("refs/heads/") or branch


def _setting(git: Git, name: str) -> str:
    return git.ask("config", "--get", "--", name).out.strip()
