"""A run's work is made into a tree under the user's own hooks; no branch moves."""

import json
from pathlib import Path

import pytest

from baton.git.command import Git, find_project
from baton.git.commits import WantedCommit, Work, make_work, missing_hooks
from baton.git.worktrees import make_tree
from bench import Bench

NAMES = ["a b.txt", "ünï.txt", "-dash", ":(top)x", "*.py", "q'\"uote", "tab\tbed", "back\\slash"]
BRANCH = "story/42-x"


@pytest.fixture
def tree(bench: Bench, tmp_path: Path) -> Bench:
    """A run's work tree: linked, on a detached HEAD."""
    bench.git("branch", BRANCH)
    make_tree(Git(find_project(bench.root)), tmp_path / "tree", "main")
    return Bench(tmp_path / "tree")


def make(tree: Bench, *leave: str, branch: str = "", hooks: bool = True, fallback: str = "") -> Work:
    wanted = WantedCommit(tree.git("rev-parse", "main"), "story 42: x", leave, branch, hooks, fallback=fallback)
    return make_work(Git(find_project(tree.root)), wanted)


def changed(tree: Bench, work: Work) -> list[str]:
    return [one for one in tree.git("diff", "--name-only", "-z", "main", work.tree).split("\0") if one]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_part_of_the_work_or_left_alone(name: str, tree: Bench) -> None:
    tree.write({name: "x\n", "other.py": "x\n"})
    assert changed(tree, make(tree, "other.py")) == [name]
    assert changed(tree, make(tree, name)) == ["other.py"]


def test_staged_and_committed_changes_are_part_of_the_work_as_they_lie_there(tree: Bench) -> None:
    tree.write({"calc.py": "A = 1\n"})
    tree.git("commit", "--quiet", "--all", "--message", "an agent's own")
    tree.write({"new.py": "x\n", "gone.py": "x\n"})
    tree.git("add", "new.py", "gone.py")
    (tree.root / "gone.py").unlink()
    assert changed(tree, make(tree)) == ["calc.py", "new.py"]


@pytest.mark.parametrize("touched", [True, False])
def test_it_says_whether_anything_changed(touched: bool, tree: Bench) -> None:
    tree.write({"calc.py": "A = 1\n"} if touched else {})
    assert make(tree).changed == touched


def test_no_branch_moves(tree: Bench) -> None:
    before = tree.git("for-each-ref")
    tree.write({"calc.py": "A = 1\n"})
    make(tree, branch=BRANCH)
    assert (tree.git("for-each-ref"), tree.branch) == (before, "")


# Hooks


def test_a_refusing_hooks_words_are_returned_with_the_unchanged_work(bench: Bench, tree: Bench) -> None:
    bench.hook("pre-commit", "echo line 1 is too long; exit 1")
    tree.write({"calc.py": "A = 1\n"})
    made = make(tree)
    assert (made.refused, changed(tree, made)) == ("line 1 is too long", ["calc.py"])
    assert make(tree, hooks=False).refused == ""


def test_a_hook_that_fixes_what_it_refuses_is_run_once_more(bench: Bench, tree: Bench) -> None:
    bench.hook("pre-commit", 'grep -q fixed calc.py && exit 0; echo "# fixed" >> calc.py; exit 1')
    tree.write({"calc.py": "A = 1\n"})
    made = make(tree)
    assert (made.refused, tree.git("show", f"{made.tree}:calc.py")) == ("", "A = 1\n# fixed")


def test_files_that_a_hook_stages_are_part_of_the_work(bench: Bench, tree: Bench) -> None:
    bench.hook("pre-commit", "echo made > made.txt; git add made.txt")
    tree.write({"calc.py": "A = 1\n"})
    assert changed(tree, make(tree)) == ["calc.py", "made.txt"]


def test_a_hook_sees_the_files_its_patterns_match(bench: Bench, tree: Bench) -> None:
    bench.hook("pre-commit", "git diff --cached --name-only -- '*.py'; exit 1")
    tree.write({"calc.py": "A = 1\n"})
    assert make(tree).refused == "calc.py"


@pytest.mark.parametrize(("branch", "named"), [(BRANCH, BRANCH), ("", "detached")])
def test_head_names_the_branch_for_the_hooks_alone(branch: str, named: str, bench: Bench, tree: Bench) -> None:
    bench.hook("pre-commit", "git symbolic-ref --short -q HEAD || echo detached; exit 1")
    tree.write({"calc.py": "A = 1\n"})
    assert (make(tree, branch=branch).refused, tree.branch) == (named, "")


def test_the_message_is_what_the_hooks_make_of_it(bench: Bench, tree: Bench) -> None:
    bench.hook("prepare-commit-msg", 'echo "Ticket: 7" >> "$1"; echo "# a note" >> "$1"')
    tree.write({"calc.py": "A = 1\n"})
    assert make(tree).message == "story 42: x\nTicket: 7"
    bench.hook("commit-msg", 'grep -q "Ticket: 8" "$1" || { echo name ticket 8; exit 1; }')
    assert make(tree).message_refused == "name ticket 8"
    assert make(tree, fallback="Ticket: 8").message.startswith("Ticket: 8")


def test_a_configured_hooks_folder_that_is_not_there_is_named(tree: Bench) -> None:
    git = Git(find_project(tree.root))
    assert missing_hooks(git) == ""
    tree.git("config", "core.hooksPath", ".husky/_")
    assert missing_hooks(git) == str(tree.root / ".husky/_")
    (tree.root / ".husky/_").mkdir(parents=True)
    assert missing_hooks(git) == ""


@pytest.mark.parametrize(("name", "value", "kept"), [
    ("GITHUB_TOKEN", "x", False), ("DB_PASS", "x", False), ("A_URL", "postgres://u:pw@h/d", False),
    ("SSH_AUTH_SOCK", "/run/agent", True), ("GPG_TTY", "/dev/pts/1", True), ("PLAIN", "x", True),
    ("GIT_AUTHOR_NAME", "Ada", True),
])  # fmt: skip
def test_a_commit_hook_gets_no_credential_but_the_agents_that_sign(
    name: str, value: str, kept: bool, bench: Bench, tree: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = bench.root / ".git" / "told"
    bench.hook("pre-commit", f"env > '{told}'")
    monkeypatch.setenv(name, value)
    tree.write({"calc.py": "A = 1\n"})
    assert make(tree).changed
    assert (f"{name}={value}" in told.read_text().splitlines()) is kept


def test_a_branch_that_the_run_went_to_is_not_moved(tree: Bench) -> None:
    tree.git("branch", "theirs", tree.git("commit-tree", "main^{tree}", "-p", "main", "-m", "theirs"))
    tree.git("switch", "--quiet", "theirs")
    before = tree.git("rev-parse", "theirs")
    tree.write({"calc.py": "A = 1\n"})
    assert changed(tree, make(tree)) == ["calc.py"]
    assert tree.git("rev-parse", "theirs") == before
    assert tree.git("rev-parse", "HEAD") == tree.git("rev-parse", "main")


def test_the_work_is_on_the_disk_when_it_is_made(tree: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tree.root.parent / "trace"
    tree.write({"calc.py": "CHANGED = 1\n"})
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    make(tree)
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    counts = [event for event in events if event.get("category") == "fsync"]
    # A counter of its own in newer versions of git.
    flushed = [
        int(event.get("value") or event["count"])
        for event in counts
        if "flush" in event.get("key", event.get("name", ""))
    ]
    assert sum(flushed) >= 2, "the blob and the tree"
