"""What a story taught goes into memory as exactly the commit the user was shown, once, and nothing unasked."""

from functools import partial
from pathlib import Path
from shutil import rmtree

import pytest

from baton.git.command import Git
from baton.git.history import find_story_branch
from bench import SETTINGS, Bench, CallResult
from faults.child import FIRST_MOMENT, Killed, forked, killer, walk
from quick_run import rank

pytestmark = pytest.mark.sampled(14)

DELTA = """---
artefact_type: memory-delta
---

## Contradicted Entries

- `make all` is gone: `make build` builds it (Makefile:4)

## New Knowledge Candidates

### Painting happens before the settings are read
"""
CLAUDE = "# Rules\n\n- The colors come from theme.json.\n- Build with `make all`.\n"
LEARNED = CLAUDE.replace("make all", "make build") + "- Paint before the settings are read.\n"
# How many places a quick run kills at, and a whole one.
QUICKLY, MOST = 8, 60


def finish(bench: Bench, delta: str = DELTA, memory: str = CLAUDE) -> None:
    """Have QA leave a delta and pass the story, on a base with this memory."""
    if memory:
        bench.commit({"CLAUDE.md": memory})
    assert bench.hand_in("memory-delta", delta).code == 0
    bench.judge()


def triage(bench: Bench, *words: str, stdin: str = "") -> CallResult:
    return bench.baton("memory", "triage", "42", *words, stdin=stdin)


def tree_of(bench: Bench) -> Path:
    """Make the work tree for memory, and return it."""
    said = triage(bench, "--tree")
    assert said.code == 0, said.err
    tree = Path(said.out.partition(" memory in ")[2].partition(", then")[0])
    assert tree.is_absolute(), said.out
    return tree


def edit(bench: Bench, text: str = LEARNED, name: str = "CLAUDE.md") -> str:
    """Edit memory in its tree, and return the commit that is then shown."""
    (tree_of(bench) / name).write_text(text, encoding="utf-8")
    return str(triage(bench, "--json").json["commit"])


def accept(bench: Bench, commit: str) -> CallResult:
    return triage(bench, "--accept", "--seen", commit)


@pytest.fixture
def done(judging: Bench) -> Bench:
    """A merged story with a delta."""
    finish(judging)
    return judging


def test_the_delta_is_shown_whole_and_inert_with_where_memory_is_kept(done: Bench) -> None:
    lines = triage(done).out.splitlines()
    assert lines[:2] == ["MEMORY of story 42: waits; memory is kept in CLAUDE.md", "┌ what QA found"]
    assert [line[2:] for line in lines if line.startswith("│")] == DELTA.rstrip().splitlines()
    assert lines[-1] == "THEN baton memory triage 42 --draft"


def test_the_change_in_the_tree_is_one_commit_shown_as_a_diff(done: Bench) -> None:
    commit, base = edit(done), done.git("rev-parse", "main")
    said = triage(done).out
    assert f"the diff of {commit}: an agent wrote this; it will be read by every session" in said
    assert "│ -- Build with `make all`.\n│ +- Build with `make build`.\n" in said
    assert said.endswith(f"THEN baton memory triage 42 --accept --seen {commit}\n")
    assert done.git("rev-parse", f"{commit}^") == base
    assert triage(done, "--json").json["commit"] == commit


def test_accepted_it_is_exactly_that_commit_on_base(done: Bench) -> None:
    commit = edit(done)
    assert f"DONE {commit[:12]} is on main" in accept(done, commit).out
    assert done.git("rev-parse", "main") == commit
    assert (done.root / "CLAUDE.md").read_text() == LEARNED
    assert (done.trees, done.git("for-each-ref", "refs/baton/42/"), done.changes) == ([done.root], "", "")
    assert "memory:" not in done.baton("status").out


def test_accepted_twice_it_is_there_once(done: Bench) -> None:
    commit = edit(done)
    accept(done, commit)
    assert f"DONE {commit[:12]} was accepted before" in accept(done, commit).out
    assert done.git("rev-parse", "main") == commit
    assert "it was accepted before" in triage(done, "--reject").refused


