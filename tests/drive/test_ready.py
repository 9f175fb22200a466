"""What may be in the way of a story: each named in one line, and gone once its remedy is followed as it stands."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from baton.drive.opened import opened
from baton.drive.ready import CHECKS, Standing, first_of, obstacle, obstacle_to_start
from baton.outside.git import find_project
from bench import PLAN, SETTINGS, Bench, Said, new_bench
from scenes import refused

Do = Callable[[Bench], object]


class Way(NamedTuple):
    """What puts something in the way, how it is named, and what of its remedy no command says."""

    spoil: Do
    what: str
    rest: Do = lambda bench: None


def follow(bench: Bench, said: Said) -> None:
    """Run each command of git's and the shell's that a remedy names, with a name where it leaves one open."""
    for command in re.findall(r"`((?:git|rm) [^`]*)`", said.err):
        line = command.replace("NAME", "kept").replace("ADDRESS", "a@example.com")
        subprocess.run(["sh", "-c", line], cwd=bench.root, check=True, capture_output=True)


def everything(bench: Bench) -> dict[str, bytes]:
    """Every file of the repository, of git's own and every journal, but for what looking at it may write."""
    files = bench.bytes(bench.root)
    passing = ("index", "baton.lock", "baton/")
    kept = {name: text for name, text in files.items() if not name.removeprefix(".git/").startswith(passing)}
    return {**kept, **{name: text for name, text in files.items() if name.endswith("/journal.jsonl")}}


def commits(bench: Bench, *texts: str) -> None:
    """Change the same line, a commit each."""
    for text in texts:
        bench.write({"calc.py": text})
        bench.git("commit", "--quiet", "--all", "--message", text)


def fork(bench: Bench) -> None:
    """Make a branch `side` of two commits that both clash with one on main."""
    bench.git("switch", "--quiet", "-c", "side")
    commits(bench, "SIDE = 1\n", "SIDE = 2\n")
    bench.git("switch", "--quiet", "main")
    commits(bench, "MAIN = 1\n")


def clash(*words: str, on: str = "main", code: int = 1) -> Do:
    """Make what stops in a conflict."""

    def do(bench: Bench) -> None:
        fork(bench)
        bench.git("switch", "--quiet", on)
        bench.git(*words, code=code)

    return do


def stop_am(bench: Bench) -> None:
    fork(bench)
    bench.git("format-patch", "--quiet", "-2", "-o", "../patches", "side")
    patches = sorted(str(one) for one in (bench.root.parent / "patches").iterdir())
    bench.git("am", "--quiet", *patches, code=128)


def stop_between_picks(bench: Bench) -> None:
    clash("cherry-pick", "main..side")(bench)
    bench.git("checkout", "--theirs", "--", "calc.py")
    bench.git("add", "calc.py")
    bench.git("-c", "core.editor=true", "commit", "--quiet", "--message", "picked")
    assert not (bench.root / ".git/CHERRY_PICK_HEAD").exists()


def stop_a_revert(bench: Bench) -> None:
    commits(bench, "ONE = 1\n", "TWO = 1\n")
    bench.git("revert", "--no-edit", "HEAD~1", code=1)


def stop_a_rebase_in_a_merge(bench: Bench) -> None:
    fork(bench)
    bench.git("switch", "--quiet", "side")
    bench.git("merge", "--quiet", "--strategy=ours", "--no-edit", "main")
    bench.git("switch", "--quiet", "-c", "onto", "main~1")
    bench.git("commit", "--quiet", "--allow-empty", "--message", "onto")
    bench.git("switch", "--quiet", "side")
    bench.git("rebase", "--quiet", "--rebase-merges", "onto", code=1)
    assert (bench.root / ".git/MERGE_HEAD").exists()


def leave_a_conflict(bench: Bench) -> None:
    bench.write({"calc.py": "STASHED = 1\n"})
    bench.git("stash", "--quiet")
    commits(bench, "MAIN = 1\n")
    bench.git("stash", "apply", code=1)


def mend_the_conflict(bench: Bench) -> None:
    bench.write({"calc.py": "BOTH = 1\n"})
    bench.git("add", "calc.py")
    bench.git("commit", "--quiet", "--message", "mended")


