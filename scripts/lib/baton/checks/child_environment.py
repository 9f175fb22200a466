"""The environment a project's commands get: no secrets, nobody to ask, nothing of another work tree.

The standard library alone: the process that runs the commands uses it.
"""

import os
import re
from collections.abc import Iterable, Mapping

from baton.git.call_git import SCRUBBED
from baton.secrets.names import without_credentials

# Git then asks nobody and no helper (gitcredentials(7)), ssh asks nobody (ssh_config(5), ssh(1)).
NOBODY_ASKED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "credential.helper",
    "GIT_CONFIG_VALUE_0": "",
    "GIT_CONFIG_KEY_1": "core.askPass",
    "GIT_CONFIG_VALUE_1": "",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "SSH_ASKPASS_REQUIRE": "never",
}
# Where a set-up installs programs: an activated project has these on its PATH.
INSTALLED = (".venv/bin", "node_modules/.bin")
# Variables that hold several places; of any other, one that is a place in another tree is left out whole.
LISTS = re.compile(r"(PATH|PATHS|LIB|DIRS)$")


def command_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the user's environment without credentials and without a way to ask for them."""
    kept = {name: value for name, value in environment.items() if name not in SCRUBBED}
    return {**without_credentials(kept), **NOBODY_ASKED}


def with_installed(environment: Mapping[str, str], *folders: str) -> dict[str, str]:
    """Return an environment in which programs that were installed in these folders are found first."""
    own = [os.path.join(folder, place) for folder in dict.fromkeys(folders) for place in INSTALLED]
    return {**environment, "PATH": os.pathsep.join([*own, environment.get("PATH", os.defpath)])}


def without_trees(environment: Mapping[str, str], tree: str, others: Iterable[str]) -> dict[str, str]:
    """Return an environment without what leads into other work trees: entries of lists, and variables."""
    foreign = away_from_home(environment, others)
    kept = {}
    for name, value in environment.items():
        parts = value.split(os.pathsep) if LISTS.search(name) else [value]
        left = [part for part in parts if not (os.path.isabs(part) and leads_to(part, tree, foreign))]
        if left or not value:
            kept[name] = os.pathsep.join(left)
    return kept


def away_from_home(environment: Mapping[str, str], others: Iterable[str]) -> list[str]:
    """Return the trees without one that holds the home folder: there, everything would be in another tree."""
    home = environment.get("HOME", "")
    return [other for other in others if not (home and is_within(home, other))]


def leads_to(path: str, tree: str, others: Iterable[str]) -> str:
    """Return which of the other trees a path is in, or nothing; `tree` itself may lie in one of them."""
    return "" if is_within(path, tree) else next((other for other in others if is_within(path, other)), "")


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it, wherever links lead."""
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(folder).rstrip('/')}/")
