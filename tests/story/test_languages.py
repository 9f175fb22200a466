"""A language is a part of the brief and its own commands; the loop is the same."""

from typing import Any

import pytest

from bench import SETTINGS, Bench, report_on

LEAN = "`sorry` is unfinished work"


def begin(bench: Bench, settings: str, language: str) -> Any:
    """Take a story in a language to its implementer."""
    bench.configure(settings)
    bench.begin("--language", language, title="Subtract")
    return bench.plan()


COMMON = "commands: {build: make, test: make test}\n"
# Settings beside the usual ones, the language, and what its brief says and does not say.
BRIEFS = {
    "lean as it is built in": ("", "Lean", [LEAN, "- build: `lake build`"], []),
    "another language": ("", "Python", [], [LEAN, "lake build"]),
    "lean with a command of its own beside general ones": (
        f"{COMMON}languages: {{lean: {{brief: lean, commands: {{build: lake -v}}}}}}\n", "lean",
        ["- build: `lake -v`", "- test: `make test`"], []),
    "lean with what is left out as it is built in": (
        "languages: {lean: {commands: {test: lake test}}}\n", "lean", [LEAN, "- test: `lake test`"], []),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "language", "has", "lacks"), BRIEFS.values(), ids=BRIEFS)
def test_a_language_has_a_brief_and_commands_of_its_own(
    settings: str, language: str, has: list[str], lacks: list[str], bench: Bench
) -> None:
    assert begin(bench, SETTINGS + settings, language)["agent"] == "baton:implementer"
    assert [text for text in has if text not in bench.brief] == []
    assert [text for text in lacks if text in bench.brief] == []


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


def test_nobody_chooses_other_commands_by_another_language_on_the_way(bench: Bench) -> None:
    begin(bench, SETTINGS, "lean")
    text = bench.place("story").read_text(encoding="utf-8")
    assert bench.tree
    name = "specs/42_subtract/story.md"
    bench.commit({name: text.replace('language: "lean"\n', "")}, "story/42-subtract")
    assert bench.work(1)["rule"] == "run/criteria-changed"
    bench.answer("accept")
    assert "- build: `lake build`" in bench.brief
