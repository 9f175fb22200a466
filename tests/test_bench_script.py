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

from baton.environment import data_home
from bench import ROOT

SCRIPT = ROOT / "scripts" / "bench"
FIGURES = [
    "python3 -c pass",
    "hook pre-tool-use, foreign",
    "hook pre-tool-use, own",
    "hook post-tool-use",
    "hook subagent-stop",
    "hook user-prompt-submit",
    "hook session-start",
    "hand-in",
    "next, an ended run",
    *(f"next, {events} events" for events in (10, 1000, 10000)),
    *(f"status, {stories} stories" for stories in (10, 1000)),
]
GROWN = FIGURES[-4:-2] + FIGURES[-1:]
NEVER = ("pre-tool-use", "pre-tool-use-own", "next-growth", "status")


class Ran(NamedTuple):
    """What a call of the script came to, and where it ran."""

    code: int
    out: str
    err: str
    left: list[Path]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Measure once for all tests, with one limit that nothing can keep."""
    folder = tmp_path_factory.mktemp("bench")
    limits = [f"--limit={name}=99999" for name in NEVER]
    with used(folder) as left:
        done = call(folder, "--rounds=1", "--check", "--modules", "--limit=next=0.001", *limits)
    return Ran(done.returncode, done.stdout, done.stderr, left)


@contextmanager
def used(folder: Path) -> Iterator[list[Path]]:
    """Give a list that holds what is in a folder and in `scripts` afterwards, and was not before."""
    places = (folder, SCRIPT.parent)
    before, left = {one for place in places for one in place.rglob("*")}, list[Path]()
    yield left
    left += [one for place in places for one in place.rglob("*") if one not in before]


def call(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Call the script in a folder, which is its only place for scratch files."""
    own = {"TMPDIR": str(folder), "HOME": str(folder), "XDG_DATA_HOME": os.path.dirname(data_home())}
    words = (sys.executable, str(SCRIPT), *words)
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
    )


def line(ran: Ran, begin: str) -> str:
    """Give the one line that begins so."""
    (found,) = [
        one for one in ran.out.splitlines() if one.startswith(begin) and one[len(begin) :][:1] in ("", " ", ":")
    ]
    return found


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_printed_with_its_ratio_its_time_and_its_memory(figure: str, ran: Ran) -> None:
    numbers = line(ran, figure)[len(figure) :].split()[:3]
    assert all(float(one) > 0 for one in numbers)
    assert len(numbers) == 3


@pytest.mark.parametrize("figure", FIGURES)
def test_growth_is_told_of_the_larger_ones_alone(figure: str, ran: Ran) -> None:
    assert (" x " in line(ran, figure)) is (figure in GROWN)


def test_the_modules_of_the_first_hook_are_counted_and_listed(ran: Ran) -> None:
    told = line(ran, "hook pre-tool-use imports")
    listed = [one for one in ran.out.splitlines() if re.fullmatch(r"[\w.]+", one)]
    assert f"imports {len(listed)} modules" in told
    assert {"os", "json", "baton.hooks.pre_tool_use"} <= {*listed}


def test_a_limit_that_is_exceeded_is_named_and_exits_1(ran: Ran) -> None:
    assert ran.code == 1, ran.err
    assert line(ran, "over next").endswith("x python3 -c pass, limit 0.001")


@pytest.mark.parametrize("name", NEVER)
def test_a_limit_that_is_kept_is_ok(name: str, ran: Ran) -> None:
    assert line(ran, f"ok   {name}").endswith("limit 99999")


def test_nothing_is_left_behind(ran: Ran) -> None:
    assert ran.left == []


def test_the_help_names_every_option_and_limit(tmp_path: Path) -> None:
    done = call(tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(one in done.stdout for one in ("--rounds", "--check", "--limit", "--modules", "next=", *NEVER))


@pytest.mark.parametrize("words", [
    ["--rounds", "many"], ["--rounds", "0"], ["--limit", "next"], ["--limit", "nothing=2"], ["--limit", "next=x"],
    ["--loud"], ["twice"],
], ids=" ".join)  # fmt: skip
def test_a_mistake_is_one_line(words: list[str], tmp_path: Path) -> None:
    done = call(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.fullmatch(r"bench: .*: see `scripts/bench --help`\n", done.stderr)
