"""The guard around every call sees each kind of loss, and lets be what a story is there to do."""

from collections.abc import Callable

import pytest

from bench import FOLDER, OWN_FILES, STORY, Bench
from watch import meddled_with, watched

Deed = Callable[[Bench], object]
BRANCH = f"refs/heads/{STORY}"
NEXT = ("next", "42")


def said_of(bench: Bench, deed: Deed, words: tuple[str, ...] = NEXT, code: int = 0) -> str:
    """Do something under the guard as if a call of baton did it; gives what the guard says, in one line."""
    try:
        with watched(("--project", str(bench.root), *words)) as watch:
            deed(bench)
            watch.code = code
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def write(name: str, text: str = "other\n") -> Deed:
    return lambda bench: bench.write({name: text})


def remove(name: str) -> Deed:
    return lambda bench: (bench.root / name).unlink()


def git(*words: str) -> Deed:
    return lambda bench: bench.git(*words)


def git_beside(*words: str) -> Deed:
    return lambda bench: Bench(bench.beside).git(*words)


def both(*deeds: Deed) -> Deed:
    return lambda bench: [deed(bench) for deed in deeds]


def commit(*names: str) -> Deed:
    return both(git("add", "--", *names), git("commit", "--quiet", "--message", "taken", "--", *names))


def interrupt(bench: Bench) -> None:
    raise KeyboardInterrupt


# What is done while `baton next` goes on with a story, and what the guard then says.
LOSSES: dict[str, tuple[Deed, str]] = {
    "a stash entry dropped": (git("stash", "drop", "--quiet"), "stash entry lost: "),
    "a stash entry made": (both(write("calc.py"), git("stash", "push", "--quiet")), "stash entry made: "),
    "a branch deleted": (git("update-ref", "-d", "refs/heads/hobby"), "ref refs/heads/hobby was "),
    "a branch moved": (git("update-ref", "refs/heads/hobby", "main"), "ref refs/heads/hobby was "),
    "a branch of another story made": (git("branch", "story/43-x"), "ref refs/heads/story/43-x is new"),
    "a tag deleted": (git("tag", "--delete", "hobby-1"), "ref refs/tags/hobby-1 was "),
    "a remote's ref made": (git("update-ref", "refs/remotes/o/x", "main"), "ref refs/remotes/o/x is new"),
    "base moved": (git("update-ref", "refs/heads/main", "hobby"), "ref refs/heads/main was "),
    "the story branch wound back": (git("update-ref", BRANCH, "main"), "does not hold"),
    "a work tree removed": (git("worktree", "remove", "--force", "../project-hobby"), "draft.txt was "),
    "a work tree made": (git("worktree", "add", "--quiet", "--detach", "../more"), "more: HEAD was none"),
    "a change beside it undone": (git_beside("checkout", "--quiet", "own.txt"), "hobby: own.txt was "),
    "a change beside it staged": (git_beside("add", "own.txt"), "hobby: its index has changed"),
    "another commit checked out beside it": (git_beside("switch", "-q", "--detach"), "hobby: HEAD was ref: "),
    "git's configuration changed": (git("config", "user.name", "B"), "git's config was "),
    "a hook put in place": (lambda bench: bench.hook("commit-msg", "exit 0"), "git's hooks/commit-msg is new"),
    "an untracked file removed": (remove("my notes.txt"), "my notes.txt was "),
    "an untracked file written over": (write("scratch/idea.txt"), "scratch/idea.txt was "),
    "untracked files cleaned away": (git("clean", "--quiet", "-fd"), "scratch/idea.txt was "),
    "an ignored file removed": (remove("my.env"), "my.env was "),
    "an untracked file committed": (commit("my notes.txt"), "main was "),
    "an untracked file staged": (git("add", "my notes.txt"), "project: its index has changed"),
    "a new file left behind": (write("found.py"), "found.py is new"),
    "a change undone": (git("checkout", "--quiet", "calc.py"), "calc.py was "),
    "a tracked file written over": (write("tools/test.sh"), "tools/test.sh was "),
    "the story's folder laid down": (write(f"{FOLDER}/story.md"), "story.md is new"),
    "another branch checked out": (git("switch", "--quiet", "hobby-2"), "HEAD was ref: refs/heads/main"),
    "HEAD detached": (git("switch", "--quiet", "--detach"), "HEAD was ref: refs/heads/main"),
}  # fmt: skip

