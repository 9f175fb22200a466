"""The verb that the client calls: hook."""

import os
import sys

import click

from baton.bootstrap import HOOKS
from baton.errors import BatonError


@click.command()
@click.argument("event", metavar="EVENT")
def hook(event: str) -> None:
    """Answer one of Claude Code's hooks; its JSON comes on stdin.

    Example: baton hook session-start
    """
    if HOOKS in os.environ:  # the client's shells have it, the processes of its hooks do not
        remedy = "what is said here counts as the user's word: answer in the client, or in a terminal"
        raise BatonError("only the client calls its hooks", "`baton hook`", remedy)
    from baton.hooks.hook_events import answer_hook  # a door: the help of the verb goes without

    click.get_current_context().exit(answer_hook(event, sys.stdin.read()))
