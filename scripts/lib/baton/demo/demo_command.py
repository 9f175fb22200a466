"""The main job on a small repository of its own: demo."""

from pathlib import Path

import click


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the demo's repository in this new folder.")
@click.option("--pr", "on_pull_request", is_flag=True, help="Settle a pull request's feedback instead.")
def demo(keep: Path | None, on_pull_request: bool) -> None:
    """Run a whole story with scripted agents: it needs no account.

    With --pr, what was said on a pull request is settled instead, with a scripted `gh`: no network either.

    Example: baton demo
    """
    from baton.demo import play, play_pr  # a door: nothing else of the program loads the demo

    (play_pr if on_pull_request else play).play(keep)
