"""The guard around every call sees each kind of loss, and lets be what a story is there to do."""

from collections.abc import Callable

import pytest

from bench import OWN_FILES, Bench
from watch import meddled_with, watched

Deed = Callable[[Bench], object]
PLANNED = "specs/42_subtract-numbers/42.execution-plan.md"
NEXT = ("next", "42")
ABANDON = ("answer", "42", "abandon")


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


def abandon(bench: Bench) -> None:
    assert bench.baton(*ABANDON).code == 0


# What is done while `baton next` goes on with a story, and what the guard then says.
LOSSES: dict[str, tuple[Deed, str]] = {
    "a stash entry dropped": (git("stash", "drop", "--quiet"), "stash entry lost: "),
    "a stash entry made": (both(write("calc.py"), git("stash", "push", "--quiet")), "stash entry made: "),
    "a branch deleted": (git("update-ref", "-d", "refs/heads/hobby"), "ref refs/heads/hobby was "),
    "a branch moved": (git("update-ref", "refs/heads/hobby", "main"), "ref refs/heads/hobby was "),
    "a branch of another story made": (git("branch", "story/43-x"), "ref refs/heads/story/43-x is new"),
    "a tag deleted": (git("tag", "--delete", "hobby-1"), "ref refs/tags/hobby-1 was "),
    "a remote's ref made": (git("update-ref", "refs/remotes/o/x", "main"), "ref refs/remotes/o/x is new"),
    "base moved": (git("branch", "--force", "main", "hobby"), "ref refs/heads/main was "),
    "the story branch wound back": (git("reset", "--quiet", "--soft", "HEAD~1"), "does not hold"),
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
    "an untracked file committed": (commit("my notes.txt"), "my notes.txt was the user's and untracked"),
    "an untracked file staged": (git("add", "my notes.txt"), "my notes.txt was the user's and untracked"),
    "a new file committed that nobody declared": (commit("found.py"), "nobody declared it"),
    "a run's change undone": (git("checkout", "--quiet", "calc.py"), "calc.py was "),
    "a tracked file written over": (write("tools/test.sh"), "tools/test.sh was as committed"),
    "a note beside the artefacts removed": (remove("specs/42_subtract-numbers/note.md"), "note.md was "),
    "another branch checked out": (git("switch", "--quiet", "hobby-2"), "HEAD was ref: refs/heads/story/42"),
    "HEAD detached": (git("switch", "--quiet", "--detach"), "HEAD was ref: refs/heads/story/42"),
}  # fmt: skip

RIGHTS: dict[str, Deed] = {
    "nothing": lambda bench: None,
    "a run's change committed": commit("calc.py"),
    "a declared file committed": both(
        write(PLANNED.replace("execution-plan", "impl-report"), "- `found.py`\n"), commit("found.py")
    ),
    "an artefact written": write(PLANNED),
    "a brief written": write("specs/42_subtract-numbers/briefs/r.md"),
    "another commit on the story branch": git("commit", "--quiet", "--allow-empty", "--message", "more"),
}


@pytest.fixture
def busy(implementing: Bench) -> Bench:
    """A repository where a run has changed a file and made one, and a person keeps a note beside the artefacts."""
    implementing.git("branch", "hobby-2")
    implementing.write({"calc.py": "SUB = 1\n", "found.py": "FOUND = 1\n"})
    implementing.write({"specs/42_subtract-numbers/note.md": "mine\n"})
    return implementing


@pytest.mark.parametrize(("deed", "told"), LOSSES.values(), ids=LOSSES)
def test_a_loss_is_named(busy: Bench, deed: Deed, told: str) -> None:
    said = said_of(busy, deed)
    assert said.startswith("`baton next 42` ended with 0: ")
    assert told in said


@pytest.mark.parametrize("deed", RIGHTS.values(), ids=RIGHTS)
def test_what_a_story_is_there_to_do_is_let_be(busy: Bench, deed: Deed) -> None:
    assert said_of(busy, deed) == ""


# What is done by a call that only looks, refuses or writes its own file; the exit code; what the guard says.
OVERSTEPS: dict[str, tuple[tuple[str, ...], int, Deed, str]] = {
    "status commits": (("status",), 0, commit("calc.py"), "ref refs/heads/story/42"),
    "status stages": (("status",), 0, git("add", "calc.py"), "git status: calc.py was 1 .M"),
    "timeline writes a plan": (("timeline", "42"), 0, write(PLANNED), f"{PLANNED} was "),
    "an answer commits": (("answer", "42", "retry"), 0, commit("calc.py"), "ref refs/heads/story/42"),
    "a rejected hand-in writes": (("hand-in", "42", "plan"), 1, write(PLANNED), f"{PLANNED} was "),
    "a refused answer commits": (ABANDON, 2, commit("calc.py"), "ref refs/heads/story/42"),
    "a hand-in writes elsewhere": (("hand-in", "42", "plan"), 0, write("calc.py"), "calc.py has changed"),
    "a hand-in commits": (("hand-in", "42", "plan"), 0, commit("calc.py"), "ref refs/heads/story/42"),
    "init writes settings over": (("init",), 0, write(".baton.yaml"), ".baton.yaml has changed"),
    "a new story takes another's folder": (("story", "new"), 0, write(PLANNED), "execution-plan.md has changed"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "code", "deed", "told"), OVERSTEPS.values(), ids=OVERSTEPS)
def test_a_call_does_no_more_than_its_kind(
    busy: Bench, words: tuple[str, ...], code: int, deed: Deed, told: str
) -> None:
    assert told in said_of(busy, deed, words, code)


def test_each_kind_of_call_does_what_it_is_for(busy: Bench) -> None:
    assert said_of(busy, write(PLANNED), ("hand-in", "42", "plan")) == ""
    assert said_of(busy, commit("calc.py"), NEXT, 2) == ""
    remove(".baton.yaml")(busy)
    assert said_of(busy, write(".baton.yaml"), ("init",)) == ""
    assert said_of(busy, lambda bench: bench.state, ("status",)) == ""


# What is done besides as a story is abandoned, and what the guard says.
LEFT: dict[str, tuple[Deed, str]] = {
    "its branch stays checked out": (
        git("switch", "--quiet", "story/42-subtract-numbers"),
        "HEAD is ref: refs/heads/story/42-subtract-numbers, not ref: refs/heads/main",
    ),
    "a change stays": (write("calc.py"), "git status says `1 .M"),
    "a new file stays": (write("left.txt"), "git status says `? left.txt`"),
}


@pytest.mark.parametrize(("deed", "told"), LEFT.values(), ids=LEFT)
def test_what_a_story_leaves_behind_is_named(implementing: Bench, deed: Deed, told: str) -> None:
    implementing.work(status="blocked")
    assert f"story 42 is over: {told}" in said_of(implementing, both(abandon, deed), ABANDON)


def test_a_story_that_leaves_nothing_behind_is_let_be(implementing: Bench) -> None:
    implementing.work(status="blocked")
    assert said_of(implementing, abandon, ABANDON) == ""


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
