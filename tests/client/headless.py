"""`baton run` as the user calls it, with the real client and a scripted model for each story."""

import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script, Step, Talk
from client.actors import MARKERS
from client.person import PLUGIN, NewDesk, baton
from programs import write_program

Cast = Callable[[str, str], Script]


def story_of(talk: Talk) -> str:
    """The story that a run's prompt names."""
    return talk.prompt.split()[4].rstrip(":")


def for_each_story(role: str, cast: Cast) -> Script:
    """Play in each process what the cast has for its story and role."""

    def play(talk: Talk) -> Iterator[Step]:
        yield from cast(story_of(talk), role)(talk)

    return play


def supervised(new_desk: NewDesk, project: Path, cast: Cast, **more: Script) -> Desk:
    """Give a desk with the rules of `init`, and the client on its PATH; `more` scripts are by their marker."""
    baton(project, "init", "--allow")
    desk = new_desk({**{marker: for_each_story(role, cast) for role, marker in MARKERS.items()}, **more})
    programs = project.parent / "programs"
    write_program(programs / "claude", f'exec {shlex.join(desk.command())} "$@"')
    return desk.with_extra(PATH=f"{programs}:{desk.environment()['PATH']}")


def start(desk: Desk, *words: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start `baton run`."""
    return subprocess.Popen(
        [str(PLUGIN / "scripts" / "baton"), "run", *words],
        cwd=desk.project, env={**desk.environment(), **(env or {})}, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def finished(process: subprocess.Popen[str], seconds: float = 240) -> tuple[int, str]:
    """Wait for its end; gives the exit code and all it said."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out + err
