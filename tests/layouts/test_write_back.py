"""A state that is written back changes the story's own values and nothing else; what is not written is told."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.config import read_config
from baton.errors import BatonError
from baton.layouts.layout import read_layouts
from baton.layouts.write_status import write_status
from bench import SETTINGS, Bench, report_on

LAYOUTS = {one.name: one for one in read_layouts({})}
VALUES = {"time": "2026-03-03T00:00:00Z", "session": "s"}
WRITTEN = {"status": "completed", "last_updated": VALUES["time"], "session_id": "s"}
TASK = '"last_updated": "2026-03-03T00:00:00Z", "session_id": "s"'
PLAN = """# Plan

## Acceptance Criteria

- `sub(3, 2)` is 1
- a test shows it

## Implementation

### Phase 1: do it [NOT STARTED]

- [ ] x
"""
NESTED = """- id: A
  qa:
    status: x
  acs:
  - id: AC1
    status: x
  text: |
    status: x
"""
STATE = {"active_projects": [{"project_number": 259, "title": "a b", "status": "planned"}]}
BOARD = "# T\n\n### 259. Refactor\n\n- **Status**: [PLANNED]\n"
BACKLOG = ".gaai/project/contexts/backlog/active.backlog.yaml"


def written(text: str, known: str, name: str, at: int = 0, path: str = "b.yaml", **more: object) -> str:
    layout = LAYOUTS[name]
    index = layout.indexes[at]._replace(**more)  # type: ignore[arg-type]
    return write_status(layout, index, path, text, known, VALUES)


def in_backlog(text: str) -> str:
    return written(text, "A", "gaai")


def in_state(text: str) -> str:
    return written(text, "7", "task-tree", path="specs/state.json")


def in_board(text: str) -> str:
    return written(text, "7", "task-tree", 1, "specs/TODO.md")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('- id: A\n  status: "in progress" # x\n', "- id: A\n  status: done # x\n"),
        ("- id: A\n  status: in progress # x\n", "- id: A\n  status: done # x\n"),
        ("- id: A\r\n  status: todo\r\n", "- id: A\r\n  status: done\r\n"),
        ("- title: x\n  id: A\n  status: todo", "- title: x\n  id: A\n  status: done"),
        ("- status: todo\n  id: A\n", "- status: done\n  id: A\n"),
        ('- "id": A\n  "status": todo\n', '- "id": A\n  "status": done\n'),
        ("- {id: A, status: x}\n", "- {id: A, status: done}\n"),
        ("- {title: x, id: A}\n", "- {title: x, id: A, status: done}\n"),
        ("- id: A\n  status:\n  title: b\n", "- id: A\n  status: done\n  title: b\n"),
        ("- id: A # x\r\n  title: b\r\n", "- id: A # x\r\n  status: done\r\n  title: b\r\n"),
        ("- tags:\n  - x\n  id: A", "- tags:\n  - x\n  id: A\n  status: done"),
        (f"{NESTED}  status: y\n", f"{NESTED}  status: done\n"),
    ],
)
def test_only_the_status_of_the_item_itself_changes(before: str, after: str) -> None:
    assert in_backlog(before) == after
    whole = f"items:\n{before}\nmeta:\n  status: active\n"
    assert in_backlog(whole) == whole.replace(before, after)


@pytest.mark.parametrize(
    "text",
    [
        "- id: A\n  status: |\n    todo\n",
        "- id: A\n  status: in\n    progress\n",
        "- id: A\n  status: {qa: open}\n",
        "- id: A\n  status:\n  - x",
        "- id: A\n  status: todo\n- id: A\n  status: todo\n",
        "- &a\n  id: A\n  status: todo\n",
        "- id: A\n  status: todo\n  - broken\n",
    ],
)
def test_a_status_that_cannot_be_replaced_surely_stays(text: str) -> None:
    assert in_backlog(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[{"project_number":7,"title":"x","status":"planned"}]', '"completed","last_updated":"2026'),
        (
            '{"a": 1, "a": 2, "active_projects": [{"project_number": "007", "title": "x"}]}',
            f'"completed", {TASK}}}]}}',
        ),
        (
            '{"active_projects": [{"project_number": 7, "title": "\\ud83d", "status": "a"}]}',
            f'"completed", {TASK}}}]}}',
        ),
        (
            '[{"x": 1.50, "y": NaN, "status": "planned", "project_number": 7, "title": "x"}]',
            '"y": NaN, "status": "com',
        ),
    ],
)
def test_json_keeps_its_numbers_its_keys_and_its_form(before: str, after: str) -> None:
    assert after in in_state(before)
    assert in_state(before).startswith(before[: before.find('"status"')].rpartition("}")[0])


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_json_that_jq_wrote_is_as_jq_would_write_it(end: str) -> None:
    tasks = [
        {"project_number": 6, "title": "x", "status": "a"},
        {"project_number": 7, "title": "é", "status": "a"},
    ]
    text = json.dumps({"active_projects": tasks}, indent=2, ensure_ascii=False) + "\n"
    tasks[1] |= WRITTEN
    after = json.dumps({"active_projects": tasks}, indent=2, ensure_ascii=False) + "\n"
    one, other = (form.replace("\n", end) if end else form.rstrip("\n") for form in (text, after))
    assert in_state(one) == other


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("PLANNED", "COMPLETED"),
        ("In progress (since May)\r", "COMPLETED (since May)\r"),
        ("[PLANNED], was [STALE]", "[COMPLETED], was [STALE]"),
        ("see [x](y) [PLANNED]", "see [x](y) [COMPLETED]"),
        ("[PLANNED](y)", "[PLANNED](y)"),
        ("\n```\n- **Status**: [PLANNED]\n7 [PLANNED]\n```", "\n```\n- **Status**: [PLANNED]\n7 [PLANNED]\n```"),
    ],
)
def test_a_mark_is_replaced_but_no_link_and_nothing_fenced(before: str, after: str) -> None:
    entry = "# T\n7 [X] a\n77 [X] b\n\n### 7. Title\n- **Effort**: 1\n- **Status**: {}\n"
    assert in_board(entry.format(before)) == entry.replace("7 [X] a", "7 [COMPLETED] a", 1).format(after)


def test_the_entry_of_another_story_stays() -> None:
    text = "## 7. Title\n- **Effort**: 1\n### 8. Other\n- **Status**: [PLANNED]\n"
    assert in_board(text) == text


@pytest.mark.parametrize(
    ("row", "after"), [("st: x", "st: done"), ("state: x", "state: done"), ("a: x", "st: done")]
)
def test_of_several_names_the_one_that_is_there_is_written(row: str, after: str) -> None:
    fields = {"id": ("key", "id"), "title": ("title",), "status": ("st", "state")}
    said = written(f"- id: A\n  title: x\n  {row}\n", "A", "gaai", fields=fields, list="")
    assert f"  {after}\n" in said


PIECES = """- id: A;  id: A;  status: x;  status: |;    status: y;items:;- {id: A};- id: B;7;### 7. T;### 8. T;```
- **Status**: [X];7 [X] a;[;];{;};,;:;"status";"project_number";"active_projects": [{"project_number": 7;}]"""
TEXTS = st.lists(st.sampled_from([*PIECES.replace("\n", ";").split(";")]) | st.text(max_size=8), max_size=12)
OWN = re.compile(r"status|\W*0*7\W* \[|- \{id: A|project_number", re.I)


@pytest.mark.parametrize("write", [in_backlog, in_state, in_board])
@given(TEXTS, st.sampled_from(["\n", "\r\n", " "]))
def test_every_other_line_of_any_text_stays(write: Callable[[str], str], parts: list[str], end: str) -> None:
    text = end.join(parts)
    old, new = (re.split(r"\r?\n", one) for one in (text, write(text)))
    added = [at for at in range(len(new)) if new[:at] + new[at + 1 :] == old]
    same_length = len(old) == len(new)
    assert (same_length and all(a == b or OWN.search(a) for a, b in zip(old, new, strict=True))) or added


@given(st.lists(st.text()), st.text(), st.lists(st.text()))
def test_whatever_the_other_items_hold_is_as_it_was(above: list[str], status: str, below: list[str]) -> None:
    first, last = ([f"- id: B\n  status: {json.dumps(one)}\n" for one in notes] for notes in (above, below))
    text, after = ("".join([*first, f"- id: A\n  status: {one}\n", *last]) for one in (json.dumps(status), "done"))
    assert in_backlog(text) in (after, text)
    rows = [[{"project_number": 6, "title": one, "status": one} for one in notes] for notes in (above, below)]
    state = [*rows[0], {"title": "x", "project_number": 7, "status": "a"}, *rows[1]]
    wanted = [{**one, **WRITTEN} if one["project_number"] == 7 else one for one in state]
    assert json.loads(in_state(json.dumps(state))) == wanted


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("fields: {id: n, status: s}, write: {status: '{done}'}", "'{done}': a line in which nothing but {time}"),
        ("fields: {id: n}, write: {status: done}", "'status' is a required property"),
        ("fields: {id: n, status: []}, write: {status: done}", "[] should be non-empty"),
        ("fields: {id: n, status: s}, write: {at: '{time}'}", "'status' is a required property"),
    ],
)
def test_a_table_that_could_not_be_written_is_refused(table: str, said: str) -> None:
    layout = "{roots: [a], id: name, documents: {}, index: [{file: x.yaml, %s}]}"
    with pytest.raises(BatonError) as caught:
        read_config(f"layouts: {{mine: {layout % table}}}", ".baton.yaml")
    assert said in caught.value.what
    good = layout % "fields: {id: n, status: s}, write: {status: done, by: '{session} at {time}'}"
    assert read_config(f"layouts: {{mine: {good}}}", ".baton.yaml").layouts


def planted(bench: Bench, files: dict[str, str], folder: str = "259_refactor_it") -> Bench:
    bench.configure(SETTINGS)
    bench.commit({f"specs/{folder}/plans/01_p.md": PLAN, **files})
    return Bench(bench.root, "259")


def passed(bench: Bench, before_qa: Callable[[], object] = lambda: None) -> str:
    """Run the story to its merge; returns the report that base has."""
    assert bench.baton("start", "-", stdin="259 --write-back").action == "DO spawn baton:implementer"
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.mark(1)
    bench.insist("impl-report", report_on("test_calc.py", criteria=2))
    bench.end()
    before_qa()
    assert bench.judge()["action"] == "complete"
    names = bench.git("ls-tree", "-r", "--name-only", "main").splitlines()
    return bench.git("show", "main:" + next(one for one in names if one.endswith("completion-report.md")))


def test_a_hash_in_a_folders_name_is_no_id(bench: Bench) -> None:
    tasks = [{"project_number": one, "project_name": "x", "status": "planned"} for one in (12, 259)]
    tree = planted(bench, {"specs/state.json": json.dumps({"active_projects": tasks})}, "259_fix_#12")
    assert "still says" not in passed(tree)
    state = json.loads(tree.git("show", "main:specs/state.json"))
    assert [one["status"] for one in state["active_projects"]] == ["planned", "completed"]


def test_a_file_keeps_its_mode_its_mark_and_its_line_ends(bench: Bench) -> None:
    tree = planted(bench, {"specs/state.json": json.dumps(STATE), "specs/TODO.md": BOARD})
    (tree.root / "specs/TODO.md").write_bytes(b"\xef\xbb\xbf" + BOARD.replace("\n", "\r\n").encode())
    (tree.root / "specs/TODO.md").chmod(0o755)
    tree.git("commit", "-qam", "as an editor saves it")
    passed(tree)
    assert tree.git("ls-tree", "main", "specs/TODO.md").startswith("100755")
    said = tree.git("cat-file", "blob", "main:specs/TODO.md")
    assert said == ("\ufeff" + BOARD.replace("PLANNED", "COMPLETED").replace("\n", "\r\n")).strip()


@pytest.mark.parametrize(
    ("kind", "said"),
    [("broken", "not readable as JSON"), ("large", "larger than 1 MB"), ("link", "not a plain file"),
     ("missing", "no file of task-tree lists 259"), ("unmarked", "still says nothing of 259")],
)  # fmt: skip
def test_what_is_not_written_is_told_and_holds_nothing_up(bench: Bench, kind: str, said: str) -> None:
    tree = planted(bench, {"specs/state.json": json.dumps(STATE), "specs/real.json": "{}"})
    path = tree.root / "specs/state.json"

    def spoil() -> None:
        if kind == "link":
            path.unlink()
            path.symlink_to("real.json")
        else:
            other = {"broken": "{", "large": json.dumps({**STATE, "x": "y" * 1_000_000}), "missing": "{}"}
            path.write_text(other.get(kind, json.dumps(STATE)), encoding="utf-8")
        if kind == "unmarked":
            (tree.root / "specs/TODO.md").write_text(BOARD.replace("Status", "Dependencies"), encoding="utf-8")
        tree.git("add", "specs")
        tree.git("commit", "-qm", "meanwhile")

    report = passed(tree, spoil)
    assert said in report
    assert said in tree.baton("next", "259").out
    assert said in str(tree.baton("report", "259", "--json").json["not_verified"])
