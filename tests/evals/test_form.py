"""The cases of evals/ have the client's form, graders that can say no, and a line in the document."""

import re
from pathlib import Path
from typing import Any

import pytest

from evals.cases import EVALS, NAMES, ROOT, Played, judge, prepare, read_case
from evals.transcripts import BAD, GOOD

DOCUMENT = (ROOT / "docs" / "evals.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"(?m)^\| `([\w-]+)` \| .* \| yes \| (yes)? ?\|$", DOCUMENT))
BUDGET = re.compile(r"budget: \{usd: (\d+)\}")


def can_pass(grader: dict[str, Any]) -> bool:
    """Whether a grader can be content: without `min` the client expects one call, whatever `max` says."""
    return bool(grader["type"] != "tool_used" or grader.get("min", 1) <= grader.get("max", 1000))


def test_eight_begin_with_implement_and_four_say_it_in_plain_words() -> None:
    prompts = {name: read_case(name)["execution"]["prompt"] for name in NAMES}
    stories = {name for name, prompt in prompts.items() if prompt.startswith("/implement ")}
    assert (len(stories), len(prompts)) == (8, 12)
    assert all(read_case(name)["tags"] == ["story" if name in stories else "words"] for name in NAMES)
    assert not any("baton" in prompts[name] for name in {*NAMES} - stories)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_says_what_it_is(name: str) -> None:
    case = read_case(name)
    assert case["name"] == name
    assert case["description"].endswith(".")
    assert set(case["execution"]) == {"prompt", "max_turns", "timeout_seconds", "allowed_tools"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_every_grader_can_be_content_and_one_is_not_where_nothing_happened(name: str, tmp_path: Path) -> None:
    graders = read_case(name)["graders"]
    assert all(map(can_pass, graders))
    assert {grader["type"] for grader in graders} <= {"regex", "file_exists"}, "evals/cases.py judges no other"
    untouched = Played(prepare(name, tmp_path / "home"), [])
    assert False in judge(name, untouched).values()


@pytest.mark.parametrize(("grader", "holds"), [
    ({"type": "tool_used", "tool": "Agent", "min": 0, "max": 0}, True),
    ({"type": "tool_used", "tool": "Agent", "max": 0}, False),
    ({"type": "tool_used", "tool": "Agent"}, True),
])  # fmt: skip
def test_never_is_min_and_max_zero(grader: dict[str, Any], holds: bool) -> None:
    assert can_pass(grader) == holds


@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_of_a_grader_is_a_mark_of_the_scaffold(name: str) -> None:
    marks = re.findall(r"(?m)^mark ([\w-]+) ", (EVALS / name / "scaffold.sh").read_text(encoding="utf-8"))
    paths = [one["path"] for one in read_case(name)["graders"] if one["type"] == "file_exists"]
    assert paths == [f"outcome/{mark}" for mark in marks]


def test_the_document_has_every_case_with_its_arms_and_costs() -> None:
    cases = {name: read_case(name) for name in NAMES}
    words = [case["execution"]["max_turns"] for case in cases.values() if case["tags"] == ["words"]]
    assert {name: "yes" if case["tags"] == ["words"] else "" for name, case in cases.items()} == ROWS
    assert f"= {sum(words) * 2 * 3} requests" in DOCUMENT
    budget = BUDGET.findall((EVALS / "scaffold.sh").read_text(encoding="utf-8"))
    assert f"of {budget[0]} US dollars" in DOCUMENT
    assert f"${8 * 3 * int(budget[0])}" in DOCUMENT


def test_every_case_has_a_transcript_that_passes_and_one_that_must_not() -> None:
    assert [*GOOD, *BAD] == [*NAMES, *NAMES]
    assert not any(one.objects for one in GOOD.values())
    assert all(one.objects for one in BAD.values())


def test_every_grader_objects_to_one_of_them() -> None:
    graders = {one["name"] for name in NAMES for one in read_case(name)["graders"]}
    assert {grader for one in BAD.values() for grader in one.objects} == graders