def test_another_commit_than_the_one_that_was_shown_is_not_accepted(done: Bench) -> None:
    shown, base = edit(done), done.git("rev-parse", "main")
    waits = edit(done, f"{LEARNED}- More.\n")
    for seen in (shown, "", waits[:8], "main"):
        assert f"what waits is {waits}" in accept(done, seen).refused
    assert done.git("rev-parse", "main") == base


def test_a_change_edited_after_it_was_shown_is_not_accepted(done: Bench) -> None:
    shown = edit(done)
    (tree_of(done) / "CLAUDE.md").write_text(f"{LEARNED}- More.\n")
    assert "what waits is " in accept(done, shown).refused


def test_nothing_is_written_unasked(done: Bench) -> None:
    base = done.git("rev-parse", "main")
    edit(done)
    done.next()
    assert "memory: what it taught waits: baton memory triage 42" in done.baton("status").out
    triage(done, "--reject")
    assert "it was rejected before" in triage(done, "--reject").out
    assert (done.git("rev-parse", "main"), done.trees) == (base, [done.root])
    assert done.git("for-each-ref", "refs/heads/story/42-memory", "refs/baton/42/") == ""
    assert (done.next()["warnings"], "memory:" in done.baton("status").out) == ([], False)


@pytest.mark.parametrize(("meanwhile", "says"), [
    ({"CLAUDE.md": f"# Title\n{CLAUDE}"}, "is on main"),
    ({"CLAUDE.md": CLAUDE.replace("make", "ninja")}, "changed"),
])  # fmt: skip
def test_a_base_that_moved_is_merged_or_drafted_again(meanwhile: dict[str, str], says: str, done: Bench) -> None:
    commit = edit(done)
    tip = done.commit(meanwhile)
    said = accept(done, commit)
    assert says in said.out + said.err
    merged = done.git("rev-list", "--parents", "-1", "main").split()[1:] == [tip, commit]
    assert merged == (says != "changed") != ("waits" in done.baton("status").out)


def test_on_a_base_that_moved_the_tree_begins_anew_unless_it_holds_what_is_in_no_commit(done: Bench) -> None:
    path = tree_of(done)
    done.commit({"CLAUDE.md": f"{CLAUDE}- New.\n"})
    assert (tree_of(done) / "CLAUDE.md").read_text().endswith("- New.\n")
    (path / "CLAUDE.md").write_text("<!-- hidden -->\n")
    done.commit({"CLAUDE.md": f"{CLAUDE}- Newer.\n"})
    assert "holds what is in no commit" in triage(done, "--tree").refused
    assert (path / "CLAUDE.md").read_text() == "<!-- hidden -->\n"


@pytest.mark.parametrize("leads", ["../elsewhere/.git", "{root}/.git", "{root}/.git/worktrees/other"])
def test_a_tree_whose_git_leads_elsewhere_is_not_read_and_can_be_rejected(leads: str, done: Bench) -> None:
    path, head = tree_of(done), done.git("rev-parse", "HEAD")
    done.git("worktree", "add", "-q", "--detach", "../other", "HEAD~1")
    done.git("clone", "-q", ".", str(path.parent / "elsewhere"))
    (path / ".git").write_text(f"gitdir: {leads.format(root=done.root)}\n")
    assert "its `.git` was changed" in triage(done).refused
    assert "rejected" in triage(done, "--reject").out
    assert (path.exists(), done.git("rev-parse", "HEAD")) == (False, head)


def test_a_commit_that_brings_others_with_it_is_refused(done: Bench) -> None:
    learned, base = edit(done), done.git("rev-parse", "main")
    rmtree(tree_of(done))
    code, more = (
        done.git("commit-tree", "-m", "x", "-p", "main", f"{one}^{{tree}}") for one in ("main~1", "main")
    )
    brings = done.git("commit-tree", "-m", "learned", "-p", more, f"{learned}^{{tree}}")
    for commit, why in ((brings, "it was not made from base"), (code, "not below CLAUDE.md")):
        done.git("update-ref", "refs/baton/42/memory-waits", commit)
        assert why in accept(done, commit).refused
    assert done.git("rev-parse", "main") == base
    done.git("update-ref", "refs/baton/42/memory-waits", learned)
    assert "is on main" in accept(done, learned).out


