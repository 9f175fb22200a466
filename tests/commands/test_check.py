"""`baton check`: a run's tree as it is, held to the project's commands in the story's check tree."""

import re
from pathlib import Path

import pytest

from baton.checks.cleanup import learned_paths
from baton.commands import check_verb as check
from baton.git.command import find_project
from baton.git.worktrees import RunMark, write_mark
from baton.story.checks.compare_checks import Running, subject_of, weigh
from baton.story.session.open_story import open_story
from bench import SETTINGS, Bench
from scenes import FLAKY

pytestmark = pytest.mark.sampled(8)

LINE = "sh tools/test.sh"


@pytest.fixture
def tree(implementing: Bench) -> Bench:
    """Return the work tree of the run that is running."""
    return Bench(implementing.tree)


def gate_runs(story: Bench, commit: str) -> bool:
    """Whether the gate would run something on a commit."""
    with open_story(find_project(story.root), "42", "a test") as opened:
        return isinstance(weigh(subject_of(opened), commit), Running)


def with_commands(bench: Bench, commands: str) -> Bench:
    """Take a story with other commands to its implementer; returns the run's tree."""
    bench.configure(f"{SETTINGS}commands: {commands}\n")
    bench.begin()
    bench.plan()
    return Bench(bench.tree)


def test_all_commands_run_on_the_tree_as_it_is(tree: Bench) -> None:
    tree.write({"tools/test.sh": "cat calc.py new.py; ls; exit 3\n", "calc.py": "mine\n", "new.py": "new\n"})
    tree.write({"x.log": "ignored\n"})
    said = tree.baton("check")
    lines = [line for line in said.out.splitlines() if not line.startswith("FAILED test: exit code 3, ")]
    assert said.code == 1
    assert lines[:-1] == ["  mine", "  new", "  calc.py", "  new.py", "  specs", "  tools"]
    assert lines[-1].startswith("passed build: exit code 0, ")


def test_passing_commands_are_reported_as_passed(tree: Bench) -> None:
    said = tree.baton("check", "--json")
    assert (said.code, said.json["tree"]) == (0, tree.git("rev-parse", "HEAD^{tree}"))
    assert [(one["command"], one["code"]) for one in said.json["results"]] == [("build", 0), ("test", 0)]


def test_one_command_takes_arguments_as_they_are(tree: Bench) -> None:
    tree.write({"tools/test.sh": 'for one; do echo "[$one]"; done\n'})
    said = tree.baton("check", "test", "--json", "--", "-k", "a b;$(c)", "--json")
    assert said.json["results"][-1]["tail"].splitlines() == ["[-k]", "[a b;$(c)]", "[--json]"]


def test_the_index_the_branch_and_the_files_stay_as_they_are(tree: Bench) -> None:
    tree.write({"calc.py": "staged\n", "new.py": "new\n"})
    tree.git("add", "calc.py")
    tree.write({"calc.py": "changed\n"})
    looks = (["status", "--porcelain"], ["rev-parse", "HEAD"], ["for-each-ref"])
    before = [tree.git(*look) for look in looks], tree.bytes(tree.root)
    tree.baton("check", "build")
    assert ([tree.git(*look) for look in looks], tree.bytes(tree.root)) == before


def test_the_check_leaves_out_learned_paths_and_the_storys_papers(bench: Bench) -> None:
    tree = with_commands(bench, "{setup: 'mkdir -p .env; echo >.env/a', test: 'ls -A; ls specs/*/'}")
    bench.rest()
    assert learned_paths(find_project(bench.root), "42") == {".env"}
    tree.write({".env/mine": "x\n", "specs/42_subtract-numbers/42.impl-report.md": "x\n"})
    assert "test: " in tree.baton("check").out
    assert tree.baton("check", "--json").json["tree"] == tree.git("rev-parse", "HEAD^{tree}")


def test_the_gate_repeats_no_check_that_passed_here(tree: Bench, implementing: Bench, tmp_path: Path) -> None:
    tree.write({"calc.py": "mine\n", "tools/test.sh": f"echo >>'{tmp_path}/count'\n"})
    for command in ("build", "test"):
        assert tree.baton("check", command).code == 0
    tree.write({"specs/42_subtract-numbers/42.impl-report.md": "a report\n"})
    tree.git("add", "--all")
    tree.git("commit", "--quiet", "--message", "as the gate does")
    assert not gate_runs(implementing, tree.git("rev-parse", "HEAD"))
    tree.write({"calc.py": "otherwise\n"})
    tree.git("commit", "--quiet", "--all", "--message", "something else")
    assert gate_runs(implementing, tree.git("rev-parse", "HEAD"))
    implementing.rest()
    assert (tmp_path / "count").read_text() == "\n\n"


