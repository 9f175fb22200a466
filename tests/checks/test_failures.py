"""What failed is named by a JUnit report or by lines of an output; the outputs are those of real runners."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.checks.failures import (
    failures_in,
    first_error,
    is_named,
    lacks_program,
    ran_no_test,
    report_failures,
    wants_credential,
    was_out_of_reach,
)
from scale import QUICKLY

OUTPUTS = Path(__file__).parents[1] / "examples" / "outputs"
TREES = ("/tmp/tree-a", "/tmp/tree-b")
EXAMPLES = sorted(OUTPUTS.glob("*/*.txt"))
TRACKED = ("main.c", "a.py", "src/one.ts", "src/two.ts", "sum/sum.go", "src/lib.rs", "src/part.js", "test_one.py")
# They name a file on one line and its errors on others, or a target: what fails there is unclear on a red base.
UNNAMED = ("eslint", "make")


def found(path: Path) -> frozenset[str]:
    return failures_in(path.read_text(encoding="utf-8"), TREES, TRACKED)


def examples(name: str, but: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    paths = [path for path in EXAMPLES if path.stem == name and path.parent.name not in but]
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.parent.name)


@examples("one", but=UNNAMED)
def test_a_failure_is_named(path: Path) -> None:
    assert found(path)


@examples("two", but=UNNAMED)
def test_one_more_failure_is_one_more_name(path: Path) -> None:
    assert found(path) - found(path.with_stem("one"))


@examples("one-again")
def test_another_run_of_the_same_failure_has_the_same_names(path: Path) -> None:
    assert found(path) == found(path.with_stem("one"))


@examples("pass")
def test_a_pass_names_nothing(path: Path) -> None:
    assert found(path) == frozenset()


@examples("one")
def test_colors_and_carriage_returns_change_nothing(path: Path) -> None:
    lines = re.sub(r"\x1b\[[0-9;]*m", "", path.read_text(encoding="utf-8")).split("\n")
    dressed = "".join(f"\r10%\r\x1b[1m{line[:3]}\x1b[0;31m{line[3:]}\x1b[K\r\n" for line in lines)
    assert failures_in(dressed, TREES, TRACKED) == found(path)


@pytest.mark.parametrize(("output", "names"), [
    ("FAILED a.py::t[/tmp/tree-a/data/a.txt]", {"FAILED a.py::t[data/a.txt]"}),
    ("not ok 3 - adds\nnot ok 4 - adds", {"not ok # - adds", "not ok # - adds (2)"}),
    ("FAILED a.py::t_1[2]\nFAILED a.py::t_2[2]", {"FAILED a.py::t_1[2]", "FAILED a.py::t_2[2]"}),
    ("test tests::adds ... FAILED", {"test tests::adds ... FAILED"}),
    ("a.py:3: error: no 12\n/tmp/tree-a/a.py:9: undefined: x", {"a.py:#: error: no #", "a.py:#: undefined: x"}),
    ("FAIL: one\na.py:3: error: it is a test that fails", {"FAIL: one"}),
    ("Error: cannot reach registry.example:443", set()),
    ("b.py:3: error: no such file of the commit", set()),
    ("a.py\n[warn] src/one.ts", {"a.py", "[warn] src/one.ts"}),
    ("a.py:3: warning: unused", set()),
    ("3 failed, 2 passed in 0.1s\nnpm ERR! code 1\nmake: *** [Makefile:3: a.py] Error 1", set()),
    ("all is well\nerrorless\nok 3 - fails with an error\ntest_error PASSED [ 50%]", set()),
])  # fmt: skip
def test_a_line_counts_that_names_a_test_or_a_tracked_file(output: str, names: set[str]) -> None:
    assert failures_in(output, TREES, TRACKED) == names


# What formatters and linters print of a file that is not as they want it.
PRINTED = {
    "prettier": "Checking formatting...\n[warn] {}\n[warn] Code style issues found.",
    "gofmt": "{}",
    "rustfmt": "Diff in {} at line 3:\n-a\n+b",
    "black": "would reformat {}\nOh no!",
    "biome": "{} format ━━━━",
    "oxfmt": "{} (3ms)",
    "shellcheck": "In {} line 3:\necho $x\n     ^-- SC2086 (info): Double quote",
    "markdownlint": "{}:3 MD009/no-trailing-spaces Trailing spaces",
    "stylelint": "{}\n  3:1  ✖  Unexpected empty block",
    "eslint": "{}\n  3:1  error  Missing semicolon  semi\n\n✖ 1 problem (1 error, 0 warnings)",
    "flake8": "{}:3:1: E302 expected 2 blank lines",
    "ruff format": "Would reformat: {}\n1 file would be reformatted",
    "clang-format": "{}:3:8: error: code should be clang-formatted",
    "isort": "ERROR: {} Imports are incorrectly sorted.",
    "rubocop": "{}:3:1: C: Layout/TrailingWhitespace",
}


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_a_formatter_names_each_file_that_is_not_as_it_should_be(printed: str) -> None:
    old, new = printed.format("a.py"), printed.format("src/one.ts")
    assert failures_in(f"{old}\n{new}", TREES, TRACKED) - failures_in(old, TREES, TRACKED)


@pytest.mark.parametrize(
    "line", ["gcc -c main.c -o main.o", "> prettier --check a.py", "Checking a.py ...", "✓ a.py"]
)
def test_a_command_or_a_file_that_is_looked_at_is_no_failure(line: str) -> None:
    assert failures_in(line, TREES, TRACKED) == frozenset()


CASE = '<testcase classname="t.Shop" name="adds[/tmp/x/1]">{}</testcase>'


@pytest.mark.parametrize(("failure", "text", "named"), [
    ("FAILED tests/test_a.py::test_sub - assert 1", "tests/test_a.py::test_sub fails", True),
    ("FAILED tests/test_a.py::test_sub[1-2] - assert 1", "`test_sub` fails on base", True),
    ("--- FAIL: TestSub (#s)", "TestSub is red", True),
    ("test tests::adds ... FAILED", "tests::adds fails", True),
    ("✕ adds two numbers", "it no longer adds two numbers", True),
    ("FAILED tests/test_a.py::test_sub - assert 1", "test_subtract fails", False),
    ("FAILED tests/test_a.py::test_sub - assert 1", "tests/test_a.py does not start", False),
    ("FAIL a", "a is wrong", False),
])  # fmt: skip
def test_a_failure_is_named_by_its_line_its_test_or_its_name(failure: str, text: str, named: bool) -> None:
    assert is_named(failure, text) == named


@pytest.mark.parametrize(("report", "names"), [
    (f"<testsuites><testsuite>{CASE.format('<failure/>')}</testsuite></testsuites>", {"t.Shop::adds[<tmp>]"}),
    (f"<testsuite>{CASE.format('<error/>') * 2}</testsuite>", {"t.Shop::adds[<tmp>]", "t.Shop::adds[<tmp>] (2)"}),
    (f"<testsuite>{CASE.format('<skipped/>')}{CASE.format('')}</testsuite>", set()),
    ("<html/>", None), ("<testsuite>", None), ("", None),
    ('<!DOCTYPE t [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>', None),
])  # fmt: skip
def test_a_report_names_the_cases_that_failed(report: str, names: set[str] | None) -> None:
    assert report_failures(report) == names


@QUICKLY
@given(st.text() | st.text(alphabet="=-_ FAILED:\n\r\x1b[]()>●✖1a./⎯", max_size=400))
def test_no_text_is_too_strange(output: str) -> None:
    assert all(name.strip() for name in failures_in(output, TREES, TRACKED))
    report_failures(output)


HOSTILE = {
    "one line of brackets": "FAILED a[b] - (1,1 [Error/ ",
    "one line of places": "a:1:1: error: ",
    "lines of spaces": " " * 1900 + "x\n",
    "lines of words": "a " * 900 + "1 error FAILE\n",
    "carriage returns": "\r",
    "broken escapes": "\x1b[1;\x1b]",
    "temporary paths": "/tmp/a/0x1 1a2b3c4 error ok [ 5",
    "lines that almost end": " in 1.1s (0:00:01) FAILED [ 1%\n",
}


def seconds(text: str) -> float:
    began = time.process_time()
    failures_in(text, TREES, TRACKED)
    return time.process_time() - began


@pytest.mark.parametrize("kind", HOSTILE)
def test_eight_times_the_text_takes_about_eight_times_as_long(kind: str) -> None:
    small, large = (HOSTILE[kind] * (size // len(HOSTILE[kind])) for size in (2**17, 2**20))
    # Quadratic would be 64; a busy machine makes it up to three times the 8.
    assert seconds(large) < 30 * max(min(seconds(small) for _ in range(3)), 0.01)


# A credential, or the network, that is missing


WANTED = [
    "fatal: could not read Username for 'https://example.com': terminal prompts disabled",
    "git@example.com: Permission denied (publickey).",
    "npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in",
    "npm ERR! 401 Unauthorized - GET https://registry.example.com/x",
    "✘ [ERROR] You are not authenticated. Please run `wrangler login`.",
    "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable",
    'Unable to locate credentials. You can configure credentials by running "aws configure".',
    "Error: STRIPE_API_KEY is not set",
    "KeyError: missing DATABASE_PASSWORD",
    "Error: missing access token",
    "building\nPassword for deploy: ",
    "sudo: a terminal is required to read the password",
]
ITS_OWN = [
    "",
    "FAILED test_login.py::test_password_is_checked - assert 401 == 200",
    "expected status 403 Forbidden, got 200",
    "1 lint error in src/token.ts: unused variable 'accessToken'",
    "error TS2345: Argument of type 'Token' is not assignable",
    "docs/API_TOKEN.md: line too long",
    "password: must be at least 8 characters",
    "FAIL src/credentials.test.ts",
    "src/a.ts: 'API_TOKEN' is not defined  no-undef",
    "✖ rejects requests with no access token",
]


@pytest.mark.parametrize("output", [*WANTED, *ITS_OWN])
def test_output_that_asks_for_a_credential_differs_from_talk_of_one(output: str) -> None:
    assert wants_credential(f"deploying\n{output}\n") == (output in WANTED)


AWAY = {
    "npm": "npm ERR! code ENOTFOUND\nnpm ERR! network request to https://registry.npmjs.org/left-pad failed",
    "git": "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    "git over ssh": "git@github.com: Permission denied (publickey).",
    "docker": 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
}
WITHOUT_NETWORK = sorted((OUTPUTS.parent / "away").glob("*.txt"))
NEAR = [
    "FAIL test_network_is_down",
    "FAILED test_net.py::test_connection_refused - ConnectionRefusedError: [Errno 111] Connection refused",
    "AssertionError: 'Could not resolve host: a' != ''",
    "E       assert 'getaddrinfo ENOTFOUND a' in ''",
    "AssertionError: 'timeout' != 'refused'",
    "Error: network error",
    "--- FAIL: TestDial (0.00s)\n    dial_test.go:9: dial tcp 127.0.0.1:8080: connect: connection refused",
    "● asks again › when getaddrinfo EAI_AGAIN is thrown",
    "AppTest > throwsUnknownHostException FAILED",
    "curl: (7) Failed to connect to localhost port 8080: Connection refused",
    "urllib3.connection.HTTPConnection: Failed to establish a new connection: [Errno 111] Connection refused",
    "FetchError: request to http://localhost:3000/ failed, reason: connect ECONNREFUSED 127.0.0.1:3000",
    "error: failed to fetch the index page",
    "✖ works in offline mode",
    "error: 401 is not 403",
    "npm ERR! code 1",
]


@pytest.mark.parametrize("path", WITHOUT_NETWORK, ids=lambda path: path.stem)
def test_the_output_of_tools_without_a_network_is_recognized(path: Path) -> None:
    assert was_out_of_reach(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("output", AWAY.values(), ids=AWAY)
def test_a_registry_or_a_network_that_was_away_is_seen(output: str) -> None:
    assert was_out_of_reach(f"building\n{output}\n")


@pytest.mark.parametrize("output", NEAR)
def test_a_failure_that_speaks_of_a_network_is_a_failure(output: str) -> None:
    assert not was_out_of_reach(output)


LACKING = {
    "make": "dotnet test\nmake: dotnet: No such file or directory\nmake: *** [Makefile:2: test] Error 127",
    "make in make": "make[1]: *** [test.mk:2: test] Error 127\nmake: *** [Makefile:4: all] Error 2",
    "docker": "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "docker without Compose": "unknown flag: --rm\n\nUsage:  docker [OPTIONS] COMMAND [ARG...]",
    "npx": 'npm error npx canceled due to missing packages and no YES option: ["jest@30.5.2"]',
}


@pytest.mark.parametrize("output", LACKING.values(), ids=LACKING)
def test_a_program_that_is_missing_below_a_command_is_seen(output: str) -> None:
    assert lacks_program(f"testing\n{output}\n")


@pytest.mark.parametrize("output", [
    "make: *** [Makefile:2: test] Error 1", "FAIL make: *** [x] Error 127", "AssertionError: Error 127",
    "npm error code 1", "FAILED test_docker.py::test_says - Cannot connect to the Docker daemon",
    "● tells › Cannot connect to the Docker daemon",
])  # fmt: skip
def test_a_failure_that_speaks_of_a_program_is_a_failure(output: str) -> None:
    assert not lacks_program(output)


RAN_NO_TEST = {
    "pytest": ("no tests ran in 0.01s", "1 passed, 2 skipped in 0.01s"),
    "pytest, all skipped": ("3 skipped in 0.02s", "1 passed, 3 skipped in 0.02s"),
    "unittest": ("Ran 0 tests in 0.000s\n\nOK", "Ran 2 tests in 0.000s\n\nOK"),
    "Jest": ("No tests found, exiting with code 0", "Tests:       1 skipped, 2 passed, 3 total"),
    "Go": ("?   \texample.com/a\t[no test files]", "?   \ta\t[no test files]\nok  \tb\t0.003s"),
    "Cargo": ("running 0 tests\n\ntest result: ok. 0 passed; 0 failed", "running 0 tests\n\nrunning 2 tests\n"),
    "Mocha": ("  0 passing (2ms)", "  4 passing (2ms)\n  1 pending"),
    "npm": ("> app@1.2.0 test\n> mocha\n\n  0 passing", "> app@1.2.0 test\n> tap-spec\n  passing:  9"),
    "uvu": ("Total:  0\n0 tests", "  Total:     3\n  Passed:    3\n> app@1.2.0 test"),
    "Jasmine": ("0 run", "> app@1.2.0 test\n3 specs, 0 failures"),
    "a script of one's own": ("SKIP: no .env (1 skipped, 0 run)", "all is well"),
    "a report": ('<testsuite><testcase name="a"><skipped/></testcase></testsuite>',
                 '<testsuite><testcase name="a"/></testsuite>'),
}  # fmt: skip


@pytest.mark.parametrize(("none", "some"), RAN_NO_TEST.values(), ids=RAN_NO_TEST)
def test_a_command_that_ran_no_test_is_told_from_one_that_ran_some(none: str, some: str) -> None:
    report = none.startswith("<")
    assert ran_no_test("" if report else none, none if report else "")
    assert not ran_no_test("" if report else some, some if report else "")


# The line that tells

RUSTUP = "error: rustup could not choose a version of cargo\nhelp: run it\n\nStack backtrace:\n  13: <unknown>\n"


@pytest.mark.parametrize(("name", "reason"), [
    ("away/maven", "[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its"),
    ("away/npm", "npm error request"), ("away/yarn", "error Error: getaddrinfo EAI_AGAIN registry.yarnpkg.com"),
    ("outputs/gcc/one", "main.c:3:3: error: ‘x’ undeclared"), ("outputs/cargo/one", "test tests::adds ... FAILED"),
    ("outputs/go/one", "--- FAIL: TestAdds"), ("outputs/unittest/one", "FAIL: test_one (test_one.One.test_one)"),
])  # fmt: skip
def test_the_first_error_is_told(name: str, reason: str) -> None:
    assert first_error((OUTPUTS.parent / f"{name}.txt").read_text(encoding="utf-8")).startswith(reason)


@pytest.mark.parametrize(("output", "reason"), [
    (RUSTUP, "error: rustup could not choose a version of cargo"),
    ("/bin/sh: 1: ./nope: not found\nmake: *** [Makefile:2: test] Error 127\n", "/bin/sh: 1: ./nope: not found"),
    ("one\ntwo\nmake: *** [Makefile:2: test] Error 3\n", "two"),
    ("[INFO] BUILD FAILURE\n[ERROR] a\n", "[ERROR] a"), ("warning: no error\nlast\n", "last"),
    ("make: *** [a] Error 1\n", "make: *** [a] Error 1"), ("", ""),
    ("npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install when both are in sync.\n…\n",
     "npm error `npm ci` can only install when both are in sync."),
    ("FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n",
     "Execution failed for task ':test'."),
])  # fmt: skip
def test_where_no_line_tells_of_an_error_the_last_of_its_own_is_told(output: str, reason: str) -> None:
    assert first_error(output) == reason
