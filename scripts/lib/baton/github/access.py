"""Whether a story can end on GitHub from this machine: a remote there, and a `gh` that is signed in to it."""

import os
from shutil import which
from typing import NamedTuple

from baton.git.command import Git
from baton.github.address import known_remotes
from baton.github.client import gh_environment
from baton.process import run

# Set where nothing can be pushed, and another job delivers what was checked and closed here.
HANDS_OVER = "BATON_HANDS_OVER"


class Lack(NamedTuple):
    """A thing that is missing here, and what puts that right."""

    what: str
    remedy: str


def find_lacks(git: Git) -> list[Lack]:
    """Return what is missing here for GitHub; nothing is sent there: `gh` says whether it has a token."""
    if HANDS_OVER in os.environ:
        return []
    hosts = dict.fromkeys(remote.host for remote in known_remotes(git))
    lacks = [] if hosts else [Lack("no remote is on GitHub", "`git remote add origin URL`")]
    if not which("gh"):
        return [*lacks, Lack("gh is not installed", "install it")]
    words = ("gh", "auth", "token", "--hostname")
    if hosts and all(run((*words, host), git.project.root, gh_environment()).code for host in hosts):
        host = next(iter(hosts))
        lacks.append(Lack(f"gh is not signed in at {host}", f"`gh auth login --hostname {host}`"))
    return lacks
