"""What failed, by name, in the whole output of a build or test command; the same names in any work tree."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from baton.checks import diagnostics
from baton.checks.runners import RUNNERS, Runner

LONGEST_LINE = 2000
LONGEST_NAME = 200

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
TOO_LONG = re.compile(rf"(?m)^(.{{{LONGEST_LINE}}}).+")
IN_A_TEMPORARY_FOLDER = re.compile(
    r"(?<![\w./-])(?:file://)?(?:/private)?/(?:tmp|var/tmp|var/folders)/[^\s'\"`‘’:,;)\]>]*"
)
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
HASH = re.compile(r"\b(?=[a-f]*[0-9])[0-9a-f]{7,}\b")
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")

# Lines of a command that names nothing: those that speak of an error, and among them those that only count.
ERROR = re.compile(
    r"(?i)(?<![a-z])(?:errors?|fatal|failed|failures?|exceptions?|panic(?:ked)?|undefined reference"
    r"|cannot (?:find|open|stat)|command not found"
    r"|no such file or directory|permission denied|segmentation fault)(?![a-z])"
    r"|(?<=[a-z])(?-i:Error|Exception)\b|(?-i:\bFAIL\b)"
)
NO_ERROR = re.compile(
    r"(?i)\W*(?:npm )?warn(?:ing)?\b|.*?: warning:|\s*(?:[✓✔√]|ok\b|pass\b)|.*\b(?:passed|ok)(?: +\[[\d/% ]*\])?$"
)
NONE_COUNTED = re.compile(r"(?i)\b(?:0|no) (?:errors?|failures?|failed|failing)\b")
COUNTED = re.compile(r"(?i)(?<![\w.:])[1-9][0-9]* (?:tests? |targets? )?(?:errors?|failed|failures?|failing)\b")
SUMMARY = re.compile(
    r"npm (?:ERR!|error)\s*(?:code|errno|path|command|workspace|location|in workspace|at location|Lifecycle|Exit"
    r"|Test failed|A complete log|Failed at|This is probably|/|$)"
    r"|FAILED \(|error: (?:could not compile|aborting due to|(?:doc)?test failed)"
    r"|.*\b(?:exit(?:ed with)? (?:code|status)|ELIFECYCLE|[Cc]ommand failed)\b"
    r"|make(?:\[\d+\])?: "
)


class Region(NamedTuple):
    """A stretch of an output where one runner spoke; `closed` where its end was found, then it alone is heard."""

    start: int
    stop: int
    runner: Runner
    closed: bool


def failures(output: str, trees: Collection[str] = ()) -> frozenset[str]:
    """Give the names of what failed: tests and compiler errors, else the lines that tell of an error.

    `output` is all a command printed; `trees` are the work trees it may name. Nothing is found in an output
    that tells of no failure, whatever the exit code was.
    """
    text = _plain(output, trees)
    return frozenset(_numbered(_names(text) or _lines(text)))


def _plain(output: str, trees: Collection[str]) -> str:
    """Give the text as a terminal would have left it, with paths that begin at the work tree."""
    text = ESCAPE.sub("", output)
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    text = TOO_LONG.sub(r"\1", text.translate(CONTROLS))
    for tree in sorted({tree.rstrip("/") for tree in trees} - {""}, key=len, reverse=True):
        for way in (f"file:///private{tree}", f"file://{tree}", f"/private{tree}", tree):
            text = re.sub(re.escape(way) + r"(?![\w.-])", ".", text.replace(f"{way}/", ""))
    return text


def _names(text: str) -> Counter[str]:
    """Count the names that the runners gave."""
    spoke = [runner for runner in RUNNERS if any(mark in text for mark in runner.marks)]
    regions = _regions(text, [runner for runner in spoke if runner.begins])
    free = _without(text, 0, regions).split("\n")
    counts: Counter[str] = Counter()
    for runner in spoke:
        mine = [text[one.start : one.stop].split("\n") for one in regions if one.runner is runner and one.closed]
        cut_off = [one.start for one in regions if one.runner is runner and not one.closed]
        if cut_off:
            mine.append(_without(text, cut_off[0], regions).split("\n"))
        for lines in mine if runner.begins else [free]:
            found = [_steady(name) for name in runner.read(lines)]
            counts.update(found if runner.repeats else set(found))
    return counts


def _regions(text: str, runners: Sequence[Runner]) -> list[Region]:
    """Find where each runner spoke, in order; what one printed within another's region is that one's quotation."""
    starts: list[tuple[int, int]] = []
    ends: list[list[int]] = []
    for rank, runner in enumerate(runners):
        assert runner.begins
        starts += [(found.start(), rank) for found in runner.begins.finditer(text)]
        ends.append([found.end() for found in runner.ends.finditer(text)] if runner.ends else [])
    regions: list[Region] = []
    reached = 0
    for start, rank in sorted(starts):
        if start < reached:
            continue
        at = bisect_left(ends[rank], start)
        if closed := at < len(ends[rank]):
            reached = ends[rank][at]
        regions.append(Region(start, reached if closed else len(text), runners[rank], closed))
    return regions


def _without(text: str, start: int, regions: Iterable[Region]) -> str:
    """Give the text from `start` on without the closed regions."""
    parts = []
    for one in regions:
        if one.closed and one.start >= start:
            parts.append(text[start : one.start])
            start = one.stop
    return "".join([*parts, text[start:]])


def _lines(text: str) -> Counter[str]:
    """Count the lines that tell of an error; without any, the targets make gave up, else the lines that count."""
    told: Counter[str] = Counter()
    summed: Counter[str] = Counter()
    for line in text.split("\n"):
        if not ERROR.search(line) or NO_ERROR.match(line):
            continue
        if COUNTED.search(line) or SUMMARY.match(line.lstrip()):
            summed[_normal(line)] += 1
        elif not NONE_COUNTED.search(line):
            told[_normal(line)] += 1
    return told or Counter(set(diagnostics.make(text.split("\n")))) or Counter(set(summed))


def _steady(name: str) -> str:
    return ADDRESS.sub("0x#", IN_A_TEMPORARY_FOLDER.sub("<tmp>", name)).strip()


def _normal(line: str) -> str:
    words = " ".join(HASH.sub("#", _steady(line)).split())
    return NUMBER.sub("#", words.replace("0x#", "#"))[:LONGEST_NAME].rstrip()


def _numbered(counts: Counter[str]) -> Iterator[str]:
    """Give each name as often as it occurred, the second as `name (2)`: one more of the same is one more."""
    for name, count in counts.items():
        yield name
        yield from (f"{name} ({number})" for number in range(2, count + 1))
