"""Stories without a person: run."""

import os
import queue
import shutil
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for_any
from pathlib import Path

import click

from baton.commands import render
from baton.commands.arguments import FiniteRange, completed_by
from baton.commands.caller import persons_project
from baton.commands.step_text import question_lines
from baton.commands.watch import Screen, write_out
from baton.git.command import Git
from baton.headless.chosen import check_permissions, choose_stories, find_client
from baton.headless.client_process import keep_interrupts
from baton.headless.crew import Crew, RunOptions
from baton.headless.event import Event
from baton.headless.one_story import TurnEnd, number_of, take_story_on
from baton.journal.paths import Project
from baton.project.settings import read_settings
from baton.usage.words import short

PLUGIN = Path(__file__).parents[4]
LOOK_SECONDS = 0.3
MODES = ("acceptEdits", "auto", "bypassPermissions")
# The exit code for how stories ended; the first that one of them has is the call's.
CODES = {"error": 2, "stopped": 4, "unfinished": 5, "asks": 1, "waits": 1}
STOPS = {
    1: "no run is started any more, and those that are out are finished; Ctrl-C again stops them",
    2: "the runs that are out are stopped, which is no attempt",
}


@click.command()
@click.argument(
    "names", metavar="[ID…]", nargs=-1, shell_complete=completed_by(lambda project, _: project.story_ids())
)
@click.option("--ready", is_flag=True, help="All stories that can go on without you.")
@click.option("--parallel", type=click.IntRange(1, 100), default=1, show_default=True, help="So many at once.")
@click.option("--together", is_flag=True, help="Those that claim the same files at once, too.")
@click.option("--budget", type=FiniteRange(0, min_open=True), help="US dollars for all of them together.")
@click.option("--wait", type=FiniteRange(0), metavar="SECONDS", help="Wait for so long, and start nothing later.")
@click.option("--model", default="", help="The client's model for every run.")
@click.option("--permission-mode", "mode", type=click.Choice(MODES), default=MODES[0], show_default=True)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each thing that happens.")
@click.pass_obj
def run(
    start: Path,
    names: tuple[str, ...],
    ready: bool,
    parallel: int,
    together: bool,
    budget: float | None,
    wait: float | None,
    model: str,
    mode: str,
    as_json: bool,
) -> int:
    """Take stories on without you, a process for each run.

    Each is one of the client's, in the run's own work tree. A question ends that story's turn, not the others'.
    Ctrl-C once: no new run; twice: the runs are stopped. Called again, it goes on. Exit codes: 0 all complete,
    1 something waits for you, 2 something failed, 3 a bug, 4 the budget is spent or you stopped it, 5 the time of
    --wait is over; of several 3, else 2, 4, 5.

    Example: baton run 42 43 --parallel 2 --budget 5
    """
    if not names and not ready:
        raise click.UsageError("name stories, or say --ready")
    project = persons_project(start)
    client = find_client()
    says = check_permissions(project, mode)
    chosen = choose_stories(project, names, ready)
    if not chosen:
        _show(Event("over", "no story can go on without you", more={"spent": 0.0, "exit": 0}), as_json)
        return 0
    _, config = read_settings(Git(project), "")
    options = RunOptions(client, PLUGIN, parallel, budget, wait, model, mode, together, config.exclusive)
    return _take_on(project, chosen, options, says, as_json)


def _take_on(project: Project, chosen: list[str], options: RunOptions, says: str, as_json: bool) -> int:
    told = queue.SimpleQueue[Event]()
    crew = Crew(project, chosen, options, told.put)
    order = f"\nOrder: {', '.join(crew.order)}" if len(crew.order) > 1 else ""
    _show(Event("starts", f"{says}{order}", more={"stories": crew.order}), as_json)
    outcomes = _carry_out(crew, told, as_json)
    code = exit_code(outcomes)
    if as_json:
        _show(Event("over", spent_words(crew), more={"spent": crew.spent, "exit": code}), as_json)
    else:
        render.say("\n".join(summary(crew, outcomes)), "baton status", whole=True)
    return code


def _show(event: Event, as_json: bool) -> None:
    """Print what happened on one line; how a turn ended a person reads at the end, beside the others."""
    if as_json:
        render.say_json(event.to_data(), indent=None)
    elif event.kind != "turn":
        click.echo(event.line)


def _carry_out(crew: Crew, told: "queue.SimpleQueue[Event]", as_json: bool) -> list[TurnEnd]:
    """Take all stories on side by side, and show what happens; returns how each ended."""

    def stop(number: int, _: object) -> None:
        crew.stops = 2 if number == signal.SIGTERM else crew.stops + 1

    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    live = render.on_terminal() and not as_json and os.environ.get("TERM", "dumb") != "dumb"
    screen = Screen(write_out, shutil.get_terminal_size) if live else None
    try:
        with ThreadPoolExecutor(len(crew.order), initializer=keep_interrupts) as pool:
            futures = [pool.submit(take_story_on, crew, story) for story in crew.order]
            _show_until(futures, crew, told, screen, as_json)
        return [one.result() for one in futures]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show_until(
    futures: list[Future[TurnEnd]],
    crew: Crew,
    told: "queue.SimpleQueue[Event]",
    screen: Screen | None,
    as_json: bool,
) -> None:
    stops, left = 0, set(futures)
    while left:
        left = wait_for_any(left, LOOK_SECONDS).not_done
        if crew.stops > stops:
            stops = crew.stops
            told.put(Event("halts", STOPS[min(stops, 2)]))
        if screen:
            screen.draw([*table(crew, time.monotonic()), *([STOPS[min(stops, 2)]] if stops else [])])
        while not screen and not told.empty():
            _show(told.get(), as_json)


def table(crew: Crew, now: float) -> list[str]:
    """Return the lines that show all stories at this time."""
    rows = [crew.rows[story] for story in crew.order]
    cells = [
        (row.story, row.task, f"{(now - row.since) / 60:.0f} min" if row.since else "",
         f"{short(row.tokens)} tokens" if row.since else "", row.line)
        for row in rows
    ]  # fmt: skip
    budget = f" of ${crew.options.budget:.2f}" if crew.options.budget else ""
    working = sum(bool(row.since) for row in rows)
    head = f"stories: {len(rows)}; runs at work: {working}; ${crew.spent:.2f}{budget} so far"
    return [head, "", *render.in_columns(cells)]


def spent_words(crew: Crew) -> str:
    """Say what all stories have spent."""
    return f"${crew.spent:.2f} spent" if crew.spent else "nothing was spent"


def summary(crew: Crew, outcomes: list[TurnEnd]) -> list[str]:
    """Return how each story ended, with the question of each that asks."""
    lines = ["", spent_words(crew)]
    lines += [f"{one.story} {one.how}: {one.says}" for one in outcomes]
    for one in outcomes:
        if one.how == "asks" and one.step and one.step.question:
            lines += ["", *question_lines(one.step.question)]
        elif one.asked and one.step:
            lines += ["", *one.asked.lines(number_of(one.step))[1:]]
    return lines


def exit_code(outcomes: list[TurnEnd]) -> int:
    """Return 0 where all are complete, else the code of how one ended that weighs most."""
    found = {one.how for one in outcomes}
    return next((code for how, code in CODES.items() if how in found), 0)
