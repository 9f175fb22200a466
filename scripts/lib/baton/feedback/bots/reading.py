"""What the body of a review bot's comment is read into."""

import re
from typing import NamedTuple


class Finding(NamedTuple):
    """What a bot found, written inside a body and nowhere else."""

    title: str
    body: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    severity: str | None = None  # critical | high | medium | low
    label: str = ""  # the bot's own word for its kind
    section: str = ""  # the part of the body it stands in
    key: str = ""  # an id the bot itself gives it
    repeated: bool = False  # the bot itself says that an earlier finding is still open


class Reading(NamedTuple):
    """A body taken apart: its findings, what is left to read, what was left out and why."""

    findings: tuple[Finding, ...] = ()
    text: str = ""  # what is left once findings, prompts for agents, boilerplate and state are out
    boilerplate: str = ""  # what was left out, as one phrase
    not_reviewed: str = ""  # why the bot did not review
    problems: tuple[str, ...] = ()  # what did not add up; the raw part then stays in `text`
    title: str = ""  # this and the following: of `text`, for an inline comment
    severity: str | None = None
    label: str = ""
    key: str = ""
    declared: int = 0  # how many findings the body says there are
    addressed: str = ""  # the commit in which the bot itself says that this is addressed


SEVERITIES = {
    "critical": "critical", "blocker": "critical",
    "p0": "critical", "major": "high", "high": "high", "p1": "high",
    "minor": "medium", "medium": "medium", "moderate": "medium", "p2": "medium",
    "required": "high", "recommended": "medium", "advisory": "low",
    "trivial": "low", "low": "low", "nitpick": "low", "nit": "low", "info": "low", "p3": "low", "p4": "low",
}  # fmt: skip
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def severity_of(text: str) -> str | None:
    """Return the severity that the first word of a severity in this short text stands for."""
    return next((SEVERITIES[word] for word in WORD.findall(text.lower()) if word in SEVERITIES), None)
