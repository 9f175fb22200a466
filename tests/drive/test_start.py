"""Whether a story may start here, what is settled first, and which settings count."""

import subprocess
from collections.abc import Callable

import pytest

from bench import CRITERIA, WITH_COMMANDS, Bench, PlayScene
from scenes import refused


def merge(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "other")
    bench.write({"calc.py": "OTHER = 1\n"})
    bench.git("commit", "--quiet", "--all", "--message", "other")
    bench.git("switch", "--quiet", "main")
    bench.git("merge", "--quiet", "--no-ff", "--no-commit", "other")


def take_the_base(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "side")
    bench.git("worktree", "add", "--quiet", str(bench.root.parent / "elsewhere"), "main")


def name_a_base_that_is_not_there(bench: Bench) -> None:
    bench.commit({".baton.yaml": "base: develop\n"})
    bench.git("reset", "--quiet", "--hard")


NOT_READY: dict[str, tuple[Callable[[Bench], object], str]] = {
    "a detached HEAD": (lambda bench: bench.git("switch", "--quiet", "--detach"), "HEAD is detached"),
    "a merge in progress": (merge, "a merge is in progress"),
    "a base in another work tree": (take_the_base, "main is checked out in"),
    "a base that is not there": (name_a_base_that_is_not_there, "no branch develop"),
    "a folder git ignores": (lambda bench: bench.write({".git/info/exclude": "specs/\n"}), "git ignores specs/42"),
    "settings no schema knows": (
        lambda bench: (bench.commit({".baton.yaml": "colour: red\n"}), bench.git("reset", "--quiet", "--hard")),
        "'colour' was unexpected",
    ),
}


@pytest.mark.parametrize(("spoil", "what"), NOT_READY.values(), ids=NOT_READY)
def test_a_repository_that_is_not_ready_is_refused_with_a_remedy(
    spoil: Callable[[Bench], object], what: str, story: Bench
) -> None:
    spoil(story)
    before = story.journal.read_bytes()
    said = refused(story)
    assert (said.out, said.err.count("\n"), what in said.err) == ("", 1, True)
    assert story.journal.read_bytes() == before