def stray(bench: Bench) -> None:
    bench.git("switch", "--quiet", "--detach")
    bench.git("commit", "--quiet", "--allow-empty", "--message", "stray")


def take_the_base(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "side")
    bench.git("worktree", "add", "--quiet", str(bench.root.parent / "else where"), "main")


def lose_the_tree_of_the_base(bench: Bench) -> None:
    take_the_base(bench)
    shutil.rmtree(bench.root.parent / "else where")


def ignore_the_stories(bench: Bench) -> None:
    bench.write({".git/info/exclude": "/my.env\nspecs/\n"})


def keep_two_gitignores(bench: Bench) -> None:
    bench.write({"specs/.gitignore": "*.bak\n", "specs/42_subtract-numbers/.gitignore": "*.bak\n"})


def mend_the_gitignore(bench: Bench) -> None:
    lines = "briefs/\nhistory/\n.return-meta.json\n"
    bench.write({"specs/42_subtract-numbers/.gitignore": f"*.bak\n{lines}"})


def go_sparse(bench: Bench) -> None:
    bench.git("sparse-checkout", "set", "tools")


def go_sparse_by_patterns(bench: Bench) -> None:
    bench.git("sparse-checkout", "set", "--no-cone", "/*", "!specs")


def name_the_base(bench: Bench, name: str) -> None:
    bench.configure(SETTINGS.replace("main", name))


IN_THE_WAY: dict[str, Way] = {
    "a detached HEAD": Way(lambda bench: bench.git("switch", "--quiet", "--detach"), "HEAD is detached at "),
    "a detached HEAD with commits of its own": Way(stray, "HEAD is detached, with commits no branch has"),
    "an unborn branch beside the base": Way(
        lambda bench: bench.git("switch", "--quiet", "--orphan", "new"), "no commit yet on new (an unborn branch)"
    ),
    "a merge": Way(clash("merge", "side"), "a merge is in progress"),
    "a rebase": Way(clash("rebase", "--merge", "main", on="side"), "a rebase is in progress"),
    "a rebase by patches": Way(clash("rebase", "--apply", "main", on="side"), "a rebase is in progress"),
    "a rebase that stopped in a merge": Way(stop_a_rebase_in_a_merge, "a rebase is in progress"),
    "a cherry-pick": Way(clash("cherry-pick", "side"), "a cherry-pick is in progress"),
    "a cherry-pick of several": Way(clash("cherry-pick", "main..side"), "a cherry-pick is in progress"),
    "a cherry-pick between two commits": Way(stop_between_picks, "a cherry-pick is in progress"),
    "a revert": Way(stop_a_revert, "a revert is in progress"),
    "a bisect": Way(lambda bench: bench.git("bisect", "start", "main"), "a bisect is in progress"),
    "patches that are applied": Way(stop_am, "a git am is in progress"),
    "a conflict that nothing is in the middle of": Way(
        leave_a_conflict, "a conflict is left in calc.py", mend_the_conflict
    ),
    "a lock of a git that was killed": Way(
        lambda bench: bench.write({".git/index.lock": ""}), "git is locked here by "
    ),
    "a lock on the base": Way(
        lambda bench: bench.write({".git/refs/heads/main.lock": ""}), "git is locked here by "
    ),
    "a base in another work tree": Way(take_the_base, "main is checked out in "),
    "a base in a work tree that is gone": Way(lose_the_tree_of_the_base, "a work tree that is gone"),
    "a base nobody made": Way(lambda bench: name_the_base(bench, "develop"), "no branch develop at "),
    "stories git ignores": Way(
        ignore_the_stories,
        "git ignores specs/42_subtract-numbers/story.md (.git/info/exclude:2:specs/)",
        lambda bench: bench.write({".git/info/exclude": "/my.env\n"}),
    ),
    "reports git ignores": Way(
        lambda bench: bench.commit({".gitignore": "*.log\n*plan*\n"}) and bench.git("reset", "--quiet", "--hard"),
        "git ignores specs/42_subtract-numbers/42.execution-plan.md (.gitignore:2:*plan*)",
        lambda bench: bench.configure(f"{SETTINGS}artefacts: local\n"),
    ),
    "two .gitignore of the user's": Way(
        keep_two_gitignores, "would let baton's work files be committed", mend_the_gitignore
    ),
    "a sparse checkout without the stories": Way(go_sparse, "is outside the sparse checkout"),
    "a sparse checkout by patterns": Way(go_sparse_by_patterns, "is outside the sparse checkout"),
    "a branch of the story's name": Way(
        lambda bench: bench.git("branch", "story/42-subtract-numbers"),
        "the branch story/42-subtract-numbers is where story 42, which has not begun, would make",
    ),
    "a branch of the story's name in capitals": Way(
        lambda bench: bench.git("branch", "story/42-Subtract-Numbers"),
        "the branch story/42-Subtract-Numbers is where story 42",
    ),
    "a branch of that name that is checked out": Way(
        lambda bench: bench.git("switch", "--quiet", "-c", "story/42-subtract-numbers"),
        "the branch story/42-subtract-numbers is where story 42",
    ),
    "a branch named story": Way(lambda bench: bench.git("branch", "story"), "the branch story is where story 42"),
    "a branch below the story's": Way(
        lambda bench: bench.git("branch", "story/42-subtract-numbers/old"),
        "the branch story/42-subtract-numbers/old is where story 42",
    ),
}


