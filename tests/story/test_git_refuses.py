"""Git, or a program it calls, refuses in the middle of a story: a question with a way out, and nothing is lost."""

import fcntl
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.git.command import Git
from baton.git.git_refusals import refusal_of
from baton.process import Result
from bench import DELIVERED, FOLDER, STORY, Bench
from programs import write_program

pytestmark = pytest.mark.sampled(10)


def signs_by(bench: Bench, script: str) -> Path:
    """Have commits be signed, by a program that does this."""
    program = write_program(bench.root / ".git/sign", script)
    for name, value in (("commit.gpgsign", "true"), ("gpg.program", str(program))):
        bench.git("config", name, value)
    return program


def asked(step: Any) -> str:
    """What the user is asked, of a step that is the question about git's refusal."""
    assert (step["rule"], step["action"]) == ("git/refused", "ask"), step
    return str(step["reason"])


# Signing


def test_a_key_that_is_away_costs_no_run_and_is_asked_about(micro: Bench) -> None:
    assert micro.tree
    program = signs_by(micro, "echo no key card >&2; exit 1")
    said = asked(micro.deliver())  # what a run hands in is taken unsigned
    assert str(program) in said
    assert "failed to sign" in said
    micro.git("config", "commit.gpgsign", "false")
    assert micro.answer("retry")["rule"] == "close/done"
    assert micro.state.count("micro-delivery") == 1


