"""Whether a story may start here, what is settled first, and which settings count."""

from pathlib import Path

import pytest

from baton.journal.events import QuestionAsked
from bench import COMMANDS, CRITERIA, SETTINGS, WITH_COMMANDS, Bench, PlayScene

SPEC = "---\nid: 7\ntitle: Dark mode\n---\n\n## Acceptance Criteria\n\n- one\n"
PLACE = "specs/7_dark-mode/story.md"


def test_a_story_begins_on_a_branch_of_its_own_and_the_checkout_stays_where_it_is(story: Bench) -> None:
    base = story.git("rev-parse", "main")
    story.git("switch", "--quiet", "-c", "side")
    story.commit({"side.py": "SIDE = 1\n"}, "side")
    step = story.next()
    assert (step["phase"], step["agent"], story.branch) == ("planning", "baton:planner", "side")
    assert story.git("rev-parse", "story/42-subtract-numbers^") == base
    started = story.state.started
    assert started is not None
    assert (started.base_commit, tuple(started.criteria)) == (base, CRITERIA)


# A spec in the checkout


def test_a_spec_that_git_does_not_track_is_settled_by_a_person_first(bench: Bench) -> None:
    bench.write({PLACE: SPEC})
    assert bench.baton("story", "new", "--from", PLACE).code == 0
    adopted = Bench(bench.root, "7")
    step = adopted.next()
    assert (step["action"], step["rule"], PLACE in step["reason"]) == ("ask", "start/spec", True)
    assert adopted.answer("retry")["rule"] == "start/spec"
    (bench.root / PLACE).unlink()
    assert adopted.answer("retry")["rule"] == "start/commands"


def test_a_spec_that_is_committed_stands_in_no_ones_way(bench: Bench) -> None:
    bench.commit({PLACE: SPEC})
    bench.baton("story", "new", "--from", PLACE)
    assert Bench(bench.root, "7").next()["rule"] == "start/commands"


# The commands are tried on base before any agent is started


def test_what_cannot_work_here_is_one_question_before_anybody_is_sent_out(play: PlayScene) -> None:
    bench, asked = play("start/machine")
    assert "`test` could not be started, as where a program is missing" in asked["reason"]
    assert "no-such-program" in asked["question"]["findings"][0]
    assert bench.state.runs == []
    bench.settle("no-such-program", "'true'")
    assert bench.answer("retry")["rule"] == "start/commands"
    assert bench.answer("accept")["agent"] == "baton:planner"
    asked_about = [event.rule for event in bench.state.events if isinstance(event, QuestionAsked)]
    assert asked_about.count("start/machine") == 1


def test_of_two_programs_that_are_missing_the_log_of_the_one_it_names_is_shown(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}commands: {{build: no-such-builder, test: no-such-tester}}\n")
    bench.new()
    bench.next()
    question = bench.answer("accept")["question"]
    assert "`build` could not be started" in question["reason"]
    assert ("no-such-builder" in question["findings"][0], "/build-" in question["artifact"]) == (True, True)


def test_of_a_long_output_the_line_that_tells_of_the_error_is_shown(bench: Bench) -> None:
    lines = "for one in a b c; do echo Getting requirements $one; done; echo ERROR: no such package; exit 1"
    bench.configure(f"{SETTINGS}commands: {{setup: '{lines}', test: 'true'}}\n")
    bench.new()
    bench.next()
    assert bench.answer("accept")["question"]["findings"] == ["ERROR: no such package"]


def test_what_was_put_right_on_the_machine_is_seen_at_the_retry(bench: Bench, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    bench.configure(f"{SETTINGS}commands: {{test: {tool}}}\n")
    bench.new()
    bench.next()
    assert bench.answer("accept")["rule"] == "start/machine"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    step = bench.answer("retry")
    assert (step["agent"], step["warnings"]) == ("baton:planner", [])


@pytest.mark.parametrize("line", ["true", "echo FAILED test_a.py::test_a; exit 1"])
def test_commands_that_say_something_stand_in_no_ones_way(line: str, bench: Bench) -> None:
    bench.configure(f"{SETTINGS}commands: {{test: '{line}'}}\n")
    bench.new()
    bench.next()
    assert bench.answer("accept")["rule"] == "start/planning"


@pytest.mark.parametrize(("patience", "rule"), [(300, "start/trying"), (0, "start/planning")])
def test_commands_are_waited_for_but_not_for_ever(
    patience: int, rule: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baton.story.checks.baseline.PATIENCE_S", patience)
    monkeypatch.setattr("baton.checks.job.Checks.wait", lambda checks, seconds: None)
    bench.configure(f"{SETTINGS}commands: {{test: sleep 5}}\n")
    bench.new()
    bench.next()
    step = bench.answer("accept")
    assert (step["rule"], bool(bench.state.runs)) == (rule, rule == "start/planning")


# Settings


def test_commands_are_shown_in_full(play: PlayScene) -> None:
    bench, _ = play("start/commands")
    lines = bench.baton("next", "42").out.splitlines()
    shown = [line.strip() for line in lines if "tools/" in line]
    assert shown == [f"{name}: {line}" for name, line in COMMANDS.items()]


def test_settings_that_are_not_committed_are_not_read(bench: Bench) -> None:
    bench.delete(".baton.yaml")
    bench.write({".baton.yaml": WITH_COMMANDS})
    bench.new()
    assert bench.next()["rule"] == "start/mode"


def test_settings_are_those_of_base_and_not_of_the_branch_one_is_on(story: Bench) -> None:
    story.git("switch", "--quiet", "-c", "side")
    story.commit({".baton.yaml": "base: main\ncommands: {test: 'curl evil'}\n"}, "side")
    assert story.next()["rule"] == "start/planning"


def test_without_settings_the_base_is_main_and_the_mode_is_asked_for(bench: Bench) -> None:
    bench.commit({".baton.yaml": "{}\n"})
    bench.new()
    step = bench.next()
    assert (step["action"], step["rule"]) == ("ask", "start/mode")
    assert [one["id"] for one in step["question"]["options"]] == ["local", "branch", "retry", "abandon"]
    assert step["question"]["options"][0]["does"].startswith("merges finished stories into main ")


def test_another_story_s_damaged_journal_stands_in_no_ones_way(story: Bench) -> None:
    other = Bench(story.root, "43")
    other.new("Another")
    other.journal.write_bytes(other.journal.read_bytes().replace(b"Another", b"Anotherr"))
    assert story.next()["rule"] == "start/planning"


def test_a_spec_without_a_journal_is_named_with_the_command_that_begins_it(story: Bench) -> None:
    story.write({"specs/7_night-mode/story.md": "---\nid: 7\n---\n"})
    said = story.baton("next", "7")
    assert "`baton story new --from specs/7_night-mode`" in said.refused
    assert "--from" not in story.baton("next", "8").err


@pytest.mark.parametrize(("ignored", "settings", "is_told"), [
    ("specs/\n", SETTINGS, True), ("specs/\n!specs/\n", SETTINGS, False), ("dist/\n", SETTINGS, False),
    ("specs/\n", f"{SETTINGS}artifacts: local\n", False),
])  # fmt: skip
def test_a_story_whose_folder_git_ignores_is_told_that_it_is_committed(
    ignored: str, settings: str, is_told: bool, bench: Bench
) -> None:
    bench.commit({".gitignore": ignored})
    bench.configure(settings)
    warnings = bench.begin()["warnings"]
    assert any("(`.gitignore:1:specs/`): its files are committed" in line for line in warnings) == is_told
