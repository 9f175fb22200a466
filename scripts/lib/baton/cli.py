"""Assembles the commands and does nothing else."""

import errno
import sys
from importlib import import_module
from pathlib import Path

import click

from baton import __version__
from baton.errors import BatonError

# Each verb, by the module of `commands` that has it: a call loads the one it asks for and no other.
VERBS = {
    "answer": ("run", "answer"),
    "begin": ("begin", "begin"),
    "check": ("check", "check"),
    "demo": ("embedded", "demo"),
    "doctor": ("doctor", "doctor"),
    "escalation": ("run", "escalation"),
    "explain": ("look", "explain"),
    "hand-in": ("run", "hand_in"),
    "hook": ("embedded", "hook"),
    "init": ("init", "init"),
    "next": ("run", "next_step"),
    "pr": ("pr", "pr"),
    "show": ("show", "show"),
    "status": ("story", "status"),
    "story": ("story", "story"),
    "timeline": ("story", "timeline"),
    "undo": ("undo", "undo"),
    "validate": ("look", "validate"),
}


# What the system says where nothing in the program is wrong, as of a disk that is full while it prints.
OF_THE_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE,
    errno.ENOMEM,
)  # fmt: skip


class Verbs(click.Group):
    """The verbs, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of all verbs."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give a verb; None when there is none of this name."""
        if cmd_name not in VERBS:
            return None
        module, name = VERBS[cmd_name]
        command: click.Command = getattr(import_module(f"baton.commands.{module}"), name)
        return command


@click.group(cls=Verbs, context_settings={"max_content_width": 100})
@click.option("--project", type=click.Path(path_type=Path), default=Path(), help="A folder of the work tree.")
@click.version_option(__version__, prog_name="baton")
@click.pass_context
def baton(context: click.Context, project: Path) -> None:
    """Validated handoffs for Claude Code: a program says when, the agents say how.

    Exit codes: 0 done or decided, 1 looked and found problems, 2 could not do it, 3 a bug.
    """
    context.obj = project.absolute()


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
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            return _bug(error)
        where = str(error.filename or "standard output")
        told = BatonError(str(error.strerror), where, "fix that, then call again")
        print(f"baton: {told}", file=sys.stderr)
    except Exception as bug:  # noqa: BLE001 - whatever is left is a bug, and is shown as one
        return _bug(bug)
    # A hook that exits 2 would block what the client is about to do.
    return 1 if sys.argv[1:2] == ["hook"] else 2


def _bug(error: Exception) -> int:
    sys.excepthook(type(error), error, error.__traceback__)
    print("baton: this is a bug: please report it with the lines above", file=sys.stderr)
    return 3


def usage_line(error: click.ClickException) -> str:
    """Say in one line what was wrong with the call, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "baton"
    bare = isinstance(error, click.exceptions.NoArgsIsHelpError)  # its message is the whole help
    what = "Missing command" if bare else " ".join(error.format_message().split()).rstrip(".")
    return f"{what} at the command line: see `{path} --help`"
