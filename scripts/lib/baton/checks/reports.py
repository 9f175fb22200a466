"""How the names of failed tests are read from the report of each test runner."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

PYTEST_TITLE = re.compile(r"={3,} (\S.*?) ={3,}$")
PYTEST_PROGRESS = (
    re.compile(r"(\S.*) (?:FAILED|ERROR)(?: +\[ *[\d/%]+\])?$"),
    re.compile(r"\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (\S.*)$"),
)
PYTEST_HEADING = re.compile(r"_{2,} (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(\S.*?) _{2,}$")
PYTEST_MESSAGE = re.compile(r"[A-Za-z_][\w.]*(?::|\.\.\.|$)|assert\b|\[XPASS\(strict\)\]")


def pytest(lines: Sequence[str]) -> Iterator[str]:
    """Read the short summary; where it is switched off, the progress; else the headings of the tracebacks.

    Headings leave out the file, so that each stands for a failure of its own.
    """
    section = ""
    summary: list[str] = []
    progress: list[str] = []
    headings: list[str] = []
    for line in lines:
        if title := PYTEST_TITLE.match(line):
            section = title[1]
        elif section == "short test summary info":
            summary += _in_summary(line)
        elif section == "test session starts" and "::" in line:
            progress += [found[1].strip() for one in PYTEST_PROGRESS if (found := one.match(line))]
        elif section in ("FAILURES", "ERRORS") and (heading := PYTEST_HEADING.match(line)):
            headings.append(heading[1])
    yield from dict.fromkeys(summary or progress) or headings


def _in_summary(line: str) -> list[str]:
    if line.startswith(("FAILED ", "ERROR ")):
        return [_test_id(line.partition(" ")[2])]
    if line.startswith("SUBFAILED") and "::" in line:
        start = line.rindex(" ", 0, line.index("::")) + 1 if " " in line[: line.index("::")] else len("SUBFAILED")
        return [f"{_test_id(line[start:])} {line[len('SUBFAILED') : start].strip()}"]
    return []


def _test_id(text: str) -> str:
    """Give the id of `id - message`; both may hold dashes, the id's in the brackets of its parameters."""
    text = text.strip()
    dash, bracket = text.find(" - "), text.find("[")
    if dash < 0 or bracket < 0 or dash < bracket:
        return text if dash < 0 else text[:dash]
    cuts = [found.start() + 1 for found in re.finditer(r"\] - ", text)]
    said = [cut for cut in cuts if PYTEST_MESSAGE.match(text, cut + 3)]
    return text if not cuts or (not said and text.endswith("]")) else text[: (said or cuts)[0]]


UNITTEST_HEADING = re.compile(r"(?:FAIL|ERROR): (\S+)(?: \(([^()\s]+)\))?(.*)$")


def unittest(lines: Sequence[str]) -> Iterator[str]:
    """Read the headings; up to 3.10 the method's name is not in the brackets, from 3.11 on it is."""
    for rule, line in pairwise(lines):
        if rule == "=" * 70 and (found := UNITTEST_HEADING.match(line)):
            method, owner, case = found[1], found[2] or "", found[3]
            name = owner if owner.endswith(f".{method}") else f"{owner}.{method}".lstrip(".")
            yield name + case


GO_TEST = re.compile(r" *--- FAIL: (\S+) \(|\t+((?:Test|Fuzz|Example|Benchmark)\S*) \([\d.hmsµ]+\)$")
GO_PACKAGE = re.compile(r"(ok  |FAIL)\t(\S+)(?:.*?(\[(?:build|setup) failed\]))?")


def go(lines: Sequence[str]) -> Iterator[str]:
    """Read the tests, each with the package whose line comes after it; a package that failed without is a name."""
    tests: list[str] = []
    for line in lines:
        if test := GO_TEST.match(line):
            tests.append(test[1] or test[2])
        elif package := GO_PACKAGE.match(line):
            if package[1] == "FAIL":
                yield from [f"{package[2]}: {test}" for test in tests] or [f"{package[2]} {package[3] or ''}"]
            tests = []
    yield from tests


CARGO_TARGET = re.compile(r"     Running .*\)$|   Doc-tests \S+$")
CARGO_BINARY = re.compile(r"(?:-[0-9a-f]{16})?(?:\.exe)?\)?$")
CARGO_RESULT = re.compile(r"test (\S.*?)(?: - should panic)? \.\.\. FAILED$")
CARGO_LINE = re.compile(r" \(line \d+\)")