def test_arguments_are_no_result_for_the_gate(tree: Bench, implementing: Bench) -> None:
    assert tree.baton("check", "test", "--", "one").code == 0
    assert gate_runs(implementing, tree.git("rev-parse", "HEAD"))
    implementing.rest()


def test_a_prepush_command_is_named_by_its_folder(bench: Bench) -> None:
    tree = with_commands(bench, "{test: 'false', prepush: [{path: tools, run: pwd}, {path: web, run: pwd}]}")
    told = tree.baton("check", "prepush", "in", "tools", "--json").json["results"]
    assert [(one["command"], one["code"]) for one in told] == [("prepush in tools", 0)]
    tree.write({"web/x.js": "x\n"})
    told = tree.baton("check", "prepush", "--json").json["results"]
    assert [one["command"] for one in told] == ["prepush in web"]


def test_after_a_while_it_says_how_far_it_is_and_what_to_call(
    tree: Bench, implementing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "PATIENCE_SECONDS", 0)
    tree.write({"tools/test.sh": f"while test ! -e '{tmp_path}/gate'; do sleep 0.05; done\n"})
    said = tree.baton("check", "test", "--", "-k", "a b")
    assert (said.code, said.out.splitlines()[1]) == (0, "THEN baton check test -- -k 'a b'")
    assert said.out.startswith("STILL running: ")
    assert tree.baton("check", "test", "--json", "--", "-k", "a b").json["results"] == []
    (tmp_path / "gate").touch()
    implementing.rest()
    assert tree.baton("check", "test", "--", "-k", "a b").out.splitlines()[0].startswith("passed ")


def test_a_set_up_that_failed_is_told_and_tried_again(bench: Bench, tmp_path: Path) -> None:
    tree = with_commands(bench, f"{{setup: \"test -e '{tmp_path}/there'\", test: 'true'}}")
    said = tree.baton("check")
    assert (said.code, said.out.startswith("FAILED setup: exit code 1, ")) == (1, True)
    (tmp_path / "there").touch()
    assert tree.baton("check").code == 0


def test_much_output_is_cut_and_where_it_is_whole_is_said(tree: Bench) -> None:
    tree.write(
        {"tools/test.sh": "seq -f 'error %.0f in the middle of everything that is said here' 3000; exit 1\n"}
    )
    said = tree.baton("check", "test")
    log = said.out.splitlines()[0].rpartition(": ")[2]
    assert (len(said.out) <= 6000, Path(log).read_text().count("\n")) == (True, 3000)
    assert "  error 3000 in" in said.out


def test_outside_a_runs_tree_nothing_is_checked(implementing: Bench) -> None:
    assert "no work tree of a run at " in implementing.baton("check").refused


def test_a_unit_of_a_pull_request_is_told_where_its_commands_run(tree: Bench) -> None:
    write_mark(find_project(tree.root), RunMark("pr12-u1", "pr-12"))
    said = tree.baton("check").refused
    assert said.startswith("baton: no command runs for pr12-u1, a unit of pr-12 at ")
    assert "they run on all units together when these land" in said


def test_a_damaged_mark_is_one_line(tree: Bench) -> None:
    (find_project(tree.root).git_dir / "baton-run").write_text("{")
    assert "unreadable mark of a run" in tree.baton("check").refused


def test_commands_nobody_confirmed_are_not_run(tree: Bench, implementing: Bench, tmp_path: Path) -> None:
    settings = f"{SETTINGS}commands: {{test: \"touch '{tmp_path}/ran'\"}}\n"
    implementing.commit({".baton.yaml": settings})
    assert "the user has not confirmed the commands at .baton.yaml on main" in tree.baton("check").refused
    assert not (tmp_path / "ran").exists()


def test_settings_of_the_tree_itself_do_not_count(tree: Bench, tmp_path: Path) -> None:
    tree.write({".baton.yaml": f"{SETTINGS}commands: {{test: \"touch '{tmp_path}/ran'\"}}\n"})
    assert (tree.baton("check").code, (tmp_path / "ran").exists()) == (0, False)


def test_without_commands_there_is_nothing_to_check(bench: Bench) -> None:
    bench.configure(SETTINGS)
    bench.new()
    bench.next()
    assert "no command is configured on main" in Bench(bench.tree).baton("check").refused


