"""Lines that look like criteria are found by the title they stand under, and are covered by the criteria read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.demanded import find_demanded, find_uncovered, is_own_form
from baton.artifacts.story_file import read_criteria
from scale import QUICKLY

READ = "# T\n\n## Acceptance Criteria\n\n- one is seen\n\n"
# What stands beside one list that is read: the lines that are asked about.
BESIDE = {
    "a second section": ("### Requirement 2\n#### Acceptance Criteria\n1. WHEN a THEN b\n2. c", [9, 10]),
    "requirements": ("## Requirements\n- [ ] A list SHALL be shown", [8]),
    "numbered paragraphs": ("## Requirements\n\n1.1. WHEN a\n\n1.2. WHEN b", [9, 11]),
    "a label": ("## Story 2\n**Acceptance Criteria:**\n- a\n\n**Tasks:**\n- b", [9]),
    "a label in a list": ("## Plan\n- **Acceptance criteria:**\n  - a\n- b", [9]),
    "a table": ("## Success criteria\n| n | what |\n|---|---|\n| 1 | it runs |", [10]),
    "a table without its outer lines": ("## Success criteria\nn | what\n--|--\n1 | it runs\n\na | b", [10]),
    "paragraphs of a scenario": ("**Acceptance Criteria:**\n\n**Given** a\n**When** b", [9, 10]),
    "paragraphs with names": ("## Acceptance tests\n\n**AC2:** a\n\nAC3: b", [9, 11]),
    "a title that only begins so": ("## Requirements\n### Background sync\n- a\n\n**Task list:**\n- b", [9, 12]),
    "a tag": ("## Plan\n<success_criteria>\n- a\n</success_criteria>\n- b", [9]),
    "an open fence": ("```\n## Requirements\n- a", [9]),
    "Windows line ends": ("## Requirements\r\n- a\r\n", [8]),
    "another language": ("## 验收标准\n- 列表可见", [8]),
    "the end of a criterion": ("## Requirements\n- seen", [8]),
    "scenarios in a fence": ("## Acceptance\n```gherkin\nScenario: it adds\n  Given a\n  Then b\n```", [9]),
    "a quotation": ("## Requirements\n> - a", [8]),
    "a mark without a blank": ("## Requirements\n-two\n・three\n→ four\n✅ five\nii. six", [8, 9, 10, 11, 12]),
    "a box without a mark": ("## Requirements\n[ ] two", [8]),
    "a part of a list": ("## Story 2\n**Acceptance Criteria:**\n\nFor admins:\n- a", [11]),
    "a scenario of a feature": (
        "## Acceptance\n- one is seen\n```gherkin\nFeature: f\n  Scenario: it adds\n```", [11]),
    "headings with names": ("## Acceptance Criteria\n### AC1: login works\n- one is seen", [8]),
    "another sign": ("## Requirements\n- one is seen\n- one is seen > 1\n- -1 is seen", [9, 10]),
    "names without a colon": (
        "## Requirements\nFR-001 the form\nAC2a: b\nAC-LOGIN-01: c\nCriterion #2: d\n2: e", [8, 9, 10, 11, 12]),
    "short titles": ("## DoD\n- a\n## ACs (cont.)\n- b\n## Kryteria akceptacji\n- c", [8, 10, 12]),
    "more marks": ("## Requirements\n▶ a\n1\ufe0f\u20e3 b\n<li>c</li>", [8, 9, 10]),
    "a key": ("acceptance_criteria:\n  - two", [8]),
    # and what is no criterion, or is one that was read
    "the same once more": ("## Requirements\n- **One** is seen.", []),
    "tasks": ("## Tasks\n- a", []),
    "a closed fence": ("## Requirements\n```\n- a\n```", []),
    "a comment": ("## Requirements\n<!--\n- a\n-->", []),
    "details": ("## Scenarios\n- one is seen\n    - as this", []),
    "out of scope": ("## Requirements\n### Out of scope\n- a", []),
    "notes": ("## Dev Notes\n### Testing Requirements\n- a", []),
    "prose": ("## Requirements\nIt should be fast.", []),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_an_unread_line_that_looks_like_a_criterion_is_found(name: str) -> None:
    more, expected = BESIDE[name]
    found = find_uncovered(READ + more, ["one is seen"])
    assert [one.number for one in found] == expected, found


@pytest.mark.parametrize("text", [
    "## Acceptance Criteria\n- **Given** a\n- **When** b\n- **Then** c\n- **Given** d",
    "## Acceptance Criteria\n- [ ] **Shown:**\n  - a\n  - b, c\n- AC2: `d`\n  goes on",
    "## Done when\n1. a <!-- b --> c\n2. d\n\nNotes:\n- e",
    "\ufeff---\nid: 1\nstatus: new requirements\n---\n- a\n\n## Acceptance Criteria\n\n- b",
])  # fmt: skip
def test_a_list_that_is_read_whole_leaves_nothing_to_ask(text: str) -> None:
    assert find_demanded(text)
    assert find_uncovered(text, read_criteria(text)) == []


# What no list holds by itself is read by a planner.
OTHER_FORMS = {
    "a table": "## Acceptance Criteria\n| AC | what |\n|---|---|\n| AC1 | it runs |",
    "a table of givens": "## Acceptance Criteria\n| # | Given | Then |\n|---|---|---|\n| 1 | a | b |",
    "paragraphs": "## Acceptance Criteria\n\nAC1: one\n\nAC2: two,\nwith more",
    "the steps of a scenario": "## Acceptance Criteria\n- Given a\n- When b\n- Then c",
    "steps without a Given": "## Acceptance Criteria\n- When a, it is b\n- When c, it is d\n- and e",
    "a bold line": "**Acceptance criteria:**\n\n- one\n- two",
    "a line with a colon": "Done when:\n\n- one\n- two",
    "two sections": f"{READ}## Requirements\n- two is seen",
    "two criteria sections": f"{READ}### Story 2\n\n## Acceptance Criteria\n\n- two is seen",
    "prose": "## Acceptance Criteria\n\nIt is fast.",
    "none": "# T\n\nMake it fast.",
}


@pytest.mark.parametrize("text", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_only_one_plain_list_is_in_own_form(text: str) -> None:
    assert not is_own_form(text)


@pytest.mark.parametrize("text", [
    READ, "## Acceptance Criteria\n- [ ] AC1: Given a, when b, then c\n- WHEN d THE system SHALL e",
    f"{READ}## Tasks\n- do it\n\n## Out of scope\n- the rest", "## AC\n1. one\n   - in detail\n2. two",
])  # fmt: skip
def test_one_plain_list_is_in_own_form(text: str) -> None:
    assert is_own_form(text)


def test_two_long_lines_that_begin_alike_are_two() -> None:
    begin = "## Acceptance Criteria\n- " + "w " * 45
    assert find_uncovered(f"{begin}first", ["w " * 45 + "first, and more"]) == []
    assert len(find_uncovered(f"{begin}second", ["w " * 45 + "first"])) == 1


WORDS = st.lists(
    st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,4}", fullmatch=True), min_size=1, max_size=8, unique=True
)


@QUICKLY
@given(WORDS, WORDS, st.sampled_from(["- ", "* [ ] ", "1. ", "1.1. ", "- AC1: ", "R-1: "]))
def test_a_criterion_in_only_one_of_two_sections_is_found(first: list[str], second: list[str], mark: str) -> None:
    lists = ("".join(f"{mark}{one}\n" for one in each) for each in (first, second))
    sections = [f"## R\n### Acceptance Criteria\n{each}" for each in lists]
    found = {one.text for one in find_uncovered("\n".join(sections), first)}
    assert found == {one for one in second if not any(f"{own} ".startswith(f"{one} ") for own in first)}
