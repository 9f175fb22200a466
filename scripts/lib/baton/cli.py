"""Assembles the commands and does nothing else."""

import sys
import traceback
from pathlib import Path

import click

from baton import __version__
from baton.commands.embedded import demo, hook
from baton.commands.init import init
from baton.commands.look import explain, validate
from baton.commands.run import answer, escalation, hand_in, next_step
from baton.commands.story import status, story, timeline
from baton.errors import BatonError


@click.group(context_settings={"max_content_width": 100})
@click.option("--project", type=click.Path(path_type=Path), default=Path(), help="A folder of the work tree.")
@click.version_option(__version__, prog_name="baton")
@click.pass_context
def baton(context: click.Context, project: Path) -> None:
    """Validated handoffs for Claude Code: a program says when, the agents say how.

    Exit codes: 0 done or decided, 1 looked and found problems, 2 could not do it, 3 a bug.
    """
    context.obj = project.absolute()


COMMANDS = (
    init, story, next_step, hand_in, answer, escalation, status, timeline, validate, explain, demo, hook,
)  # fmt: skip
for command in COMMANDS:
    baton.add_command(command)


def main() -> int:
    """Run the command line; gives the exit code. The one place that turns an exception into text."""
    try:
        code = baton.main(standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BatonError as error:
        print(f"baton: {error}", file=sys.stderr)
    except click.ClickException as error:
        print(f"baton: {usage_line(error)}", file=sys.stderr)
    except (KeyboardInterrupt, click.Abort):
        print("baton: interrupted; call again to go on where it stood", file=sys.stderr)
        return 130
    except SystemExit:  # how click takes it that nobody reads any more
        return 0
    except Exception:  # noqa: BLE001 - whatever is left is a bug, and is shown as one
        traceback.print_exc()
        print("baton: this is a bug: please report it with the lines above", file=sys.stderr)
        return 3
    # A hook that exits 2 would block what the client is about to do.
    return 1 if sys.argv[1:2] == ["hook"] else 2


def usage_line(error: click.ClickException) -> str:
    """Say in one line what was wrong with the call, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "baton"
    bare = isinstance(error, click.exceptions.NoArgsIsHelpError)  # its message is the whole help
    what = "Missing command" if bare else " ".join(error.format_message().split()).rstrip(".")
    return f"{what} at the command line: see `{path} --help`"
