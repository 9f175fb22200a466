"""A run's first call: the work tree that is its own is put at exactly the commit to work on."""

import shutil
from pathlib import Path

import pytest

from baton.git.command import Git, find_project
from baton.git.worktrees import read_mark
from baton.story.run.begin_run import COPIED, remove_agents_tree
from bench import FOLDER, SETTINGS, STORY, Bench
from scenes import work_of

PLAN_FILE = f"{FOLDER}/42.execution-plan.md"


def client_tree(bench: Bench, agent: str = "7f") -> Bench:
    """Make a work tree as the client does for an agent: at what is checked out, on a branch of its own."""
    path = bench.root / ".claude/worktrees" / f"agent-{agent}"
    bench.git("worktree", "add", "--quiet", "-b", f"worktree-agent-{agent}", str(path))
    return Bench(path)


def test_a_tree_of_the_client_is_put_at_the_storys_commit_and_marked(implementing: Bench) -> None:
    tree, run = client_tree(implementing), implementing.run
    said = tree.baton("begin", run.id, "--json").json
    assert (said["tree"], said["head"]) == (str(tree.root), implementing.git("rev-parse", STORY))
    assert (tree.git("rev-parse", "HEAD"), tree.branch, tree.changes) == (said["head"], "", "")
    mark = read_mark(find_project(tree.root))
    assert mark is not None
    assert (mark.run, mark.story) == (run.id, "42")
    assert said["brief"] == implementing.brief


def test_a_run_whose_journal_is_damaged_is_told_so(implementing: Bench) -> None:
    tree, run = client_tree(implementing), implementing.run
    implementing.journal.write_bytes(b"x" + implementing.journal.read_bytes())
    assert "damaged journal" in tree.baton("begin", run.id).refused


def test_called_again_it_prints_the_brief_and_changes_nothing(implementing: Bench) -> None:
    implementing.edit({"calc.py": "SUB = 1\n"})
    before = implementing.journal.read_bytes()
    said = implementing.in_tree("begin", implementing.run.id, "--json").json
    assert (said["brief"], implementing.journal.read_bytes()) == (implementing.brief, before)
    assert (implementing.tree / "calc.py").read_text() == "SUB = 1\n"


def test_without_the_client_it_makes_a_tree_and_finds_it_again(implementing: Bench) -> None:
    made = [implementing.baton("begin", implementing.run.id, "--make", "--json").json["tree"] for _ in range(2)]
    assert made[0] == made[1]
    assert Bench(Path(made[0])).git("rev-parse", "HEAD") == implementing.git("rev-parse", STORY)


def test_where_its_tree_lost_its_link_no_repository_above_is_taken(implementing: Bench) -> None:
    made = Path(implementing.baton("begin", implementing.run.id, "--make", "--json").json["tree"])
    (made / ".git").unlink()
    above = Bench(made.parents[3])
    above.git("init", "--quiet")
    assert "lost its link to git" in implementing.baton("begin", implementing.run.id, "--make").refused


def test_a_tree_that_is_not_a_runs_is_refused(implementing: Bench, tmp_path: Path) -> None:
    implementing.git("worktree", "add", "--quiet", "--detach", str(implementing.root / ".claude/worktrees/feat"))
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "mine"))
    for place in (implementing.root, implementing.root / ".claude/worktrees/feat", tmp_path / "mine"):
        said = Bench(place).baton("begin", implementing.run.id)
        assert "not a work tree the client made for an agent" in said.refused
    assert implementing.run.begun is None


def test_a_second_tree_is_refused_while_the_first_is_there(implementing: Bench) -> None:
    first, second = client_tree(implementing), client_tree(implementing, "8a")
    assert first.baton("begin", implementing.run.id).code == 0
    assert f"was begun in {first.root}" in second.baton("begin", implementing.run.id).refused
    shutil.rmtree(first.root)
    assert second.baton("begin", implementing.run.id).code == 0


def test_the_tree_of_one_run_begins_no_other(implementing: Bench) -> None:
    tree = implementing.tree
    old = implementing.run.id
    (tree / "notes.md").write_text("left\n")
    implementing.meta("partial")
    implementing.next("--ended", old)
    if tree.is_dir():
        said = Bench(tree).baton("begin", implementing.run.id)
        assert f"this is the work tree of run {old}" in said.refused


@pytest.mark.parametrize("run", ["sess_1_a_iter9", "x", ""])
def test_a_run_nobody_sent_out_begins_nothing(run: str, implementing: Bench) -> None:
    assert implementing.baton("begin", run, "--make").code == 2


def test_a_run_that_is_over_begins_nothing(implementing: Bench) -> None:
    planner = implementing.state.runs[0].id
    assert f"run {planner} is not at work" in implementing.baton("begin", planner, "--make").refused


def test_the_storys_papers_lie_in_the_tree_also_where_they_stay_out_of_git(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}artifacts: local\n")
    bench.begin()
    bench.plan()
    assert (bench.tree / PLAN_FILE).read_text() == bench.place("plan").read_text()
    assert bench.git("ls-tree", "-r", "--name-only", STORY, "--", "specs") == ""


# What differs at birth


def test_what_lay_in_a_tree_before_it_began_is_nobodys(implementing: Bench) -> None:
    tree = client_tree(implementing)
    tree.write({".envrc": "KEY=1\n", "deps/lib.txt": "x\n"})
    assert tree.baton("begin", implementing.run.id).code == 0
    assert set(implementing.run.begun.foreign if implementing.run.begun else ()) == {".envrc", "deps"}
    implementing.edit({"new.py": "NEW = 1\n", "deps/more.txt": "x\n"})
    implementing.work(1)
    assert work_of(implementing) == ["new.py"]


def test_what_lay_there_and_was_changed_is_work(implementing: Bench) -> None:
    tree = client_tree(implementing)
    tree.write({"config.txt": "A=1\n"})
    tree.baton("begin", implementing.run.id)
    implementing.edit({"config.txt": "A=2\n"})
    implementing.work(1)
    assert implementing.git("show", f"{STORY}:config.txt") == "A=2"


@pytest.mark.parametrize("ignore", ["", ".claude/\n"], ids=["untracked", "ignored"])
@pytest.mark.parametrize(("copy", "goes"), [("{}\n", True), ('{"mine": 1}\n', False)], ids=["copied", "changed"])
def test_settings_that_the_client_copied_keep_no_tree(ignore: str, copy: str, goes: bool, git: Git) -> None:
    bench = Bench(git.project.root)
    (bench.root / ".git/info/exclude").write_text(ignore)
    tree = client_tree(bench)
    bench.write({COPIED: "{}\n"})
    tree.write({COPIED: copy})
    assert (remove_agents_tree(git, tree.root, {}, "7f", "") == "", tree.root.exists()) == (goes, not goes)


def test_a_file_in_the_way_of_the_commit_is_one_line(implementing: Bench) -> None:
    tree = client_tree(implementing)
    tree.write({PLAN_FILE: "mine\n"})
    said = tree.baton("begin", implementing.run.id)
    assert "would be overwritten" in said.refused
    assert (tree.root / PLAN_FILE).read_text() == "mine\n"