def cargo(lines: Sequence[str]) -> Iterator[str]:
    """Read the last list of failures of each target; where it has none, the results."""
    target = ""
    listed: list[str] | None = None
    results: list[str] = []
    for line in [*lines, "test result: "]:
        if (begins := CARGO_TARGET.match(line)) or line.startswith("test result: "):
            yield from (f"{target}{CARGO_LINE.sub('', name)}" for name in listed or results)
            target = CARGO_BINARY.sub("", re.split("[/ ]", line)[-1], count=1) + ": " if begins else ""
            listed, results = None, []
        elif line == "failures:":
            listed = []
        elif listed is not None and line.startswith("    "):
            listed.append(line.strip())
        elif result := CARGO_RESULT.match(line):
            results.append(result[1])


JEST_FILE = re.compile(r" ?(FAIL|PASS) +(\S.*?)(?: \([\d.]+ m?s\))?$")


def jest(lines: Sequence[str]) -> Iterator[str]:
    file = ""
    for line in lines:
        if found := JEST_FILE.match(line):
            file = found[2].removeprefix("./")
        elif line.startswith("  ● ") and file and line != "  ● Console":
            yield f"{file}: {line[4:].strip()}"


VITEST_SUITE = re.compile(r" \[ [^\[\]]* \]$")
VITEST_PROGRESS = re.compile(r" +× (.*?)(?: \d+ms)?$")


def vitest(lines: Sequence[str]) -> Iterator[str]:
    """Read the failures at the end; where the run never got there, the crosses."""
    section = ""
    listed: list[str] = []
    crossed: list[str] = []
    for line in lines:
        if line.startswith("⎯"):
            title = line.strip("⎯ ")
            section = section if title.startswith("[") else title
        elif section.startswith("Failed ") and line.startswith(" FAIL  "):
            listed.append(VITEST_SUITE.sub("", line[7:]) if section.startswith("Failed Suites") else line[7:])
        elif section.startswith("Unhandled ") and section != "Unhandled Errors":
            listed.append(f"{section}: {line}")
            section = ""
        elif cross := VITEST_PROGRESS.match(line):
            crossed.append(cross[1])
    yield from listed or crossed


MOCHA_COUNT = re.compile(r"  (\d+) failing$")


def mocha(lines: Sequence[str]) -> Iterator[str]:
    """Read the numbered list below the counts, each title two columns deeper than its suite's."""
    count = number = 0
    titles: list[str] = []
    for line in [*lines, ""]:
        if titles and line.startswith(" " * (5 + 2 * len(titles))) and line[5 + 2 * len(titles)] != " ":
            titles.append(line.strip())
            continue
        if titles:
            yield " ".join(titles).removesuffix(":")
            titles = []
        if found := MOCHA_COUNT.match(line):
            count, number = int(found[1]), 0
        elif number < count and line.startswith(f"  {number + 1}) "):
            number += 1
            titles = [line.partition(") ")[2].strip()]


NODE_LINE = re.compile(r"( *)(▶|✖) (.*?)( \([\d.]+ms\))?$")
NODE_PLACE = re.compile(r"test at (.+?):\d+:\d+$")


def node_spec(lines: Sequence[str]) -> Iterator[str]:
    """Read the list at the end, which leaves out who failed by its children alone; the tree tells the parents."""
    parents: list[str] = []
    paths: dict[str, str] = {}
    file = ""
    for line in lines:
        if place := NODE_PLACE.match(line):
            file = place[1]
        elif (found := NODE_LINE.match(line)) is None:
            continue
        elif file and not found[1]:
            text = f"{found[3]}{found[4] or ''}"
            if found[4]:
                path = paths.get(text, found[3])
                yield file if path.endswith(file) else f"{file}: {path}"
            file = ""
        else:
            del parents[len(found[1]) // 2 :]
            paths.setdefault(f"{found[3]}{found[4] or ''}", " > ".join([*parents, found[3]]))
            parents += [found[3]] if found[2] == "▶" else []


TAP_LINE = re.compile(r"( *)(?:# Subtest: (.*)|not ok \d+ ?(?:- )?(.*))$")
TAP_PLACE = re.compile(r" +location: '(.+?):\d+:\d+'$")
TAP_DIRECTIVE = re.compile(r"(?i)(?<!\\)# *(?:todo|skip)\b")


def tap(lines: Sequence[str]) -> Iterator[str]:
    """Read what is not ok, but what was to do anyway and what failed by its children alone."""
    parents: list[str] = []
    name = file = ""
    for line in [*lines, "not ok 0 # skip"]:
        if place := TAP_PLACE.match(line):
            file = f"{place[1]}: "
        elif "failureType: 'subtestsFailed'" in line:
            name = ""
        elif found := TAP_LINE.match(line):
            if name:
                yield file.removesuffix(": ") if file == f"{name}: " else file + name
            name = file = ""
            del parents[len(found[1]) // 4 :]
            title = (found[2] or found[3] or "").replace("\\#", "#")
            if found[2] is not None:
                parents.append(title)
            elif not TAP_DIRECTIVE.search(line):
                name = " > ".join([*parents, title])
