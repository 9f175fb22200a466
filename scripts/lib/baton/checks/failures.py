"""Names of what failed: by a JUnit report where there is one, else by lines that name a test or a tracked file.

Names are compared only where base is red, too. What has no name is compared with nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from xml.etree import ElementTree

LONGEST_LINE = 2000
LONGEST_NAME = 200

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
TOO_LONG = re.compile(rf"(?m)^(.{{{LONGEST_LINE}}}).+")
TEMPORARY = re.compile(r"(?<![\w./-])(?:file://)?(?:/private)?/(?:tmp|var/tmp|var/folders)/[^\s'\"`‘’:,;)\]>]*")
# What differs between two runs of the same failure: addresses, hashes, and numbers that are no part of a name.
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
HASH = re.compile(r"\b(?=[a-f]*[0-9])[0-9a-f]{7,}\b")
NUMBER = re.compile(r"(?<![\w\[])[0-9]+(?:\.[0-9]+)?")

# Where an output begins to tell of a failure: what is shown of it.
ERROR = re.compile(
    r"(?i)(?<![a-z])(?:errors?|fatal|failed|failures?|exceptions?|panic(?:ked)?|undefined reference"
    r"|cannot (?:find|open|stat)|command not found"
    r"|no such file or directory|permission denied|segmentation fault)(?![a-z])"
    r"|(?<=[a-z])(?-i:Error|Exception)\b|(?-i:\bFAIL\b)"
)
# Lines that say that something is well or is looked at: a warning, a pass, a command, what is done now.
FINE = re.compile(
    r"(?i)\s*(?:npm )?warn(?:ing)?\b|.*?: warning:"
    r"|\s*(?:[✓✔√]|ok\b|pass\b)|.*\b(?:passed|ok|unchanged)(?: +\[[\d/% ]*\])?$"
    r"|\s*(?:[>$+] |(?:\S*/)?(?:g?cc|[gc]\+\+|clang(?:\+\+)?|ar|ld|rustc|javac|ghc|node|sh|bash|npx|go|cargo) )"
    r"|\s*(?:check|compil|build|runn|format|process|lint|analyz|collect|load|read)ing\b"
)
# Lines that only count, or say that a command failed.
SUMMARY = re.compile(
    r"(?i).*(?<![\w.:])(?:no|\d+) (?:tests? |targets? )?(?:errors?|failed|failures?|failing)\b"
    r"|(?:npm (?:ERR!|error)|FAILED \(|make(?:\[\d+\])?: )"
    r"|error: (?:could not compile|aborting due to|test failed)"
    r"|.*\b(?:exit(?:ed with)? (?:code|status)|ELIFECYCLE|command failed)\b"
)
NAMES_TEST = re.compile(
    r"\s*(?:[✖✗×✘●]|not ok\b|\d+\)) *\S"
    r"|.*(?<![\w/.-])(?:FAIL|FAILED|ERROR)(?![\w/.-])[: \t]+[\w<./]|.*\w.* FAILED$"
)
# What a line has before and after the test it names; a name that is shorter is no sign.
MARKED = re.compile(r"^\W*(?:(?:not ok|test|FAIL(?:ED)?|ERROR)\b[\s:#-]+)?")
COUNTED = re.compile(r"(?: \.\.\. FAILED| FAILED| \([^()]*\))$")
TELLING = 6
WORD = re.compile(r"[^\s:,;()'\"`\[\]<>]+")


def failures(output: str, trees: Collection[str] = (), tracked: Collection[str] = ()) -> frozenset[str]:
    """Return the names of what failed: the lines that name a failed test, else those that name a tracked file.

    `output` is all a command printed; `trees` are the work trees it may name, `tracked` the files of the commit.
    The second of two equal lines is `line (2)`. Empty when nothing that failed is named.
    """
    tests, places = Counter[str](), Counter[str]()
    files = set(tracked)
    for line in _plain(output, trees).split("\n"):
        if FINE.match(line) or SUMMARY.match(line.lstrip()):
            continue
        if NAMES_TEST.match(line):
            tests[_normal(line)] += 1
        elif not files.isdisjoint(word.removeprefix("./") for word in WORD.findall(line)):
            places[_normal(line)] += 1
    return frozenset(_numbered(tests or places))


def is_named(failure: str, text: str) -> bool:
    """Whether a text speaks of a failure: by its line, by the test in it, or by that test's own name."""
    line = COUNTED.sub("", MARKED.sub("", failure)).partition(" - ")[0]
    test = line.rpartition("::")[2].partition("[")[0]
    names = [failure, line if len(line) >= TELLING else failure]
    names += [test] if len(test) >= TELLING and " " not in test else []
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def report_failures(report: str) -> frozenset[str] | None:
    """Return the names of the failed cases of a JUnit report, `class::name`; None for a text that is no report."""
    if "<!DOCTYPE" in report or "<!ENTITY" in report:  # a report needs neither, and an attack does
        return None
    try:
        root = ElementTree.fromstring(report)
    except ElementTree.ParseError:
        return None
    if root.tag not in ("testsuites", "testsuite"):
        return None
    failed = [case for case in root.iter("testcase") if any(child.tag in ("failure", "error") for child in case)]
    names = (f"{case.get('classname') or case.get('file') or ''}::{case.get('name') or ''}" for case in failed)
    return frozenset(_numbered(Counter(_steady(name) for name in names)))


def _plain(output: str, trees: Collection[str]) -> str:
    """Return the text as a terminal would have left it, with paths that begin at the work tree."""
    text = ESCAPE.sub("", output)
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    text = TOO_LONG.sub(r"\1", text.translate(CONTROLS))
    for tree in sorted({tree.rstrip("/") for tree in trees} - {""}, key=len, reverse=True):
        for way in (f"file:///private{tree}", f"file://{tree}", f"/private{tree}", tree):
            text = re.sub(re.escape(way) + r"(?![\w.-])", ".", text.replace(f"{way}/", ""))
    return text


def _steady(name: str) -> str:
    return ADDRESS.sub("0x#", TEMPORARY.sub("<tmp>", name)).strip()


def _normal(line: str) -> str:
    words = " ".join(HASH.sub("#", _steady(line)).split())
    return NUMBER.sub("#", words.replace("0x#", "#"))[:LONGEST_NAME].rstrip()


def _numbered(counts: Counter[str]) -> Iterator[str]:
    """Name each line as often as it occurred: one more of the same is one more."""
    for name, count in counts.items():
        yield name
        yield from (f"{name} ({number})" for number in range(2, count + 1))