def test_a_repository_without_an_identity_is_refused(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    story.git("config", "user.useConfigOnly", "true")
    assert "git does not know who commits" in refused(story).err


def test_a_repository_without_a_commit_is_refused(surrounded: object, bench: Bench) -> None:
    empty = Bench(bench.root.parent / "empty")
    subprocess.run(("git", "init", "--quiet", "-b", "main", empty.root), check=True)
    assert empty.new().code == 0
    assert "no commit yet (an unborn branch)" in refused(empty).err


def test_changes_to_tracked_files_are_listed_and_untracked_files_are_not(story: Bench) -> None:
    story.write({"calc.py": "CHANGED = 1\n", "mine.txt": "mine\n"})
    said = refused(story)
    assert "uncommitted changes to tracked files: calc.py:" not in said.err
    assert "uncommitted changes to tracked files: calc.py at" in said.err
    story.git("restore", "calc.py")
    assert story.next()["rule"] == "start/planning"


def test_many_changes_are_named_in_part(story: Bench) -> None:
    story.write({f"many/{number:02}.py": "x\n" for number in range(12)})
    story.git("add", "many")
    assert "many/09.py and 2 more at" in refused(story).err


def test_a_story_that_waits_for_a_person_does_not_keep_another_from_starting(play: PlayScene) -> None:
    bench, _ = play("planning/blocked")
    other = Bench(bench.root, "43")
    other.new("Another")
    assert other.next()["rule"] == "start/planning"
    assert other.branch == "story/43-another"


def test_a_story_does_not_take_the_tree_from_a_run_of_another(play: PlayScene) -> None:
    bench, _ = play("test/unclear")
    other = Bench(bench.root, "43")
    other.new("Another")
    other.next()
    bench.baton("answer", "42", "retry")
    assert "story 43 has a run out in this work tree" in refused(bench).err
    assert bench.branch == "story/43-another"


def test_two_work_trees_work_side_by_side(planning: Bench) -> None:
    tree = planning.root.parent / "second"
    planning.git("worktree", "add", "--quiet", "-b", "second", str(tree))
    other = Bench(tree, "43")
    other.new("Another")
    assert other.next()["action"] == "spawn"
    assert planning.next()["rule"] == "under-way/wait"


def test_a_story_begins_on_a_branch_of_its_own_from_base(story: Bench) -> None:
    base = story.git("rev-parse", "main")
    story.git("switch", "--quiet", "-c", "side")
    step = story.next()
    assert (step["phase"], step["agent"], story.branch) == (
        "planning",
        "baton:planner",
        "story/42-subtract-numbers",
    )
    assert story.git("rev-parse", "HEAD") == base
    started = story.state.started
    assert started is not None
    assert (started.left_branch, tuple(started.criteria)) == ("side", CRITERIA)


# Settings


def test_commands_are_shown_in_full(play: PlayScene) -> None:
    bench, _ = play("start/commands")
    lines = bench.baton("next", "42").out.splitlines()
    assert [line.strip() for line in lines if "tools/" in line] == [
        "setup: sh tools/setup.sh",
        "build: sh tools/build.sh",
        "test: sh tools/test.sh",
    ]


def test_settings_that_are_not_committed_are_not_read(bench: Bench) -> None:
    bench.git("rm", "--quiet", ".baton.yaml")
    bench.git("commit", "--quiet", "--message", "none")
    bench.write({".baton.yaml": WITH_COMMANDS})
    bench.new()
    assert bench.next()["rule"] == "start/mode"


def test_settings_are_those_of_base_and_not_of_the_branch_one_is_on(story: Bench) -> None:
    story.git("switch", "--quiet", "-c", "side")
    story.write({".baton.yaml": "base: main\ncommands: {test: 'curl evil'}\n"})
    story.git("commit", "--quiet", "--all", "--message", "other commands")
    assert story.next()["rule"] == "start/planning"


def test_without_settings_the_base_is_main_and_the_mode_is_asked_for(bench: Bench) -> None:
    bench.commit({".baton.yaml": "{}\n"})
    bench.git("reset", "--quiet", "--hard")
    bench.new()
    step = bench.next()
    assert (step["action"], step["rule"]) == ("ask", "start/mode")
    assert [one["id"] for one in step["escalation"]["options"]] == ["local", "branch", "abandon"]
    assert step["escalation"]["options"][0]["does"].startswith("merges finished stories into main ")


def test_another_story_s_damaged_journal_stands_in_no_ones_way(story: Bench) -> None:
    other = Bench(story.root, "43")
    other.new("Another")
    other.journal.write_bytes(other.journal.read_bytes().replace(b"Another", b"Anotherr"))
    assert story.next()["rule"] == "start/planning"


def test_a_spec_without_a_journal_is_named_with_the_command_that_begins_it(story: Bench) -> None:
    story.write({"specs/7_night-mode/story.md": "---\nid: 7\n---\n"})
    said = story.baton("next", "7")
    assert (said.code, "`baton story new --from specs/7_night-mode`" in said.err) == (2, True)
    assert "--from" not in story.baton("next", "8").err


def test_a_spec_that_base_does_not_have_is_not_started_elsewhere(story: Bench) -> None:
    story.git("switch", "--quiet", "--create", "draft")
    story.git("add", "--", "specs")
    story.git("commit", "--quiet", "--message", "a spec")
    said = story.baton("next", "42")
    assert (said.code, "story.md is not on main as it is here" in said.err) == (2, True)
    story.git("switch", "--quiet", "main")
    story.git("merge", "--quiet", "draft")
    assert story.next()["rule"] == "start/planning"


def test_what_another_run_has_changed_is_not_a_persons_to_set_aside(implementing: Bench) -> None:
    implementing.write({"calc.py": "HALF = 1\n"})
    other = Bench(implementing.root, "43")
    other.new("Another")
    said = other.baton("next", "43")
    assert (said.code, "story 42 has a run out" in said.err) == (2, True)
