"""What may be in the way of a story: each named in one line, and gone once its remedy is followed as it stands.

How the checkout stands is nothing to a story, whatever is under way there.
"""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.story.begin import preflight
from baton.story.begin.preflight import CHECKS, RepositoryStatus, is_old
from bench import PLAN, SETTINGS, VERDICT, Bench, CallResult, new_bench
from programs import write_program

pytestmark = pytest.mark.sampled(8)

Do = Callable[[Bench], object]


def follow(bench: Bench, said: CallResult) -> None:
    """Run each command of git's and the shell's that a remedy names, with a name where it leaves one open."""
    for command in re.findall(r"`((?:git|rm) [^`]*)`", said.err):
        line = command.replace("NAME", "kept").replace("ADDRESS", "a@example.com")
        subprocess.run(["sh", "-c", line], cwd=bench.root, check=True, capture_output=True)


def merge(bench: Bench) -> None:
    bench.git("branch", "side")
    bench.commit({"calc.py": "SIDE = 1\n"}, "side")
    bench.commit({"calc.py": "MAIN = 1\n"})
    bench.git("merge", "side", code=1)


def take_the_base(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "side")
    bench.git("worktree", "add", "--quiet", str(bench.root.parent / "else where"), "main")


def lose_the_tree_of_the_base(bench: Bench) -> None:
    take_the_base(bench)
    shutil.rmtree(bench.root.parent / "else where")


