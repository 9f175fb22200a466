"""What the client and the curious call: hook, demo."""

import sys
from pathlib import Path

import click


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the demo's repository in this new folder.")
def demo(keep: Path | None) -> None:
    """Run a whole story on a small repository with scripted agents: no account, no client.

    Example: baton demo
    """
    from baton.demo.play import play

    play(keep)


@click.command()
@click.argument("event", metavar="EVENT")
def hook(event: str) -> None:
    """Answer one of Claude Code's hooks; its JSON comes on stdin.

    Example: baton hook session-start
    """
    from baton.hooks.answer import answer_hook

    answer_hook(event, sys.stdin.read())
