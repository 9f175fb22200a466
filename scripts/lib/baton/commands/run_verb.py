"""Stories without a person: run."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from baton.commands import output as render
from baton.commands.arguments import FiniteRange, completed_by, persons_project
from baton.commands.step_text import question_text
from baton.commands.story_verb import find_path
from baton.commands.watch import Screen
from baton.git.command import Git
from baton.headless.chosen import check_permissions, choose_stories, find_client
from baton.headless.client_process import STOPS
from baton.headless.crew import Crew, RunOptions
from baton.headless.event import Event
from baton.headless.one_story import TurnEnd, take_stories_on
from baton.journal.paths import Project
from baton.project.settings import read_settings
from baton.story.begin.adopt import adopt_path, find_begun
from baton.story.begin.create import NewStory
from baton.text import lasting
from baton.usage.spending_words import short_count

PLUGIN = Path(__file__).parents[4]
LOOK_SECONDS = 0.05
MODES = ("acceptEdits", "auto", "bypassPermissions")
# The exit code for how stories ended; the first that one of them has is the call's.
BUG = 3
CODES = {"error": 2, "stopped": 4, "unfinished": 5, "asks": 1, "waits": 1}


@click.command()
@click.argument(
    "names", metavar="[ID|PATH…]", nargs=-1, shell_complete=completed_by(lambda project, _: project.story_ids())
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
def run(start: Path, /, names: tuple[str, ...], ready: bool, mode: str, as_json: bool, **given: Any) -> int:
    """Take stories on without you, a process for each run.

    Each is one of the client's, in the run's own work tree. The path of a spec begins a story. A question ends
    that story's turn, not the others'.
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
    show = partial(_show, as_json)
    chosen = choose_stories(project, tuple(_find_or_make_story(start, project, name) for name in names), ready)
    if not chosen:
        show(Event("over", "no story can go on without you", more={"spent": 0.0, "exit": 0}))
        return 0
    _, config = read_settings(Git(project), "")
    options = RunOptions(client, PLUGIN, mode=mode, exclusive=config.exclusive, **given)
    live = render.on_terminal() and not as_json and os.environ.get("TERM", "dumb") != "dumb"
    crew = Crew(project, chosen, options, (lambda _: None) if live else show)
    order = f"\nOrder: {', '.join(crew.rows)}" if len(crew.rows) > 1 else ""
    show(Event("starts", f"{says}{order}", more={"stories": list(crew.rows)}))
    outcomes, bugs = _carry_out(crew, Screen() if live else None)
    code = BUG if bugs else exit_code(outcomes)
    spent = f"${crew.spent:.2f} spent" if crew.spent else "nothing was spent"
    ends = spent if as_json else "\n".join(["", spent, *summary(outcomes)])
    show(Event("over", ends, more={"spent": crew.spent, "exit": code}))
    for bug in bugs:
        raise bug
    return code


def _find_or_make_story(start: Path, project: Project, name: str) -> str:
    """Find the story of a name or a path, or make it of a document there; returns its id."""
    path = find_path(start, project.root, name)
    if project.has_story(name) or not os.path.lexists(path):
        return name
    begun = find_begun(project, path)
    return begun.created.story if begun else adopt_path(project, path, NewStory()).story


def _show(as_json: bool, event: Event) -> None:
    """Print what happened; how a story's turn ended a person reads at the end, beside the others."""
    try:
        if as_json:
            render.say_json(event.to_data(), indent=None)
        elif event.kind == "over":
            render.say(event.line, "baton status", whole=True)
        elif event.kind != "turn":
            click.echo(event.line)
    except BrokenPipeError:  # nobody reads any more, and the stories go on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _carry_out(crew: Crew, screen: Screen | None) -> tuple[list[TurnEnd], list[Exception]]:
    """Take all stories on side by side, until none goes on or the user stops it; returns how each ended."""

    def pause() -> None:
        if screen:
            screen.draw(table(crew, time.monotonic()))
        time.sleep(LOOK_SECONDS)
        for number in STOPS & signal.sigpending():
            signal.sigwait({number})
            crew.stops = 2 if number == signal.SIGTERM else crew.stops + 1

    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        return take_stories_on(crew, pause)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def table(crew: Crew, now: float) -> list[str]:
    """Return the lines that show all stories at this time."""
    rows = crew.rows.values()
    cells = [
        (row.id, row.task, lasting(now - row.since) if row.since else "",
         f"{short_count(row.tokens)} tokens" if row.since else "", row.line)
        for row in rows
    ]  # fmt: skip
    budget = f" of ${crew.options.budget:.2f}" if crew.options.budget else ""
    working = sum(bool(row.since) for row in rows)
    head = f"stories: {len(rows)}; runs at work: {working}; ${crew.spent:.2f}{budget} so far"
    return [head, "", *render.in_columns(cells), *filter(None, [crew.halt])]


def summary(outcomes: list[TurnEnd]) -> list[str]:
    """Return how each story ended, with the question of each that asks."""
    lines = [f"{outcome.story} {outcome.how}: {outcome.says}" for outcome in outcomes]
    for outcome in outcomes:
        if outcome.question:
            lines += ["", *(outcome.asked or [question_text(outcome.question).text()])]
    return lines


def exit_code(outcomes: list[TurnEnd]) -> int:
    """Return 0 where all are complete, else the code of how one ended that weighs most."""
    ends = {outcome.how for outcome in outcomes}
    return next((code for how, code in CODES.items() if how in ends), 0)
