"""`scripts/bench`: every figure is printed, a limit that is exceeded is named, and nothing is left behind."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from graphql import execute_sync, parse

from baton.bootstrap import data_home
from baton.github.queries import FEEDBACK
from bench import ROOT
from fake_github.query import built_schema
from speed.makespan import SHAPES
from speed.pull_request import page

pytestmark = pytest.mark.long

SCRIPT = ROOT / "scripts" / "bench"
FIGURES = [
    "python3 -c pass",
    "hook pre-tool-use, foreign",
    "hook pre-tool-use, own",
    "hook post-tool-use, foreign",
    "hook post-tool-use, own",
    "hook subagent-stop, foreign",
    "hook subagent-stop, own",
    "hook subagent-stop, long",
    "hook user-prompt-submit, foreign",
    "hook session-start, foreign",
    "hook session-start, own",
    "hook turn-ends, foreign",
    "hook turn-ends, own",
    "hook stop, foreign",
    "hook stop, own",
    "hook stop-failure, foreign",
    "--help",
    "hand-in",
    "next, an ended run",
    *(f"next, {events} events" for events in (10, 1000, 10000)),
    "status --line",
    *(f"status, {stories} stories" for stories in (10, 1000)),
    "by hand, a small story",
    "run, a small story",
    *(f"pr fetch, {threads} threads" for threads in (10, 100, 1000)),
]
GROWN = [figure for figure in FIGURES if re.search("[0-9]{3}", figure)]
READERS = [
    *(f"markdown.{name}" for name in ("fences_in", "comments_in", "replace_spans", "blank_spans")),
    *(f"text.{name}" for name in ("visible", "printable", "revealed", "restored", "hidden", "seen")),
    *(f"text.{name}" for name in ("one_line", "clip", "fit_columns", "quoted", "on_one_line")),
    "excerpt.excerpt",
    "flags.flags_of",
    "texts.cut_for_reader",
    "readings.find_quote",
    *(f"reading.check_reading, {says}" for says in ("actionable", "ignore")),
    "comment_marks.marks_in",
    "check_reading.declared_count",
    "flags.fold_prompts",
]
NEVER = (
    "hooks", "pre-tool-use-own", "hooks-own", "post-tool-use-own", "next-growth", "next-modules", "hand-in",
    "judging", "help", "pr-fetch", "status", "pr-requests", "run", "makespan", "text-64k",
)  # fmt: skip
LEFT_OUT = ("pr-growth", "pr-memory")


class Ran(NamedTuple):
    """What a call of the script came to, and where it ran."""

    code: int
    out: str
    err: str
    left: list[Path]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Measure once for all tests, with a limit on time and one on bytes that nothing can keep."""
    folder = tmp_path_factory.mktemp("bench")
    limits = [f"--limit={name}=99999" for name in NEVER]
    with used(folder) as left:
        limits += ["--limit=next=0.001", "--limit=pr-digest=20.5"]
        done = call(folder, "--rounds=1", "--small", "--check", "--modules", *limits)
    return Ran(done.returncode, done.stdout, done.stderr, left)


@contextmanager
def used(folder: Path) -> Iterator[list[Path]]:
    """Give a list that holds what is in a folder and in `scripts` afterwards, and was not before."""
    places = (folder, SCRIPT.parent)
    before, left = {path for place in places for path in place.rglob("*")}, list[Path]()
    yield left
    after = {path for place in places for path in place.rglob("*")} - before
    # Other tests import the same modules meanwhile.
    left += [path for path in after if "__pycache__" not in path.parts]


