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


def _settings(git: Git, pattern: str) -> dict[str, str]:
    """Return the settings whose names match, by name as git normalizes it; the last value of each counts."""
    entries = git.ask("config", "--null", "--get-regexp", "--", pattern).out.split("\0")
    return dict(entry.partition("\n")[::2] for entry in entries if entry)