# How the checkout stands: it is neither looked at nor changed, which tests/watch.py sees to.
CHECKOUTS: dict[str, Do] = {
    "a detached HEAD": lambda bench: bench.git("switch", "--quiet", "--detach"),
    "an unborn branch beside the base": lambda bench: bench.git("switch", "--quiet", "--orphan", "new"),
    "the story's own branch": lambda bench: bench.git("switch", "--quiet", "story/42-subtract-numbers"),
    "changes to tracked files": lambda bench: bench.write({"calc.py": "MINE = 1\n"}),
    "a merge": merge,
    "a bisect": lambda bench: bench.git("bisect", "start", "main"),
    "a lock of a git that was killed": lambda bench: bench.write({".git/index.lock": ""}),
    "a base in another work tree": take_the_base,
    "a base in a work tree that is gone": lose_the_tree_of_the_base,
    "stories git ignores": lambda bench: bench.write({".git/info/exclude": "/my.env\nspecs/\n"}),
    "a sparse checkout without the stories": lambda bench: bench.git("sparse-checkout", "set", "tools"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("spoil", CHECKOUTS.values(), ids=CHECKOUTS)
def test_however_the_checkout_stands_a_story_is_worked_on(spoil: Do, story: Bench) -> None:
    spoil(story)
    assert story.next()["rule"] == "start/planning"
    assert story.plan()["agent"] == "baton:implementer"
    for words in (("status",), ("status", "42"), ("timeline", "42"), ("init",)):
        assert story.baton(*words).code == 0


CLASHES = ["story/42-subtract-numbers", "story/42-Subtract-Numbers", "story", "story/42-subtract-numbers/old"]


@pytest.mark.parametrize("name", CLASHES)
def test_a_branch_where_the_story_s_would_be_is_to_be_renamed(name: str, bench: Bench) -> None:
    bench.git("branch", name)
    said = bench.new()
    assert f"the branch {name} is where story 42 would make story/42-subtract-numbers" in said.refused
    follow(bench, said)
    assert bench.new().code == 0


def test_a_base_nobody_made_is_named_with_what_makes_it(story: Bench) -> None:
    story.configure(SETTINGS.replace("main", "develop"))
    said = story.baton("next", "42")
    assert "no branch develop at .baton.yaml on main: make it, `git branch develop`, or" in said.refused
    follow(story, said)
    assert story.next()["rule"] == "start/planning"


# In the environment, and in the middle of a story


def test_a_repository_without_a_commit_is_refused_until_it_has_one(surrounded: Path, tmp_path: Path) -> None:
    subprocess.run(("git", "init", "--quiet", "-b", "main", tmp_path / "empty"), check=True)
    empty = Bench(tmp_path / "empty")
    said = empty.new()
    assert "no commit yet" in said.refused
    follow(empty, said)
    assert (empty.new().code, empty.next()["rule"]) == (0, "start/mode")


def test_a_commit_that_git_lost_is_not_taken_for_none(bench: Bench) -> None:
    head = bench.git("rev-parse", "HEAD")
    shutil.rmtree(bench.root / ".git" / "objects")
    (bench.root / ".git" / "objects" / "pack").mkdir(parents=True)
    assert f"the commit of HEAD, {head[:12]}, is gone" in bench.new().refused


@pytest.mark.parametrize(("version", "old"), [
    ("git version 2.37.9", True), ("git version 1.99", True), ("what?", True),
    ("git version 2.38.0", False), ("git version 2.39.5 (Apple Git-154)", False), ("git version 3.0", False),
])  # fmt: skip
def test_a_git_that_is_too_old_is_known(version: str, old: bool) -> None:
    assert is_old(version) is old


def test_a_story_waits_for_a_git_that_can_merge_trees(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "is_old", lambda _: True)
    assert story.baton("next", "42").refused.endswith("install git 2.38 or later\n")


@pytest.mark.parametrize("who", ["AUTHOR", "COMMITTER"])
def test_a_story_waits_for_an_identity(who: str, story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    story.git("config", "user.useConfigOnly", "true")
    monkeypatch.delenv(f"GIT_{who}_NAME")
    monkeypatch.delenv(f"GIT_{who}_EMAIL")
    said = story.baton("next", "42")
    assert "git does not know who commits" in said.refused
    follow(story, said)
    assert story.next()["rule"] == "start/planning"


def test_an_empty_name_in_the_environment_is_named(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "")
    assert "GIT_AUTHOR_NAME is set, and empty" in story.baton("next", "42").refused
    story.git("config", "user.name", "A Person")
    assert "`unset GIT_AUTHOR_NAME`" in story.baton("next", "42").refused
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    assert story.next()["rule"] == "start/planning"


def test_a_base_that_is_gone_since_the_story_began_is_made_again_where_it_was(planning: Bench) -> None:
    before = planning.git("rev-parse", "main")
    planning.git("switch", "--quiet", "--orphan", "new")
    planning.git("branch", "--delete", "--force", "main")
    said = planning.baton("next", "42", "--ended", planning.run.id)
    assert "no branch main to merge the story into" in said.refused
    follow(planning, said)
    assert planning.git("rev-parse", "main") == before
    assert planning.plan()["agent"] == "baton:implementer"


# Shallow clones


def clone(bench: Bench, *options: str) -> Bench:
    """Clone the repository as if from another machine, and make a story there."""
    to = bench.root.parent / "clone"
    bench.git("clone", "--quiet", "--no-local", *options, str(bench.root), str(to))
    cloned = Bench(to)
    cloned.new()
    return cloned


@pytest.fixture
def plain(bench: Bench) -> Bench:
    """A repository without commands to confirm."""
    bench.configure(SETTINGS)
    return bench


@pytest.fixture
def deep(plain: Bench) -> Bench:
    """The same with some history and a branch `topic`."""
    for number in (1, 2):
        plain.commit({"calc.py": f"DEPTH = {number}\n"})
    plain.git("branch", "topic")
    return plain


def test_a_shallow_clone_that_has_the_base_is_enough_for_a_whole_story(deep: Bench) -> None:
    shallow = clone(deep, "--depth", "1")
    assert play_through(shallow)["rule"] == "close/done"


def test_a_shallow_clone_of_another_branch_fetches_the_base_first(deep: Bench) -> None:
    deep.git("switch", "--quiet", "topic")
    shallow = clone(deep, "--depth", "1", "--branch", "topic")
    said = shallow.new()
    assert "no branch main at .baton.yaml on topic: make it, `git fetch origin main:main`, or" in said.refused
    follow(shallow, said)
    shallow.new()
    assert shallow.next()["rule"] == "start/planning"


def test_a_shallow_clone_whose_history_was_cut_since_is_to_be_deepened(deep: Bench) -> None:
    shallow = clone(deep, "--depth", "1")
    shallow.next()
    shallow.plan()
    shallow.implement()
    for number in (3, 4):
        deep.commit({"calc.py": f"DEPTH = {number}\n"})
    shallow.git("switch", "--quiet", "--detach")
    shallow.git("fetch", "--quiet", "--depth", "1", "origin", "+main:main")
    assert shallow.hand_in("qa-report", VERDICT.format("PASS", "seen")).code == 0
    said = shallow.baton("next", "42", "--ended", shallow.run.id)
    assert "this shallow clone lacks the history that joins story/42-subtract-numbers and main" in said.refused
    follow(shallow, said)
    assert shallow.next()["agent"] == "baton:implementer"  # both changed calc.py


# Odd repositories, in which all is well


def play_through(bench: Bench) -> Any:
    """Take a story, made already, to its end; gives the last step."""
    assert bench.next()["rule"] == "start/planning"
    assert bench.plan()["agent"] == "baton:implementer"
    assert bench.implement()["agent"] == "baton:qa"
    return bench.judge()


def in_a_second_work_tree(first: Bench) -> Bench:
    first.git("switch", "--quiet", "-c", "side")
    first.git("worktree", "add", "--quiet", "../second tree", "main")
    return Bench(first.root.parent / "second tree")


def in_a_submodule(bench: Bench) -> Bench:
    library = bench.copy(bench.root.parent / "library")
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    return Bench(bench.root / "lib")


def around_a_submodule(bench: Bench) -> None:
    in_a_submodule(bench)
    bench.git("commit", "--quiet", "--message", "a submodule")


def with_hooks_elsewhere(bench: Bench) -> None:
    write_program(bench.root / "hooks of mine/pre-commit", "true")
    bench.git("add", "--", "hooks of mine")
    bench.git("commit", "--quiet", "--message", "hooks")
    bench.git("config", "core.hooksPath", "hooks of mine")


OTHERS = {".gitignore": "*.bak\n", "41_old/story.md": "old\n", "README.md": "ours\n"}
# What makes a repository odd, and which it is then, if it is another one.
ODD: dict[str, Do] = {
    "a linked work tree": in_a_second_work_tree,
    "a submodule": in_a_submodule,
    "a repository with a submodule": around_a_submodule,
    "line ends that git changes": lambda bench: bench.git("config", "core.autocrlf", "true"),
    "hooks in a folder of its own": with_hooks_elsewhere,
    "a sparse checkout with the stories": lambda bench: bench.git("sparse-checkout", "set", "tools", "specs"),
    "others' stories, with their .gitignore": lambda bench: bench.commit(
        {f"specs/{name}": text for name, text in OTHERS.items()}
    ),
    "a path with a line break": lambda bench: bench.copy(bench.root.parent / "ü b\nc"),
    "names where case makes no difference": lambda bench: bench.git("config", "core.ignorecase", "true"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_an_odd_repository_sees_a_story_through(make: Do, plain: Bench) -> None:
    other = make(plain)
    bench = other if isinstance(other, Bench) else plain
    assert bench.new().code == 0
    assert play_through(bench)["rule"] == "close/done"
    assert bench.git("log", "-1", "--format=%s", "main") == "story 42: Subtract numbers"
    kept = bench.git("ls-tree", "-r", "--name-only", "main", "specs/42_subtract-numbers/").splitlines()
    assert len(kept) == 6


def test_sha256_sees_a_story_through(surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    bench = new_bench(tmp_path / "odd", SETTINGS)
    bench.new()
    assert (len(bench.git("rev-parse", "main")), play_through(bench)["rule"]) == (64, "close/done")


def test_the_environment_may_point_git_elsewhere(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(story.root / "nowhere"))
        patch.setenv("GIT_OBJECT_DIRECTORY", str(story.root / "nowhere"))
        said = story.baton("next", "42", "--json")
    assert said.json["rule"] == "start/planning"


def test_every_verb_may_be_called_from_a_folder_below(story: Bench) -> None:
    below = Bench(story.root / "tools")
    assert below.next()["rule"] == "start/planning"
    in_tree = Bench(below.tree / "tools")
    (in_tree.root / "plan.md").write_text(PLAN, encoding="utf-8")
    said = in_tree.baton("hand-in", "42", "plan", "--run", story.run.id, "--file", "plan.md")
    assert said.out == "accepted: specs/42_subtract-numbers/42.execution-plan.md\n"
    assert below.baton("status", "42").code == 0
    assert below.end()["rule"] == "planning/valid"


def test_settings_are_committed_from_a_folder_below_as_init_says(surrounded: Path, tmp_path: Path) -> None:
    bench = new_bench(tmp_path / "a project", "")
    below = Bench(bench.root / "tools")
    command = below.baton("init").out.partition("THEN ")[2].splitlines()[0]
    subprocess.run(["sh", "-c", command], cwd=below.root, check=True, capture_output=True)
    assert bench.git("show", "main:.baton.yaml").startswith("# baton's settings")


def test_a_base_that_is_a_symbolic_ref_is_told_before_anything_is_run(story: Bench) -> None:
    story.git("branch", "trunk")
    story.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
    before = story.git("rev-parse", "trunk")
    assert "main is a symbolic ref to refs/heads/trunk" in story.baton("next", "42").refused
    assert story.git("rev-parse", "trunk") == before


# The checks themselves

FINE = RepositoryStatus(
    old_git="", lost="", commit=True, empty_name="", identity=True, base="main", base_there=True, way_to_base="",
    leads_to="", own="", severed=False,
)  # fmt: skip


def test_where_nothing_is_in_the_way_no_check_holds() -> None:
    assert [check.what for check in CHECKS if check.holds(FINE)] == []


def test_each_check_says_what_fixes_it() -> None:
    assert all(check.what.format(**FINE._asdict()) and check.remedy.format(**FINE._asdict()) for check in CHECKS)
