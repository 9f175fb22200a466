"""Find the calls of baton in a longer command, where every shell reads it alike.

It is followed word by word and no further: where a shell would replace anything, nobody can tell.
"""

import re
from typing import NamedTuple

from baton.hooks.calls import is_about_baton, is_about_records

WORD = r"""(?:[\w./:,@+%^=~*?\[\]-]|'[^']*'|"[^"$`\\!]*")+"""
TOKEN = re.compile(
    rf"[ \t]+|(?P<harmless>[012]?>&[012](?![\w.])|[012&]?>>?[ \t]*/dev/null(?![\w./-]))"
    rf"|(?P<file>[012]?(?:>>?|<)[ \t]*{WORD}|&>>?[ \t]*{WORD})"
    rf"|(?P<pipe>\|&?(?!\|))|(?P<end>&&|\|\||&(?!>)|[;\n])|(?P<word>{WORD})"
)
GLOB = re.compile(r"[*?\[\]]")
# They print what they are given and run nothing that the text names; nor do these verbs of git.
READERS = frozenset({"cat", "cd", "diff", "echo", "grep", "head", "jq", "ls", "pwd", "stat", "tail", "test", "wc"})
GIT_VERBS = frozenset({"add", "commit", "diff", "log", "show", "status"})


class PipePart(NamedTuple):
    """One command of a pipeline: its words, and the redirections from and to files, as they are written."""

    words: list[str]
    files: list[str]

    @property
    def is_about_baton(self) -> bool:
        return is_about_baton(" ".join([*self.words, *self.files]))

    @property
    def is_literal(self) -> bool:
        """Whether it says to baton what is written there, and at most what that prints goes to a file."""
        to_file = not any("<" in file or is_about_baton(file) for file in self.files)
        return to_file and not GLOB.search(" ".join(self.words))

    @property
    def only_reads(self) -> bool:
        reads = self.words[:1] == ["git"] and self.words[1:2] and self.words[1] in GIT_VERBS
        return not self.files and bool(reads or (self.words and self.words[0] in READERS))


def calls_in(command: str) -> list[str] | None:
    """Return the commands of a text that name baton and do more than read; None where that cannot be told."""
    pipelines, calls = pipelines_in(command), list[str]()
    records = is_about_records(command)
    for parts in pipelines or []:
        about = [part for part in parts if part.is_about_baton]
        # What is read may be carried out by what it is piped to; records may lie where the text went before.
        if records or any(part.only_reads for part in about):
            if not all(part.only_reads and not (records and part.words[0] == "git") for part in parts):
                return None
            continue
        if not all(part.is_literal for part in about):
            return None
        calls += [" ".join(part.words) for part in about]
    return None if pipelines is None else calls


def pipelines_in(command: str) -> list[list[PipePart]] | None:
    """Return the parts of each pipeline in a text; None where shells read more into it than words."""
    pipelines, at = [[PipePart([], [])]], 0
    while at < len(command):
        token = TOKEN.match(command, at)
        if token is None:
            return None
        at, part = token.end(), pipelines[-1][-1]
        if token["word"]:
            part.words.append(token["word"])
        elif token["file"]:
            part.files.append(token["file"])
        elif token["pipe"]:
            pipelines[-1].append(PipePart([], []))
        elif token["end"]:
            pipelines.append([PipePart([], [])])
    return [[part for part in parts if part.words or part.files] for parts in pipelines]