def test_a_program_that_signs_and_hangs_is_ended(micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.git.sign.SIGN_SECONDS", 2.0)
    monkeypatch.setattr("baton.git.sign._at_a_terminal", lambda: False)
    held = micro.root / ".git" / "held"
    assert micro.tree
    hang = f"import fcntl, time; fcntl.flock(open('{held}', 'w'), fcntl.LOCK_EX); time.sleep(400)"
    signs_by(micro, f'echo >> "{held}s"; "{sys.executable}" -c "{hang}"; true')
    assert "did not answer" in asked(micro.deliver())
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert held.with_name("helds").read_text() == "\n"  # waited for once
    assert micro.baton("answer", "42", "abandon").code == 0


# What git cannot do


def hold(bench: Bench) -> Callable[[], object]:
    """Leave the lock of a git that was killed as it moved the story's branch; gives what removes it."""
    lock = bench.root / f".git/refs/heads/{STORY}.lock"
    lock.write_text("")
    return lambda: lock.rename(lock.with_name("moved"))


def lose(bench: Bench) -> Callable[[], object]:
    """Lose the commit of the story's branch, as `git gc --prune=now` may; gives what brings it back."""
    at = bench.git("rev-parse", STORY)
    path = bench.root / f".git/objects/{at[:2]}/{at[2:]}"
    kept = path.rename(path.with_name("kept"))
    return lambda: kept.rename(path)


def damage(bench: Bench) -> Callable[[], object]:
    """Damage the index of the run's tree; gives what its remedy does."""
    tree = Bench(bench.tree)
    index = Path(tree.git("rev-parse", "--path-format=absolute", "--git-path", "index"))
    index.write_bytes(b"nothing")
    return lambda: (index.rename(index.with_name("damaged")), tree.git("reset"))


REFUSALS = {"lock": (hold, "lock of git's"), "lost": (lose, "gone from git's store"), "index": (damage, "damaged")}


@pytest.mark.parametrize(("hinder", "told"), REFUSALS.values(), ids=REFUSALS)
def test_what_git_refuses_is_asked_about_and_goes_on_once_it_is_fixed(
    hinder: Callable[[Bench], Callable[[], object]], told: str, micro: Bench
) -> None:
    assert micro.tree
    undo = hinder(micro)
    assert told in asked(micro.deliver())
    assert told in asked(micro.answer("retry"))
    undo()
    assert micro.answer("retry")["rule"] == "close/done"
    assert micro.state.count("micro-delivery") == 1


def test_a_base_that_was_made_anew_is_said_and_left_to_the_user(micro: Bench) -> None:
    assert micro.tree
    micro.git("checkout", "--quiet", "--orphan", "anew")
    micro.git("commit", "--quiet", "--message", "anew")
    micro.git("branch", "--force", "main", "anew")
    assert "no commit in common" in asked(micro.deliver())
    assert micro.baton("answer", "42", "abandon").code == 0


def test_git_that_does_not_work_at_all_is_refused_in_one_line(micro: Bench) -> None:
    micro.edit({"calc.py": "SUB = 1\n"})
    (micro.root / ".git/HEAD").write_text("nothing\n")
    assert micro.baton("next", "42", "--ended", micro.run.id).refused


def test_a_repository_that_must_be_named_is_named(micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert micro.tree
    micro.write({"../settings": "[safe]\n\tbareRepository = explicit\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(micro.root.with_name("settings")))
    assert micro.deliver()["rule"] == "close/done"
    assert micro.trees == [micro.root]


def test_a_checkout_that_is_set_to_have_none_is_put_right_there(micro: Bench) -> None:
    micro.git("config", "core.bare", "true")
    said = micro.baton("next", "42").refused
    subprocess.run(shlex.split(said.partition("`")[2].partition("`")[0]), check=True)
    assert micro.next()["action"] == "wait"


def test_a_change_outside_of_the_sparse_checkout_is_part_of_the_work(micro: Bench) -> None:
    micro.commit({"web/a.txt": "a\n", "docs/b.txt": "b\n"})
    micro.git("sparse-checkout", "set", "web", "tools")
    assert micro.deliver(files={"docs/new.txt": "new\n"})["rule"] == "close/done"
    assert "docs/new.txt" in micro.git("ls-tree", "-r", "--name-only", "main")


def test_a_store_that_cannot_be_written_is_no_runs_fault(micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    micro.edit({"calc.py": "SUB = 1\n"})
    full = Result(
        128, "", "error: unable to create temporary file: No space left on device\nerror: unable to index file 'x'"
    )
    ask = Git.ask

    def fills(git: Git, *words: str, **more: Any) -> Result:
        return full if words[0] == "add" else ask(git, *words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Git, "ask", fills)
        assert "the disk is full" in asked(micro.deliver())
    assert micro.answer("retry")["rule"] == "close/done"
    assert micro.state.count("micro-delivery") == 1


WRITTEN_OTHERWISE = {
    "ends of lines": ({"core.safecrlf": "true", "core.autocrlf": "input"}, "", "X = 1\r\n"),
    "encoding": ({}, "calc.py working-tree-encoding=UTF-16", "X = 1\n"),
}


@pytest.mark.parametrize(("settings", "attributes", "text"), WRITTEN_OTHERWISE.values(), ids=WRITTEN_OTHERWISE)
def test_a_file_whose_content_git_does_not_take_is_refused_at_the_hand_in(
    settings: dict[str, str], attributes: str, text: str, micro: Bench
) -> None:
    assert micro.tree
    for name, value in settings.items():
        micro.git("config", name, value)
    micro.write({".git/info/attributes": attributes})
    micro.edit({"calc.py": text, "test_calc.py": "TEST = 1\n"})
    said = micro.hand_in("micro-delivery-report", DELIVERED.format("PASS", "seen"))
    assert (said.code, "git does not take `calc.py`" in said.out) == (1, True)


@pytest.mark.parametrize("text", ["", "0" * 40, "nonsense"])
def test_a_base_that_cannot_be_read_is_not_called_missing(text: str, micro: Bench) -> None:
    base = micro.root / ".git/refs/heads/main"
    before = base.read_text()
    base.write_text(f"{text}\n" if text else "")
    assert "cannot read where main is" in micro.baton("next", "42", "--json").refused
    base.write_text(before)
    assert micro.next()["action"] == "wait"


# The story's folder, which a run or a commit puts something else in place of


@pytest.mark.parametrize("name", [FOLDER, "specs"])
@pytest.mark.parametrize("is_link", [False, True], ids=["a file", "a link"])
def test_a_folder_that_a_run_replaces_stays_what_it_was(is_link: bool, name: str, micro: Bench) -> None:
    path = micro.tree / name
    path.rename(path.with_name("away"))
    path.symlink_to("..") if is_link else path.write_text("x\n")
    micro.edit({"test_calc.py": "TEST = 1\n"})
    said = micro.hand_in("micro-delivery-report", DELIVERED.format("PASS", "seen")).json
    assert "put it back" in said["findings"][0]["message"]
    assert micro.end()["rule"] == "micro/no-verdict"
    assert micro.git("cat-file", "-t", f"{STORY}:{FOLDER}") == "tree"


def test_a_folder_that_a_commit_replaces_is_asked_about(micro: Bench) -> None:
    tree = Bench(micro.tree)
    tree.git("checkout", "--quiet", "--detach", STORY)
    tree.git("rm", "-r", "--quiet", FOLDER)
    tree.write({FOLDER: "x\n"})
    tree.git("add", "--", FOLDER)
    tree.git("commit", "--quiet", "--message", "a file")
    tree.git("branch", "--force", STORY, "HEAD")
    tree.git("checkout", "--quiet", "--detach", "HEAD^")
    assert "where the story's folder should be" in asked(micro.deliver())
    micro.git("branch", "--force", STORY, f"{STORY}^")
    assert micro.answer("retry")["rule"] == "close/done"


# What git says


@pytest.mark.parametrize(("said", "told"), [
    ("fatal: Unable to create '/a/index.lock': File exists.", "/a/index.lock"),
    ("error: unable to write file x\nfatal: write error: No space left on device", "the disk is full"),
    ("fatal: cannot update ref 'refs/heads/a': couldn't write '/a.lock'", "the disk is full"),
    ("git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly", "a filter"),
    ("git@github.com: Permission denied (publickey).\nfatal: Could not read from it.", "(publickey)"),
    ("Host key verification failed.\nfatal: Could not read from remote repository.", "Host key verification"),
    ("fatal: unable to access 'https://a.example/b/': Could not resolve host: a.example",
     "cannot be reached (`git status`: fatal: unable to access 'https://a.example/b/': Could not resolve"),
    ("error: open(\"a\"): Permission denied", "make it yours"),
    ("fatal: bad object HEAD", "missing or damaged"),
    ("fatal: not a tree object", "missing or damaged"),
    ("fatal: git cat-file refs/heads/main:.baton.yaml: bad file", "missing or damaged"),
    ("fatal: ref updates aborted by hook", "reference-transaction"),
    ("hint: it is missing a byte order mark, which its working-tree-encoding wants", "fix what git names"),
    ("error: packed object 12 (stored in a.pack) is corrupt", "missing or damaged"),
    ("fatal: something new", "fix what git names"),
])  # fmt: skip
def test_what_git_says_has_its_sentence_and_a_remedy(said: str, told: str) -> None:
    assert told in str(refusal_of("status", Result(128, "", said), Path("/a")))
