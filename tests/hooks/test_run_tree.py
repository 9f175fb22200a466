"""What a run may edit: its code and its plan's marks; never what only the user or a hand-in writes."""

import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from baton.rules.all_tables import WRITE
from baton.rules.engine import decide
from baton.rules.facts import WriteFacts
from baton.rules.writes import WRITES, why_not_write
from bench import Bench
from hooks.run_trees import AGENT, make_tree, of_agent
from hooks.run_trees import decide as answer_to

FOLDER = "specs/42_subtract"
VALUES = get_type_hints(WriteFacts)
ROLES, PATHS = get_args(VALUES["role"]), get_args(VALUES["path"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The tree of an agent in which a run of story 42 was begun."""
    made = make_tree(tmp_path / "p")
    mark = {"run": "sess_1_a_iter1", "story": "42", "folder": FOLDER}
    (tmp_path / f"p/.git/worktrees/agent-{AGENT}/baton-run").write_text(json.dumps(mark))
    return made


def denied(tree: Path, path: str, kind: str = "implementer", tool: str = "Edit") -> str:
    """Return why an edit is denied; nothing where it is left to the client."""
    given = {"notebook_path" if tool == "NotebookEdit" else "file_path": path}
    told: dict[str, Any] = {"tool_name": tool, "tool_input": given, **of_agent(tree, kind)}
    answer = answer_to(**told)
    assert answer["permissionDecision"] in ("", "deny")
    return str(answer["permissionDecisionReason"])


MAY = [
    "src/a.py", "./src/../a.py", f"{FOLDER}/42.execution-plan.md", "story.md", "docs/story.md", ".gitignore",
    f"{FOLDER}/.return-meta.json", "specs/42_subtract_more/notes.md", "a/specs/42_subtract/story.md",
    "..a.py", "...b/a.py",
]  # fmt: skip
MUST_NOT = {
    "../x": "outside of your own work tree", "/etc/passwd": "outside of your own work tree",
    "../../../src/a.py": "outside of your own work tree", "../agent-x/a.py": "outside of your own work tree",
    ".git": "git's own folder", "../../../.git/config": "git's own folder",
    f"{FOLDER}/story.md": "only the user changes", "specs/43_other/story.md": "only the user changes",
    "Specs/42_Subtract/Story.md": "only the user changes",
    f"{FOLDER}/42.impl-report.md": "`baton hand-in` alone", f"{FOLDER}/42.qa-report.md": "`baton hand-in` alone",
    f"{FOLDER}/42.plan-blocked.md": "`baton hand-in` alone", f"{FOLDER}/handoffs/x.md": "`baton hand-in` alone",
    f"src/../{FOLDER}/summaries/x.md": "`baton hand-in` alone",
}  # fmt: skip


@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
@pytest.mark.parametrize("path", MAY)
def test_an_implementer_edits_code_and_its_plans_marks(tree: Path, path: str, tool: str) -> None:
    assert denied(tree, path, tool=tool) == denied(tree, str(tree / path), tool=tool) == ""


@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
@pytest.mark.parametrize(("path", "why"), MUST_NOT.items())
def test_an_implementer_edits_nothing_else(tree: Path, path: str, why: str, tool: str) -> None:
    assert why in denied(tree, path, tool=tool)
    assert why in denied(tree, path, "micro-delivery", tool)


def test_a_link_that_leads_out_is_outside(tree: Path, tmp_path: Path) -> None:
    (tree / "out").symlink_to(tmp_path)
    (tree / "in").symlink_to(tree)
    assert "outside" in denied(tree, "out/x.py")
    assert denied(tree, "in/x.py") == ""


def test_a_small_storys_run_has_no_plan_to_edit(tree: Path) -> None:
    assert "`baton hand-in` alone" in denied(tree, f"{FOLDER}/42.execution-plan.md", "micro-delivery")


def test_a_run_of_no_story_has_no_papers(tree: Path) -> None:
    (tree.parents[2] / f".git/worktrees/agent-{AGENT}/baton-run").write_text('{"run": "pr7-u1", "story": "pr-7"}')
    assert denied(tree, f"{FOLDER}/42.impl-report.md", "pr-comment-resolver") == ""
    assert "outside" in denied(tree, "../x", "pr-comment-resolver")


@pytest.mark.parametrize("kind", ["planner", "qa"])
def test_a_run_that_changes_no_code_may_only_write_new_files(bench: Bench, kind: str) -> None:
    tree = bench.root / f".claude/worktrees/agent-{AGENT}"
    bench.git("worktree", "add", "--quiet", "--detach", str(tree))
    bench.write({f".git/worktrees/agent-{AGENT}/baton-run": '{"run": "r", "story": "42", "folder": "specs/42_x"}'})
    (tree / "scratch.py").write_text("tried = 1\n")
    assert denied(tree, "scratch.py", kind) == denied(tree, "more.py", kind, "Write") == ""
    assert "you change no file" in denied(tree, "calc.py", kind)
    assert "`baton hand-in` alone" in denied(tree, "specs/42_x/42.execution-plan.md", kind)
    assert denied(tree, "calc.py") == ""


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", PATHS)
def test_the_table_that_is_shown_says_what_the_hook_does(role: str, path: str) -> None:
    row = decide(WRITE, WriteFacts(role, path), {}).row  # type: ignore[arg-type]
    assert (row.action == "refuse") == bool(why_not_write(role, path))
    assert row.rule == f"write/{path}"
    assert {*WRITES} == {*PATHS}


@pytest.mark.parametrize("mark", ["[" * 4000, "{}", '"x"', "\x00"])
def test_a_mark_that_cannot_be_read_lets_nothing_through(tree: Path, mark: str) -> None:
    (tree / Path((tree / ".git").read_text()[8:].strip()) / "baton-run").write_text(mark)
    assert "baton begin" in denied(tree, "src/a.py")


@pytest.mark.parametrize("name", ["../a\x00.py", "../a\ud800.py", "a\ud800.py"])
def test_a_path_that_no_file_can_have_is_denied(tree: Path, name: str) -> None:
    assert "cannot be read" in denied(tree, name)
