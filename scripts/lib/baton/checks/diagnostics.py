"""How errors are read that name a place in a file: those of compilers and linters, and the targets of make."""

import re
from collections.abc import Callable, Iterator, Sequence

NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)*(?!\w)")


def _by_line(mark: str, *patterns: str) -> Callable[[Sequence[str]], Iterator[str]]:
    """Make a reader of lines that hold `mark` and a whole error: its file, rule and message."""
    compiled = [re.compile(pattern) for pattern in patterns]

    def read(lines: Sequence[str]) -> Iterator[str]:
        for line in lines:
            found = next((match for one in compiled if (match := one.match(line))), None) if mark in line else None
            if found:
                parts = found.groupdict("")
                yield _named(parts.get("file", ""), parts.get("rule", ""), parts["message"])

    return read


def _named(file: str, rule: str, message: str) -> str:
    """Name an error by what it has of the three; numbers in its message tell lines and sizes, which move."""
    return ": ".join(part for part in (file, rule, NUMBER.sub("#", message)) if part)


FILE = r"(?P<file>[^\s:][^:]*)"

tsc = _by_line(
    "error TS",
    r"(?P<file>\S[^(]*)\(\d+,\d+\): error (?P<rule>TS\d+): (?P<message>.*)$",
    FILE + r":\d+:\d+ - error (?P<rule>TS\d+): (?P<message>.*)$",
    r"error (?P<rule>TS\d+): (?P<message>.*)$",
)
compilers = _by_line("error", FILE + r":\d+(?::\d+)?: (?:fatal )?error(?:\[(?P<rule>\w+)\])?: (?P<message>.*)$")
go = _by_line(".go:", r"(?:vet: )?(?:\./)?(?P<file>[^\s:][^:]*\.go):\d+:\d+: (?P<message>.*)$")

_eslint_by_line = _by_line(
    "Error",
    FILE + r": line \d+, col \d+, Error - (?P<message>.*?)(?: \((?P<rule>[^()\s]+)\))?$",
    FILE + r":\d+:\d+: (?P<message>.*) \[Error(?:/(?P<rule>\S+))?\]$",
)
_ruff_by_line = _by_line(
    ": ", FILE + r":\d+:\d+: (?P<rule>[A-Z]+\d+|invalid-syntax):? (?:\[\*\] )?(?P<message>.*)$"
)
STYLISH = re.compile(r" +\d+:\d+ +error +(\S.*)$")
RUSTC = re.compile(r"error(?:\[(\w+)\])?: (.*)$")
RUFF = re.compile(r"([A-Z]+\d+|invalid-syntax):? (?:\[\*\] )?(.*)$")
ARROW = re.compile(r" *--> (.+?):\d+:\d+$")
MAKE = re.compile(
    r"make(?:\[\d+\])?: \*\*\* (?:\[(?:[^\]:]+:\d+: )?([^\]]+)\]|No rule to make target ['`]([^']+)')"
)


def eslint(lines: Sequence[str]) -> Iterator[str]:
    """Read errors, with the file they stand under or on their own lines; warnings are none."""
    yield from _eslint_by_line(lines)
    file = ""
    for line in lines:
        if line and not line[0].isspace():
            file = line
        elif file and (found := STYLISH.match(line)):
            message, _, rule = found[1].rpartition("  ")
            message, rule = (found[1], "") if not message or " " in rule else (message.strip(), rule)
            yield _named(file, rule, message)


def _by_arrow(heading: re.Pattern[str], lines: Sequence[str]) -> Iterator[str]:
    """Read headings whose place comes after them, behind an arrow."""
    open_heading: re.Match[str] | None = None
    for line in lines:
        if line and not line[0].isspace():
            open_heading = heading.match(line)
        elif open_heading and (place := ARROW.match(line)):
            yield _named(place[1], open_heading[1] or "", open_heading[2])
            open_heading = None


def rustc(lines: Sequence[str]) -> Iterator[str]:
    return _by_arrow(RUSTC, lines)


def ruff(lines: Sequence[str]) -> Iterator[str]:
    yield from _ruff_by_line(lines)
    yield from _by_arrow(RUFF, lines)


def make(lines: Sequence[str]) -> Iterator[str]:
    """Read the targets that were given up, the innermost of a chain of makes among them."""
    for line in lines:
        if found := MAKE.match(line):
            yield f"make {found[1] or found[2]}"
