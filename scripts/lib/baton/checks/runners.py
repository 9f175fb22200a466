"""The test runners, compilers and linters whose output can be read: a row for each, and how its names are read."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from baton.checks import diagnostics, reports

Reader = Callable[[Sequence[str]], Iterator[str]]


class Runner(NamedTuple):
    """How one runner is read.

    It spoke when one of its `marks` is in the output. What it printed goes from `begins` to `ends`, where no
    other runner is looked for: what stands there is a quotation. One without `begins` reads what nobody claimed.
    Names are given once for each such stretch, or as often as they stand there where one `repeats`.
    """

    name: str
    source: str
    marks: tuple[str, ...]
    read: Reader
    begins: re.Pattern[str] | None = None
    ends: re.Pattern[str] | None = None
    repeats: bool = False


def _line(pattern: str) -> re.Pattern[str]:
    """Compile what is looked for at the beginning of each line of an output."""
    return re.compile(pattern, re.MULTILINE)


RUNNERS = (
    Runner(
        "pytest", "pytest 9.2 with xdist 3.8, observed: plain, -q, -v, -n 2, -rN, --tb=no",
        (" in ",), reports.pytest,
        _line(r"^={3,} (?:test session starts|ERRORS|FAILURES|short test summary info) ={3,}$"),
        _line(
            r"^(?:=+ )?(?:no tests ran|\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?"
            r"|rerun|subtests)\b.*) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$"
        ),
        repeats=True,
    ),
    Runner(
        "unittest", "Python 3.10, 3.12 and 3.13, observed: plain and -v", ("=" * 70,), reports.unittest,
        _line(r"^={70}\n(?:FAIL|ERROR): "), _line(r"^Ran \d+ tests? in .*$"),
    ),
    Runner(
        "go test", "`go help test` and the output of package testing; not observed", ("FAIL\t",), reports.go,
        _line(r"^(?:=== RUN   |--- (?:FAIL|PASS|SKIP): \S+ \(|panic: |FAIL\t)"), _line(r"^(?:FAIL|ok  )\t.*$"),
    ),
    Runner(
        "cargo test", "cargo 1.95, observed: unit, integration and doc tests, --nocapture", ("test result: ",),
        reports.cargo,
        _line(r"^(?: {5}Running .*\)| {3}Doc-tests \S+|running \d+ tests?)$"), _line(r"^test result: .*$"), True,
    ),
    Runner(
        "jest", "jest 30.5, observed: plain and --verbose", ("Test Suites: ",), reports.jest,
        _line(r"^ ?(?:FAIL|PASS) +\S"), _line(r"^Time: .*$"),
    ),
    Runner(
        "vitest", "vitest 4.1, observed: the reporters default, verbose and dot", (" RUN  v", " DEV  v"),
        reports.vitest, _line(r"^ (?:RUN|DEV)  v\d"), _line(r"^ +Duration  .*$"),
    ),
    Runner(
        "TAP", "node 20 --test-reporter=tap, observed; testanything.org for others", ("not ok ",), reports.tap,
        _line(r"^(?:TAP version \d+|1\.\.\d+)$"), _line(r"^# duration_ms .*$"),
    ),
    Runner(
        "mocha", "mocha 12.0, observed: the reporters spec and dot", (" failing\n",), reports.mocha, repeats=True
    ),
    Runner("node", "node 20 --test, observed", ("✖ failing tests:",), reports.node_spec, repeats=True),
    Runner("rustc", "cargo 1.95, observed", ("error",), diagnostics.rustc, repeats=True),
    Runner("tsc", "TypeScript 5.9, observed: plain and --pretty", ("error TS",), diagnostics.tsc, repeats=True),
    Runner(
        "eslint", "ESLint 9.39, observed: stylish, compact and unix", (" problem",), diagnostics.eslint,
        repeats=True,
    ),
    Runner(
        "compilers", "gcc 12 and mypy 2.4, observed; clang, javac and swiftc print the same",
        ("error: ", "error["),
        diagnostics.compilers, repeats=True,
    ),
    Runner(
        "ruff", "ruff 0.17, observed: full and concise; flake8 prints the latter", (":",), diagnostics.ruff,
        repeats=True,
    ),
    Runner("go build", "`go help build` and `go vet`; not observed", (".go:",), diagnostics.go, repeats=True),
)  # fmt: skip
