"""The command line of the lab: probe, lint, tables."""

import sys
from collections.abc import Sequence

import click

from baton.errors import BatonError
from baton_lab.lint.command import lint
from baton_lab.probes.command import probe
from baton_lab.probes.tables import tables


@click.group(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
def lab() -> None:
    """Find out what the client does, and where definitions expect something else.

    Exit codes: 0 everything holds, 1 looked and found problems, 2 could not do it.
    """


for command in (probe, lint, tables):
    lab.add_command(command)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line, or these words of one; return the exit code."""
    try:
        code = lab.main(words, prog_name="scripts/lab", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BatonError as error:
        print(f"lab: {error}", file=sys.stderr)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
    except click.ClickException as error:
        print(f"lab: {error.format_message()} See `scripts/lab --help`", file=sys.stderr)
    except (KeyboardInterrupt, click.Abort):
        return 130
    return 2
