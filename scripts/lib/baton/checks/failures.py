"""What a failed command's output says: the names of what failed, or that a credential or the network is missing.

Names come from a JUnit report where there is one, else from lines that name a test or a tracked file. They are
compared only where base is red, too. What has no name is compared with nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
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
NO_FAILURE = re.compile(
    r"(?i)\s*(?:npm )?warn(?:ing)?\b|.*?: warning:"
    r"|\s*(?:[✓✔√]|ok\b|pass\b)|.*\b(?:passed|ok|unchanged)(?: +\[[\d/% ]*\])?$"
    r"|\s*(?:[>$+] |(?:\S*/)?(?:g?cc|[gc]\+\+|clang(?:\+\+)?|ar|ld|rustc|javac|ghc|node|sh|bash|npx|go|cargo) )"
    r"|\s*(?:check|compil|build|runn|format|process|lint|analyz|collect|load|read)ing\b"
)
# Lines that only count, or say that a command failed.
SUMMARY = re.compile(
    r"(?i).*(?<![\w.:])(?:no|\d+) (?:tests? |targets? )?(?:errors?|failed|failures?|failing)\b"
    r"|(?:npm (?:ERR!|error)|FAILED \(|make(?:\[\d+\])?: )"
    r"|error: (?:could not compile|aborting due to|test failed)|FAILURE: Build "
    r"|.*\b(?:exit(?:ed with)? (?:code|status)|ELIFECYCLE|command failed)\b"
)
ABSENT = re.compile(r"(?i)not found|no such file")
WORDS = re.compile(r"\w")
SHORT = 4  # words of `npm error code EUSAGE`
# What stands above failures or sums them up, and names none.
HEADING = re.compile(r"(?i)\W*(?:\w+\W+){0,2}(?:errors?|failures?)\W*")
NAMES_TEST = re.compile(
    r"\s*(?:[✖✗×✘●]|not ok\b|\d+\)) *\S"
    r"|.*(?<![\w/.-])(?:FAIL|FAILED|ERROR)(?![\w/.-])[: \t]+[\w<./]|.*\w.* FAILED$"
)
# What a line has before and after the test it names; a name that is shorter is no sign.
MARKED = re.compile(r"^\W*(?:(?:not ok|test|FAIL(?:ED)?|ERROR)\b[\s:#-]+)?")
COUNTED = re.compile(r"(?: \.\.\. FAILED| FAILED| \([^()]*\))$")
SHORTEST_NAME = 6
WORD = re.compile(r"[^\s:,;()'\"`\[\]<>]+")

SECRET_VARIABLE = r"\b[A-Z][A-Z0-9_]*(?:TOKEN|API_KEY|SECRET|PASSWORD|CREDENTIALS?|ACCESS_KEY)\b"
CREDENTIAL = rf"(?:{SECRET_VARIABLE}|[Aa]ccess token|API (?:key|token)|[Cc]redentials?\b)"
# What asks for a credential, which is never supplied (what counts as one is in `secrets/`); each as the tool
# beside it says it.
ASKS_FOR_CREDENTIAL = (
    r"could not read (?:Username|Password) for",  # git over HTTPS
    r"terminal prompts disabled",  # git that may not ask
    r"Permission denied \((?:publickey|password|keyboard-interactive)",  # ssh
    r"Host key verification failed",  # ssh
    r"\bENEEDAUTH\b|\bE401\b",  # npm
    r"(?:npm (?:ERR!|error)|curl:|fatal:|denied:).{0,80}(?:\b401\b|\b403\b|[Aa]uthenticat|[Aa]uthoriz)",
    r"[Aa]uthentication (?:is )?(?:required|failed)",  # docker, pip's indexes, git
    r"(?i:you are|you're) not (?:logged in|authenticated)",  # wrangler, gh, firebase
    r"(?i:please) (?:run|use) .{0,40}\b(?:login|auth)\b",  # npm, gcloud, az
    r"(?i:unable to locate credentials|NoCredentialProviders|could not load credentials)",  # AWS
    r"(?i:could not find default credentials|application default credentials)",  # Google
    rf"{SECRET_VARIABLE}.{{0,60}}(?:not set|unset|missing|required|must be set|environment variable)",
    rf"(?:[Mm]issing|[Rr]equires?|[Ss]et (?:an?|the|your)) .{{0,30}}{CREDENTIAL}",
    r"^[ \t]*(?:(?i:username|password|passphrase)|Enter passphrase)[^:\n]{0,60}:[ \t]*$",  # nobody answered
    r"sudo: a (?:terminal|password) is required",
)
# What a registry, a proxy or a name server that is away looks like, each as the tools beside it say it. Where a
# program under test cannot reach what runs on this machine, that is a failure like any other.
OUT_OF_REACH = (
    r"[Cc]ould not resolve (?:host|proxy)|Temporary failure in name resolution|[Nn]etwork is unreachable",
    r"getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|ERR_PNPM_(?:META_FETCH_FAIL|NO_OFFLINE)",
    r"npm (?:ERR!|error) (?:network|code E(?:CONN|TIMEDOUT|NOTFOUND|NOTCACHED|AI_AGAIN))",
    r"trouble with your network connection",  # Yarn
    r"Could not fetch URL|\bpip\._vendor\.|\(from versions: none\)|Failed to fetch: `?https?://",  # pip, uv
    r"download of config\.json failed|failed to (?:download from|fetch|query replaced source registry) `",  # Cargo
    r"module lookup disabled by GOPROXY|proxyconnect tcp",
    r"dial tcp(?:: lookup| (?!127\.|\[::1?\]|0\.0\.0\.0)\S+: (?:i/o|connect))",  # Go, docker
    r"UnknownHostException: |Could not transfer artifact|Could not (?:GET|HEAD) '|for offline mode",  # Java
    r"Could not (?:reach host|fetch specs from)|Gem::RemoteFetcher::\w+Error|Bundler::HTTPError",  # Ruby
    r"external command [`'](?:git|curl)[`'] exited|could not download file from|error during download",  # Lean
    r"curl error \d+ while downloading",  # Composer
    r"could not read (?:Username|Password) for|terminal prompts disabled|Host key verification failed",  # git
    r"Permission denied \((?:publickey|password|keyboard-interactive)|\bENEEDAUTH\b|npm (?:ERR!|error) code E401",
)
# What tells that a program is missing, or its service away, though the command itself was started.
LACKS_PROGRAM = (
    r"^(?:g?make)(?:\[\d+\])?: \*\*\* .* Error 12[67]$",  # GNU make, of a line that the shell could not start
    r"Cannot connect to the Docker daemon|^Usage:  docker \[OPTIONS\] COMMAND",  # docker, without Compose too
    r"npm (?:ERR!|error) (?:npx canceled due to missing packages|could not determine executable to run)",  # npx
)
# How runners say that they ran no test, or skipped all; and that they ran one.
RAN_NONE = re.compile(
    r"(?im)no tests? (?:ran|found|files found|executed|to run)\b|\[no test files\]|^(?:ran|running) 0 tests\b"
    r"|(?<![\w.])0 (?:tests?(?! fail)|passing|passed|examples|run)\b|^# tests 0$|\b[1-9]\d* skipped\b"
)  # pytest, Jest, Vitest, PHPUnit, Go, unittest, Cargo, Mocha, RSpec, node
RAN_SOME = re.compile(
    r"(?im)\b[1-9]\d* (?:tests? )?(?:passed|passing|failed|examples|xfailed|xpassed)\b"
    r"|\b[1-9]\d* specs?\b|^\W*pass(?:ed|ing): +[1-9]"  # Jasmine, uvu, tap-spec
    r"|^(?:ran|running) [1-9]\d* tests?\b|^tests:? +[1-9]\d* |\bTests run: [1-9]"
    r"|^(?:ok|✓|✔|--- PASS:?) *\s\S|^OK \([1-9]|^# pass [1-9]"
)
# Lines of a test that has such words in its name or in what it expects.
OF_TESTS = re.compile(r"\s*(?:[✖✗✘●]|not ok\b|(?:--- )?FAIL)|.*\bFAILED$|(?i:.*\b(?:assert|expect))")


def failures_in(output: str, trees: Collection[str] = (), tracked: Collection[str] = ()) -> frozenset[str]:
    """Return the names of what failed: the lines that name a failed test, else those that name a tracked file.

    `output` is all a command printed; `trees` are the work trees it may name, `tracked` the files of the commit.
    The second of two equal lines is `line (2)`. Empty when nothing that failed is named.
    """
    tests, places = Counter[str](), Counter[str]()
    files = set(tracked)
    for line in _plain(output, trees).split("\n"):
        if NO_FAILURE.match(line) or SUMMARY.match(line.lstrip()):
            continue
        if NAMES_TEST.match(line):
            tests[_normal(line)] += 1
        elif not files.isdisjoint(word.removeprefix("./") for word in WORD.findall(line)):
            places[_normal(line)] += 1
    return frozenset(_numbered(tests or places))


def first_error(output: str) -> str:
    """Return the line that tells of the first error, else the last one of the command's own; empty for none.

    Where all are summaries, as those of npm, it is the first that is a sentence.
    """
    lines = [line.strip() for line in output.splitlines() if WORDS.search(line) and not NO_FAILURE.match(line)]
    own = [line for line in lines if ABSENT.search(line) or not SUMMARY.match(line)]
    errors = [line for line in own if (ERROR.search(line) or ABSENT.search(line)) and not HEADING.fullmatch(line)]
    sentences = [line for line in lines if len(line.split()) > SHORT]
    return next(iter(errors or own[-1:] or sentences or lines), "")


def is_named(failure: str, text: str) -> bool:
    """Whether a text speaks of a failure: by its line, by the test in it, or by that test's own name."""
    line = COUNTED.sub("", MARKED.sub("", failure)).partition(" - ")[0]
    test = line.rpartition("::")[2].partition("[")[0]
    names = [failure, line if len(line) >= SHORTEST_NAME else failure]
    names += [test] if len(test) >= SHORTEST_NAME and " " not in test else []
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def report_failures(report: str) -> frozenset[str] | None:
    """Return the names of the failed cases of a JUnit report, `class::name`; None for a text that is no report."""
    cases = _cases(report)
    if cases is None:
        return None
    failed = [case for case in cases if any(child.tag in ("failure", "error") for child in case)]
    names = (f"{case.get('classname') or case.get('file') or ''}::{case.get('name') or ''}" for case in failed)
    return frozenset(_numbered(Counter(_steady(name) for name in names)))


