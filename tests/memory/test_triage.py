"""What a story taught goes into the project's memory as the user decides: each entry once, and nothing unasked."""

import json

import pytest

from baton.git.command import Git
from baton.git.history import find_story_branch
from bench import SETTINGS, Bench, Said

pytestmark = pytest.mark.sampled(14)

DELTA = """---
artefact_type: memory-delta
---

## Confirmed Entries

- The colors come from the file theme.json (evidence: theme.py:3)
- Every public function has a type annotation

## Contradicted Entries

| Memory | Now | Evidence |
|---|---|---|
| `make all` builds it | `make build` builds it; the other target is gone | Makefile:4 |

## New Knowledge Candidates

### Painting happens before the settings are read

Seen in: paint.py:9
"""
CLAUDE = "# Rules\n\n- The colors come from the file theme.json.\n- Build with `make all` builds everything.\n"
# Put together, so that no search for secrets finds it here.
TOKEN = "ghp_" + "x7Kq9ZbT2mWcR5vJ8nLdF3hPgS6yA1eUoQ4i"
SECTION = "\n## Learned in stories\n\n"


def finish(bench: Bench, delta: str = DELTA, memory: str = CLAUDE) -> None:
    """Have QA leave a delta and pass the story, on a base with this memory."""
    if memory:
        bench.commit({"CLAUDE.md": memory})
    assert bench.hand_in("memory-delta", delta).code == 0
    bench.judge()


@pytest.fixture
def done(judging: Bench) -> Bench:
    """A merged story whose delta has four entries."""
    finish(judging)
    return judging


def triage(bench: Bench, *words: str) -> Said:
    return bench.baton("memory", "triage", "42", *words)


def test_every_entry_is_listed_with_what_memory_says_about_it(done: Bench) -> None:
    seen = triage(done, "--json").json["next"].rpartition(" ")[2]
    assert triage(done).out.splitlines() == [
        "MEMORY of story 42: 4 of 4 wait; kept in CLAUDE.md",
        "1 confirmed: The colors come from the file theme.json",
        "    evidence: theme.py:3",
        "    CLAUDE.md:3: - The colors come from the file theme.json.",
        "2 confirmed: Every public function has a type annotation",
        "    memory: nothing about it",
        "3 contradicted: `make build` builds it; the other target is gone",
        "    about: `make all` builds it",
        "    evidence: Makefile:4",
        "    replaces CLAUDE.md:4: - Build with `make all` builds everything.",
        "4 new: Painting happens before the settings are read",
        "    evidence: paint.py:9",
        "    memory: nothing about it",
        "OR --reject N,N drops entries, --edit 'N=TEXT' takes one in your words; what is left out waits",
        f"THEN baton memory triage 42 --accept 1,2,3,4 --seen {seen}",
    ]


def test_what_is_accepted_is_one_commit_of_memory_alone(done: Bench) -> None:
    before = done.git("rev-parse", "main")
    said = triage(done, "--accept", "1-3", "--reject", "4")
    assert said.code == 0, said.err
    assert done.git("show", "main:CLAUDE.md").splitlines() == [
        "# Rules", "", "- The colors come from the file theme.json.",
        "- `make build` builds it; the other target is gone (story 42)", "",
        "## Learned in stories", "", "- Every public function has a type annotation (story 42)",
    ]  # fmt: skip
    assert done.git("rev-parse", "main^") == before
    assert done.git("diff", "--name-only", "main^", "main") == "CLAUDE.md"
    assert (done.root / "CLAUDE.md").read_text() == done.git("show", "main:CLAUDE.md") + "\n"
    assert "THEN" not in said.out


def test_nothing_is_written_unasked(done: Bench) -> None:
    before = done.git("rev-parse", "main")
    triage(done)
    triage(done, "--json")
    triage(done, "--reject", "1-4")
    done.next()
    assert done.git("rev-parse", "main") == before


def test_the_users_own_words_are_written_in_place_of_the_entry(done: Bench) -> None:
    triage(done, "--edit", "4=Paint first, then read the settings")
    assert done.git("show", "main:CLAUDE.md").endswith(
        f"{SECTION}- Paint first, then read the settings (story 42)"
    )


def test_what_is_left_out_waits_for_ever_and_status_says_so(done: Bench) -> None:
    line = "memory: {} wait: baton memory triage 42".format
    assert line("4 entries") in done.baton("status").out
    assert done.next()["warnings"] == [line("4 entries")]
    triage(done, "--accept", "1,2", "--reject", "3")
    assert "memory: 1 entry waits: baton memory triage 42" in done.baton("status", "42").out
    triage(done, "--reject", "4")
    assert "memory:" not in done.baton("status").out
    assert done.next()["warnings"] == []