RIGHTS: dict[str, Deed] = {
    "nothing": lambda bench: None,
    "another commit on the story branch": lambda bench: bench.commit({"x.py": "X = 1\n"}, STORY),
    "the program's own refs": git("update-ref", "refs/baton/42/run", "main"),
    "its records beside the journal": write(".git/baton/42/briefs/r.md"),
    "a work tree of a run": lambda bench: bench.tree,
    "the client's trees kept out of git status": write(".claude/worktrees/.gitignore", "*\n"),
}


@pytest.fixture
def busy(implementing: Bench) -> Bench:
    """A repository where a run is running, and the user has changed a file."""
    implementing.git("branch", "hobby-2")
    implementing.write({"calc.py": "MINE = 1\n"})
    return implementing


@pytest.mark.parametrize(("deed", "told"), LOSSES.values(), ids=LOSSES)
def test_a_loss_is_named(busy: Bench, deed: Deed, told: str) -> None:
    said = said_of(busy, deed)
    assert said.startswith("`baton next 42` ended with 0: ")
    assert told in said


@pytest.mark.parametrize("deed", RIGHTS.values(), ids=RIGHTS)
def test_what_a_story_is_there_to_do_is_let_be(busy: Bench, deed: Deed) -> None:
    assert said_of(busy, deed) == ""


def test_only_a_call_that_drives_a_story_moves_its_branch(busy: Bench) -> None:
    move = RIGHTS["another commit on the story branch"]
    assert f"ref {BRANCH} was " in said_of(busy, move, ("status", "42"))
    assert said_of(busy, move, ("hand-in", "42", "plan")) == ""


def test_init_writes_settings_where_there_are_none(busy: Bench) -> None:
    assert ".baton.yaml was " in said_of(busy, write(".baton.yaml"), ("init",))
    remove(".baton.yaml")(busy)
    assert said_of(busy, write(".baton.yaml"), ("init",)) == ""
    remove(".baton.yaml")(busy)
    assert ".baton.yaml is new" in said_of(busy, write(".baton.yaml"))


def test_base_moves_by_one_merge_of_a_story_that_passed(judging: Bench) -> None:
    with meddled_with("nobody: it is looked at below"):
        before = judging.git("rev-parse", "main")
        judging.judge()
    merged = judging.git("rev-parse", "main")
    judging.git("reset", "--quiet", "--hard", before)
    forward = git("merge", "--quiet", "--ff-only", merged)
    assert said_of(judging, forward) == ""
    more = both(git("commit", "--quiet", "--allow-empty", "--message", "more"))
    assert "not one merge or revert on top of it" in said_of(judging, more)


# That it stands around every call


def test_every_call_of_the_bench_is_guarded(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.main", lambda: bool(remove("my notes.txt")(planning)))
    with pytest.raises(AssertionError, match=r"my notes\.txt was .* is gone"):
        planning.next()


def test_a_call_that_is_cut_short_is_guarded_too(planning: Bench) -> None:
    said = said_of(planning, both(remove("my.env"), interrupt))
    assert said.startswith("`baton next 42` ended with None: ")
    assert "my.env was " in said


def test_a_hook_is_guarded_where_its_payload_says(planning: Bench) -> None:
    payload = f'{{"cwd": "{planning.root}"}}'.encode()
    with pytest.raises(AssertionError, match="stash entry lost"), watched(("hook", "session-start"), payload):
        planning.git("stash", "drop", "--quiet")


def test_what_somebody_else_does_meanwhile_is_let_be(planning: Bench) -> None:
    with meddled_with("a person tidies up"):
        assert said_of(planning, git("stash", "drop", "--quiet")) == ""
    assert "my.env" in said_of(planning, remove("my.env"))


def test_every_repository_and_every_copy_holds_what_could_be_lost(bench: Bench) -> None:
    assert all((bench.root / name).read_text(encoding="utf-8") == text for name, text in OWN_FILES.items())
    assert (bench.git("stash", "list").count("\n"), bench.git("tag")) == (0, "hobby-1")
    assert Bench(bench.beside).git("status", "--porcelain").split() == ["M", "own.txt", "??", "draft.txt"]
    assert bench.git("worktree", "list", "--porcelain").count(f"worktree {bench.root}") == 2
