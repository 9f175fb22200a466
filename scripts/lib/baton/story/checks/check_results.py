"""Read from the outcomes of the project's commands what they say: passed, what failed, or nothing and why."""

import os
from collections.abc import Sequence

from baton.checks.failures import (
    failures_in,
    lacks_program,
    report_failures,
    wants_credential,
    was_out_of_reach,
)
from baton.checks.job import Checks
from baton.checks.result import Outcome
from baton.git.command import Git
from baton.rules.failure_origin import Ran

# What the shell ends with where it cannot start a command, and what a command that others killed ends with.
NOT_STARTED = (126, 127)
KILLED = (130, 137, 143)
CREDENTIAL = "it wants a credential"


def read_ran(checks: Checks, outcomes: Sequence[Outcome]) -> dict[str, Ran]:
    """Read how each command of a run went; where they could not be run, none of them says anything."""
    by_name = {outcome.name: outcome for outcome in outcomes}
    trees = (checks.tree, os.path.realpath(checks.tree))
    last = outcomes[-1]
    silent = Ran(False, mute=_why_silent(last))
    judged = [command.name for command in checks.commands if command.step != "setup"]
    ran = {name: _ran(by_name[name], checks, trees) for name in judged if name in by_name}
    return {**dict.fromkeys(judged, silent), **ran}


def _why_silent(last: Outcome) -> str:
    if last.ended == "foreign":
        return f"tree/foreign: {last.output.strip()}"
    return f"`{last.name}` ended with {last.code}"


def _ran(outcome: Outcome, checks: Checks, trees: tuple[str, ...]) -> Ran:
    if outcome.ended == "no-folder":  # on base it is from before there was such a folder: nothing in it fails
        return Ran(True) if checks.is_base else Ran(False, mute=f"there is no folder to run `{outcome.name}` in")
    if outcome.ended == "time-out":
        return Ran(False, mute=f"`{outcome.name}` did not end in {checks.limit} s")
    if outcome.ended == "not-started" or outcome.code in NOT_STARTED:
        return Ran(False, mute=f"`{outcome.name}` could not be started, as where a program is missing")
    if outcome.code < 0 or outcome.code in KILLED:
        return Ran(False, mute=f"`{outcome.name}` was killed")
    if outcome.code == 0:
        return Ran(True)
    # What reads an output is needed for what fails alone, and takes long to load.
    output = outcome.output
    if outcome.name.startswith("prepush") and wants_credential(output):
        return Ran(False, mute=CREDENTIAL)
    if lacks_program(output):
        return Ran(False, mute=f"`{outcome.name}` calls a program that is missing here, or cannot be used")
    if was_out_of_reach(output):
        return Ran(
            False, mute=f"`{outcome.name}` could not reach what it needs: a registry, the network or an access"
        )
    if outcome.is_cut:  # its end is kept: what failed before that has no name
        return Ran(False)
    named = report_failures(outcome.report) if outcome.report else None
    if named is None:
        tracked = Git(checks.project).do("ls-tree", "-r", "-z", "--name-only", "--full-tree", checks.tree_id)
        named = failures_in(output, trees, tracked.split("\0"))
    return Ran(False, named)
