"""The commands in a comment on GitHub: each line that is exactly `/baton OPTION`, and the note with it."""

import re
from typing import NamedTuple

from baton.feedback.text.markdown import read

LINE = re.compile(r"/baton[ \t]+(\S+)(?:[ \t]+(.*))?")


class TextCommand(NamedTuple):
    """The option that a line names, and the note behind it and below."""

    option: str
    note: str


def commands_in(text: str) -> list[TextCommand]:
    """Return the commands in a comment: lines of their own, in no quote, no code and no hidden comment."""
    if "/baton" not in text:
        return []
    written = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # Of the same lines; what is fenced or hidden is blank there.
    return [
        TextCommand(match[1], _note([match[2] or "", *written[number + 1 :]]))
        for number, line in enumerate(read(text).prose.split("\n"))
        if (match := LINE.fullmatch(line.rstrip()))
    ]


def _note(lines: list[str]) -> str:
    """Return the note in these lines, without the lines they quote, as in an answer by mail."""
    return "\n".join(line.rstrip() for line in lines if not line.startswith(">")).strip()
