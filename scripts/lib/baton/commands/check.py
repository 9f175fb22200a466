"""The verb by which a run has the project's commands run on its work tree as it is."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from baton.checks.job import Checks
from baton.checks.result import Outcome
from baton.commands.arguments import json_option
from baton.commands.render import LIMIT_BYTES, print_result
from baton.git.command import find_project
from baton.story.run_checks import own_check

# The client's shell waits for two minutes.
PATIENCE_SECONDS = 100
PASSED_LINES = 3
HOW = {
    "exit": "exit code {code}",
    "time-out": "it did not end in time",
    "no-folder": "there is no such folder",
    "not-started": "it could not be started",
    "foreign": "nothing was run: something leads into another work tree",
}


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[COMMAND] [-- ARGS]", nargs=-1, type=click.UNPROCESSED)
@json_option
@click.pass_obj
def check(start: Path, words: tuple[str, ...], as_json: bool) -> int:
    """Run the project's commands on your work tree as it is.

    They run in the story's check tree; exit 1 when one fails.
    COMMAND is build, test, prepush or `prepush in PATH`; without it, all that are due. ARGS are added to its line.

    Example: baton check test -- tests/test_calc.py
    """
    own = own_check(find_project(start), words)
    checks = own.checks
    outcomes = checks.begin() or checks.wait(PATIENCE_SECONDS)
    if outcomes is None:
        _say_running(checks, own.tree, words, as_json)
        return 0
    failed = [outcome for outcome in outcomes if outcome.code != 0]
    data = {"tree": own.tree, "results": [_row(outcome) for outcome in outcomes]}
    print_result(as_json, data, "\n".join(_lines(outcomes)), str(checks.folder))
    # What kept the commands from being run may be another thing the next time.
    checks.forget_stuck()
    return 1 if failed else 0


def _say_running(checks: Checks, tree: str, words: tuple[str, ...], as_json: bool) -> None:
    progress = f"{checks.progress(time.time())}; output in {checks.folder}"
    data = {"tree": tree, "results": [], "running": progress}
    print_result(as_json, data, f"STILL running: {progress}\nTHEN {_again(words)}", str(checks.folder))


def _again(words: tuple[str, ...]) -> str:
    named = 3 if words[:2] == ("prepush", "in") else 1
    arguments = ["--", *words[named:]] if words[named:] else []
    return shlex.join(["baton", "check", *words[:named], *arguments])


def _row(outcome: Outcome) -> dict[str, Any]:
    return {"command": outcome.name, "code": outcome.code, "seconds": outcome.seconds, "tail": outcome.tail}


def _lines(outcomes: list[Outcome]) -> list[str]:
    """Tell of each command: what failed first, with the end of its output."""
    failed = [outcome for outcome in outcomes if outcome.code != 0]
    room = LIMIT_BYTES // (len(failed) or len(outcomes) or 1) - 400
    lines = [line for outcome in failed for line in (_line(outcome), _end(outcome.shown, room))]
    for outcome in outcomes:
        if outcome not in failed:
            last = "" if failed else "\n".join(outcome.tail.splitlines()[-PASSED_LINES:])
            lines += [_line(outcome), _end(last, room)]
    return [line for line in lines if line]


def _line(outcome: Outcome) -> str:
    how = HOW[outcome.ended].format(code=outcome.code)
    word = "passed" if outcome.code == 0 else "FAILED"
    return f"{word} {outcome.name}: {how}, {outcome.seconds} s, whole output: {outcome.log}"


def _end(text: str, room: int) -> str:
    """Return the end of a text, indented, at most so many bytes of it."""
    data = text.encode("utf-8", "backslashreplace")
    kept = text if len(data) <= room else f"…{data[-room:].decode('utf-8', 'ignore')}"
    return "\n".join(f"  {line}" for line in kept.splitlines())
