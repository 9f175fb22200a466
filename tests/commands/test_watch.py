"""What goes on is drawn while it does: cleared once, then only what changed, and without a mode to restore."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from baton.commands.render import LIMIT_BYTES
from baton.commands.watch import CLEAR, HOME, LOOK_S, Screen, read_anew, watch
from baton.commands.watch_frame import NOTHING, Watched, frame
from baton.journal.journal import utc_now
from bench import PLAN, ROOT, Bench, PlayScene
from scenes import start_agent

pytestmark = pytest.mark.sampled(6)

Size = os.terminal_size
CALL = "import sys; from baton.cli import main; sys.exit(main())"


def heed_interrupts() -> None:
    """Undo what a shell does to what it runs in the background: it has them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def shown(bench: Bench, story_id: str | None = None) -> list[str]:
    return frame(read_anew(bench.project, story_id, {}).values(), utc_now())


class Paper:
    """A terminal of some size that keeps what is written."""

    def __init__(self, columns: int = 100, lines: int = 40) -> None:
        self.size = Size((columns, lines))
        self.frames: list[str] = []

    @property
    def screen(self) -> Screen:
        return Screen(self.frames.append, lambda: self.size)


def never(seconds: float) -> None:
    raise AssertionError("it waits")


def in_turn(*happens: Callable[[], object]) -> Callable[[float], None]:
    """Give a pause in which one thing after another happens; more of them are not awaited."""
    left = iter(happens)

    def pause(seconds: float) -> None:
        assert seconds == LOOK_S
        next(left)()

    return pause


# What is shown


def test_a_run_is_shown_with_what_it_is_for_and_when_it_was_heard_of(implementing: Bench) -> None:
    start_agent(implementing, "a1")
    head, runs, heard, *decided = shown(implementing)
    assert head == "42 Subtract numbers: delegate, 0 of 2 phases done"
    assert runs.startswith("  runs: implement, phase 1 of 2, since ")
    assert (heard.startswith("  last sign of life "), heard.endswith(": its agent was started")) == (True, True)
    assert [line.split("  ")[-1] for line in decided][-1] == "plan: the plan is valid, with 2 phases"


def test_what_is_sent_back_is_a_sign_of_life(planning: Bench) -> None:
    assert planning.tree
    assert shown(planning)[2].endswith(": it began")
    planning.hand_in("plan", PLAN.replace("## Edge Cases", "## Others"))
    assert shown(planning)[2].endswith(": its plan was sent back")
    planning.hand_in("plan", PLAN)
    assert shown(planning)[2].endswith(": it handed in its plan")