def test_a_change_in_the_way_is_named_and_memory_lands_at_the_next_call(done: Bench) -> None:
    commit = edit(done)
    done.write({"CLAUDE.md": "mine\n"})
    assert "git cannot move main forward" in accept(done, commit).refused
    assert "memory: accepted, not landed: baton next 42" in done.baton("status").out
    done.write({"CLAUDE.md": CLAUDE})
    assert done.next()["warnings"] == [f"memory: {commit[:12]} is on main"]
    assert done.git("rev-parse", "main") == commit


def test_in_the_mode_branch_it_stays_on_a_branch_of_its_own(judging: Bench) -> None:
    judging.configure(SETTINGS.replace("local", "branch"))
    finish(judging)
    base, commit = judging.git("rev-parse", "main"), edit(judging)
    assert "git switch main && git merge --no-ff story/42-memory" in accept(judging, commit).out
    assert judging.git("rev-parse", "main", "story/42-memory") == f"{base}\n{commit}"
    assert find_story_branch(Git(judging.project), "42") == "refs/heads/story/42-subtract-numbers"


def test_before_the_story_is_complete_it_is_only_shown(judging: Bench) -> None:
    judging.hand_in("memory-delta", DELTA)
    assert "what QA found" in triage(judging).out
    for words in (("--accept", "--seen", "a" * 40), ("--reject",), ("--draft",), ("--tree",)):
        assert "the story is not complete" in triage(judging, *words).refused


def test_a_branch_of_that_name_by_chance_is_left_alone(judging: Bench) -> None:
    judging.configure(SETTINGS.replace("local", "branch"))
    finish(judging)
    judging.git("branch", "story/42-memory", "main~1")
    assert "baton did not make this branch" in accept(judging, edit(judging)).refused
    assert judging.git("rev-parse", "story/42-memory") == judging.git("rev-parse", "main~1")
    judging.git("branch", "-m", "story/42-memory", "mine")
    assert "is on story/42-memory" in judging.next()["warnings"][0]


def test_a_project_that_keeps_no_memory_is_told_what_to_do(judging: Bench) -> None:
    finish(judging, memory="")
    assert "PROBLEM nowhere to keep it" in triage(judging).out
    assert "`memory: {keep: docs/memory.md}`" in triage(judging, "--tree").refused
    assert triage(judging, "--reject").code == 0


def test_a_story_without_a_delta_says_so_and_one_that_cannot_be_read_is_another(judging: Bench) -> None:
    judging.judge()
    assert triage(judging).out == "story 42 has no memory delta\n"
    judging.place("memory-delta").write_text("no front matter\n", encoding="utf-8")
    assert "its memory delta is not valid" in triage(judging).refused


@pytest.mark.parametrize("words", [("--accept", "--reject"), ("--edit", "words"), ("--draft", "--tree")])
def test_contradicting_options_are_refused(words: tuple[str, ...], done: Bench) -> None:
    before = done.journal.read_bytes()
    assert "one thing at a time" in triage(done, *words).refused
    assert done.journal.read_bytes() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("moves", [False, True], ids=["base stays", "base moves"])
def test_killed_at_any_write_and_called_again_it_is_there_once(
    moves: bool, quick: bool, done: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def decide(bench: Bench) -> CallResult:
        return accept(bench, str(triage(bench, "--json").json["commit"]))

    def copy(name: str) -> tuple[Bench, str]:
        bench = done.copy(copies / name)
        commit = edit(bench)
        if moves:
            bench.commit({"calc.py": "MORE = 1\n"})
        return bench, commit

    copies = tmp_path_factory.mktemp("kill")
    calls, _ = walk(partial(decide, copy("walk")[0]), lambda call: call.number)
    assert len(calls) > 20
    for number in sorted(calls, key=rank)[: QUICKLY if quick else MOST]:
        bench, commit = copy(str(number))
        assert isinstance(forked(partial(decide, bench), FIRST_MOMENT, killer(number)), Killed)
        assert accept(bench, commit).code == 0
        bench.next()
        assert f"{bench.git('show', 'main:CLAUDE.md')}\n" == LEARNED
        assert bench.git("log", "-1", "--format=%H", "main", "--", "CLAUDE.md") == commit
        assert (bench.changes, bench.git("for-each-ref", "refs/baton/42/")) == ("", "")
        assert bench.trees == [bench.root]
