"""Start git, for one call or as the store of a work tree's objects: what asks git nothing does without this."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import get_ident

from baton import process
from baton.git.environment import git_environment, git_words
from baton.git.git_refusals import GitRefused
from baton.git.object_store import STORES, ObjectStore
from baton.process import Result, TimedOut


def ready_git(*arguments: str, literal: bool, tokens: bool) -> tuple[Sequence[str], dict[str, str]]:
    """Return the words that git is started with for a call, and its environment."""
    return git_words(*arguments, literal=literal), git_environment(tokens)


def call_git(
    cwd: Path,
    verb: str,
    words: Sequence[str],
    environment: Mapping[str, str],
    seconds: float,
    stdin: bytes,
    apart: bool,
) -> Result:
    """Run git to its end; it counts as refused where it does not end in time."""
    try:
        return process.run(words, cwd, environment, seconds, stdin, apart)
    except TimedOut as error:
        what = f"`git {verb}` did not end in {seconds:.0f} s, and was ended"
        raise GitRefused(what, str(cwd), "see what it waits for", late=True) from error


def store_at(root: Path) -> ObjectStore:
    """Return the store of this thread for a work tree."""
    own = (get_ident(), root)
    STORES[own] = store = STORES.get(own) or ObjectStore(root, git_words(literal=False), git_environment())
    return store
