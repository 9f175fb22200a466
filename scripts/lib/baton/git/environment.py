"""The environment git is started with, of the user's own, and the settings that hold for every call."""

import os

from baton.secrets.names import given_settings, without_credentials

SCRUBBED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PREFIX", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_SHALLOW_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_ATTR_SOURCE", "GIT_REPLACE_REF_BASE",
)  # fmt: skip
# Signing asks these; they hold no credential themselves.
AGENTS = ("SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE")
# A replaced object is not what was committed, nor is a graft (git is silent about a file that cannot be there).
QUIET = {
    "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "GIT_PAGER": "cat",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
}  # fmt: skip
# A file system monitor is a program git would run. What git writes outlives a power cut once it has ended.
# A merge follows renames, whatever the user's settings of merges and diffs are.
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
