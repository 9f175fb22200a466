"""The check tree: made once, put at exactly a commit with its caches kept, set up when a manifest changed."""

import json
from pathlib import Path

import pytest

from baton.checks.check_tree import check_tree, read_record, slot_of
from baton.checks.cleanup import learned_paths, remove_trees, stale_trees
from baton.checks.job import is_running
from baton.git.command import find_project
from baton.journal.lock import hold_lock
from bench import Bench

from .conftest import Run, checks_of

pytestmark = pytest.mark.sampled(7)

DAMAGE = {
    "empty": b"",
    "cut": b'{"code": 0, "na',
    "a NUL": b"\0\0\0",
    "garbage": b"\xff\xfe}{",
    "another type": b"[1]",
    "a deep one": b"[" * 100_000,
}


def plural(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


def test_one_tree_serves_all_commits_of_a_story_and_another_story_has_its_own(bench: Bench, run: Run) -> None:
    bench.commit({"new.py": "x\n"})
    tails = [run(at, test="pwd; ls").tail for at in ("main~1", "main")]
    top = str(check_tree(find_project(bench.root).common, "42").path)
    assert [tail.splitlines() for tail in tails] == [
        [top, "calc.py", "tools"],
        [top, "calc.py", "new.py", "tools"],
    ]
    assert run("main", owner="43", test="pwd").tail == top.replace("-42/", "-43/")


def test_the_caches_stay_and_nothing_else_that_commands_leave(bench: Bench, run: Run) -> None:
    bench.commit({"new.py": "x\n"})
    run("main~1", test="echo >kept.log; mkdir made gone; echo >made/x; echo changed >calc.py; git init -q inner")
    assert run("main", test="ls; git status --short").tail.splitlines() == [
        "calc.py",
        "kept.log",
        "new.py",
        "tools",
    ]


INCLUDED = {".gitignore": ".env\nsecret\n", ".worktreeinclude": ".env\nloose\n", "web/calc.py": "x\n"}


def test_ignored_files_that_the_project_includes_are_where_a_storys_commands_run(bench: Bench, run: Run) -> None:
    bench.commit(INCLUDED)
    bench.write({".env": "A=1\n", "web/.env": "B=1\n", "secret": "not named\n", "loose": "not ignored\n"})
    assert run(test="cat .env web/.env; ls").tail.splitlines() == ["A=1", "B=1", "calc.py", "tools", "web"]
    bench.write({".env": "A=22\n"})
    assert run(test="cat .env", salt="again").tail == "A=22"


def test_an_included_file_that_cannot_be_copied_keeps_the_commands_from_being_run(bench: Bench, run: Run) -> None:
    bench.commit({**INCLUDED, ".env/x": "a folder in its place\n"})
    bench.git("checkout", "--quiet", "-b", "mine", "main~1")
    bench.write({".gitignore": ".env\n", ".worktreeinclude": ".env\n", ".env": "A=1\n"})
    outcome = run("main", test="true")
    assert (outcome.ended, ".worktreeinclude names it" in outcome.tail) == ("not-started", True)


def test_no_included_file_is_where_a_pull_requests_commands_run(bench: Bench, run: Run) -> None:
    bench.commit(INCLUDED)
    bench.write({".env": "A=1\n"})
    assert [".env" in run(owner=owner, test="ls -A").tail.split() for owner in ("42", "pr-7")] == [True, False]


def test_no_included_file_takes_the_place_of_a_tracked_one(bench: Bench, run: Run) -> None:
    bench.commit(INCLUDED)
    bench.commit({".env": "tracked\n"})
    bench.git("checkout", "--quiet", "-b", "mine", "main~1")
    bench.write({".env": "A=1\n"})
    assert run("main", test="cat .env").tail == "tracked"


def test_the_set_up_runs_once_until_a_manifest_changes(bench: Bench, run: Run, tmp_path: Path) -> None:
    setup = f"echo >>'{tmp_path}/count'"
    counts = []
    for files in ({"calc.py": "x\n"}, {"calc.py": "y\n"}, {"web/package.json": "{}\n"}, {"calc.py": "z\n"}):
        bench.commit(files)
        run("main", setup=setup, test="true")
        counts.append(plural(tmp_path / "count"))
    assert counts == [1, 1, 2, 2]


def test_a_set_up_that_failed_is_run_again(bench: Bench, run: Run, tmp_path: Path) -> None:
    setup = f"echo >>'{tmp_path}/count'; test -e '{tmp_path}/there'"
    assert run("main", setup=setup, test="true").name == "setup"
    (tmp_path / "there").touch()
    bench.commit({"calc.py": "x\n"})
    assert (run("main", setup=setup, test="true").code, plural(tmp_path / "count")) == (0, 2)


def test_files_of_the_setup_are_kept_and_files_of_the_commit_are_restored(bench: Bench, run: Run) -> None:
    setup = "mkdir .env tools/made; echo >.env/a; echo >tools/made/b; echo >'o d?d'; echo >calc.py; echo >x.log"
    bench.commit({"new.py": "x\n"})
    run("main~1", base=True, setup=setup, test="true")
    assert learned_paths(find_project(bench.root), "42") == {".env", "tools/made", "o d?d"}
    told = run("main", setup=setup, test="cat calc.py; ls -A").tail.splitlines()
    assert told[:2] == ["def add(a, b):", "    return a + b"]
    assert {".env", "o d?d", "new.py", "x.log"} <= set(told)


def test_a_story_adds_nothing_to_the_paths_learned_on_base(bench: Bench, run: Run) -> None:
    run("main", base=True, setup="mkdir .env; echo >.env/a", test="true")
    bench.commit({"package.json": "{}\n"})
    run("main", setup="mkdir .env; echo >.env/a; echo >mine.py", test="true")
    assert learned_paths(find_project(bench.root), "42") == {".env"}


def test_results_hold_for_the_tree_whatever_commit_has_it(bench: Bench, run: Run, tmp_path: Path) -> None:
    again = bench.git("commit-tree", "-p", "HEAD", "-m", "the same once more", "HEAD^{tree}")
    other = bench.commit({"new.py": "x\n"})
    for at in ("main~1", again, other):
        run(at, test=f"echo >>'{tmp_path}/count'")
    assert plural(tmp_path / "count") == 2


def test_a_command_that_ran_alone_is_not_run_again_with_the_others(run: Run, tmp_path: Path) -> None:
    build, test = (f"echo >>'{tmp_path}/{one}'" for one in ("build", "test"))
    run(build=build, test=test)
    run(build=build, test=test, prepush="true")
    assert [plural(tmp_path / one) for one in ("build", "test")] == [1, 1]


def test_a_known_build_is_made_again_where_another_tree_was_built_since(bench: Bench, run: Run) -> None:
    bench.commit({"calc.py": "new\n"})
    build = "cp calc.py built.log"
    run("main~1", build=build)
    run("main", build=build)
    assert run("main~1", build=build, test="cat built.log").tail.startswith("def add")


def test_a_file_is_never_changed_twice_in_a_second(bench: Bench, run: Run) -> None:
    bench.commit({"calc.py": "def add(a, b):\n    return a * b\n"})
    when = [run(at, test="python3 -c 'import os; print(int(os.stat(\"calc.py\").st_mtime))'").tail for at in
            ("main~1", "main", "main~1", "main")]  # fmt: skip
    assert when[0] != when[1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", [
    "rm -rf .git", "echo gitdir: /nowhere >.git", "rm -rf calc.py; git update-index --assume-unchanged calc.py",
    "chmod 500 tools; rm -f calc.py", "echo garbage >$(git rev-parse --git-dir)/index",
    "touch $(git rev-parse --git-dir)/index.lock", "git switch -qc mine; echo x >calc.py; git commit -qam mine",
    "rm -rf ../check", "git worktree lock .; rm -rf ../check",
])  # fmt: skip
def test_a_damaged_tree_is_put_right_or_made_anew(damage: str, bench: Bench, run: Run) -> None:
    bench.commit({"new.py": "x\n"})
    run("main~1", test=damage)
    assert run("main", test="cat calc.py; ls; git status --short").tail.splitlines() == [
        "def add(a, b):", "    return a + b", "calc.py", "new.py", "tools"
    ]  # fmt: skip