@pytest.mark.parametrize(("words", "told"), [
    (("lint",), "no command `lint`"), (("--", "-k"), "no command `-k`"), (("prepush",), "no prepush command"),
    (("prepush", "in", "web"), "no command `prepush in web`"),
])  # fmt: skip
def test_an_unknown_command_is_refused_in_one_line(words: tuple[str, ...], told: str, tree: Bench) -> None:
    assert told in tree.baton("check", *words).refused


def test_a_kept_result_says_from_when_it_is_and_how_to_have_another(tree: Bench) -> None:
    assert "KEPT" not in tree.baton("check", "test").out
    said = tree.baton("check", "test")
    assert re.search(
        r"\nKEPT from 20\d\d-\d\d-\d\d \d\d:\d\d, of exactly this tree: `baton check test --again`", said.out
    )
    tree.write({"new.py": "new\n"})
    assert "KEPT" not in tree.baton("check", "test").out


def test_a_result_is_made_again_for_who_asks_and_the_gate_takes_the_first(
    tree: Bench, implementing: Bench
) -> None:
    tree.write({"tools/test.sh": FLAKY})
    tree.git("commit", "--quiet", "--all", "--message", "a flaky test")
    assert [tree.baton("check", "test", *more).code for more in ([], [], ["--again"], [])] == [1, 1, 0, 0]
    with open_story(find_project(implementing.root), "42", "a test") as story:
        subject = subject_of(story)
        first = subject.run(subject.place, tree.git("rev-parse", "HEAD"), subject.general).outcomes()
    assert first is None or first[-1].code == 1


def test_what_a_command_writes_into_tracked_files_is_told(tree: Bench) -> None:
    tree.write({"tools/build.sh": "echo more >>calc.py; touch new.txt\n", "tools/test.sh": "echo '3 passed'\n"})
    said = tree.baton("check")
    assert "passed build: exit code 0; it wrote calc.py, which is not committed, " in said.out
    assert "passed test: exit code 0, " in said.out
    assert "more" not in (tree.root / "calc.py").read_text()


def test_a_test_command_that_runs_no_test_is_told(tree: Bench) -> None:
    tree.write({"tools/test.sh": "echo no tests ran in 0.01s\n"})
    assert "passed test: exit code 0; it ran no test, " in tree.baton("check", "test").out


# The tools in the run's own tree

SETUP = "{setup: 'mkdir -p .env; echo ran >>.env/log; echo $API_TOKEN >.env/token; cat lock', test: 'true'}"


def test_a_run_has_the_tools_in_its_own_tree_once_it_asks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.commit({"lock": "1\n"})
    tree = with_commands(bench, SETUP)
    bench.rest()
    monkeypatch.setenv("API_TOKEN", "secret")
    assert not (tree.root / ".env").exists()
    assert tree.baton("setup").out.startswith("passed setup: exit code 0, ")
    assert (tree.root / ".env/token").read_text() == "\n"
    assert tree.baton("check", "--json").json["tree"] == tree.git("rev-parse", "HEAD^{tree}")


def test_a_setup_is_kept_until_what_it_reads_is_another(bench: Bench) -> None:
    bench.commit({"lock": "1\n"})
    tree = with_commands(bench, SETUP)
    assert ["KEPT" in tree.baton("setup").out for _ in range(2)] == [False, True]
    tree.write({"lock": "2\n"})
    assert "KEPT" not in tree.baton("setup").out
    assert (tree.root / ".env/log").read_text() == "ran\nran\n"


def test_a_setup_that_fails_in_the_runs_own_tree_is_told_and_tried_again(bench: Bench) -> None:
    tree = with_commands(bench, "{setup: 'echo no registry; exit 3', test: 'true'}")
    for _ in range(2):
        said = tree.baton("setup")
        assert (said.code, said.out.splitlines()[1]) == (1, "  no registry")


def test_what_a_setup_writes_into_tracked_files_is_the_runs_to_keep(bench: Bench) -> None:
    bench.commit({"lock": "1\n"})
    tree = with_commands(bench, "{setup: 'echo 2 >lock', test: 'true'}")
    assert "\nWROTE lock: part of your work unless you put it back" in tree.baton("setup").out


def test_where_no_setup_is_configured_none_is_needed(bench: Bench) -> None:
    tree = with_commands(bench, "{test: 'true'}")
    assert "no setup is configured on main" in tree.baton("setup").refused
