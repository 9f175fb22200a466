"""Find programs of the project's commands that cannot be started on this machine."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from shutil import which

# What ends a command or a redirection, and what the shell itself does.
MARKS = frozenset("();<>|&\n")
SHELL = re.compile(
    r"\.|alias|bg|break|case|cd|command|continue|do|done|elif|else|esac|eval|exec|exit|export|fc|fg|fi|for|function"
    r"|getopts|hash|if|in|jobs|kill|local|read|readonly|return|set|shift|source|then|time|times|trap|type|ulimit|umask"
    r"|unalias|unset|until|wait|while"
)
PROGRAM = re.compile(r"[\w.+/-]+")
ASSIGNMENT = re.compile(r"\w+=")


def find_missing(line: str, folder: Path) -> str:
    """Name a program of a shell line, run in `folder`, that cannot be started; empty where all can.

    Missing paths are skipped, as the set-up may create them. So are built-ins of the shell and words it expands.
    """
    for program in _programs(line):
        if SHELL.fullmatch(program) or not PROGRAM.fullmatch(program):
            continue
        path = folder / program
        if "/" in program and path.is_file() and not os.access(path, os.X_OK):
            return f"`{program}` is not executable"
        if "/" not in program and not which(program):
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
