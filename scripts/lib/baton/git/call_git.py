"""Start git, for one call or as the store of a work tree's objects: with which environment and settings.

What asks git nothing does without this.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import get_ident

from baton import process
from baton.git.git_refusals import GitRefused
from baton.git.object_store import STORES, ObjectStore
from baton.process import Result, TimedOut
from baton.secrets.names import given_settings, without_credentials

SCRUBBED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PREFIX", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_SHALLOW_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_ATTR_SOURCE", "GIT_REPLACE_REF_BASE",
)  # fmt: skip
# Signing asks these (ssh-agent(1), ssh(1)); they hold no credential themselves.
AGENTS = ("SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE")
# A replaced object is not what was committed (git-replace(1)), nor is a graft; git is silent about a file of these
# that cannot be there.
QUIET = {
    "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "GIT_PAGER": "cat",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
}  # fmt: skip
# All of git-config(1). A file system monitor is a program git would run. What git writes outlives a power cut once
# it has ended. A merge follows renames, whatever the user's settings of merges and diffs are.
SETTINGS = (
    "--no-pager", "--no-replace-objects",
    "-c", "core.fsmonitor=false", "-c", "core.fsync=committed", "-c", "merge.renames=true",
)  # fmt: skip


def git_environment(tokens: bool = False) -> dict[str, str]:
    """The environment git gets: the user's, without what points elsewhere or asks, and without credentials."""
    kept = {name: value for name, value in os.environ.items() if name not in SCRUBBED}
    if not tokens:
        agents = {name: kept[name] for name in AGENTS if name in kept}
        kept = {**without_credentials(kept), **agents, **given_settings(kept)}
    return {**kept, **QUIET}


def git_words(*arguments: str, literal: bool = True) -> tuple[str, ...]:
    """Return the words git is started with; a few commands take neither `--literal-pathspecs` nor patterns."""
    return ("git", *SETTINGS, *(("--literal-pathspecs",) if literal else ()), *arguments)


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
