"""`baton run` as it is called: stories side by side, each line of what happens, the exit code."""

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from baton.headless.crew import HALTS
from bench import LAUNCHER, Bench, CallResult
from headless.fake_client import GO_ON, install, starts

pytestmark = pytest.mark.sampled(6)


@pytest.fixture
def one(micro: Bench, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """One small story, and a client on PATH."""
    assert micro.baton("init", "--allow").code == 0
    install(programs)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return micro


@pytest.fixture
def three(one: Bench) -> list[Bench]:
    """Two more beside it."""
    stories = [one, *(replace(one, id=name) for name in ("43", "44"))]
    for more in stories[1:]:
        more.new(f"Story {more.id}", "--complexity", "1")
    return stories


def carry_out(bench: Bench, *words: str) -> CallResult:
    """Call it as a process: it moves base by a merge for each story."""
    done = subprocess.run([LAUNCHER, "run", *words], cwd=bench.root, capture_output=True, text=True, check=False)
    return CallResult(done.returncode, done.stdout, done.stderr)


def test_all_are_merged_and_each_line_says_of_which_story(three: list[Bench], programs: Path) -> None:
    said = carry_out(three[0], "--ready", "--parallel", "3")
    assert (said.code, said.err) == (0, "")
    assert [one.state.stage for one in three] == ["complete"] * 3
    assert sorted(starts(programs)) == sorted(one.run.id for one in three)
    assert {line.partition(" complete: merged into main")[0] for line in said.out.splitlines()[-3:]} == {
        one.id for one in three
    }
    assert "sess_" not in said.out


def test_the_path_of_a_spec_begins_its_story(one: Bench) -> None:
    one.commit({"docs/kettle.md": "---\ncomplexity: 1\n---\n# Kettle\n\n## Acceptance Criteria\n\n- one\n- two\n"})
    assert carry_out(one, "docs/kettle.md").code == 0
    assert replace(one, id="43").state.stage == "complete"
    assert carry_out(one, "docs/kettle.md").code == 0


def test_criteria_that_nobody_confirmed_end_it_with_the_question(one: Bench) -> None:
    one.commit({"docs/kettle.md": "# Kettle\n\nIt boils.\n"})
    assert one.baton("start", "-", stdin="docs/kettle.md").code == 0
    kettle = replace(one, id="43")
    assert kettle.hand_in("criteria", 'criteria: [{at: "docs/kettle.md:3"}]\n').code == 0
    kettle.plan()
    said = carry_out(one, "docs/kettle.md")
    assert (said.code, "planning/confirm" in said.out, "baton answer 43 OPTION" in said.out) == (1, True, True)


def events(said: CallResult) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.out.splitlines()]


def test_json_prints_an_event_a_line_and_the_last_says_how_it_ended(three: list[Bench]) -> None:
    said = carry_out(three[0], "42", "43", "--parallel", "2", "--json")
    starts, *happened, over = events(said)
    assert (starts["event"], starts["stories"]) == ("starts", ["42", "43"])
    assert [one["event"] for one in happened if one["story"] == "42"] == ["note", "begins", "ended", "turn"]
    assert {one["run"] for one in happened if one["event"] == "ended"} == {one.run.id for one in three[:2]}
    assert {(one["story"], one["how"]) for one in happened if one["event"] == "turn"} == {
        ("42", "complete"), ("43", "complete"),
    }  # fmt: skip
    assert (over["event"], over["spent"], over["exit"]) == ("over", 1.0, 0)


def test_json_ends_a_turn_with_its_question_and_says_when_nothing_is_to_do(one: Bench) -> None:
    one.edit({"x": "1"})
    one.insist("return-meta", '{"status": "blocked", "errors": [{"message": "no network"}]}')
    *_, turn, over = events(carry_out(one, "42", "--json"))
    assert (turn["how"], over["exit"]) == ("asks", 1)
    assert turn["question"] == json.loads(one.baton("question", "42", "--json").out)
    (over,) = events(carry_out(one, "--ready", "--json"))
    assert (over["event"], over["says"], over["exit"]) == ("over", "no story can go on without you", 0)


class Called:
    """A call that goes on, whose first run holds until it is told to go on."""

    def __init__(self, bench: Bench, programs: Path, *words: str) -> None:
        install(programs, "hold")
        argv = [str(LAUNCHER), "run", *words, "--json"]
        self.process = subprocess.Popen(argv, cwd=bench.root, stdout=subprocess.PIPE, text=True)

    def until(self, event: str) -> dict[str, Any]:
        """Read on to an event."""
        assert self.process.stdout
        found = (json.loads(line) for line in self.process.stdout)
        return next(one for one in found if one["event"] == event)

    def stop(self, number: int = signal.SIGINT) -> str:
        """Press Ctrl-C, or send another signal; gives what is told."""
        self.process.send_signal(number)
        return str(self.until("halts")["says"])


def test_after_ctrl_c_the_run_that_is_out_ends_and_no_other_starts(three: list[Bench], programs: Path) -> None:
    called = Called(three[0], programs, "42", "43")
    called.until("begins")
    assert called.stop() == HALTS[1]
    (programs / GO_ON).touch()
    assert [called.until("turn")["how"] for _ in range(2)] == ["stopped", "complete"]
    assert (called.until("over")["exit"], called.process.wait()) == (4, 4)
    assert len(starts(programs)) == 1


@pytest.mark.parametrize(("signals", "told"), [
    ((signal.SIGINT, signal.SIGINT), [HALTS[1], HALTS[2]]), ((signal.SIGTERM,), [HALTS[2]]),
])  # fmt: skip
def test_two_ctrl_c_are_no_attempt(signals: tuple[int, ...], told: list[str], one: Bench, programs: Path) -> None:
    called = Called(one, programs, "42")
    called.until("begins")
    assert [called.stop(number) for number in signals] == told
    assert called.until("turn")["says"] == "you stopped it; `baton run 42` goes on"
    assert (called.until("over")["exit"], called.process.wait()) == (4, 4)
    assert one.rules[-1] == "run/stopped"


def test_the_stories_go_on_when_nobody_reads_their_output(one: Bench, programs: Path) -> None:
    called = Called(one, programs, "42")
    called.until("starts")
    assert called.process.stdout
    called.process.stdout.close()
    (programs / GO_ON).touch()
    assert (called.process.wait(), one.state.stage) == (0, "complete")


def test_once_the_time_is_over_each_story_says_so_and_goes_on_later(three: list[Bench], programs: Path) -> None:
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
    assert "42 asks: What would unblock it?" in said.out
    assert "THEN baton answer 42 OPTION" in said.out
