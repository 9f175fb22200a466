"""A story whose source has more than was read of it asks at its start, once for the same text."""

import pytest

from bench import Bench
from layouts.other_tools import planted, theirs

KIRO = """# Requirements
### Requirement 1
#### Acceptance Criteria
1. WHEN a THEN b
2. WHEN c THEN d
### Requirement 2
#### Acceptance Criteria
1. WHEN e THEN f
2. WHEN g THEN h
3. WHEN i THEN\u202e j
"""
EPICS = "# Epics\n" + "".join(
    f"\n## Story 1.{one}\n\n**Acceptance Criteria:**\n\n- it does {one}\n" for one in range(1, 31)
)
WHOLE = "---\nid: 1\ntitle: Requirements\n---\n\n## Acceptance Criteria\n\n- a\n- b\n"


@pytest.fixture
def begun(bench: Bench) -> Bench:
    """Begin a story of a file of which two criteria are read."""
    bench.write({"req.md": KIRO})
    assert bench.baton("story", "new", "--from", "req.md").code == 0
    return Bench(bench.root, "1")


@pytest.mark.parametrize("make", [
    ("story", "new", "--from", "-"), ("story", "new", "Requirements", "--body-file", "-"),
    ("story", "new", "--from", "req.md"),
])  # fmt: skip
def test_a_second_section_is_asked_about_whatever_it_came_by(bench: Bench, make: tuple[str, ...]) -> None:
    bench.write({"req.md": KIRO})
    bench.baton(*make, stdin=KIRO)
    step = Bench(bench.root, "1").next()
    assert (step["rule"], step["action"], step["phase"]) == ("start/criteria", "ask", "planning")
    place, words = step["reason"].split("\n")[1].split(maxsplit=1)
    number = int(place.removeprefix("specs/1_requirements/story.md:"))
    assert bench.baton("show", "1", "story").out.splitlines()[number - 1] == f"1. {words}" == "1. WHEN e THEN f"


def test_a_spec_that_is_read_whole_is_not_asked_about(bench: Bench) -> None:
    assert bench.baton("start", "-", stdin=KIRO.partition("### Requirement 2")[0]).code == 0
    assert Bench(bench.root, "1").next()["rule"] == "start/commands"


def test_what_was_accepted_is_not_asked_about_again(begun: Bench) -> None:
    begun.next()
    assert begun.answer("accept")["rule"] == "start/commands"
    assert begun.answer("accept")["rule"] == "start/planning"
    assert begun.state.criteria == ("WHEN a THEN b", "WHEN c THEN d")


def test_the_whole_list_can_be_given(begun: Bench) -> None:
    begun.next()
    assert begun.answer("retry")["rule"] == "start/criteria"
    assert begun.baton("story", "edit", "1", stdin=WHOLE).code == 0
    assert begun.answer("retry")["rule"] == "start/commands"
    begun.answer("accept")
    assert begun.state.criteria == ("a", "b")


def test_lines_are_shown_as_they_are_seen_and_only_the_first(bench: Bench) -> None:
    for title, text in (("Kiro", KIRO), ("Epics", EPICS)):
        bench.baton("story", "new", title, "--body-file", "-", stdin=text)
    assert "WHEN i THEN[U+202E] j" in Bench(bench.root, "1").next()["reason"]
    lines = Bench(bench.root, "2").next()["reason"].split("\n")
    assert (len(lines), lines[-1].strip()) == (22, "and 9 more")


def test_a_document_of_another_tool_is_held_against_what_was_read_of_it(bench: Bench) -> None:
    tree = planted(bench, "gaai")
    path = ".gaai/project/contexts/artefacts/stories/E01S02.story.md"
    bench.commit({path: theirs("gaai")[path] + "\n## Requirements\n\n- it is fast\n"})
    bench.git("reset", "--quiet", "--hard", "main")
    assert tree.baton("start", "-", stdin="E01S02").code == 0
    assert f"\n  {path}:" in tree.next()["reason"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", ".git/config"])
def test_a_document_that_is_no_file_of_the_repository_is_not_read(name: str, bench: Bench) -> None:
    bench.new()
    text = bench.place("story").read_text(encoding="utf-8")
    bench.place("story").write_text(text.replace("---\n", f"---\ncriteria_in: ['{name}']\n", 1), encoding="utf-8")
    assert bench.next()["rule"] == "start/commands"
