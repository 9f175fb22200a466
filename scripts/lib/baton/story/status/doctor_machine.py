"""The checks of what baton runs on: its Python, its hook, its own files, the client."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baton.git.command import Git
from baton.git.discover import plain_work_tree
from baton.journal.paths import Project
from baton.project.installed_client import find_client, is_bare, why_no_hand_in, why_off
from baton.rules.pages import check_pages

PLUGIN = Path(__file__).parents[4]
# What of the plugin's files decides or runs, and how many of them are named.
OWN = ("skills", "agents", "commands", "scripts", "bin", ".claude-plugin")
MOST = 10


class DoctorResult(NamedTuple):
    """The result of a look: whether all is well, what was seen, and what fixes it."""

    name: str
    ok: bool
    what: str
    remedy: str = ""


def look_at_python() -> Iterator[DoctorResult]:
    yield DoctorResult("python", True, f"{sys.version.split()[0]} at {sys.executable}")


def look_at_hook(_: Project) -> DoctorResult:
    if not (why := why_no_hand_in()):
        return DoctorResult("hook", True, "it lets an agent hand in")
    remedy = "set BATON_PYTHON to another Python 3.11 to 3.14, or install the plugin again"
    return DoctorResult("hook", False, f"it does not let an agent hand in: {why}", remedy)


def look_at_plugin(_: Project) -> DoctorResult:
    """Read every rule, and name the files that are not as the plugin's commit has them."""
    check_pages()
    project = plain_work_tree(PLUGIN)
    if project is None or project.root != PLUGIN:
        return DoctorResult("plugin", True, f"its rules can be read; {PLUGIN} is no git checkout to compare with")
    changed = [
        entry[3:]
        for entry in Git(project).do("status", "--porcelain", "--no-renames", "-z", "--", *OWN).split("\0")
        if entry
    ]
    more = f" and {len(changed) - MOST} more" if len(changed) > MOST else ""
    differs = f"its commit has these otherwise: {', '.join(changed[:MOST])}{more}"
    return DoctorResult("plugin", True, f"its rules can be read; {differs if changed else 'as its commit has it'}")


def look_at_client(project: Project) -> DoctorResult:
    if is_bare(os.environ):
        remedy = "start it without --bare: no story can run there"
        return DoctorResult("client", False, "with --bare it has no Agent tool", remedy)
    version = find_client(project.root, os.environ)
    if not version:
        return DoctorResult("client", True, "Claude Code is not on PATH: run `! baton doctor` in it")
    why = why_off(project.root, version, os.environ)
    what = f"Claude Code {'.'.join(map(str, version))}; stories are driven"
    if why:
        return DoctorResult("client", True, f"{what} by the skills' text, as the module is off: {why}")
    return DoctorResult("client", True, f"{what} by its module, without a model between steps")
