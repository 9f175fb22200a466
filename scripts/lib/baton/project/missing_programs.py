"""Find programs of the project's commands that cannot be started on this machine."""

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from shutil import which

from baton.artifacts.config import Command
from baton.checks.check_tree import CheckTree
from baton.checks.child_environment import with_installed

# What ends a command or a redirection, and what the shell itself does.
MARKS = frozenset("();<>|&\n")
SHELL = re.compile(
    r"\.|alias|bg|break|case|cd|command|continue|do|done|elif|else|esac|eval|exec|exit|export|fc|fg|fi|for|function"
    r"|getopts|hash|if|in|jobs|kill|local|read|readonly|return|set|shift|source|then|time|times|trap|type|ulimit|umask"
    r"|unalias|unset|until|wait|while"
)
PROGRAM = re.compile(r"[\w.+/-]+")
ASSIGNMENT = re.compile(r"\w+=")


def missing_programs(commands: Sequence[Command], root: Path, trees: Sequence[CheckTree]) -> dict[Command, str]:
    """Return each command with a program that cannot be started, and what that is.

    Programs that the set-up installed in one of the trees are there; before it has run it may install any that it
    does not use itself. What notifies runs in no such tree.
    """
    own = [program for command in commands if command.step == "setup" for program in _programs(command.line)]
    ready = [tree.path for tree in trees if tree.known.get("setup")]
    missing = dict[Command, str]()
    for command in commands:
        is_check = command.step != "notify"
        places = [str(place) for top in ready if is_check for place in (top / command.path, top)]
        path = with_installed(os.environ, *places)["PATH"]
        only = own if own and is_check and not ready else None
        missing[command] = find_missing(command.line, root / command.path, path, only)
    return {command: what for command, what in missing.items() if what}


def find_missing(line: str, folder: Path, path: str | None = None, only: Collection[str] | None = None) -> str:
    """Name a program of a shell line, run in `folder`, that cannot be started; empty where all can.

    Missing paths are skipped, as the set-up may create them. So are built-ins of the shell and words it expands.
    Where `only` is given, other programs may be missing.
    """
    for program in _programs(line):
        if SHELL.fullmatch(program) or not PROGRAM.fullmatch(program):
            continue
        file = folder / program
        if "/" in program and file.is_file() and not os.access(file, os.X_OK):
            return f"`{program}` is not executable"
        if "/" not in program and (only is None or program in only) and not which(program, path=path):
            return f"`{program}` is not on this machine"
    return ""


def _programs(line: str) -> Iterator[str]:
    """Give the program of each command in a shell line: its first word after any assignments."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="".join(MARKS))
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    starts = True
    try:
        for word in lexer:
            if MARKS.issuperset(word):
                starts = not {"<", ">"} & set(word)
            elif starts and not ASSIGNMENT.match(word):
                starts = False
                yield word
    except ValueError:  # a quote that is not closed: the shell will say so
        return