@pytest.mark.parametrize(("agent", "seen"), [("a1", True), ("a2", False)])
def test_what_the_client_writes_of_an_agent_is_one_too(
    agent: str, seen: bool, implementing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    start_agent(implementing, "a1")
    session = implementing.run.starts[-1][1].client_session
    log = tmp_path / f"projects/-x/{session}/subagents/agent-{agent}.jsonl"
    log.parent.mkdir(parents=True)
    log.touch()
    os.utime(log, (4e9, 4e9))
    assert shown(implementing)[2].endswith(": its agent wrote to its log") == seen


def test_a_question_is_shown_with_how_to_see_it(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    lines = shown(bench)
    assert lines[0] == "42 Subtract numbers: plan, 0 of 2 phases done"
    assert lines[1].startswith("  asks: Should this plan be carried out?, since ")
    assert lines[2] == "  answer: `baton question 42` shows it whole"


def test_progress_is_counted_and_only_the_last_decisions_are_shown(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    lines = shown(judging)
    assert lines[0] == "42 Subtract numbers: delegate, 2 of 2 phases done"
    assert [line[4:].partition("  ")[2] for line in lines if line.startswith("    ")] == [
        "plan: the plan is valid, with 2 phases", "implement, phase 1 of 2: all phases are done",
        "QA: QA failed the story: no docstring",
    ]  # fmt: skip


def test_no_line_holds_an_id_or_a_rule(judging: Bench) -> None:
    judging.judge("FAIL", "see sess_1_a_qa1")
    text = "\n".join(shown(judging))
    assert (judging.run.id in text, "sess_" in text, "qa/fail" in text) == (False, False, False)


def test_nothing_of_a_title_reaches_the_terminal_as_it_is(bench: Bench) -> None:
    bench.new("Dark \u202e\x1b[2J" + "日" * 300)
    bench.next()
    paper = Paper(columns=30)
    paper.screen.draw(shown(bench))
    lines = paper.frames[0].removeprefix(CLEAR + HOME).replace("\x1b[K", "").removesuffix("\x1b[J").splitlines()
    assert all(line.isprintable() for line in lines)
    assert (lines[0][-1], len(lines[0]) < 30) == ("…", True)


def test_a_log_that_goes_away_as_it_is_looked_at_is_no_sign(
    implementing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_agent(implementing, "a1")
    monkeypatch.setattr("baton.commands.watch_frame.find_transcript", lambda *_: str(tmp_path / "gone"))
    assert "its agent was started" in shown(implementing)[2]


def test_what_is_wrong_with_a_story_is_one_line_of_the_screen(planning: Bench) -> None:
    seen = Watched((), [], None, fault="42 cannot be read: first\n\tsecond")
    assert frame([seen], utc_now()) == ["42 cannot be read: first second"]


def test_a_story_that_cannot_be_read_hides_no_other(implementing: Bench) -> None:
    other = Bench(implementing.root, "43")
    other.new("Another")
    other.journal.write_bytes(other.journal.read_bytes().replace(b"Another", b"Anotherr"))
    text = "\n".join(shown(implementing))
    assert "42 Subtract numbers: delegate" in text
    assert "43 cannot be read: damaged journal (" in text


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


def test_it_ends_when_nothing_goes_on_and_says_how_that_ended(judging: Bench) -> None:
    paper = Paper()
    watch(judging.project, None, paper.screen, in_turn(lambda: None, judging.judge))
    assert "runs: QA" in paper.frames[0]
    assert "42 Subtract numbers: merged into main" in paper.frames[-1]
    assert [CLEAR in one for one in paper.frames] == [True, *[False] * (len(paper.frames) - 1)]


def test_a_story_that_asks_is_still_watched(judging: Bench) -> None:
    judging.judge("ESCALATE")
    with pytest.raises(StopIteration):
        watch(judging.project, "42", Paper().screen, in_turn(lambda: None))


def test_a_story_that_begins_meanwhile_is_shown(implementing: Bench) -> None:
    other, paper = Bench(implementing.root, "43"), Paper()

    def begin() -> None:
        other.new("Another")
        other.next()

    with pytest.raises(StopIteration):
        watch(implementing.project, None, paper.screen, in_turn(begin))
    assert ["43 Another: plan" in one for one in (paper.frames[0], paper.frames[-1])] == [False, True]
    with pytest.raises(StopIteration):
        watch(implementing.project, "42", paper.screen, in_turn())
    assert "43 Another" not in paper.frames[-1]


def test_only_a_journal_that_changed_is_read_again(implementing: Bench) -> None:
    first = read_anew(implementing.project, None, {})
    assert read_anew(implementing.project, None, first)["42"] is first["42"]
    start_agent(implementing, "a1")
    assert read_anew(implementing.project, None, first)["42"] is not first["42"]


def test_a_journal_that_goes_away_ends_it(implementing: Bench) -> None:
    paper = Paper()
    watch(implementing.project, "42", paper.screen, in_turn(lambda: shutil.rmtree(implementing.journal.parent)))
    assert "42 is gone" in paper.frames[-1]


def test_where_nothing_is_under_way_it_says_so_at_once(bench: Bench) -> None:
    bench.new()
    paper = Paper()
    watch(bench.project, None, paper.screen, never)
    assert paper.frames == [f"{CLEAR}{HOME}{NOTHING}\x1b[K\n\x1b[J"]


# As it is called


def test_into_a_pipe_it_is_printed_once_and_plain(implementing: Bench) -> None:
    said = implementing.baton("status", "--watch")
    assert (said.code, "\x1b" in said.out) == (0, False)
    assert said.out.splitlines()[:2] == shown(implementing)[:2]


def test_in_the_client_it_is_bounded(implementing: Bench, client: None) -> None:
    for number in range(100, 140):
        other = Bench(implementing.root, str(number))
        other.new("Another " + "x" * 80)
        other.next()
    assert len(implementing.baton("status", "--watch").out.encode()) <= LIMIT_BYTES + 1


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
    child.expect("runs: QA, since ")
    drawn = child.before
    if end == "interrupt":
        child.kill(signal.SIGINT)
    else:
        judging.judge()
        child.expect("merged into main")
    rest = child.read()
    child.close()
    assert child.exitstatus == code
    assert drawn == f"{CLEAR}{HOME}42 Subtract numbers: qa, 2 of 2 phases done\x1b[K\r\n  "
    assert ("Traceback" in rest, "\x1b[?" in rest) == (False, False)