@pytest.mark.parametrize("way", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_what_is_in_the_way_is_named_and_its_remedy_is_enough(way: Way, story: Bench) -> None:
    way.spoil(story)
    before = everything(story)
    said = refused(story)
    assert (said.out, said.err.count("\n"), said.err.startswith("baton: ")) == ("", 1, True)
    assert way.what in said.err
    assert everything(story) == before
    follow(story, said)
    way.rest(story)
    assert story.next()["rule"] in ("start/planning", "start/commands")


# In the environment, and in the middle of a story


def test_a_repository_without_a_commit_is_refused_until_it_has_one(surrounded: Path, tmp_path: Path) -> None:
    subprocess.run(("git", "init", "--quiet", "-b", "main", tmp_path / "empty"), check=True)
    empty = Bench(tmp_path / "empty")
    assert empty.new().code == 0
    said = refused(empty)
    assert "no commit yet (an unborn branch)" in said.err
    follow(empty, said)
    assert empty.next()["rule"] == "start/mode"


@pytest.mark.parametrize("who", ["AUTHOR", "COMMITTER"])
def test_without_an_identity_a_story_waits_for_one(
    who: str, story: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.git("config", "user.useConfigOnly", "true")
    monkeypatch.delenv(f"GIT_{who}_NAME")
    monkeypatch.delenv(f"GIT_{who}_EMAIL")
    said = refused(story)
    assert "git does not know who commits" in said.err
    follow(story, said)
    assert story.next()["rule"] == "start/planning"


def test_an_empty_name_in_the_environment_is_named(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "")
    assert "GIT_AUTHOR_NAME is set, and empty" in refused(story).err
    story.git("config", "user.name", "A Person")
    assert "`unset GIT_AUTHOR_NAME`" in refused(story).err
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    assert story.next()["rule"] == "start/planning"


def test_a_base_that_is_gone_since_the_story_began_is_made_again_where_it_was(planning: Bench) -> None:
    before = planning.git("rev-parse", "main")
    planning.git("branch", "--delete", "--force", "main")
    said = refused(planning, "--ended", planning.run.id)
    assert "no branch main, to which the story is to be merged" in said.err
    follow(planning, said)
    assert planning.git("rev-parse", "main") == before
    assert planning.plan()["agent"] == "baton:implementer"


def test_a_story_branch_in_another_work_tree_is_worked_on_there(implementing: Bench) -> None:
    tree = implementing.root.parent / "else where"
    implementing.git("switch", "--quiet", "main")
    implementing.git("worktree", "add", "--quiet", str(tree), "story/42-subtract-numbers")
    said = refused(implementing, "--ended", implementing.run.id)
    assert f"story/42-subtract-numbers is checked out in '{tree}'" in said.err
    assert f"call from there: `baton --project '{tree}' next 42`" in said.err


@pytest.mark.parametrize(("merging", "what"), [(False, "a merge is in progress"), (True, "")])
def test_a_merge_of_ours_is_nothing_to_refuse(merging: bool, what: str, story: Bench) -> None:
    clash("merge", "side")(story)
    with opened(find_project(story.root), "42", "test") as one:
        assert obstacle(one, merging=merging)[0] == what


@pytest.mark.parametrize(
    ("adopted", "what"), [(False, "the branch story/42-subtract-numbers is where"), (True, "")]
)
def test_a_branch_of_an_adopted_story_is_its_own(adopted: bool, what: str, story: Bench) -> None:
    story.git("branch", "story/42-subtract-numbers")
    with opened(find_project(story.root), "42", "test") as one:
        assert obstacle_to_start(one, adopted)[0].startswith(what)
        assert bool(obstacle_to_start(one, adopted)[0]) == bool(what)


# Shallow clones


def clone(bench: Bench, *options: str) -> Bench:
    """Clone the repository as if from another machine, and make a story there."""
    to = bench.root.parent / "clone"
    bench.git("clone", "--quiet", "--no-local", *options, str(bench.root), str(to))
    cloned = Bench(to)
    cloned.new()
    return cloned


@pytest.fixture
def deep(surrounded: Path, tmp_path: Path) -> Bench:
    """A repository with some history and a branch `topic`, without commands to confirm."""
    bench = new_bench(tmp_path / "deep", SETTINGS)
    commits(bench, "ONE = 1\n", "TWO = 1\n")
    bench.git("branch", "topic")
    return bench


def test_a_shallow_clone_that_has_the_base_is_enough_for_a_whole_story(deep: Bench) -> None:
    shallow = clone(deep, "--depth", "1")
    assert play_through(shallow)["rule"] == "close/done"


def test_a_shallow_clone_of_another_branch_fetches_the_base_first(deep: Bench) -> None:
    deep.git("switch", "--quiet", "topic")
    shallow = clone(deep, "--depth", "1", "--branch", "topic")
    said = shallow.new()
    assert "no branch main at .baton.yaml on topic: make it, `git fetch origin main:main`, or" in said.err
    follow(shallow, said)
    shallow.new()
    assert shallow.next()["rule"] == "start/planning"


def test_a_shallow_clone_whose_history_was_cut_since_is_to_be_deepened(deep: Bench) -> None:
    shallow = clone(deep, "--depth", "1")
    shallow.next()
    commits(deep, "THREE = 1\n", "FOUR = 1\n")
    shallow.git("fetch", "--quiet", "--depth", "1", "--update-head-ok", "origin", "+main:main")
    said = refused(shallow, "--ended", shallow.run.id)
    assert "this shallow clone lacks the history that joins story/42-subtract-numbers and main" in said.err
    follow(shallow, said)
    assert shallow.plan()["agent"] == "baton:implementer"


# Odd repositories, in which all is well


def play_through(bench: Bench) -> Any:
    """Take a story, made already, to its end; gives the last step."""
    assert bench.next()["rule"] == "start/planning"
    assert bench.plan()["agent"] == "baton:implementer"
    assert bench.implement()["agent"] == "baton:qa"
    return bench.judge()


def usual(root: Path, settings: str = SETTINGS) -> Bench:
    return new_bench(root, settings)


def in_a_second_work_tree(root: Path) -> Bench:
    first = usual(root)
    first.git("switch", "--quiet", "-c", "side")
    first.git("worktree", "add", "--quiet", str(root.parent / "second tree"), "main")
    return Bench(root.parent / "second tree")


def in_a_submodule(root: Path) -> Bench:
    library = usual(root.parent / "library")
    usual(root).git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    return Bench(root / "lib")


def around_a_submodule(root: Path) -> Bench:
    library = usual(root.parent / "library")
    bench = usual(root)
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib")
    bench.git("commit", "--quiet", "--message", "a submodule")
    return bench


def with_line_ends_of_windows(root: Path) -> Bench:
    bench = usual(root)
    bench.git("config", "core.autocrlf", "true")
    return bench


def with_hooks_elsewhere(root: Path) -> Bench:
    bench = usual(root)
    bench.write({"hooks of mine/pre-commit": "#!/bin/sh\ntrue\n"})
    (bench.root / "hooks of mine/pre-commit").chmod(0o755)
    bench.git("add", "--", "hooks of mine")
    bench.git("commit", "--quiet", "--message", "hooks")
    bench.git("config", "core.hooksPath", "hooks of mine")
    return bench


def sparse_with_the_stories(root: Path) -> Bench:
    bench = usual(root)
    bench.git("sparse-checkout", "set", "tools", "specs")
    return bench


def with_stories_of_others(root: Path) -> Bench:
    bench = usual(root)
    bench.write({"specs/.gitignore": "*.bak\n", "specs/41_old/story.md": "old\n", "specs/README.md": "ours\n"})
    bench.git("add", "--", "specs")
    bench.git("commit", "--quiet", "--message", "stories")
    return bench


def with_a_story_branch_like_it(root: Path) -> Bench:
    bench = usual(root)
    for name in ("story/42-subtract-numbers-2", "story/4", "stories", "42-subtract-numbers"):
        bench.git("branch", name)
    return bench


def with_an_operation_beside_it(root: Path) -> Bench:
    bench = usual(root)
    bench.git("worktree", "add", "--quiet", "-b", "side", str(root.parent / "side"))
    Bench(root.parent / "side").git("bisect", "start")
    return bench


ODD: dict[str, Callable[[Path], Bench]] = {
    "a linked work tree": in_a_second_work_tree,
    "a submodule": in_a_submodule,
    "a repository with a submodule": around_a_submodule,
    "line ends that git changes": with_line_ends_of_windows,
    "hooks in a folder of its own": with_hooks_elsewhere,
    "a sparse checkout with the stories": sparse_with_the_stories,
    "others' stories, with their .gitignore": with_stories_of_others,
    "branches of names much like it": with_a_story_branch_like_it,
    "a bisect in another work tree": with_an_operation_beside_it,
    "a path with a line break": lambda root: usual(root.parent / "ü b\nc"),
    "names where case makes no difference": lambda root: (
        bench := usual(root), bench.git("config", "core.ignorecase", "true")
    )[0],
}  # fmt: skip


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_an_odd_repository_sees_a_story_through(
    make: Callable[[Path], Bench], surrounded: Path, tmp_path: Path
) -> None:
    bench = make(tmp_path / "odd")
    assert bench.new().code == 0
    assert play_through(bench)["rule"] == "close/done"
    assert bench.git("log", "-1", "--format=%s", "main") == "story 42: Subtract numbers"
    kept = bench.git("ls-tree", "-r", "--name-only", "main", "specs/42_subtract-numbers/").splitlines()
    assert len(kept) == 6
    assert not [one for one in kept if {"history", "briefs", ".return-meta.json"} & {*Path(one).parts}]


def test_a_repository_of_another_object_format_sees_a_story_through(
    surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    bench = usual(tmp_path / "odd")
    bench.new()
    assert (len(bench.git("rev-parse", "main")), play_through(bench)["rule"]) == (64, "close/done")


def test_the_environment_may_point_git_elsewhere(
    surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = usual(tmp_path / "odd")
    bench.new()
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
        patch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "nowhere"))
        said = bench.baton("next", "42", "--json")
    assert said.json["rule"] == "start/planning"


def test_every_verb_may_be_called_from_a_folder_below(story: Bench) -> None:
    below = Bench(story.root / "tools")
    assert below.next()["rule"] == "start/planning"
    (below.root / "plan.md").write_text(PLAN, encoding="utf-8")
    said = below.baton("hand-in", "42", "plan", "--run", story.run.id, "--file", "plan.md")
    assert said.out == "accepted: specs/42_subtract-numbers/42.execution-plan.md\n"
    (below.root / "plan.md").unlink()
    assert below.baton("status", "42").code == 0
    assert below.end()["rule"] == "planning/valid"


def test_settings_are_committed_from_a_folder_below_as_init_says(surrounded: Path, tmp_path: Path) -> None:
    bench = new_bench(tmp_path / "a project", "")
    below = Bench(bench.root / "tools")
    command = below.baton("init").out.splitlines()[-1].removeprefix("THEN ")
    subprocess.run(["sh", "-c", command], cwd=below.root, check=True, capture_output=True)
    assert bench.git("show", "main:.baton.yaml").startswith("# baton's settings")


# Submodules


def change_a_file_in_it(library: Bench) -> None:
    library.write({"calc.py": "CHANGED = 1\n"})


def commit_in_it(library: Bench) -> None:
    library.git("commit", "--quiet", "--allow-empty", "--message", "more")


@pytest.mark.parametrize("change", [change_a_file_in_it, commit_in_it])
def test_a_submodule_that_differs_is_a_change_to_settle_first(
    change: Do, surrounded: Path, tmp_path: Path
) -> None:
    bench = around_a_submodule(tmp_path / "odd")
    bench.new()
    library = Bench(bench.root / "lib")
    change(library)
    assert "uncommitted changes to tracked files: lib at" in refused(bench).err
    library.git("stash", "--quiet")
    bench.git("submodule", "--quiet", "update")
    assert bench.next()["rule"] == "start/planning"


def test_a_new_file_in_a_submodule_is_nothing_to_a_story(surrounded: Path, tmp_path: Path) -> None:
    bench = around_a_submodule(tmp_path / "odd")
    bench.new()
    bench.write({"lib/new.py": "x\n"})
    assert bench.next()["rule"] == "start/planning"


# Other verbs where something is in the way


@pytest.mark.parametrize("name", ["a detached HEAD", "a merge", "a lock of a git that was killed"])
def test_a_story_is_made_and_looked_at_whatever_is_in_the_way(name: str, bench: Bench) -> None:
    IN_THE_WAY[name].spoil(bench)
    assert bench.new().code == 0
    for words in (("status",), ("status", "42"), ("timeline", "42"), ("init",)):
        assert bench.baton(*words).code == 0
    assert IN_THE_WAY[name].what in refused(bench).err


def merge_without_end(bench: Bench) -> None:
    bench.git("branch", "side")
    bench.commit({"side.py": "SIDE = 1\n"}, "side")
    bench.git("merge", "--quiet", "--no-ff", "--no-commit", "--strategy=ours", "side")


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (merge_without_end, "a merge is in progress"),
        (lambda bench: bench.git("bisect", "start"), "a bisect is in progress"),
        (lambda bench: bench.write({".git/index.lock": ""}), "git is locked here by "),
    ],
)
def test_what_a_run_hands_in_is_taken_and_judged_once_the_way_is_free(
    spoil: Do, what: str, planning: Bench
) -> None:
    spoil(planning)
    assert planning.hand_in("plan", PLAN).code == 0
    assert planning.meta("planned").code == 0
    said = refused(planning, "--ended", planning.run.id)
    assert what in said.err
    follow(planning, said)
    assert planning.next()["agent"] == "baton:implementer"


# The checks themselves

FINE = Standing(
    commit=True, branch="main", home="main", strayed=False, operation="", merging="", undo="", lock="",
    unmerged="", empty_name="", identity=True, base="main", base_there=True, way_to_base="", base_tree="", own="",
    own_tree="", gone=False, severed=False, story="42",
)  # fmt: skip


def test_where_nothing_is_in_the_way_no_check_holds() -> None:
    assert first_of(CHECKS, FINE) == ("", "")


def test_what_locks_git_is_told_before_what_could_not_be_undone_then() -> None:
    at = FINE._replace(lock=".git/index.lock", operation="merge", undo="git merge --abort", identity=False)
    assert first_of(CHECKS, at)[0] == "git is locked here by .git/index.lock"
    assert first_of(CHECKS, at._replace(lock="")) == (
        "a merge is in progress",
        "conclude it, or give it up: `git merge --abort`",
    )


def test_each_check_has_a_name_of_its_own_and_says_what_mends_it() -> None:
    assert len({one.name for one in CHECKS}) == len(CHECKS)
    assert all(one.what.format(**FINE._asdict()) and one.remedy.format(**FINE._asdict()) for one in CHECKS)
