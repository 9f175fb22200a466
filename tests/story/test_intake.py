"""A text without criteria: its planner reads them by places, and the user confirms them once."""

import json
import re
from typing import Any

import pytest

from baton.artifacts.story_file import read_story
from baton.errors import BatonError
from baton.story.begin.story_intake import edited_criteria, sources_of
from baton.story.session.open_story import look_at
from bench import PLAN, Bench, report_on
from scenes import begun

TEXT = "# Kettle\n\nIt must not burn.\n\n## Requirements\n\n- it boils\n- it whistles\n- it is red\n\nMore.\n"
SOURCE = "specs/1_kettle/source/text.md"
TAKEN = f'criteria:\n  - {{each: "{SOURCE}:7-9"}}\n'
READ = f'{TAKEN}  - {{at: "{SOURCE}:3", says: "it is off when dry"}}\n'
WORDS = ("it boils", "it whistles", "it is red", "it is off when dry")


@pytest.fixture
def kettle(bench: Bench) -> Bench:
    return begun(bench, TEXT)


def planned(kettle: Bench, text: str = READ) -> Any:
    """Be the planner: hand in what it read, and a plan; gives the next step."""
    assert kettle.hand_in("criteria", text).code == 0
    return kettle.plan()


def confirmed(kettle: Bench) -> tuple[str, ...]:
    """Return the criteria of story.md as the story's branch has it, which are those of the journal."""
    known = read_story(kettle.git("show", f"{kettle.folder.branch}:{kettle.folder.relative}/story.md"))
    assert known.criteria == kettle.state.criteria
    return known.criteria


# The planner reads


def test_a_text_that_is_not_in_own_form_is_kept_word_for_word_and_read_by_the_planner(kettle: Bench) -> None:
    there = kettle.git("show", f"{kettle.folder.branch}:{SOURCE}")
    assert (f"{there}\n", confirmed(kettle)) == (TEXT, ())
    assert (f"- `{SOURCE}` (lines: 11)" in kettle.brief, "hand-in 1 criteria" in kettle.brief) == (True, True)


def test_a_text_in_own_form_is_confirmed_by_writing_it(bench: Bench) -> None:
    made = begun(bench, "# Kettle\n\n## Acceptance Criteria\n\n- it boils\n")
    assert confirmed(made) == ("it boils",)
    assert "hand-in 1 criteria" not in made.brief
    assert made.hand_in("criteria", TAKEN).rules == ["criteria/confirmed"]
    assert made.plan()["rule"] == "planning/valid"


def test_without_criteria_no_plan_is_taken(kettle: Bench) -> None:
    assert kettle.hand_in("plan", PLAN).rules == ["plan/criteria-first"]
    assert planned(kettle)["rule"] == "planning/confirm"


@pytest.mark.parametrize(("name", "why"), [("gone.md", "it is gone"), ("../x.md", "with `..` in it")])
def test_a_source_that_cannot_be_read_is_said_and_never_empty(name: str, why: str, kettle: Bench) -> None:
    story = kettle.place("story")
    story.write_text(story.read_text().replace(SOURCE, name), encoding="utf-8")
    with pytest.raises(BatonError, match=re.escape(f"({why}")):
        sources_of(look_at(kettle.project, "1"))


def test_a_plan_beside_which_none_were_read_is_made_again(kettle: Bench) -> None:
    place = kettle.folder.relative_to_root(kettle.place("plan"))
    kettle.commit({place: PLAN}, kettle.folder.branch)
    assert kettle.end()["rule"] == "planning/criteria"


@pytest.mark.parametrize(("text", "rule"), [
    (TAKEN.replace("7-9", "7-8"), "not-taken"),
    (TAKEN.replace("7-9", "7-99"), "place"),
    (TAKEN.replace(SOURCE, "calc.py"), "place"),
    (f'{TAKEN}  - {{at: "{SOURCE}:8"}}\n', "place"),
    (f'{TAKEN}  - {{at: "{SOURCE}:3", quote: "It may burn"}}\n', "place"),
    *((f'{TAKEN}done:\n  - {{what: boil, at: "{SOURCE}:7", shown_by: ["{name}"]}}\n', "not-shown")
      for name in ("none.py", "calc.py::mul", "calc.py\\0", "../calc.py")),
    (f'{TAKEN}done:\n  - {{what: boil, at: "none.md:7", shown_by: ["calc.py"]}}\n', "place"),
    ("criteria: []\n", "minItems"),
    ("criteria: [{at: nowhere}]\n", "pattern"),
    ("no list", "json"),
])  # fmt: skip
def test_what_was_passed_over_or_is_not_where_it_is_said_is_refused(text: str, rule: str, kettle: Bench) -> None:
    assert kettle.hand_in("criteria", text).rules[:1] == [f"criteria/{rule}"]
    assert not kettle.place("criteria").exists()


