"""The verb that waits until something has happened: wait."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from baton.commands.arguments import FiniteRange, completed_by, json_option, persons_project, run_names
from baton.commands.output import print_result
from baton.feedback.plan.round import load_round
from baton.feedback.plan.unit_work import find_unit, load_unit_work
from baton.feedback.reader.reader_shares import READING_FILE, is_reading_out
from baton.feedback.reader.readings import READINGS_FILE as READINGS
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.work_names import is_reading, is_unit, number_of
from baton.journal.journal import Journal
from baton.journal.paths import Project, stamp_of
from baton.journal.state import OVER, State, fold
from baton.story.run.begin_run import find_story
from baton.story.session.open_story import read_journal

# How often a journal is looked at: whether it grew, which costs one `stat`.
LOOK_SECONDS = 0.25
WHERE_RUNS_ARE = "`baton status` names the stories, `baton timeline ID` a story's runs"
Over = Callable[[], bool]


@click.command()
@click.argument("names", metavar="RUN…", nargs=-1, required=True, shell_complete=completed_by(run_names))
@click.option("--seconds", type=FiniteRange(0, 86_400), default=540.0, help="At most so long.")
@json_option
@click.pass_obj
def wait(start: Path, names: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Wait until one of these runs has ended.

    A run has ended once the client or the program has noted it; a unit or a reading of a pull request, once it is
    handed in or given up. Given the id of a story, it waits until anything has happened to that. It only looks.

    Example: baton wait sess_1771355557_680126_iter2
    """
    project = persons_project(start)
    ended = wait_for(names, [is_over(project, name) for name in names], seconds)
    print_result(as_json, {"ended": ended}, "\n".join(f"ended: {name}" for name in ended) or "none has ended", "")


def wait_for(
    names: Sequence[str], overs: Sequence[Over], seconds: float, pause: Callable[[float], object] = time.sleep
) -> list[str]:
    """Return the names that are over, as soon as one is; none where none was in so many seconds."""
    until = time.monotonic() + seconds
    while True:
        ended = [name for name, over in zip(names, overs, strict=True) if over()]
        if ended or time.monotonic() >= until:
            return ended
        pause(LOOK_SECONDS)


def is_over(project: Project, name: str) -> Over:
    """Return a test of whether a run, a unit or a reading is over, or anything happened to a story since now."""
    if is_unit(name):
        folder = find_unit(project, number_of(name), name).folder
        kept = [folder / "journal.jsonl", folder / "round.json"]
        return _whenever_changed(kept, lambda: is_handed_in(project, folder, name))
    if is_reading(name):
        folder = find_folder(project, number_of(name))
        return _whenever_changed(
            [folder / READING_FILE, folder / READINGS], lambda: not is_reading_out(project, folder, name)
        )
    story = name if project.has_story(name) else find_story(project, name, WHERE_RUNS_ARE)
    journal = read_journal(project, story)
    length = len(journal.records)
    if story == name and fold(journal.records).stage in OVER:
        return lambda: True
    if story == name:
        return _whenever_changed([journal.path], lambda: len(Journal(journal.path).records) > length)
    return _whenever_changed([journal.path], lambda: has_ended(fold(Journal(journal.path).records), name))


def has_ended(state: State, name: str) -> bool:
    """Whether a run has ended, and not only handed in its last; or is given up."""
    run = state.run
    return run is None or run.id != name or state.stage != "running" or bool(run.ended or run.judged)


def is_handed_in(project: Project, folder: Path, unit: str) -> bool:
    """Whether a unit of the current round is waited for no more."""
    current = load_round(project, folder)
    return (
        current is None
        or bool(current.landed)
        or unit not in current.missing_units(load_unit_work(project, folder, current))
    )


def _whenever_changed(paths: Sequence[Path], over: Over) -> Over:
    """Return the test such that it is made once, and then only when one of some files has changed."""
    seen: list[object] = [None]

    def changed() -> bool:
        now = [stamp_of(path) for path in paths]
        is_new, seen[0] = now != seen[0], now
        return is_new and over()

    return changed