def call(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Call the script in a folder, which is its only place for scratch files."""
    own = {"TMPDIR": str(folder), "HOME": str(folder), "XDG_DATA_HOME": os.path.dirname(data_home())}
    words = (sys.executable, str(SCRIPT), *words)
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
    )


def line(ran: Ran, begin: str) -> str:
    """Give the one line that begins so."""
    [found] = re.findall(rf"(?m)^{re.escape(begin)}(?:[ :].*)?$", ran.out)
    return str(found)


def test_every_figure_is_printed_with_ratio_time_and_memory_and_larger_ones_with_growth(ran: Ran) -> None:
    for figure in FIGURES:
        told = line(ran, figure)[len(figure) :]
        numbers = [float(word) for word in told.split()[:3]]
        assert (len(numbers), min(numbers) > 0, " x " in told) == (3, True, figure in GROWN), figure


@pytest.mark.parametrize(("figure", "requests"), [("pr fetch, 10 threads", 1), ("pr fetch, 1000 threads", 10)])
def test_what_was_printed_and_asked_for_is_told_beside_a_read(figure: str, requests: int, ran: Ran) -> None:
    assert re.search(rf" \d{{3,4}} bytes, {requests} requests?$", line(ran, figure))


def test_how_long_a_round_takes_is_told_beside_the_least_there_is(ran: Ran) -> None:
    for items, folders in SHAPES:
        assert float(line(ran, f"makespan, {items} items in {folders}").split()[5]) >= 1


def test_the_slowest_text_is_told_of_every_function_that_reads_one(ran: Ran) -> None:
    for reader in READERS:
        ratio, milliseconds, text = line(ran, reader)[len(reader) :].split(maxsplit=2)
        assert (float(ratio) >= 0, float(milliseconds) >= 0, bool(text)) == (True, True, True), reader


def test_no_function_that_reads_texts_is_forgotten(ran: Ran) -> None:
    assert set(re.findall(r"^([a-z_]+\.\w+(?:, \w+)?) +\d", ran.out, re.M)) == {*READERS}


def test_the_modules_of_the_first_hook_are_counted_and_listed(ran: Ran) -> None:
    told = line(ran, "hook pre-tool-use imports")
    listed = [line for line in ran.out.splitlines() if re.fullmatch(r"[\w.]+", line)]
    assert f"imports {len(listed)} modules" in told
    assert {"os", "json", "baton.hooks.pre_tool_use"} <= {*listed}


def test_a_limit_that_is_exceeded_is_named_and_exits_1(ran: Ran) -> None:
    assert ran.code == 1, ran.err
    assert line(ran, "over next").endswith("x python3 -c pass, limit 0.001")


def test_a_limit_that_is_no_ratio_is_named_with_the_figure_that_exceeds_it(ran: Ran) -> None:
    assert re.search(r"^over pr-digest: pr fetch, \d+ threads is \d{3,4} bytes, limit 20.5$", ran.out, re.M)


def test_a_limit_that_is_kept_is_ok_and_one_on_what_is_left_out_is_told_to_be(ran: Ran) -> None:
    assert all(line(ran, f"ok   {name}").endswith("limit 99999") for name in NEVER)
    assert all(line(ran, f"none {name}").endswith("pr fetch, 10000 threads is left out") for name in LEFT_OUT)


def test_nothing_is_left_behind(ran: Ran) -> None:
    assert ran.left == []


def test_the_help_names_every_option_and_limit(tmp_path: Path) -> None:
    done = call(tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    named = ("--rounds", "--check", "--limit", "--modules", "--small", "next=", *NEVER)
    assert [one for one in named if one not in done.stdout] == []


@pytest.mark.parametrize("words", [
    ["--rounds", "many"], ["--rounds", "0"], ["--limit", "next"], ["--limit", "nothing=2"], ["--limit", "next=x"],
    ["--loud"], ["twice"],
], ids=" ".join)  # fmt: skip
def test_a_mistake_is_one_line(words: list[str], tmp_path: Path) -> None:
    done = call(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.fullmatch(r"bench: .*: see `scripts/bench --help`\n", done.stderr)


@pytest.mark.parametrize("begin", [0, 100], ids=["the first page", "the last"])
def test_the_pages_of_the_bench_hold_all_that_the_program_asks_for(begin: int, gh_program: Path) -> None:
    first = not begin
    asked = {"owner": "octo", "name": "app", "number": 7, "size": 100}
    done = execute_sync(
        built_schema(), parse(FEEDBACK), page(begin, 200)["data"],
        variable_values={**asked, "withThreads": True, "withComments": first, "withReviews": first},
        field_resolver=lambda value, info, **_: value[info.path.key],
        type_resolver=lambda value, *_: str(value["__typename"]),
    )  # fmt: skip
    assert done.errors is None
    assert done.data