def test_without_its_link_no_other_repository_is_touched(bench: Bench, run: Run) -> None:
    top = check_tree(find_project(bench.root).common, "42").path
    run("main", test="rm .git")
    above = Bench(top.parent.parent)
    above.root.joinpath("mine.txt").write_text("mine\n")
    above.git("init", "--quiet")
    assert run("main", test="pwd").tail == str(top)
    assert (above.root / "mine.txt").read_text() == "mine\n"


def test_line_ends_that_differ_at_birth_are_no_damage(bench: Bench, run: Run) -> None:
    (bench.root / ".gitattributes").write_text("*.txt text eol=lf\n")
    blob = bench.git("hash-object", "-w", "--stdin", "--no-filters", stdin="a\r\n")
    bench.git("update-index", "--add", "--cacheinfo", f"100644,{blob},odd.txt")
    bench.git("add", ".gitattributes")
    bench.git("commit", "--quiet", "--message", "odd")
    run("main~1", test="touch kept.log")
    assert run("main", test="ls").tail.splitlines() == ["calc.py", "kept.log", "odd.txt", "tools"]


def test_jobs_of_one_story_wait_for_each_other_and_say_so(bench: Bench, tmp_path: Path) -> None:
    bench.commit({"new.py": "x\n"})
    first = checks_of(bench, "main~1", test=f"echo one; while test ! -e '{tmp_path}/gate'; do sleep 0.05; done")
    second = checks_of(bench, "main", test="echo two")
    first.begin()
    while "one" not in first.progress(0):
        assert is_running(first.folder)
    second.begin()
    while second.progress(0) != "waits for the commands of another commit":
        assert second.outcomes() is None
    (tmp_path / "gate").touch()
    assert [one.tail for made in (first, second) for one in made.wait(60) or ()] == ["one", "two"]