def _cases(report: str) -> list[ElementTree.Element] | None:
    if "<!DOCTYPE" in report or "<!ENTITY" in report:  # a report needs neither, and an attack does
        return None
    try:
        root = ElementTree.fromstring(report)
    except ElementTree.ParseError:
        return None
    return list(root.iter("testcase")) if root.tag in ("testsuites", "testsuite") else None


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


def ran_no_test(output: str, report: str = "") -> bool:
    """Whether a command that passed says that it ran no test, by its JUnit report where it wrote one."""
    if report and (cases := _cases(report)) is not None:
        return all(any(child.tag == "skipped" for child in case) for case in cases)
    text = _plain(output, ())
    return bool(RAN_NONE.search(text)) and not RAN_SOME.search(text)


def wants_credential(output: str) -> bool:
    """Whether the output of a command that failed asks for a credential or says that one is missing."""
    return re.search(_any_of(ASKS_FOR_CREDENTIAL), output, re.MULTILINE) is not None


def was_out_of_reach(output: str) -> bool:
    """Whether a command that failed says that a registry, the network or its access was away."""
    return _says(OUT_OF_REACH, output)


def lacks_program(output: str) -> bool:
    """Whether a command that failed says that a program it calls is not there, or not its service."""
    return _says(LACKS_PROGRAM, output)


def _says(patterns: Sequence[str], output: str) -> bool:
    pattern = re.compile(_any_of(patterns))
    return any(pattern.search(line) and not OF_TESTS.match(line) for line in output.split("\n"))


def _any_of(patterns: Sequence[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)
