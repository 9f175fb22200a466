"""Twenty entries of three kinds over five ways to keep memory, killed at every write, called again: each once."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest

from bench import SETTINGS, Bench
from faults.child import FIRST_MOMENT, Killed, forked, killer, walk
from quick_run import rank

# How many places a quick run kills at.
QUICKLY = 6

CONFIRMED = [f"The module number{n} keeps table{n} sorted" for n in range(6)]
CONTRADICTED = [f"`old{n}` is gone; call `fresh{n}` where rows{n} are read" for n in range(7)]
NEW = [f"Lesson {n} of the parser: token{n} before brace{n}" for n in range(7)]
SECTIONS = {"Confirmed Entries": CONFIRMED, "Contradicted Entries": CONTRADICTED, "New Knowledge Candidates": NEW}
DELTA = "---\nartefact_type: memory-delta\n---\n" + "".join(
    f"## {title}\n\n{''.join(f'- {one}{chr(10)}' for one in entries)}\n" for title, entries in SECTIONS.items()
)
# Half of what is confirmed stands there, and half of what is contradicted.
TEXT = "# Rules\r\n\r\n" + "".join(
    [*(f"- {one}.\r\n" for one in CONFIRMED[:3]), *(f"- Call `old{n}` there.\r\n" for n in range(3))]
)
PATTERNS = f"---\ntype: memory\nid: PATTERNS-001\n---\n\n# Patterns\n\n{TEXT}"
INDEX = "# Map\n\n## Active Files\n\n| File | Category | ID | Last updated |\n|---|---|---|---|\n\n## More\n"
GAAI = ".gaai/project/contexts/memory"


class Way(NamedTuple):
    """A way to keep memory: the setting, what base has, and the file that what is new goes into."""

    keep: str
    files: dict[str, str]
    home: str
    links: tuple[str, str] = ("", "")


WAYS = {
    "CLAUDE.md": Way("", {"CLAUDE.md": TEXT, "AGENTS.md": "x\n"}, "CLAUDE.md"),
    "AGENTS.md": Way("", {"AGENTS.md": TEXT}, "AGENTS.md"),
    "gaai": Way("", {f"{GAAI}/patterns/conventions.md": PATTERNS, f"{GAAI}/index.md": INDEX},
                f"{GAAI}/patterns/story-42.md"),
    "a folder": Way("docs/memory/", {"docs/memory/rules.md": TEXT}, "docs/memory/story-42.md"),
    "a link": Way("", {"RULES.md": TEXT}, "RULES.md", ("CLAUDE.md", "RULES.md")),
}  # fmt: skip
ACCEPT = ("memory", "triage", "42", "--accept", "1-20")


def lay_out(bench: Bench, way: Way) -> None:
    """Merge a story that leaves the twenty entries, on a base that keeps memory this way."""
    bench.configure(f"{SETTINGS}memory: {{keep: {way.keep}}}\n" if way.keep else SETTINGS)
    bench.commit(way.files)
    if way.links[0]:
        blob = bench.git("hash-object", "-w", "--stdin", stdin=way.links[1])
        bench.git("update-index", "--add", "--cacheinfo", f"120000,{blob},{way.links[0]}")
        bench.git("commit", "--quiet", "--message", "a link")
        bench.git("checkout", "--", way.links[0])
    assert bench.hand_in("memory-delta", DELTA).code == 0
    bench.judge()


def memory_of(bench: Bench, way: Way) -> str:
    names = bench.git("ls-tree", "-r", "--name-only", "main", "--", *way.files, way.home).split("\n")
    return "".join(f"{bench.git('show', f'main:{name}')}\n" for name in names)


def check_once(bench: Bench, way: Way) -> None:
    """See that every entry is in memory once, and that nothing else changed."""
    text = memory_of(bench, way)
    assert [text.count(one) for one in CONFIRMED] == [1] * 6
    assert [text.count(f"call `fresh{n}`") for n in range(7)] == [1] * 7
    assert [text.count(f"Call `old{n}` there") for n in range(3)] == [0] * 3
    assert [text.count(one) for one in NEW] == [1] * 7
    merge = bench.state.completed.commit if bench.state.completed else ""
    assert bench.git("rev-list", "--count", f"{merge}..main") == "1"
    changed = bench.git("diff", "--name-only", merge, "main").split("\n")
    assert set(changed) <= {*way.files, way.home}
    assert bench.changes == ""


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_each_entry_is_written_once_where_memory_is_kept(way: Way, judging: Bench) -> None:
    lay_out(judging, way)
    assert judging.baton(*ACCEPT).code == 0
    check_once(judging, way)
    assert judging.git("ls-tree", "main", "--", way.home).split(" ")[0] == "100644"
    judging.baton(*ACCEPT)
    judging.next()
    check_once(judging, way)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_killed_at_any_write_and_called_again_each_is_there_once(
    way: Way, quick: bool, judging: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lay_out(judging, way)
    again: list[Callable[[Bench], object]] = [lambda b: b.baton(*ACCEPT), lambda b: b.next()]
    first = judging.copy(tmp_path_factory.mktemp("walk") / "project")
    calls, _ = walk(lambda: first.baton(*ACCEPT), lambda call: call.number)
    assert len(calls) > 10
    for number in sorted(calls, key=rank)[: QUICKLY if quick else None]:
        bench = judging.copy(tmp_path_factory.mktemp("kill") / "project")
        ended = forked(partial(bench.baton, *ACCEPT), FIRST_MOMENT, killer(number))
        assert isinstance(ended, Killed)
        again[number % 2](bench)
        assert bench.baton(*ACCEPT).code == 0
        check_once(bench, way)


def test_a_link_that_leads_out_is_refused(judging: Bench) -> None:
    lay_out(judging, Way("", {"RULES.md": TEXT}, "RULES.md", ("CLAUDE.md", "../RULES.md")))
    before = judging.git("rev-parse", "main")
    assert "a link that leads out of the repository" in judging.baton(*ACCEPT).refused
    assert judging.git("rev-parse", "main") == before


def test_gaai_lists_the_new_file_in_its_index_once(judging: Bench) -> None:
    lay_out(judging, WAYS["gaai"])
    judging.baton("memory", "triage", "42", "--accept", "1-10")
    judging.baton("memory", "triage", "42", "--accept", "11-20")
    lines = judging.git("show", f"main:{GAAI}/index.md").split("\n")
    row = [one for one in lines if "story-42.md" in one]
    assert len(row) == 1
    assert row[0].startswith("| `patterns/story-42.md` | patterns | PATTERNS-STORY-42 | ")
    assert lines[lines.index(row[0]) - 1] == "|---|---|---|---|"
    home = judging.git("show", f"main:{WAYS['gaai'].home}").split("\n")
    assert home[:4] == ["---", "type: memory", "category: patterns", "id: PATTERNS-STORY-42"]