@pytest.mark.parametrize("exclusive", [True, False])
def test_exclusive_commands_of_stories_never_run_at_once(exclusive: bool, bench: Bench, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waiting = f"echo one; while test ! -e '{gate}'; do sleep 0.05; done"
    first = checks_of(bench, owner="42", exclusive=exclusive, test=waiting)
    second = checks_of(
        bench, owner="43", exclusive=exclusive, test=f"test -e '{gate}' && echo after || echo beside"
    )
    first.begin()
    while "one" not in first.progress(0):
        assert is_running(first.folder)
    second.begin()
    while exclusive and second.progress(0) != "waits for the commands of another commit":
        assert second.outcomes() is None
    found = None if exclusive else second.wait(60)
    gate.touch()
    assert [one.tail for one in found or second.wait(60) or ()] == ["after" if exclusive else "beside"]
    assert first.wait(60)


def test_a_slot_is_ones_own_and_names_no_result(bench: Bench, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_SLOT", "7")
    assert run(owner="42", base=True, test="echo $BATON_SLOT").tail == "1"
    assert run(owner="43", base=True, test="echo $BATON_SLOT").tail == "1"


def test_a_slot_is_a_trees_own_and_free_when_it_is_removed(bench: Bench, run: Run) -> None:
    project, told = find_project(bench.root), 'echo "$BATON_SLOT $COMPOSE_PROJECT_NAME"'
    slots = {owner: run(owner=owner, test=told).tail.split() for owner in ("42", "A.b", "44")}
    assert [slot[0] for slot in slots.values()] == ["1", "2", "3"]
    assert slots["A.b"][1].startswith("baton-project-")
    assert slots["A.b"][1].endswith("-a-b")
    assert remove_trees(project, "A.b") == ""
    assert [slot_of(check_tree(project.common, one)) for one in ("44", "45")] == [3, 2]


# Records


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_record_is_thrown_away_and_the_commands_run_again(damage: bytes, bench: Bench, run: Run) -> None:
    project = find_project(bench.root)
    run(setup="true", test="echo well")
    made = checks_of(bench, "HEAD", setup="true", test="echo well")
    paths = [*made.folder.glob("*.json"), *(project.common / "baton/.trees").rglob("*.json")]
    assert len(paths) == 5
    for path in paths:
        path.write_bytes(damage)
    assert made.outcomes() is None
    assert run(setup="true", test="echo well").tail == "well"


@pytest.mark.parametrize(("change", "fits"), [
    ({}, True), ({"code": "0"}, False), ({"ended": "well"}, False), ({"log": "../../x"}, False),
    ({"seconds": None}, False),
])  # fmt: skip
def test_only_a_result_read_whole_counts(change: dict[str, object], fits: bool, bench: Bench, run: Run) -> None:
    run(test="exit 3")
    made = checks_of(bench, "HEAD", test="exit 3")
    path = next(made.folder.glob("test-*.json"))
    path.write_text(json.dumps({**read_record(path), **change}))
    assert (made.outcomes() is not None) is fits


def test_a_job_that_ran_well_may_be_run_ever_again(bench: Bench, run: Run) -> None:
    made = checks_of(bench, "HEAD", test="echo well")
    for _ in range(5):
        assert run(test="echo well").tail == "well"
        next(made.folder.glob("test-*.json")).unlink()


# The end


def test_a_tree_is_removed_whole_with_what_nobody_can_write_to_and_submodules(bench: Bench, run: Run) -> None:
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(bench.beside), "inner")
    bench.git("commit", "--quiet", "--message", "a submodule")
    setup = "git -c protocol.file.allow=always submodule --quiet update --init"
    assert run(setup=setup, test="ls inner; mkdir -p a/b; chmod 500 a").tail.startswith("calc.py\nown.txt")
    project = find_project(bench.root)
    assert remove_trees(project, "42") == ""
    assert not check_tree(project.common, "42").path.parent.exists()
    assert bench.git("worktree", "list").count("\n") == 1


def test_a_tree_in_use_stays_and_it_is_said(bench: Bench, tmp_path: Path) -> None:
    made = checks_of(bench, "HEAD", test=f"echo on; while test ! -e '{tmp_path}/gate'; do sleep 0.05; done")
    made.begin()
    while "on" not in made.progress(0).rpartition(":")[2]:
        assert is_running(made.folder)
    assert remove_trees(find_project(bench.root), "42").endswith(f"({made.folder})")
    (tmp_path / "gate").touch()
    assert [one.code for one in made.wait(60) or ()] == [0]


def test_abandoning_names_the_tree_that_stays(planning: Bench) -> None:
    planning.plan()
    planning.work(1, status="blocked")
    tree = check_tree(find_project(planning.root).common, "42")
    with hold_lock(tree.lock, "a check"):
        assert f"the check tree {tree.path} stays: " in planning.baton("answer", "42", "abandon").out


def test_the_report_names_the_tree_that_stays(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "baton.story.integrate.complete.remove_trees", lambda *_: "the check tree stays: it is in use"
    )
    assert judging.judge()["action"] == "complete"
    report = judging.journal.with_name("report.md").read_text()
    assert report.endswith("Note: the check tree stays: it is in use.\n")


def test_trees_of_stories_that_are_over_are_stale_and_doctor_names_them(planning: Bench) -> None:
    planning.rest()
    project = find_project(planning.root)
    tree = check_tree(project.common, "42").path
    run = checks_of(planning, "main", test="true")
    assert run.begin() or run.wait(60)
    assert (stale_trees(project), "check trees: nothing left over" in planning.baton("doctor").out) == ([], True)
    planning.plan()
    planning.work(1, status="blocked")
    assert planning.baton("answer", "42", "abandon").code == 0
    assert not tree.exists()
    again = checks_of(planning, "main", salt="late", test="true")
    assert again.begin() or again.wait(60)
    told = planning.baton("doctor").out
    assert f"PROBLEM check trees: of stories that are over: {tree}" in told
    assert f"look what is in it, then `git worktree remove {tree}`\n" in told
    planning.git("worktree", "remove", str(tree))
    tree.mkdir(parents=True)  # as of a repository that was cloned again in the same place
    assert f"look what is in it, then delete {tree}\n" in planning.baton("doctor").out


def test_a_copied_repository_leaves_the_originals_tree_alone(bench: Bench, run: Run, tmp_path: Path) -> None:
    run(test="true")
    tree = check_tree(find_project(bench.root).common, "42").path
    copied = bench.copy(tmp_path / "copy")
    project = find_project(copied.root)
    assert remove_trees(project, "42") == ""
    assert (tree.exists(), check_tree(project.common, "42").path != tree) == (True, True)


def test_a_python_environment_is_made_once_and_tests_the_trees_own_code(bench: Bench, run: Run) -> None:
    """With what every machine has: venv without pip, and a .pth file for an editable install."""
    setup = "python3 -m venv --without-pip .venv; pwd >$(echo .venv/lib/python*/site-packages)/own.pth"
    build = {"setup": setup, "test": "cd tools && ../.venv/bin/python -c 'import calc; print(calc.add(3, 2))'"}
    bench.commit({"calc.py": "def add(a, b):\n    return a * b\n", "pyproject.toml": "", ".gitignore": ".venv\n"})
    bench.commit({"calc.py": "def add(a, b):\n    return a - b\n"})
    assert run("main~1", **build).tail == "6"
    environment = check_tree(find_project(bench.root).common, "42").path / ".venv/pyvenv.cfg"
    made = environment.stat().st_mtime_ns
    assert (run("main", **build).tail, run("main~1", salt="again", **build).tail) == ("1", "6")
    assert environment.stat().st_mtime_ns == made


def test_an_environment_is_made_anew_when_a_manifest_changed(bench: Bench, run: Run) -> None:
    """Else what is no more a dependency is there still, or, where git ignores a part of it, that part alone."""
    bench.commit({".gitignore": "lib\n", "requirements.txt": "a\n"})
    setup = "mkdir -p .venv/lib; touch .venv/pyvenv.cfg .venv/lib/$(cat requirements.txt)"
    run("main", setup=setup, test="true")
    bench.commit({"requirements.txt": "b\n"})
    assert run("main", setup=setup, test="ls .venv/lib").tail == "b"


def test_of_a_set_up_that_failed_no_half_of_an_environment_is_left(bench: Bench, run: Run) -> None:
    """With a `lib` that git ignores, Python's venv would find pip there and write no program for it."""
    bench.commit({".gitignore": "lib\n"})
    setup = "ls -A .venv/lib 2>/dev/null; mkdir -p .venv/lib; touch .venv/pyvenv.cfg .venv/lib/pip; exit 3"
    assert [run("main", salt=salt, setup=setup, test="true").tail for salt in ("", "again")] == ["", ""]


def test_no_hook_of_the_user_runs_for_the_check_tree(bench: Bench, run: Run, tmp_path: Path) -> None:
    bench.hook("post-checkout", f"touch '{tmp_path}/ran'")
    bench.commit({"new.py": "x\n"})
    for at in ("main~1", "main"):
        run(at, test="true")
    assert not (tmp_path / "ran").exists()
