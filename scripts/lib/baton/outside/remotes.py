"""The remotes of a work tree, as git knows them, and where the branch that is checked out is pushed."""

from typing import NamedTuple

from baton.outside.git import Git


class Remote(NamedTuple):
    """A remote: its name, the address git would fetch from, and what `gh repo set-default` settled for it."""

    name: str
    url: str
    settled: str


def remotes_of(git: Git) -> list[Remote]:
    """Give the remotes of a work tree."""
    names = git.do("remote").splitlines()
    return [
        Remote(one, git.do("remote", "get-url", "--", one).strip(), _setting(git, f"remote.{one}.gh-resolved"))
        for one in names
    ]


def pushed_as(git: Git) -> tuple[str, str]:
    """Give the remote and the name the branch that is checked out is pushed as; empty names where none is set."""
    branch = git.branch
    settings = (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote")
    remote = next((found for one in settings if (found := _setting(git, one))), "")
    return remote, _setting(git, f"branch.{branch}.merge").removeprefix("refs/heads/") or branch


def _setting(git: Git, name: str) -> str:
    return git.ask("config", "--get", "--", name).out.strip()