def test_what_is_left_out_is_named_with_why(kettle: Bench) -> None:
    left = f'{TAKEN.replace("7-9", "7-8")}left_out:\n  - {{at: "{SOURCE}:9", why: "a matter of taste"}}\n'
    reason = planned(kettle, left)["reason"]
    assert f"Left out: {SOURCE}:9 (1 line that looks like criteria): a matter of taste" in reason


def test_a_phase_that_the_code_shows_to_be_done_stays_closed(kettle: Bench) -> None:
    plan = PLAN.replace("subtract [NOT STARTED]", "subtract [COMPLETED]")
    kettle.hand_in("criteria", READ)
    assert kettle.hand_in("plan", plan).rules == ["plan/closed"]
    done = f'done:\n  - {{what: "1. Subtract", at: "{SOURCE}:7", shown_by: ["calc.py::add"]}}\n'
    kettle.hand_in("criteria", READ + done)
    assert kettle.hand_in("plan", plan).code == 0


# The user confirms


def test_accepted_they_are_the_storys_and_it_goes_on_to_its_end(kettle: Bench) -> None:
    assert planned(kettle)["action"] == "ask"
    assert kettle.answer("accept")["agent"] == "baton:implementer"
    assert confirmed(kettle) == WORDS
    kettle.implement(report=report_on("test_calc.py", criteria=4))
    assert kettle.judge()["action"] == "complete"
    assert "- it is off when dry" in kettle.git("show", "main:specs/1_kettle/story.md")


def test_the_question_says_which_are_proposed_and_show_has_every_word(kettle: Bench) -> None:
    reason = planned(kettle)["reason"]
    assert ("AC1 it boils\n" in reason, "AC4 (proposed) it is off when dry" in reason) == (True, True)
    assert f"- AC3: it is red ({SOURCE}:9)" in kettle.baton("show", "1", "criteria").out


@pytest.mark.parametrize(
    ("line", "title"), [("", "Kettle"), ("title: \"A kettle: for 'tea'\"\n", "A kettle: for 'tea'")]
)
def test_accepting_the_criteria_takes_the_planners_title(line: str, title: str, kettle: Bench) -> None:
    branch = kettle.folder.branch
    question = planned(kettle, line + READ)["reason"]
    assert ("  Title: A kettle" in question, kettle.state.created.title) == (bool(line), "Kettle")
    kettle.answer("accept")
    confirmed(kettle)
    written = read_story(kettle.git("show", f"{branch}:{kettle.folder.relative}/story.md")).title
    assert (kettle.state.created.title, written, kettle.folder.branch) == (title, title, branch)


@pytest.mark.parametrize(("note", "agent", "criteria"), [
    ("-AC2..3", "implementer", ("it boils", "it is off when dry")),
    ("AC3 = it is blue\n+ it hums", "planner",
     ("it boils", "it whistles", "it is blue", "it is off when dry", "it hums")),
], ids=["removed ones need no new plan", "added ones are planned for"])  # fmt: skip
def test_edited_criteria_hold(note: str, agent: str, criteria: tuple[str, ...], kettle: Bench) -> None:
    planned(kettle)
    assert kettle.answer("edit", note)["agent"] == f"baton:{agent}"
    assert confirmed(kettle) == criteria
    if agent == "planner":
        assert ("hand-in 1 criteria" in kettle.brief, kettle.plan()["rule"]) == (False, "planning/valid")


def test_a_list_that_the_user_writes_while_they_are_asked_is_the_one(kettle: Bench) -> None:
    planned(kettle)
    text = kettle.baton("show", "1", "story").out
    kettle.baton("story", "edit", "1", stdin=f"{text}\n## Acceptance Criteria\n\n- it is mine\n")
    assert kettle.answer("accept")["agent"] == "baton:implementer"
    assert confirmed(kettle) == ("it is mine",)


def test_a_text_whose_story_was_abandoned_begins_another(kettle: Bench) -> None:
    planned(kettle)
    kettle.answer("accept")
    assert kettle.work(status="blocked")["rule"] == "run/blocked"
    kettle.baton("answer", "1", "abandon")
    assert kettle.baton("story", "new", "--from", kettle.folder.relative).out.startswith("story 2: ")


def test_a_fresh_clone_reads_what_was_not_confirmed_again(kettle: Bench) -> None:
    planned(kettle)
    kettle.forget()
    assert kettle.next()["agent"] == "baton:planner"
    assert "hand-in 1 criteria" in kettle.brief


def test_other_words_go_to_the_planner_and_are_asked_about_again(kettle: Bench) -> None:
    planned(kettle)
    assert kettle.answer("edit", "it should be quieter")["agent"] == "baton:planner"
    assert "> it should be quieter" in kettle.brief
    assert (kettle.run.dispatched.attempt, confirmed(kettle)) == (1, ())
    assert planned(kettle, TAKEN)["rule"] == "planning/confirm"


@pytest.mark.parametrize(("note", "why"), [
    ("", "without a note"), ("-AC9", "no AC9"), ("-AC1..4", "no criterion"),
])  # fmt: skip
def test_an_edit_that_cannot_be_meant_leaves_the_question_open(note: str, why: str, kettle: Bench) -> None:
    planned(kettle)
    said = kettle.baton("answer", "1", "edit", "--note", note)
    assert (why in said.refused, kettle.state.stage, confirmed(kettle)) == (True, "question", ())


