"""The one line for the client's status line: what stories do or ask, and nothing where none is under way."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from baton.commands.status_line import COLUMNS, line_for
from baton.journal.events import Ended, Judged
from baton.journal.journal import Journal, utc_now
from baton.story.run.progress import waits_for
from baton.text import fit_columns
from bench import LAUNCHER, Bench, PlayScene, Reach

pytestmark = pytest.mark.sampled(8)


def line_from(given: object, folder: Path) -> str:
    """Call it as the client does, from a folder, with what the client says of its session."""
    text = given if isinstance(given, str) else json.dumps(given)
    done = subprocess.run(
        [LAUNCHER, "status", "--line"], cwd=folder, input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_line_shows_the_current_phase_and_its_duration(implementing: Bench) -> None:
    line = line_for(implementing.root)
    assert line.startswith("42 Subtract numbers: implement, phase 1 of 2, ")
    assert line.endswith((" s", " min"))
    assert implementing.baton("status", "--line").out == line


def test_a_question_is_shown(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    assert line_for(bench.root) == "42 Subtract numbers asks: Should this plan be carried out?"


def test_a_question_before_the_start_is_shown_too(bench: Bench) -> None:
    bench.new()
    assert bench.next()["rule"] == "start/commands"
    assert line_for(bench.root).startswith("42 Subtract numbers asks: ")


@pytest.mark.parametrize(("until", "said"), [
    ("2099-01-01T00:00:00Z", "waits until 2099-01-01T00:00:00Z for the service to take requests"),
    ("2020-01-01T00:00:00Z", "starting the next step"),
])  # fmt: skip
def test_a_run_that_the_service_refused_waits_for_the_service(implementing: Bench, until: str, said: str) -> None:
    journal = Journal(implementing.journal)
    journal.append(Ended(implementing.run.id, "stop-failure", refused="limit", until=until))
    journal.append(Judged(implementing.run.id, "run/refused", "spawn", "implementer", "x"))
    assert waits_for(implementing.state, utc_now()) == said


def test_stories_that_ask_come_first(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    other = Bench(bench.root, "5")
    other.new()
    other.next()
    assert line_for(bench.root).startswith("2 stories: 42 asks: Should this plan be carried out? · 5 plan, ")


def test_a_run_whose_end_nobody_heard_waits(implementing: Bench) -> None:
    assert implementing.tree
    implementing.meta("partial")
    assert line_for(implementing.root) == "42 Subtract numbers: being judged"
    later = utc_now().replace("20", "30", 1)
    assert waits_for(implementing.state, later) == "waits for its next step; if it stays so: /implement 42"


@pytest.mark.parametrize("rule", ["merge/done", "in-progress/abandoned"])
def test_a_finished_story_is_not_shown(rule: str, play: PlayScene) -> None:
    assert line_for(play(rule)[0].root) == ""


def test_a_new_or_missing_story_is_not_shown(bench: Bench, tmp_path: Path) -> None:
    assert (line_for(bench.root), line_for(tmp_path), line_for(tmp_path / "gone")) == ("", "", "")
    bench.new()
    assert line_for(bench.root) == ""


def test_a_story_that_cannot_be_read_is_no_silence(planning: Bench) -> None:
    planning.journal.write_bytes(planning.journal.read_bytes().replace(b"Subtract", b"Subtracd"))
    assert line_for(planning.root) == "a story cannot be read: see `baton doctor`"


def test_a_title_cannot_do_anything_to_the_terminal(bench: Bench) -> None:
    bench.new("Dark \x1b[2J\u202emode " + "日" * 200)
    bench.next()
    bench.answer("accept")
    line = line_for(bench.root)
    assert (line.isprintable(), line.count("\n")) == (True, 0)
    assert line.startswith("42 Dark [2J[U+202E]")
    assert ": plan, " in line


@pytest.mark.parametrize(("text", "most", "shown"), [
    ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("日本語", 6, "日本語"), ("日本語x", 6, "日本…"),
    ("e\u0301" * 6, 6, "e\u0301" * 6),
])  # fmt: skip
def test_a_line_is_cut_by_what_it_takes_on_a_terminal(text: str, most: int, shown: str) -> None:
    assert fit_columns(text, most) == shown


def test_however_many_stories_there_are_it_fits(implementing: Bench) -> None:
    for number in range(50, 60):
        other = Bench(implementing.root, str(number))
        other.new()
        other.next()
    line = line_for(implementing.root)
    assert (line[:12], len(line), line[-1]) == ("11 stories: ", COLUMNS, "…")


# As the client calls it


@pytest.mark.parametrize("given", [
    {"workspace": {"current_dir": "{root}"}}, {"cwd": "{root}"},
    {"workspace": {"current_dir": "/", "project_dir": "{root}/tools"}},
])  # fmt: skip
def test_the_client_says_which_folder(given: object, planning: Bench, tmp_path: Path) -> None:
    said = json.loads(json.dumps(given).replace("{root}", str(planning.root)))
    assert line_from(said, tmp_path).startswith("42 Subtract numbers: plan, ")


@pytest.mark.parametrize("given", ["", "{", "[]", '{"cwd": 7, "workspace": "x"}', '{"cwd": "/gone"}', "[" * 9_000])
def test_without_the_clients_word_it_is_this_folder(given: str, planning: Bench, tmp_path: Path) -> None:
    assert line_from(given, planning.root).startswith("42 Subtract numbers: plan, ")
    assert line_from(given, tmp_path) == ""


def test_the_line_does_not_wait_for_standard_input(planning: Bench) -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [LAUNCHER, "status", "--line"], cwd=planning.root, stdin=reading, capture_output=True, timeout=30,
            check=False,
        )  # fmt: skip
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout[:3]) == (0, b"42 ")


def test_it_needs_none_of_the_packages(planning: Bench, tmp_path: Path) -> None:
    done = subprocess.run(
        [LAUNCHER, "status", "--line"], cwd=planning.root, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "42 ", "")


def test_it_changes_nothing(reach: Reach) -> None:
    bench = reach("implementing")
    before = bench.bytes(bench.journal.parent)
    assert line_for(bench.root)
    assert bench.bytes(bench.journal.parent) == before


def test_a_closed_stdin_is_one_where_nobody_writes(planning: Bench) -> None:
    call = ["sh", "-c", f"'{LAUNCHER}' status --line <&-"]
    done = subprocess.run(call, cwd=planning.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:3], done.stderr) == (0, "42 ", "")
