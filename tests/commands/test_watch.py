"""What goes on is drawn while it does: cleared once, then only what changed, and without a mode to restore."""

import os
import shutil
import signal
import sys

import pexpect
import pytest

from baton.commands import status
from baton.commands.watch import CLEAR, HOME, LOOK_S, Screen, watch
from baton.errors import BatonError
from baton.journal.paths import Project
from baton.story.status.backlog import Backlog
from baton.usage.spending import Spending
from bench import ROOT, Bench
from scenes import start_agent

pytestmark = pytest.mark.sampled(6)

Size = os.terminal_size
CALL = "import sys; from baton.cli import main; sys.exit(main())"


def heed_interrupts() -> None:
    """Undo what a shell does to what it runs in the background: it has them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Paper:
    """A terminal of some size that keeps what is written."""

    def __init__(self, columns: int = 100, lines: int = 40) -> None:
        self.size = Size((columns, lines))
        self.frames: list[str] = []

    @property
    def screen(self) -> Screen:
        return Screen(self.frames.append, lambda: self.size)


# How it is drawn


def test_it_is_cleared_once_and_a_frame_that_did_not_change_is_not_drawn() -> None:
    paper = Paper()
    screen = paper.screen
    for lines in (["a"], ["a"], ["b"]):
        screen.draw(lines)
    assert paper.frames == [f"{CLEAR}{HOME}a\x1b[K\n\x1b[J", f"{HOME}b\x1b[K\n\x1b[J"]


def test_another_size_is_drawn_on_a_clear_screen() -> None:
    paper = Paper()
    screen = paper.screen
    screen.draw(["a"])
    paper.size = Size((20, 3))
    screen.draw(["a", "b", "c", "d"])
    assert paper.frames[1] == f"{CLEAR}{HOME}a\x1b[K\n…\x1b[K\n\x1b[J"


def test_a_line_that_is_too_long_goes_on_below_itself_and_is_not_cut() -> None:
    paper = Paper(columns=17)
    paper.screen.draw(["1  QA", "", "    it runs the tests"])
    lines = paper.frames[0].removeprefix(f"{CLEAR}{HOME}").split("\x1b[K\n")
    assert lines == ["1  QA", "", "    it runs the", "        tests", "\x1b[J"]


@pytest.mark.parametrize("looks", [1, 3])
def test_it_is_drawn_until_nothing_goes_on(looks: int) -> None:
    paper, pauses = Paper(), list[float]()
    watch((([f"look {at}"], at < looks) for at in range(1, 9)), paper.screen, pauses.append)
    assert (len(paper.frames), pauses) == (looks, [LOOK_S] * (looks - 1))


# What is looked at


def test_only_a_journal_that_changed_is_read_again(implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    read, read_now = list[str](), status._read

    def count(project: Project, story_id: str | None) -> tuple[Backlog, list[Spending]]:
        read.append("")
        return read_now(project, story_id)

    monkeypatch.setattr(status, "_read", count)
    looks = status._looks(implementing.project, None)
    assert (next(looks)[1], next(looks)[1], len(read)) == (True, True, 1)
    start_agent(implementing, "a1")
    assert (next(looks)[1], len(read)) == (True, 2)


def test_a_story_that_goes_away_ends_it_with_one_line(implementing: Bench) -> None:
    looks = status._looks(implementing.project, "42")
    assert "42  " in next(looks)[0][0]
    shutil.rmtree(implementing.journal.parent)
    with pytest.raises(BatonError, match="no story 42"):
        next(looks)


# As it is called


def test_into_a_pipe_it_is_what_status_prints(implementing: Bench) -> None:
    assert implementing.baton("status", "--watch") == implementing.baton("status")


@pytest.mark.parametrize("words", [("--watch", "--json"), ("--line", "--json"), ("--line", "--watch")])
def test_one_way_to_look_at_a_time(words: tuple[str, str], planning: Bench) -> None:
    assert "exclude one another" in planning.baton("status", *words).refused


def test_a_story_that_is_not_there_is_one_line(planning: Bench) -> None:
    assert planning.baton("status", "7", "--watch").refused.startswith("baton: no story 7 at ")


@pytest.mark.parametrize(("end", "code"), [("interrupt", 130), ("story", 0)])
def test_on_a_terminal_it_goes_on_until_it_is_stopped(end: str, code: int, judging: Bench) -> None:
    surroundings = {name: value for name, value in os.environ.items() if name != "CLAUDECODE"}
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable, ["-c", CALL, "status", "--watch"], cwd=str(judging.root), encoding="utf-8", timeout=60,
        env={**surroundings, "TERM": "xterm", "PYTHONPATH": str(ROOT / "scripts" / "lib")},
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    child.expect(r"42  [^\r\n]*running:")
    drawn = child.before
    if end == "interrupt":
        child.kill(signal.SIGINT)
    else:
        judging.judge()
        child.expect(r"DONE \(1\)")
    rest = child.read()
    child.close()
    assert child.exitstatus == code
    assert drawn == f"{CLEAR}{HOME}RUNNING (1)\x1b[K\r\n"
    assert ("Traceback" in rest, "\x1b[?" in rest) == (False, False)
