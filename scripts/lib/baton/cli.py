"""Assemble the commands."""

import errno
import sys
from importlib import import_module
from pathlib import Path

import click

from baton import __version__
from baton.errors import BatonError

# Each verb by what it is for, with the module of `commands` that has it: a call loads the one it asks for.
SECTIONS = {
    "Stories": {
        "start": ("start_verb", "start_story"),
        "story": ("story_verb", "story"),
        "next": ("next", "next_step"),
        "run": ("run_verb", "run"),
        "wait": ("wait", "wait"),
        "question": ("answer_verb", "question"),
        "answer": ("answer_verb", "answer"),
        "status": ("status", "status"),
        "show": ("show", "show"),
        "timeline": ("timeline", "timeline"),
        "report": ("report_verb", "report"),
        "undo": ("story_verb", "undo"),
        "memory": ("memory_verb", "memory"),
    },
    "Pull requests": {"pr": ("pr", "pr")},
    "This repository": {
        "init": ("init_verb", "init"),
        "doctor": ("doctor_verb", "doctor"),
        "demo": ("demo.demo_command", "demo"),
    },
    "By hand": {
        "validate": ("validate_verb", "validate"),
        "resume-context": ("brief_verb", "resume_context"),
        "cluster-brief": ("brief_verb", "cluster_brief"),
        "brief": ("brief_verb", "brief"),
        "explain": ("explain", "explain"),
    },
    "Called by agents": {
        "begin": ("begin", "begin"),
        "setup": ("check_verb", "setup"),
        "check": ("check_verb", "check"),
        "hand-in": ("hand_in_verb", "hand_in"),
    },
    # called by the client and by the workflow's jobs alone, and not listed
    "": {
        "hook": ("hooks.hook_events", "hook"),
        "for-module": ("drive", "drive"),
        "actions": ("actions", "actions"),
    },
}
VERBS = {name: place for verbs in SECTIONS.values() for name, place in verbs.items()}
SUMMARY_LENGTH = 60
# How alike (of 1) a verb is to be that is proposed for an unknown one: `version` is no `question`.
SIMILAR = 0.7


# What the system says where nothing in the program is wrong, as of a disk that is full while it prints.
OF_THE_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE,
    errno.ENFILE, errno.ENOMEM,
)  # fmt: skip


class Verbs(click.Group):
    """The verbs, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all verbs but the unlisted ones."""
        return [name for section, verbs in SECTIONS.items() if section for name in verbs]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb; None when there is none of this name."""
        if cmd_name not in VERBS:
            return None
        module, name = VERBS[cmd_name]
        command: click.Command = getattr(
            import_module(f"baton.{module}" if "." in module else f"baton.commands.{module}"), name
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the called verb; `help VERB` asks for its help, and for an unknown one similar verbs are named."""
        if args[0] == "help":
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        if args[0] not in VERBS:
            from difflib import get_close_matches  # few calls name no verb

            if like := get_close_matches(args[0], self.list_commands(ctx), cutoff=SIMILAR):
                ctx.fail(f"No such command {args[0]!r} (did you mean {' or '.join(like)}?)")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs in their sections, each with its whole summary."""
        for section, verbs in SECTIONS.items():
            if section:
                loaded = {name: self.get_command(ctx, name) for name in verbs}
                rows = [(name, verb.get_short_help_str(SUMMARY_LENGTH)) for name, verb in loaded.items() if verb]
                with formatter.section(section):
                    formatter.write_dl(rows)


@click.group(
    cls=Verbs,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.option("--project", type=click.Path(path_type=Path), default=Path(), help="A folder of the work tree.")
@click.option("--permit", default="", hidden=True)  # what the client puts into a call that the user allowed
@click.version_option(__version__, "-V", "--version", prog_name="baton")
@click.pass_context
def baton(context: click.Context, project: Path, permit: str) -> None:
    """Take a story from plan to merged, and a pull request from feedback to resolved.

    Exit codes: 0 done or decided, 1 looked and found problems, 2 could not do it, 3 a bug.
    """
    try:
        context.obj = project.absolute()
    except FileNotFoundError:
        raise BatonError(
            "the folder you are in is gone", "this shell", "`cd` to another, then call again"
        ) from None
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> int:
    """Run the command line; returns the exit code. The one place that turns an exception into text."""
    try:
        code = baton.main(prog_name="baton", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BatonError as error:
        print(f"baton: {error}", file=sys.stderr)
    except click.ClickException as error:
        print(f"baton: {usage_line(error)}", file=sys.stderr)
    except (KeyboardInterrupt, click.Abort) as stop:
        if isinstance(stop.__cause__, EOFError):
            raise stop.__cause__ from None  # of a module's compiled file, which click takes for a prompt's
        anew = _called_verb() in ("demo", "init", "doctor")
        how = "call again, and it begins anew" if anew else "call again to go on where it stood"
        print(f"baton: interrupted; {how}", file=sys.stderr)
        return 130
    except SystemExit:  # how click takes it that nobody reads any more
        return 0
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            return _bug(error)
        where = str(error.filename or "standard output")
        fault = BatonError(str(error.strerror), where, "fix that, then call again")
        print(f"baton: {fault}", file=sys.stderr)
    except Exception as bug:  # whatever is left is a bug, and is shown as one
        if isinstance(bug, ValueError) and str(bug).startswith("bad marshal data"):
            raise  # of a module's compiled file: launch.py removes it
        return _bug(bug)
    # A hook that exits 2 would block what the client is about to do.
    return 1 if sys.argv[1:2] == ["hook"] else 2


def _bug(error: Exception) -> int:
    sys.excepthook(type(error), error, error.__traceback__)
    print("baton: this is a bug: please report it with the lines above", file=sys.stderr)
    return 3


def _called_verb() -> str:
    return next((word for word in sys.argv[1:] if word in VERBS), "")


def usage_line(error: click.ClickException) -> str:
    """Return one line on what is wrong with the call, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    # click's parser names no context
    path = context.command_path if context else f"baton {_called_verb()}".rstrip()
    bare = isinstance(error, click.exceptions.NoArgsIsHelpError)  # its message is the whole help
    what = "Missing command" if bare else " ".join(error.format_message().split()).rstrip(".")
    return f"{what} at the command line: see `{path} --help`"
