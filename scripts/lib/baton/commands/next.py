"""The verb that is called most often: next."""

from pathlib import Path

import click

from baton.commands.arguments import completed_by, json_option, persons_project, run_names, story_argument
from baton.commands.output import say, say_json
from baton.commands.step_text import step_text
from baton.story.ask.answer_source import session_here
from baton.story.ask.step import Step
from baton.story.next_step import NextOptions, run_next


def print_step(step: Step, as_json: bool) -> None:
    """Print a step, with the report itself when the story is complete."""
    if as_json:
        say_json(step.to_data())
        return
    rest = f"baton next {step.story} --json" if step.story else "baton status"
    say(step_text(step).text(), step.report or rest)


@click.command("next")
@story_argument()
@click.option(
    "--ended", metavar="RUN", default="", help="This run has ended.", shell_complete=completed_by(run_names)
)
@click.option("--stopped", is_flag=True, help="You stopped that run: it is no attempt, and the story rests.")
@click.option("--rest", is_flag=True, hidden=True)  # given by `baton run`: judge the run, begin no other
@click.option("--because", hidden=True, default="")  # given by `baton run`, which stopped the run: why
@click.option("--plan-only", is_flag=True, help="Stop when the plan is ready, until it is approved.")
@click.option("--no-loop", is_flag=True, help="Ask after every implementation run.")
@click.option("--max-iterations", type=click.IntRange(1, 100), help="Implementation runs allowed.")
@json_option
@click.pass_obj
def next_step(
    start: Path,
    story_id: str,
    ended: str,
    stopped: bool,
    rest: bool,
    because: str,
    plan_only: bool,
    no_loop: bool,
    max_iterations: int | None,
    as_json: bool,
) -> None:
    """Say what to do next with a story; always safe to call.

    Example: baton next 42 --ended sess_1771355557_680126_iter2
    """
    if stopped and not ended:
        raise click.UsageError("--stopped without --ended RUN")
    asked = NextOptions(ended, plan_only, max_iterations, no_loop, session_here(), stopped, rest, because)
    print_step(run_next(persons_project(start), story_id, f"baton next {story_id}", asked), as_json)
