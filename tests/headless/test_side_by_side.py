"""`baton run` as it is called: stories side by side, each line of what happens, the exit code."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bench import LAUNCHER, Bench, Said
from headless.fake_client import install, starts


@pytest.fixture
def three(micro: Bench, programs: Path, monkeypatch: pytest.MonkeyPatch) -> list[Bench]:
    """Three small stories, and a client on PATH."""
    stories = [micro, *(replace(micro, id=name) for name in ("43", "44"))]
    for one in stories[1:]:
        one.new(f"Story {one.id}", "--complexity", "1")
    assert micro.baton("init", "--allow").code == 0
    install(programs)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return stories


def carry_out(bench: Bench, *words: str) -> Said:
    """Call it as a process: it moves base by a merge for each story."""
    done = subprocess.run([LAUNCHER, "run", *words], cwd=bench.root, capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)


def test_all_are_merged_and_each_line_says_of_which_story(three: list[Bench], programs: Path) -> None:
    said = carry_out(three[0], "--ready", "--parallel", "3")
    assert (said.code, said.err) == (0, "")
    assert [one.state.stage for one in three] == ["complete"] * 3
    assert sorted(starts(programs)) == sorted(one.run.id for one in three)
    assert {line.partition(" complete: merged into main")[0] for line in said.out.splitlines()[-3:]} == {
        one.id for one in three
    }
    assert "sess_" not in said.out


def test_once_the_time_is_over_each_story_says_so_and_goes_on_in_the_next_call(
    three: list[Bench], programs: Path
) -> None:
    said = carry_out(three[0], "42", "43", "--wait", "0")
    assert (said.code, starts(programs)) == (5, [])
    assert said.out.splitlines()[-2:] == [
        f"{one} unfinished: the time of `--wait` is over; `baton run {one}` goes on" for one in ("42", "43")
    ]
    assert carry_out(three[0], "42", "--wait", "3600").code == 0


def test_a_question_is_shown_with_its_command_and_the_others_go_on(three: list[Bench], micro: Bench) -> None:
    micro.edit({"x": "1"})
    micro.insist("return-meta", '{"status": "blocked", "errors": [{"message": "no network"}]}')
    said = carry_out(micro, "42", "43", "--parallel", "2")
    assert (said.code, three[1].state.stage) == (1, "complete")
    assert "42 asks: What lifts the block?" in said.out
    assert "THEN baton answer 42 OPTION" in said.out
