"""A layout is a table: the built-in ones are as one of the user's must be, and states are written line by line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.config import read_config
from baton.artifacts.plan import read_plan
from baton.artifacts.schema import check_schema
from baton.errors import BatonError
from baton.layouts.find_specs import find_specs
from baton.layouts.headings import find_items
from baton.layouts.layout import SpecLayout, built_in, path_pattern, read_layouts, story_id
from baton.layouts.read_phases import FoundPhase, as_written, closed_text, read_phases, sections_of
from baton.layouts.write_status import write_status
from baton.templates.render import render
from layouts.other_tools import TREES

LAYOUTS = {one.name: one for one in read_layouts({})}
VALUES = {"time": "2026-03-03T00:00:00Z", "session": "sess_1_a"}
BACKLOG = (TREES / "gaai/.gaai/project/contexts/backlog/active.backlog.yaml").read_text(encoding="utf-8")
BOARD = (TREES / "task-tree/specs/TODO.md").read_text(encoding="utf-8")


def written(name: str, at: int, path: str, text: str, known: str) -> str:
    layout = LAYOUTS[name]
    return write_status(layout, layout.indexes[at], path, text, known, VALUES)


def differences(before: str, after: str) -> list[tuple[str, str]]:
    return [pair for pair in zip(before.split("\n"), after.split("\n"), strict=True) if pair[0] != pair[1]]


def test_the_built_in_tables_are_as_those_of_a_project_must_be() -> None:
    assert check_schema({"layouts": built_in()}, "config", "") == []
    assert [one.name for one in read_layouts({"mine": built_in()["gaai"], "gaai": built_in()["openspec"]})] == [
        "mine", "gaai", "task-tree", "spec-kit", "openspec",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("{roots: [a], id: number, documents: {plan: [x.md]}}", "a path below the root with {id} in it"),
        ("{roots: [a], id: regex, documents: {}}", "'regex' is none of: number, digits, name"),
        ("{roots: [../a], id: name, documents: {}}", "which is none itself"),
        ("{id: name, documents: {}}", "'roots' is a required property"),
        ("{roots: [a], id: name, documents: {}, index: [{file: x.csv, fields: {}}]}", "ends in .json, .yaml"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_line(table: str, said: str) -> None:
    with pytest.raises(BatonError, match=r"layouts\.mine") as caught:
        read_config(f"layouts: {{mine: {table}}}", ".baton.yaml")
    assert said in caught.value.what
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("glob", "rule", "path", "known"),
    [
        ("{id}_*/plans/*.md", "number", "007_x/plans/1.md", "7"),
        ("{id}_*/plans/*.md", "number", "7_x/old/plans/1.md", ""),
        ("{id}-*/spec.md", "digits", "007-x/spec.md", "007"),
        ("{id}-*/spec.md", "digits", "20260319-143022-x/spec.md", "20260319-143022"),
        ("changes/{id}/**/{id}.md", "name", "changes/a-b/c/d/a-b.md", "a-b"),
        ("changes/{id}/**/{id}.md", "name", "changes/a-b/c/a.md", ""),
        ("{id}.md", "name", "../x.md", ""),
    ],
)
def test_a_path_says_which_story_it_is_of(glob: str, rule: str, path: str, known: str) -> None:
    found = path_pattern(glob, rule).fullmatch(path)
    assert (story_id(SpecLayout("x", (), rule, {}), found["id"]) if found else "") == known


def test_two_long_names_are_two_ids() -> None:
    names = [f"add-tool-command-surface-capabilities-{end}" for end in ("one", "two")]
    ids = {story_id(LAYOUTS["openspec"], name) for name in names}
    assert len(ids) == 2
    assert all(len(one) <= 32 for one in ids)


def test_a_backlog_changes_in_one_line() -> None:
    after = written("gaai", 0, "b.yaml", BACKLOG, "E01S02")
    assert differences(BACKLOG, after) == [
        ("    status: refined   # by Discovery", "    status: done   # by Discovery")
    ]


def test_a_board_changes_in_the_entry_and_in_the_order() -> None:
    after = written("task-tree", 1, "specs/TODO.md", BOARD, "260")
    assert [new for _, new in differences(BOARD, after)] == [
        "  └─ 260 [COMPLETED] — Multiply two numbers",
        "- **Status**: [COMPLETED]",
    ]


@pytest.mark.parametrize("known", ["E01S01", "E99"])
def test_what_is_over_or_unknown_there_stays(known: str) -> None:
    assert written("gaai", 0, "b.yaml", BACKLOG, known) == BACKLOG


def test_a_state_keeps_what_no_table_names() -> None:
    task = {"project_number": 7, "status": "planned", "title": "é", "mine": [1.50]}
    state = {"active_projects": [task], "x": None}
    after = json.loads(written("task-tree", 0, "specs/state.json", json.dumps(state), "7"))
    task |= {"status": "completed", "last_updated": VALUES["time"], "session_id": VALUES["session"]}
    assert after == state


@pytest.mark.parametrize(
    ("layout", "text", "marks"),
    [
        ("task-tree", "### Phase 1: a [COMPLETED]\n- [ ] x\n### Phase 2: b\n- [x] y", ["COMPLETED", "COMPLETED"]),
        ("spec-kit", "## Phase 1: a\n- [X] T1 x\n- [ ] T2 y\n## Phase 2: b", ["PARTIAL", "NOT STARTED"]),
        ("task-tree", "### Phase 1: a [NOT STARTED]\n- [x] y", ["NOT STARTED"]),
        ("openspec", "## 1. a\n- [x] 1.1 y\n## 2. b\n```\n- [x] quoted\n```", ["COMPLETED", "NOT STARTED"]),
        ("gaai", "## Implementation Steps\n1. one\n2. two\n## Risks\n- [x] no", ["NOT STARTED"]),
        ("gaai", "## Approach\nall at once", []),
    ],
)
def test_a_phase_is_as_far_as_its_mark_says_or_else_its_boxes(layout: str, text: str, marks: list[str]) -> None:
    assert [one.mark for one in read_phases(LAYOUTS[layout], text)] == marks


@given(st.lists(st.text(), max_size=4), st.text())
def test_a_plan_taken_over_has_its_phases_whatever_they_hold(bodies: list[str], risks: str) -> None:
    phases = [FoundPhase(str(at), "do it", "COMPLETED", body) for at, body in enumerate(bodies, 1)]
    values = {"title": "t", "path": "p.md", "notes": [], "phases": phases}
    whole = render("taken-plan.md.j2", **values, sections=sections_of({"risks": risks}, "p.md"), whole=True)
    bare = render("taken-plan.md.j2", **values, sections=sections_of({}, "p.md"), whole=False)
    assert as_written(whole, phases) or as_written(bare, phases)


@given(st.text())
def test_what_stands_behind_a_text_is_never_in_its_fence(text: str) -> None:
    assert [one.id for one in read_plan(f"{closed_text(text)}\n\n### Phase 999: last\n").phases][-1:] == ["999"]


@given(st.lists(st.sampled_from(["1_a/plans/1.md", "01_b/plans/2.md", "2_c/story.md", "2_c/plans/x.md"])))
def test_a_tree_of_any_files_is_read(names: list[str]) -> None:
    found = find_specs(LAYOUTS["task-tree"], "specs", [f"specs/{one}" for one in names], lambda _: "{}")
    own = "2_c/story.md" in names  # then it is a story of baton
    wanted = {one.partition("_")[0].lstrip("0") for one in names if not (own and one.startswith("2_"))}
    assert {one.id for one in found} == wanted


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- **Tests pass**\n- **Docs too**\n- plain", ["**Tests pass**", "**Docs too**", "plain"]),
        ("**Unit**:\n- a\n\n**Manual**:\n- b", ["a", "b"]),
        ("- **Unit**:\n  - a", ["a"]),
        ("- WHEN it is full it SHALL refuse\n- WHEN it is empty it SHALL wait", None),
        ("- Given a\n- When b\n- Then c", ["Given a, When b, Then c"]),
    ],
)
def test_items_are_read_as_they_were_meant(text: str, items: list[str] | None) -> None:
    wanted = items or text.replace("- ", "").split("\n")
    assert find_items(f"## Acceptance Criteria\n{text}", ["acceptance criteria"]) == wanted
