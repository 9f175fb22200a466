"""The files that a story was made of are held against base for as long as it is under way."""

from unittest.mock import Mock

import pytest

from bench import PLAN, Bench, report_on
from scenes import begun, known
from story.test_source import FILES, READ, SPEC, confirmed

REQUIREMENTS = f"{SPEC}/requirements.md"
COPY = f"specs/1_001-kettle/source/{REQUIREMENTS}"


def text(word: str) -> str:
    return FILES[REQUIREMENTS].replace("whistles", word)


def changed(bench: Bench) -> Bench:
    """Confirm a story, have its requirements changed on base, and end a run."""
    made = confirmed(bench)
    bench.commit({REQUIREMENTS: text("hums")})
    step = made.work(1)
    assert step["rule"] == "run/criteria-changed"
    assert "requirements.md on main is not what it was" in step["reason"]
    return made


def reread(bench: Bench, now: str = "hums") -> Bench:
    """Have a changed file read anew, as base has it, and confirmed."""
    made = changed(bench)
    bench.commit({REQUIREMENTS: text(now)})
    assert made.answer("replan")["agent"] == "baton:planner"
    assert (made.state.criteria, f"`{COPY}` (lines: " in made.brief) == ((), True)
    assert made.hand_in("criteria", READ.replace(REQUIREMENTS, COPY)).code == 0
    assert made.plan(PLAN)["rule"] == "planning/confirm"
    made.answer("accept")
    return made


@pytest.mark.parametrize("option", ["accept", "restore"])
def test_a_change_is_asked_about_once_where_the_story_stays_as_it_was(option: str, bench: Bench) -> None:
    made = changed(bench)
    made.answer(option)
    assert made.state.criteria == ("it boils", "it whistles")
    assert made.work(2)["rule"] != "run/criteria-changed"


@pytest.mark.parametrize("option", ["accept", "restore"])
def test_what_qa_passed_stays_passed_where_the_story_holds(option: str, bench: Bench) -> None:
    made = confirmed(bench)
    made.implement()
    bench.commit({REQUIREMENTS: text("hums")})
    assert made.judge()["rule"] == "run/criteria-changed"
    assert made.answer(option)["action"] == "complete"


def test_what_was_read_anew_is_asked_about_when_it_changes_again(bench: Bench) -> None:
    made = reread(bench)
    assert made.state.criteria == ("it boils", "it hums")
    bench.commit({REQUIREMENTS: text("sings")})
    step = made.work(1)
    assert (step["rule"], f"{REQUIREMENTS} on main" in step["reason"]) == ("run/criteria-changed", True)
    made.answer("replan")
    assert (known(made).sources[0], "it sings" in made.git("show", f"main:{REQUIREMENTS}")) == (COPY, True)


@pytest.mark.parametrize(("read", "word", "asks"), [("hums", "whistles", True), ("hums\r\n\r", None, False)])
def test_and_when_it_turns_back_not_for_line_ends(read: str, word: str | None, asks: bool, bench: Bench) -> None:
    made = reread(bench, read)
    if word:
        bench.commit({REQUIREMENTS: text(word)})
    assert (made.work(1)["rule"] == "run/criteria-changed") is asks


def test_what_is_committed_as_it_was_read_is_no_change(bench: Bench) -> None:
    bench.write({REQUIREMENTS: FILES[REQUIREMENTS]})
    made = begun(bench, SPEC)
    assert made.hand_in("criteria", f'criteria: [{{each: "{COPY}:5-6"}}]\n').code == 0
    made.plan()
    made.answer("accept")
    bench.git("add", "openspec")
    bench.git("commit", "--quiet", "--message", "spec")
    assert made.work(1)["rule"] != "run/criteria-changed"
    bench.commit({REQUIREMENTS: text("sings")})
    assert made.work(2)["rule"] == "run/criteria-changed"


def test_what_is_gone_is_not_read_anew(bench: Bench) -> None:
    made = confirmed(bench)
    bench.delete(SPEC)
    assert made.work(1)["rule"] == "run/criteria-changed"
    assert "nothing that it was made of is there any more" in bench.baton("answer", "1", "replan").refused
    made.answer("accept")
    assert made.state.criteria == ("it boils", "it whistles")


def test_no_source_outside_of_the_storys_folder_is_held_against_anything(bench: Bench) -> None:
    made = begun(bench, "# Kettle\n\nIt boils.\n")
    made.hand_in("criteria", 'criteria: [{at: "specs/1_kettle/source/text.md:3"}]\n')
    made.plan()
    made.answer("accept")
    bench.commit({"text.md": "nothing to do with it\n"})
    assert made.work(1)["rule"] != "run/criteria-changed"


@pytest.mark.parametrize(("note", "number", "is_on"), [("-AC3", 2, False), ("AC3 = state.json says so", 3, True)])
def test_nothing_is_written_back_once_that_is_gone(note: str, number: int, is_on: bool, bench: Bench) -> None:
    bench.commit(FILES)
    made = begun(bench, f"--write-back {SPEC}")
    made.hand_in("criteria", READ)
    made.plan()
    made.answer("edit", note)
    assert (len(made.state.criteria), known(made).write_back) == (number, is_on)


def test_no_run_goes_on_without_what_a_cut_answer_took_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made = changed(bench)
    with monkeypatch.context() as patch:
        patch.setattr("baton.story.answer.answer.Answered", Mock(side_effect=KeyboardInterrupt))
        assert bench.baton("answer", "1", "replan").code == 130
    for option in ("accept", "restore", "retry"):
        assert "answer `replan` once more" in bench.baton("answer", "1", option).refused
    assert made.answer("replan")["agent"] == "baton:planner"


BY_ITSELF = "# Kettle\n\n## Acceptance Criteria\n\n- it boils\n- it whistles\n"


@pytest.mark.parametrize(("fields", "told"), [("write_back: true\n", True), ("", False)])
def test_a_tool_no_longer_written_to_is_named_in_the_report(fields: str, told: bool, bench: Bench) -> None:
    head = f"---\nid: 1\ntitle: Kettle\nsource: backlog/1.md\nlayout: gaai\n{fields}---\n"
    bench.commit({"specs/1_kettle/story.md": head + BY_ITSELF})
    made = begun(bench, "1")
    made.plan()
    made.implement()
    made.judge()
    report = made.journal.with_name("report.md").read_text(encoding="utf-8")
    assert ("its tool's files do not say that it is done" in report) is told


def test_a_path_in_a_command_of_a_brief_is_one_word_of_it(bench: Bench) -> None:
    bench.commit({"docs/a $(touch x); b/spec.md": "# Kettle\n\n## Requirements\n\n- it boils\n- it whistles\n"})
    made = begun(bench, "--write-back docs/a $(touch x); b")
    place = "docs/a $(touch x); b/spec.md"
    assert made.hand_in("criteria", f'criteria: [{{each: "{place}:5-6"}}]\n').code == 0
    made.plan()
    made.answer("accept")
    made.implement(report=report_on("test_calc.py", criteria=3))
    assert "diff main...HEAD -- 'docs/a $(touch x); b'`" in made.brief
