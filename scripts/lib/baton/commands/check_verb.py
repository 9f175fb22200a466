"""The verb by which a run has the project's commands run on its work tree as it is."""

import shlex
import time
from datetime import datetime
from pathlib import Path

import click

from baton.checks.result import Outcome
from baton.commands.arguments import json_option
from baton.commands.output import LIMIT_BYTES, print_result
from baton.git.command import find_project
from baton.story.judge.run_checks import own_check, set_up

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
@click.option("--again", is_flag=True, help="Run them once more, though their result is kept.")
@json_option
@click.pass_obj
def check(start: Path, words: tuple[str, ...], again: bool, as_json: bool) -> int:
    """Run the project's commands on your work tree as it is.

    They run in the story's check tree; exit 1 when one fails. What was run on exactly this tree is kept.
    COMMAND is build, test, prepush or `prepush in PATH`; without it, all that are due. ARGS are added to its line.

    Example: baton check test -- tests/test_calc.py
    """
    checks = own_check(find_project(start), words, again)
    kept = checks.outcomes()
    outcomes = kept or checks.begin() or checks.wait(PATIENCE_SECONDS)
    if outcomes is None:
        progress = f"{checks.progress(time.time())}; output in {checks.folder}"
        text = f"STILL running: {progress}\nTHEN {_again(words)}"
        running = {"tree": checks.tree_id, "results": [], "running": progress}
        print_result(as_json, running, text, str(checks.folder))
        return 0
    rows = [
        {"command": outcome.name, "code": outcome.code, "seconds": outcome.seconds, "tail": outcome.tail,
         "kept": _ended(outcome) if kept else "", "notes": outcome.notes}
        for outcome in outcomes
    ]  # fmt: skip
    data = {"tree": checks.tree_id, "results": rows}
    lines = [*_lines(outcomes), *_kept_lines(kept, words)]
    print_result(as_json, data, "\n".join(lines), str(checks.folder))
    # What kept the commands from being run may be another thing the next time.
    checks.forget_stuck()
    return 1 if any(outcome.code != 0 for outcome in outcomes) else 0


@click.command()
@json_option
@click.pass_obj
def setup(start: Path, as_json: bool) -> int:
    """Install the project's tools in your own work tree.

    A tree begins without installed packages, and `baton check` needs none there. A formatter, a generator, new
    snapshots or another lock file do. It may take minutes, and is kept for as long as what it reads is the same.

    Example: baton setup
    """
    outcome, is_kept = set_up(find_project(start))
    data = {"code": outcome.code, "seconds": outcome.seconds, "kept": is_kept, "wrote": list(outcome.wrote)}
    kept = [f"KEPT from {_ended(outcome)}: what it reads is the same"] if is_kept else []
    wrote = (
        [f"WROTE {', '.join(outcome.wrote)}: part of your work unless you put it back"] if outcome.wrote else []
    )
    lines = [*_lines([outcome._replace(wrote=())]), *kept, *wrote]
    print_result(as_json, data, "\n".join(lines), str(outcome.log))
    return 1 if outcome.code else 0


def _kept_lines(kept: list[Outcome] | None, words: tuple[str, ...]) -> list[str]:
    """Say of a result that was kept from when it is, and how to have another."""
    more = _again(words, "--again")
    return [f"KEPT from {_ended(kept[0])}, of exactly this tree: `{more}` runs it once more"] if kept else []


def _ended(outcome: Outcome) -> str:
    """Return when a command ended, by the clock here: its log is the last it wrote."""
    try:
        return datetime.fromtimestamp(outcome.log.stat().st_mtime).isoformat(" ", "minutes")
    except FileNotFoundError:
        return "a time that is not known"


def _again(words: tuple[str, ...], *flags: str) -> str:
    named = 3 if words[:2] == ("prepush", "in") else 1
    arguments = ["--", *words[named:]] if words[named:] else []
    return shlex.join(["baton", "check", *words[:named], *flags, *arguments])


def _lines(outcomes: list[Outcome]) -> list[str]:
    """Tell of each command: what failed first, with the end of its output."""
    failed = sum(outcome.code != 0 for outcome in outcomes)
    room = LIMIT_BYTES // (failed or len(outcomes) or 1) - 400
    lines = list[str]()
    for outcome in sorted(outcomes, key=lambda outcome: outcome.code == 0):
        passed = outcome.code == 0
        last = [] if failed else outcome.tail.splitlines()[-PASSED_LINES:]
        how = "; ".join([HOW[outcome.ended].format(code=outcome.code), *outcome.notes])
        word = "passed" if passed else "FAILED"
        lines.append(f"{word} {outcome.name}: {how}, {outcome.seconds} s, whole output: {outcome.log}")
        lines += _end("\n".join(last) if passed else outcome.shown, room)
    return lines


def _end(text: str, room: int) -> list[str]:
    """Return the end of a text, indented, at most so many bytes of it."""
    data = text.encode("utf-8", "backslashreplace")
    kept = text if len(data) <= room else f"…{data[-room:].decode('utf-8', 'ignore')}"
    return [f"  {line}" for line in kept.splitlines()]
