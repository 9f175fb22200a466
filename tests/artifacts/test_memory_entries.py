"""The entries of a delta are read from the shapes that agents write: bullets, tables, headings, YAML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.memory_entries import read_entries, read_numbers
from baton.errors import BatonError

HEAD = "---\nartefact_type: memory-delta\n---\n"
NEW = "## New Knowledge Candidates\n\n"
# One fact in each shape, with what shows it.
SHAPES = {
    "a bullet": "- Paint is lazy (evidence: paint.py:9)\n",
    "a bullet with lines of its own": "* Paint\n  is lazy\n  - **Evidence:** paint.py:9\n",
    "a number": "1. Paint is lazy. Evidence: paint.py:9.\n",
    "fields": "- candidate_id: C1\n  tags: [a]\n  description: Paint is lazy\n  evidence: paint.py:9\n",
    "a table": "| # | Fact | Evidence |\n|---|---|---|\n| 1 | Paint is lazy | paint.py:9 |\n",
    "a table of other names": "| ID | Rule | Source |\n|:--|---|--:|\n| C1 | Paint is lazy | paint.py:9 |\n",
    "a heading": "### Paint is lazy\n\n- **Evidence**: paint.py:9\n- Category: patterns\n",
    "a heading with lines": "### Paint is lazy\n\nEvidence: paint.py:9\n",
    "a topic": "### Painting\n\n- Paint is lazy — evidence: paint.py:9\n",
    "a fence": "```yaml\n- description: Paint is lazy\n  evidence: paint.py:9\n```\n",
    "a paragraph": "Paint is lazy (evidence: paint.py:9)\n",
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_same_entry_is_read_from_every_shape(shape: str) -> None:
    (entry,) = read_entries(f"{HEAD}{NEW}{shape}")
    assert (entry.kind, entry.text.rstrip("."), entry.evidence.rstrip(".")) == (
        "new",
        "Paint is lazy",
        "paint.py:9",
    )


def test_three_shapes_side_by_side_are_told_apart() -> None:
    text = f"""{HEAD}
## Confirmed Entries

- **PATTERNS-001**: colors come from `theme.json`
- None of the tests needs a network

## Contradicted Entries

| Memory | Now |
|---|---|
| `make all` builds | `make build` \\| `make` build |
| tabs | spaces |

## New Knowledge Candidates

### Paint is lazy

It waits for the settings.

### Retries

- are capped at 3
- have no pause
"""
    assert [(one.kind, one.text, one.names) for one in read_entries(text)] == [
        ("confirmed", "**PATTERNS-001**: colors come from `theme.json`", ""),
        ("confirmed", "None of the tests needs a network", ""),
        ("contradicted", "`make build` | `make` build", "`make all` builds"),
        ("contradicted", "spaces", "tabs"),
        ("new", "Paint is lazy: It waits for the settings.", ""),
        ("new", "are capped at 3", ""),
        ("new", "have no pause", ""),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("### Cache\n\nIt lives.\n\n- Evidence: a.py\n- Confidence: high\n", [("Cache: It lives.", "a.py")]),
        ("It lives.\n\n- Evidence: a.py\n", [("It lives.", "a.py")]),
        (
            "### P\n\n**Finding:** It lives\n\n**Files involved:**\n\n- a.py\n- b.py\n",
            [("P: It lives", "a.py b.py")],
        ),
        ("  - One\n  - Two\n", [("One", ""), ("Two", "")]),
        (f"- One\n\n{NEW}- Two\n", [("One", ""), ("Two", "")]),
        ("**Cache**\n\n- lives\n\n**Retry**\n\n- ends\n", [("lives", ""), ("ends", "")]),
        ("- No memory leaks: it is pooled\n", [("No memory leaks: it is pooled", "")]),
        ("| Fact | Evidence |\n|---|---|\n| run `a | b` | x |\n\n- Two\n", [("run `a | b`", "x"), ("Two", "")]),
        ("- One\n  - Evidence:\n    - a.py\n    - b.py\n", [("One", "a.py b.py")]),
        ("Data source: postgres is read\n", [("Data source: postgres is read", "")]),
        ("- **Memory says:** npm\n- **Reality:** pnpm\n- **Evidence:** x\n", [("pnpm", "x")]),
        ("- Fact: one\n- Fact: two\n", [("one", ""), ("two", "")]),
        (f"- {'a' * 2001}\n", [(f"{'a' * 1999}…", "")]),
    ],
)
def test_nothing_of_an_entry_is_lost_or_given_to_another(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.text, one.evidence) for one in read_entries(f"{HEAD}{NEW}{text}")] == found


@pytest.mark.parametrize("words", [
    "None", "- None.", "*none*", "N/A", "- n/a (nothing changed)", "No contradictions found.",
    "<!-- list them -->", "- No new knowledge.", "—",
])  # fmt: skip
def test_what_says_that_there_is_nothing_is_no_entry(words: str) -> None:
    assert read_entries(f"{HEAD}{NEW}{words}\n") == ()


def test_the_same_words_twice_are_one_entry_and_a_name_stays_with_its_words() -> None:
    once = read_entries(f"{HEAD}{NEW}- a b\n")
    assert read_entries(f"{HEAD}{NEW}- a b\n- other\n- a b\n")[0].digest == once[0].digest
    assert len(read_entries(f"{HEAD}{NEW}- a b\n- a b\n")) == 1


@given(st.lists(st.sampled_from([*SHAPES.values(), "## Confirmed Entries\n", "|---|\n", "- \n", "```\n", "### \n"])
                | st.text(max_size=20)).map("".join))  # fmt: skip
def test_any_text_is_read_as_entries_on_one_line_each(text: str) -> None:
    for entry in read_entries(f"{HEAD}{NEW}{text}"):
        assert entry.text == " ".join(entry.text.split())
        assert entry.text


@pytest.mark.parametrize(("text", "numbers"), [("1", [1]), ("1,3-5", [1, 3, 4, 5]), (" 2 , 7 - 8 ", [2, 7, 8])])
def test_numbers_are_read(text: str, numbers: list[int]) -> None:
    assert read_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", "a", "1-", "5-3", "1;2", "-1", "99999"])
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(BatonError):
        read_numbers(text)
