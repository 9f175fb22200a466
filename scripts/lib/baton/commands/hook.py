"""What the client calls: hook."""

import sys

import click


@click.command()
@click.argument("event", metavar="EVENT")
def hook(event: str) -> None:
    """Answer one of Claude Code's hooks; its JSON comes on stdin.

    Example: baton hook session-start
    """
    from baton.hooks.events import answer_hook

    click.get_current_context().exit(answer_hook(event, sys.stdin.read()))
