"""A language is a part of the brief and its own commands; the loop is the same."""

from typing import Any

from bench import SETTINGS, Bench, report_on

LEAN = "`sorry` is unfinished work"


def begin(bench: Bench, settings: str, language: str) -> Any:
    """Take a story in a language to its implementer."""
    bench.configure(settings)
    bench.new("Subtract", "--language", language)
    step = bench.next()
    if step["action"] == "ask":
        step = bench.answer("accept")
    return bench.plan()


def test_a_lean_story_has_a_lean_brief_and_its_build(bench: Bench) -> None:
    assert begin(bench, SETTINGS, "Lean")["agent"] == "baton:implementer"
    assert LEAN in bench.brief
    assert "- build: `lake build`" in bench.brief


def test_another_language_changes_nothing(bench: Bench) -> None:
    begin(bench, SETTINGS, "Python")
    assert LEAN not in bench.brief
    assert "lake build" not in bench.brief


def test_a_language_s_commands_take_the_place_of_the_general_ones(bench: Bench) -> None:
    settings = (
        "commands: {build: make, test: make test}\nlanguages: {lean: {brief: lean, commands: {build: lake -v}}}\n"
    )
    begin(bench, SETTINGS + settings, "lean")
    assert "- build: `lake -v`" in bench.brief
    assert "- test: `make test`" in bench.brief


def test_a_language_s_commands_are_confirmed_like_any(bench: Bench) -> None:
    bench.configure(SETTINGS)
    bench.new("Subtract", "--language", "lean")
    step = bench.next()
    assert (step["rule"], "build: lake build" in step["reason"]) == ("start/commands", True)


def test_a_sorry_contradicts_finished_work(bench: Bench) -> None:
    begin(bench, SETTINGS, "lean")
    bench.hand_in("impl-report", report_on("calc.py", criteria=1))
    where = ["calc.py"]
    step = bench.work(1, 2, status="implemented", files_changed=where, metadata={"sorry_count": 1, "files": where})
    assert (step["rule"], "sorry_count is 1" in step["reason"]) == ("implementation/open-phases", True)


def test_what_is_mathematically_false_is_for_a_person(bench: Bench) -> None:
    begin(bench, SETTINGS, "lean")
    step = bench.work(1, errors=[{"type": "mathematically_false", "message": "n = 0", "recoverable": False}])
    assert step["rule"] == "run/review-required"
    assert "n = 0" in step["reason"]


def test_what_a_language_leaves_out_is_as_it_is_built_in(bench: Bench) -> None:
    begin(bench, f"{SETTINGS}languages: {{lean: {{commands: {{test: lake test}}}}}}\n", "lean")
    assert LEAN in bench.brief
    assert "- test: `lake test`" in bench.brief


def test_nobody_chooses_other_commands_by_another_language_on_the_way(bench: Bench) -> None:
    begin(bench, SETTINGS, "lean")
    text = bench.place("story").read_text(encoding="utf-8")
    assert bench.tree
    name = "specs/42_subtract/story.md"
    bench.commit({name: text.replace('language: "lean"\n', "")}, "story/42-subtract")
    assert bench.work(1)["rule"] == "run/criteria-changed"
    bench.answer("accept")
    assert "- build: `lake build`" in bench.brief