@pytest.mark.parametrize("place", ["begin.story_intake.accept_text", "answer.answer.Answered"])
def test_an_answer_cut_short_is_given_again(place: str, kettle: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(kettle)
    with monkeypatch.context() as patch:
        patch.setattr(f"baton.story.{place}", lambda *_, **__: 1 / 0)
        assert kettle.baton("answer", "1", "accept").code == 3
    assert kettle.answer("edit", "-AC1")["agent"] == "baton:implementer"
    assert confirmed(kettle) == WORDS[1:]


def test_to_plan_anew_is_to_read_anew(kettle: Bench) -> None:
    planned(kettle)
    assert kettle.answer("replan", "smaller")["agent"] == "baton:planner"
    assert "hand-in 1 criteria" in kettle.brief
    assert not kettle.place("criteria").exists()


def test_with_plan_only_one_question_asks_for_both(kettle: Bench) -> None:
    kettle.next("--plan-only")
    assert "a plan of 2 phases" in planned(kettle)["reason"]
    assert kettle.answer("accept")["agent"] == "baton:implementer"


def test_who_writes_the_list_themselves_is_not_asked(kettle: Bench) -> None:
    text = kettle.baton("show", "1", "story").out
    assert kettle.baton("story", "edit", "1", stdin=text).code == 1
    assert kettle.baton("story", "edit", "1", stdin=f"{text}\n## Acceptance Criteria\n\n- it boils\n").code == 0
    assert (kettle.plan()["rule"], confirmed(kettle)) == ("planning/valid", ("it boils",))


@pytest.mark.parametrize(("text", "rule"), [(TAKEN, "planning/valid"), (READ, "planning/confirm")])
def test_where_the_settings_say_so_only_what_is_unclear_is_asked(text: str, rule: str, bench: Bench) -> None:
    bench.settle("", "intake: {confirm: unclear}")
    made = begun(bench, TEXT)
    assert planned(made, text)["rule"] == rule
    assert confirmed(made) == (WORDS[:3] if rule == "planning/valid" else ())


def test_a_small_story_is_planned_while_nobody_confirmed_it(bench: Bench) -> None:
    made = begun(bench, f"---\ncomplexity: 1\n---\n{TEXT}")
    assert made.run.role == "planner"


def test_who_names_the_sources_in_a_story_of_their_own_has_them_read(bench: Bench) -> None:
    told = "---\nid: 1\ntitle: Kettle\nsources: [docs/kettle.md]\n---\nIt is small.\n"
    bench.commit({"docs/kettle.md": TEXT, "specs/1_kettle/story.md": told})
    made = begun(bench, "1")
    assert "`docs/kettle.md` (lines: 11)" in made.brief
    planned(made, TAKEN.replace(SOURCE, "docs/kettle.md"))
    made.answer("accept")
    assert confirmed(made) == WORDS[:3]


def test_what_a_run_writes_into_the_source_is_not_read(kettle: Bench) -> None:
    (kettle.tree / SOURCE).write_text("## Requirements\n\n- it is cheap\n", encoding="utf-8")
    planned(kettle)
    kettle.answer("accept")
    assert (kettle.git("show", f"{kettle.folder.branch}:{SOURCE}") + "\n", confirmed(kettle)) == (TEXT, WORDS)


# Lines that the program carries out


@pytest.mark.parametrize(("note", "left"), [
    ("-AC2", ["a", "c"]), ("- AC1-2", ["c"]), ("-AC1, -AC3", ["b"]), ("ac2 = B", ["a", "B", "c"]),
    ("+ d\n\n-AC1", ["b", "c", "d"]), ("- it must be faster", None), ("-AC1 is too much", None),
])  # fmt: skip
def test_lines_of_an_edit(note: str, left: list[str] | None) -> None:
    assert edited_criteria(["a", "b", "c"], note) == left


@pytest.mark.parametrize(("note", "why"), [("-AC4", "no AC4"), ("-AC3..1", "AC3 to AC1 is not a range")])
def test_a_number_that_there_is_not_is_refused(note: str, why: str) -> None:
    with pytest.raises(BatonError, match=why):
        edited_criteria(["a", "b", "c"], note)


@pytest.mark.parametrize("count", [5, 22, 137])
def test_the_question_is_one_screen_whatever_their_number(count: int, bench: Bench) -> None:
    part = "## Requirement {0}\n\n- it has part {0} of {1}, and that can be seen\n"
    made = begun(bench, "# Kettle\n\n" + "\n".join(part.format(at, count) for at in range(count)))
    last = 3 + 4 * count
    made.hand_in("criteria", json.dumps({"criteria": [{"each": f"{SOURCE}:1-{last - 1}"}]}))
    made.plan()
    lines = made.baton("next", "1").out.splitlines()
    assert len(lines) <= 29
    assert f"WHY planning/confirm: {count} criteria" in "\n".join(lines)
