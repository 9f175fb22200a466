"""`init`: a configuration to commit, of the commands that the project's files name."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from baton.artifacts.config import CONFIG_FILE, ROOT_STEPS, Command, Language, commands_of
from baton.artifacts.document import read_document
from baton.artifacts.load_config import read_config
from baton.artifacts.strict_yaml import YamlFault, load_yaml
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.project.detect_commands import CommandLine, Commands, find_commands
from baton.project.settings import find_base
from baton.project.try_beside import try_beside_documents
from baton.project.try_commands import Trial, Tried
from baton.templates.render import one_line, render, yaml_string

# What begins with a letter, a dot or a slash and has none of YAML's marks in it; load_yaml has the last word.
PLAIN = re.compile(r"[A-Za-z./][^#:\x00-\x1f\x7f-\U0010ffff]*")
DOUBTS_LIMIT = 10
DOUBT_LENGTH = 200


def config_text(git: Git, tell: Callable[[str], None] | None) -> tuple[str, Trial]:
    """Return the existing configuration, or a new one, and the trial of its commands.

    The commands of a new one are tried, unless `tell` is None.
    """
    path = git.project.root / CONFIG_FILE
    if os.path.lexists(path):
        return read_document(path), Trial()
    base = find_base(git)
    if not base:
        raise BatonError("no commit yet", str(git.project.root), "make a first commit, then call again")
    commands, trial, folder = _commands_of(git), Trial(), ""
    if tell:
        lines = [Command(step, line.run) for step in ROOT_STEPS if (line := getattr(commands, step)).run]
        lines += [Command("prepush", part.line.run, part.path) for part in commands.prepush]
        trial, folder = try_beside_documents(git, git.branch_commit(base), lines, tell)
    return render_config(base, commands, trial.tried, folder), trial


def render_config(base: str, commands: Commands, tried: Sequence[Tried] = (), folder: str = "") -> str:
    """Return a configuration that YAML reads as these commands, word for word, with a comment on each.

    A command that a trial found unfit is commented out. `folder` is that of the documents, where it is set.
    """
    unfit = {result.name: result.unfit for result in tried}
    steps = [(name, *_written(getattr(commands, name), unfit.get(name, ""))) for name in ROOT_STEPS]
    parts = [
        (_scalar(part.path), *_written(part.line, unfit.get(Command("prepush", "", part.path).name, "")))
        for part in commands.prepush
    ]
    doubts = [_comment(doubt) for doubt in commands.doubts[:DOUBTS_LIMIT]]
    more = len(commands.doubts) - DOUBTS_LIMIT
    return render(
        "config.yaml.j2",
        base=base,
        folder=folder,
        steps=steps,
        parts=parts,
        parts_off=all(off for *_, off in parts),
        all_off=all(off for *_, off in [*steps, *parts]),
        doubts=doubts + ([f"and {more} more"] if more > 0 else []),
    )


def _commands_of(git: Git) -> Commands:
    """Find the commands in the tracked files of a work tree, as they are on the disk."""
    root = git.project.root
    names = [name for name in git.do("ls-files", "-z").split("\0") if name]
    return find_commands(names, lambda name: _read_tracked(root, name))


def _read_tracked(root: Path, name: str) -> str:
    path = root / name
    if path.parent.resolve() != root.resolve() / Path(name).parent:
        raise BatonError("below a symbolic link", str(path), "give a plain file")
    return read_document(path)


def _written(line: CommandLine, unfit: str) -> tuple[str, bool]:
    """Return a command with a comment on it, and whether to comment it out."""
    if not line.run:
        return "(none found)", True
    return f"{_scalar(line.run)}  # {_comment(unfit or f'from {line.source}')}", bool(unfit)


def _scalar(text: str) -> str:
    """Return a text as a YAML scalar: plain where YAML reads it back so, quoted otherwise."""
    try:
        if PLAIN.fullmatch(text) and load_yaml(f"a: {text}") == {"a": text}:
            return text
    except YamlFault:
        pass
    return yaml_string(text)


def _comment(text: str) -> str:
    """Return a text as one line of a comment, with unprintable characters escaped."""
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in one_line(text))
    return line[:DOUBT_LENGTH]


def write_new(project: Project, name: str, text: str) -> bool:
    """Write a file of the checkout unless it exists; returns whether it was written."""
    path = project.root / name
    if os.path.lexists(path):
        return False
    write_durably(path, text, project.root)
    return True


def find_warnings(text: str, trial: Trial) -> list[str]:
    """Return warnings on a new configuration, whose commands were tried."""
    commands = commands_of(read_config(text, CONFIG_FILE), Language())
    if any(command.step != "setup" for command in commands):
        return []
    how = "can run here" if any(result.unfit for result in trial.tried) else "was found"
    return [f"no command that builds or tests {how}: name them in {CONFIG_FILE}, or nothing is run"]