def test_a_decision_is_made_once(done: Bench) -> None:
    triage(done, "--accept", "4")
    before = done.git("rev-parse", "main")
    assert "entry 4 was accepted on " in triage(done, "--reject", "4").refused
    assert "DONE entry 4 was accepted before" in triage(done, "--accept", "4").out
    assert done.git("rev-parse", "main") == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--accept", "5"), "no entry 5"),
        (("--accept", "1", "--reject", "1-2"), "entry 1 is decided in two ways"),
        (("--accept", "one"), "no list of numbers"),
        (("--edit", "4"), "no text"),
        (("--edit", "4=  "), "no text for entry 4"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_decides_nothing(
    words: tuple[str, ...], why: str, done: Bench
) -> None:
    before = done.journal.read_bytes()
    assert why in triage(done, *words).refused
    assert done.journal.read_bytes() == before


def test_what_is_accepted_before_the_merge_is_written_after_it(judging: Bench) -> None:
    judging.commit({"CLAUDE.md": CLAUDE})
    judging.hand_in("memory-delta", DELTA)
    before = judging.git("rev-parse", "main")
    assert "is written once the story is complete" in triage(judging, "--accept", "4").out
    assert judging.git("rev-parse", "main") == before
    step = judging.judge()
    assert (step["rule"], judging.git("rev-list", "--count", "--first-parent", f"{before}..main")) == (
        "merge/done",
        "2",
    ) or step["action"] == "complete"
    assert "Painting happens" in judging.git("show", "main:CLAUDE.md")
    assert judging.git("diff", "--name-only", "main^", "main") == "CLAUDE.md"


def test_what_is_in_the_way_is_named_and_written_at_the_next_call(done: Bench) -> None:
    done.write({"CLAUDE.md": "mine\n"})
    assert "git cannot move main forward" in triage(done, "--accept", "4").refused
    done.write({"CLAUDE.md": CLAUDE})
    assert (
        "3 entries wait: baton memory triage 42; 1 accepted, not written: baton next 42"
        in done.baton("status").out
    )
    assert any("added to CLAUDE.md" in one for one in done.next()["warnings"])
    assert "not written" not in done.baton("status").out
    assert "Painting happens" in (done.root / "CLAUDE.md").read_text()


def test_what_looks_like_a_secret_is_not_taken(judging: Bench) -> None:
    judging.insist("memory-delta", DELTA + "\n### The token is " + TOKEN + "\n")
    assert judging.judge()["rule"] == "integrate/gate"
    judging.answer("accept")
    before = judging.git("rev-parse", "main")
    assert "what looks like a secret" in triage(judging, "--accept", "5").refused
    assert judging.git("rev-parse", "main") == before


def test_a_confirmed_entry_in_the_users_words_is_written(done: Bench) -> None:
    triage(done, "--edit", "1=The colors come from the file theme.json alone")
    assert "- The colors come from the file theme.json alone (story 42)" in done.git("show", "main:CLAUDE.md")


def test_a_file_where_a_folder_should_be_stays(judging: Bench) -> None:
    judging.configure(f"{SETTINGS}memory: {{keep: calc.py/memory.md}}\n")
    finish(judging)
    before = judging.git("rev-parse", "main")
    assert "where a folder should be" in triage(judging, "--accept", "4").refused
    assert judging.git("rev-parse", "main") == before


def test_a_project_that_keeps_no_memory_is_told_what_to_do(judging: Bench) -> None:
    finish(judging, memory="")
    assert "PROBLEM nowhere to keep it" in triage(judging).out
    assert "`memory: {keep: docs/memory.md}`" in triage(judging, "--accept", "1").refused
    assert triage(judging, "--reject", "1").code == 0


def test_a_story_without_a_delta_says_so(judging: Bench) -> None:
    judging.judge()
    assert triage(judging).out == "story 42 has no memory delta\n"


def test_all_of_it_is_data_too(done: Bench) -> None:
    data = triage(done, "--json").json
    assert data["entries"][2]["held"] == [
        {"path": "CLAUDE.md", "line": 4, "text": "- Build with `make all` builds everything."}
    ]
    assert (data["waiting"], data["keep"]) == ([1, 2, 3, 4], "CLAUDE.md")
    assert json.dumps(data)


def test_in_the_mode_branch_it_stays_on_a_branch_of_its_own(judging: Bench) -> None:
    judging.configure(SETTINGS.replace("local", "branch"))
    finish(judging)
    before = judging.git("rev-parse", "main")
    said = triage(judging, "--accept", "4").out
    assert "git switch main && git merge --no-ff story/42-memory" in said
    triage(judging, "--accept", "2")
    assert judging.git("rev-parse", "main") == before
    assert judging.git("rev-list", "--count", "main..story/42-memory") == "2"
    assert judging.git("diff", "--name-only", "main...story/42-memory") == "CLAUDE.md"
    assert find_story_branch(Git(judging.project), "42") == "refs/heads/story/42-subtract-numbers"


def test_what_was_listed_is_what_is_taken(judging: Bench) -> None:
    judging.commit({"CLAUDE.md": CLAUDE})
    judging.hand_in("memory-delta", DELTA)
    words = triage(judging, "--json").json["next"].split()[4:]
    other = DELTA.replace("## New", "- One more, before\n\n## New", 1)
    judging.hand_in("memory-delta", other)
    assert "has changed since it was listed" in triage(judging, *words).refused
    assert triage(judging, *triage(judging, "--json").json["next"].split()[4:]).code == 0


def test_a_delta_that_cannot_be_read_is_no_story_without_one(done: Bench) -> None:
    path = done.place("memory-delta")
    path.write_text("no front matter\n", encoding="utf-8")
    assert "its memory delta is not valid" in triage(done).refused
    path.unlink()
    assert "has no memory delta" in triage(done).out


@pytest.mark.parametrize("keep", [".baton.yaml", ".gitmodules", ".claude/settings.json", "docs"])
def test_memory_is_kept_in_a_text_file_or_a_folder(keep: str, done: Bench) -> None:
    done.settle("", f"memory: {{keep: {keep}}}")
    assert "no text file" in triage(done, "--accept", "1").refused


def test_a_file_in_utf_16_is_refused(done: Bench) -> None:
    done.git("switch", "-q", "main")
    (done.root / "CLAUDE.md").write_bytes("- x\n".encode("utf-16"))
    done.git("commit", "-qm", "in UTF-16", "--", "CLAUDE.md")
    before = done.git("rev-parse", "main")
    assert "PROBLEM UTF-16" in triage(done).out
    assert "UTF-16" in triage(done, "--accept", "4").err
    assert done.git("rev-parse", "main") == before
