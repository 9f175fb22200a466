"""A line of memory gives way only to an entry that contradicts it and says most of it again."""

import pytest

from baton.artifacts.memory_entries import MemoryEntry
from baton.memory.learn import Accepted, learn
from baton.memory.place import MemoryPlace
from bench import Bench
from memory.test_triage import finish, triage

PLACE = MemoryPlace("file", "CLAUDE.md")


def how(kind: str, text: str, line: str, names: str = "") -> tuple[str, bool]:
    """Return what becomes of an entry where memory has this line, and whether the line is still there."""
    entry = MemoryEntry(kind, text, names=names)  # type: ignore[arg-type]
    files = {"CLAUDE.md": f"# Rules\n\n{line}\n"}
    changed, [one] = learn(PLACE, files, [Accepted(entry, text, "2026-01-01")], "42")
    return one.how, line in {**files, **changed}["CLAUDE.md"]


@pytest.mark.parametrize(
    ("text", "line", "names"),
    [
        ("Install all packages with pnpm", "- Install all packages with npm", ""),
        ("`old` is gone; call `fresh` where rows are read", "- Call `old` there.", ""),
        ("run them with make", "- never run tests", "never run tests"),
        ("DEC-3 is stale: pnpm installs all packages", "- DEC-3: npm installs all packages", ""),
        ("CLAUDE.md:3 is wrong: `make build` builds all targets", "- Build all targets with make", ""),
    ],
)
def test_an_entry_that_says_most_of_a_line_takes_its_place(text: str, line: str, names: str) -> None:
    assert how("contradicted", text, line, names) == ("replaced", False)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The log files are latin-1, not UTF-8", "- CSV exports must be UTF-8, customers parse them"),
        ("Tokens are hashed with SHA-1, not AES-256", "- Per AES-256 rule, encrypt backups at rest"),
        ("CLAUDE.md:3 is wrong: tabs are used", "- Never push to the release branch"),
        ("Workers share no socket, so you can run tests in parallel, never in a row", "- never run tests"),
        (
            "Install packages with pnpm always",
            "- Install packages with npm always; never run sudo; deploy from main after approval",
        ),
    ],
)
def test_a_line_with_more_to_say_stays(text: str, line: str) -> None:
    assert how("contradicted", text, line) == ("added", True)


def test_an_id_counts_where_it_begins_a_line() -> None:
    assert how("confirmed", "The log files are UTF-8", "- CSV exports must be UTF-8")[0] == "added"
    assert how("confirmed", "DEC-3 still holds", "- **DEC-3**: npm is used")[0] == "confirmed"


def test_a_line_that_moved_is_not_taken_for_the_one_that_was_named(judging: Bench) -> None:
    delta = "---\nartefact_type: memory-delta\n---\n\n## Contradicted Entries\n\n- CLAUDE.md:3 is wrong: {}\n"
    judging.commit({"CLAUDE.md": "# Rules\n\n- Build all targets with make\n"})
    judging.hand_in("memory-delta", delta.format("`make build` builds all targets"))
    triage(judging, "--accept", "1")
    judging.commit({"CLAUDE.md": "# Rules\n\n- Never push to production\n- Build all targets with make\n"})
    judging.judge()
    assert "- Never push to production\n" in judging.git("show", "main:CLAUDE.md")


def test_what_gives_way_is_shown_before_and_told_after(judging: Bench) -> None:
    finish(judging)
    assert "    replaces CLAUDE.md:4: - Build with `make all` builds everything." in triage(judging).out
    said = triage(judging, "--accept", "3").out
    assert "; it said: - Build with `make all` builds everything." in said
