"""What is to be done: the criteria in order, whatever their bullets."""

import pytest

from baton.artifacts.story_file import Story, check_story, named_criteria, read_story
from baton.artifacts.strict_yaml import YamlFault


def criteria(section: str) -> tuple[str, ...]:
    return read_story(
        f"---\nid: 42\n---\n## Acceptance Criteria\n\n{section}\n\n## Notes\n\n- no criterion\n"
    ).criteria


@pytest.mark.parametrize("section", [
    "- one\n- two", "* one\n+ two", "1. one\n2. two", "1) one\n10) two", "- [ ] one\n- [x] two",
    "- one\n\ntext\n\n- two",
    "### Must\n\n- one\n\n### Should\n\n- two", "- one\n```\n- code\n```\n- two", "-   one  \n-\ttwo",
    "- one\n-  \n- two",
])  # fmt: skip
def test_each_item_is_a_criterion(section: str) -> None:
    assert criteria(section) == ("one", "two")


@pytest.mark.parametrize("text", [
    "## Success Criteria\n- one\n- two", "## AC\n- one\n- two", "## 3. Acceptance Tests\n1. one\n2. two",
    "## Acceptance Criteria\n\n  - one\n  - two",
], ids=["success criteria", "AC", "a numbered heading", "an indented list"])  # fmt: skip
def test_criteria_are_found_where_people_write_them(text: str) -> None:
    assert read_story(f"# Title\n\n{text}\n\n## More\n\n- no criterion\n").criteria == ("one", "two")


@pytest.mark.parametrize(("section", "expected"), [
    ("- one\n    - in detail\n- two", ("one - in detail", "two")),
    ("- one\n  and more\n\tand more\nnot this\n- two", ("one and more and more", "two")),
    ("- one\u2028and more\n", ("one\u2028and more",)),
], ids=["an item below", "indented lines", "a line end to some programs alone"])  # fmt: skip
def test_lines_below_an_item_continue_it(section: str, expected: tuple[str, ...]) -> None:
    assert criteria(section) == expected


@pytest.mark.parametrize(("criterion", "named"), [
    *((f"{own}sub(3, 2) is 1", "AC1: sub(3, 2) is 1")
      for own in ("AC-1: ", "**AC1:** ", "**AC-01** ", "[AC 1] ", "AC1 - ", "Criterion 1) ")),
    *((words, f"AC1: {words}") for words in (
        "AC-2: sub(3, 2) is 1", "AC1.2: sub(3, 2) is 1", "AC10: more", "criterion 1 of the shop", "ACTIVE 1: more",
        "1 is the result", "AC1", "**AC1: sub(3, 2) is 1**",
    )),
])  # fmt: skip
def test_the_name_a_criterion_has_already_is_not_said_twice(criterion: str, named: str) -> None:
    assert named_criteria([criterion]) == [named]


def test_deferred_criteria_are_kept_apart() -> None:
    story = read_story("## Criteria\n\n- one (deferred) job\n- two (Deferred)\n- three (deferred): later\n")
    assert story.criteria == ("one (deferred) job",)
    assert story.deferred == ("two (Deferred)", "three (deferred): later")


def test_fields_are_read_as_they_were_written() -> None:
    story = read_story(
        "---\nid: 007\ntitle: 1.10\ncomplexity: 3\nlanguage: python\nstatus: complete\nmore: {a: b}\n---\n"
    )
    assert story[:5] == ("007", "1.10", 3, "python", "complete")


@pytest.mark.parametrize("head", ["", "---\n---\n", "---\n# none\n---\n", "---\nid:\ncomplexity: high\n---\n"])
def test_fields_that_are_missing_are_empty(head: str) -> None:
    assert read_story(head + "Some text.\n") == Story("", "", None, "", "", (), ())


ISSUE = "https://github.com/octo/app/issues/12"


@pytest.mark.parametrize(("source", "named"), [
    (ISSUE, ISSUE), ("docs/my.md", "docs/my.md"), (f'{{"url": "{ISSUE}"}}', ISSUE), ("{}", ""), ("", ""),
    ("{repository: octo/app, number: 12}", ISSUE),
    ("{repository: o/r, number: 1, host: ghe.example.com}", "https://ghe.example.com/o/r/issues/1"),
])  # fmt: skip
def test_the_source_is_read_in_any_form(source: str, named: str) -> None:
    assert read_story(f"---\nsource: {source}\n---\n").source == named


@pytest.mark.parametrize(("source", "kept"), [
    ("{repository: o/r, number: 1, updated_at: 2026-01-05T10:00:00Z, hash: abc}", ("abc", "2026-01-05T10:00:00Z")),
    ("{repository: o/r, number: 1}", ("", "")), (ISSUE, ("", "")),
])  # fmt: skip
def test_the_hash_and_time_of_an_issue_are_read_from_its_source(source: str, kept: tuple[str, str]) -> None:
    story = read_story(f"---\nsource: {source}\n---\n")
    assert (story.source_hash, story.source_updated_at) == kept


@pytest.mark.parametrize("head", ["---\n- a\n---\n", "---\ntext\n---\n", "---\na: &a b\n---\n", "---\nid: 1\n"])
def test_front_matter_that_is_no_mapping_is_a_fault(head: str) -> None:
    with pytest.raises(YamlFault):
        read_story(head)


@pytest.mark.parametrize(("value", "known", "rules"), [
    ("2", 2, []), ("0", 0, []), ("high", None, []), ("", None, []), ("true", None, ["story/complexity"]),
    ("-5", None, ["story/complexity"]), ("11", None, ["story/complexity"]), ("1.5", None, ["story/complexity"]),
])  # fmt: skip
def test_a_complexity_is_a_whole_number_or_is_refused(value: str, known: int | None, rules: list[str]) -> None:
    text = f"---\nid: 1\ntitle: t\ncomplexity: {value}\n---\n## Acceptance Criteria\n- a\n"
    assert (read_story(text).complexity, [one.rule for one in check_story(text, "s")]) == (known, rules)
