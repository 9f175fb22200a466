"""The user changes a story or its plan by hand: that is what holds, and who judged before looks again."""

import pytest

from bench import CRITERIA, FOLDER, PLAN, REPORT, ROW, SETTINGS, STORY, VERDICT, Bench, CallResult

NEW = "a third thing holds"


def edit(bench: Bench, text: str, *flags: str) -> CallResult:
    return bench.baton("story", "edit", "42", *flags, stdin=text)


def add_criterion(bench: Bench) -> CallResult:
    return edit(bench, f"{bench.place('story').read_text().rstrip()}\n- {NEW}\n")


def test_a_changed_story_is_the_story_from_then_on(implementing: Bench) -> None:
    before = implementing.git("rev-parse", STORY)
    assert add_criterion(implementing).out == "taken\n"
    assert implementing.state.criteria == (*CRITERIA, NEW)
    assert implementing.git("rev-parse", f"{STORY}^") == before
    assert implementing.git("show", f"{STORY}:{FOLDER}/story.md").endswith(NEW)
    assert implementing.work(1)["rule"] == "implementation/continue"  # and no question whether it holds
    assert NEW in implementing.brief


def test_the_same_text_again_changes_nothing(implementing: Bench) -> None:
    before = implementing.journal.read_bytes()
    assert edit(implementing, implementing.place("story").read_text()).code == 0
    assert implementing.journal.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "code", "what"),
    [("---\nid: 42\ntitle: T\n---\n", 1, "no acceptance criterion"),
     ("---\nid: 43\ntitle: T\n---\n## Acceptance Criteria\n- one\n", 2, "its `id:` is 43")],
)  # fmt: skip
def test_a_text_that_is_no_story_writes_nothing(text: str, code: int, what: str, implementing: Bench) -> None:
    before = implementing.bytes(implementing.journal.parent)
    said = edit(implementing, text)
    assert (said.code, what in said.out + said.err) == (code, True)
    assert implementing.bytes(implementing.journal.parent) == before


def test_a_run_may_not_change_the_story(implementing: Bench) -> None:
    said = implementing.in_tree("story", "edit", "42", stdin="x")
    assert "this is the work tree of run" in said.refused


def test_the_word_of_qa_counts_no_more_once_the_story_was_changed(judging: Bench) -> None:
    rows = VERDICT.format("PASS", "seen") + ROW.format(3, "PASS")
    assert judging.hand_in("qa-report", VERDICT.format("PASS", "seen")).code == 0
    add_criterion(judging)
    step = judging.end()
    assert (step["rule"], step["agent"]) == ("qa/moved", "baton:qa")
    assert "the user changed the story since" in step["reason"]
    assert judging.hand_in("qa-report", rows).code == 0
    assert judging.end()["action"] == "complete"


def test_qa_looks_again_at_a_story_that_was_changed_after_it_passed(judging: Bench) -> None:
    judging.write({"test_calc.py": "MINE = 1\n"})
    assert judging.judge()["rule"] == "merge/in-the-way"
    (judging.root / "test_calc.py").unlink()
    add_criterion(judging)
    step = judging.answer("retry")
    assert (step["rule"], step["agent"]) == ("merge/head-moved", "baton:qa")
    assert "the user changed the story" in step["reason"]


def test_a_changed_plan_is_carried_out_and_not_the_one_of_the_run_that_is_out(implementing: Bench) -> None:
    text = PLAN.replace("see it", "see it fail first")
    implementing.mark(1)
    assert edit(implementing, text, "--plan").code == 0
    assert implementing.work(2)["resume"]["resume_phase"] == "1"
    assert implementing.place("plan").read_text() == text


def test_a_plan_that_is_not_valid_is_refused(implementing: Bench) -> None:
    assert edit(implementing, "# Plan\n", "--plan").code == 1
    assert implementing.place("plan").read_text() == PLAN


def test_a_story_that_is_kept_out_of_git_is_changed_there(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}artifacts: local\n")
    bench.begin()
    assert bench.tree
    assert add_criterion(bench).code == 0
    assert bench.plan()["agent"] == "baton:implementer"
    assert bench.state.criteria == (*CRITERIA, NEW)


def test_a_story_that_is_over_is_not_changed(judging: Bench) -> None:
    judging.judge()
    said = add_criterion(judging)
    assert "the story is complete" in said.refused


def test_a_plan_that_a_person_made_smaller_is_whole(implementing: Bench) -> None:
    assert edit(implementing, PLAN.replace("### Phase 2: test it [NOT STARTED]", ""), "--plan").code == 0
    assert implementing.work()["agent"] == "baton:implementer"
    implementing.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    implementing.mark(1)
    assert implementing.hand_in("impl-report", REPORT).code == 0
    assert implementing.end()["rule"] == "report/valid"
