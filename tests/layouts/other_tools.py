"""Trees of specs as other tools leave them, and the way of a story in one of them to its merge."""

from pathlib import Path
from typing import NamedTuple

from bench import SETTINGS, Bench, report_on

TREES = Path(__file__).parents[1] / "examples" / "layouts"


class Case(NamedTuple):
    """A tree, the story in it that is begun, and where: its phases, how many are done, and its criteria."""

    tree: str
    id: str
    phases: int
    done: int
    inputs: int
    criteria: tuple[str, ...] = ("`sub(3, 2)` is 1", "a test shows it")


CASES = {
    case.tree: case
    for case in (
        Case("task-tree", "259", 7, 4, 6),
        Case("gaai", "E01S02", 2, 1, 3, ("AC1: `sub(3, 2)` is 1", "AC2: a test shows it")),
        Case(
            "spec-kit", "001", 3, 1, 4,
            (
                "**Given** 3 and 2, **When** `sub` is called, **Then** it returns 1",
                "**FR-001**: a test MUST show it",
            ),
        ),
        Case(
            "openspec", "add-subtraction", 2, 1, 3,
            (
                "Two numbers: **WHEN** `sub(3, 2)` is called, **THEN** it returns 1",
                "Shown: **WHEN** the tests run, **THEN** one of them shows it",
            ),
        ),
        Case("tickets", "7", 2, 1, 2),
    )
}  # fmt: skip


def theirs(tree: str) -> dict[str, str]:
    """Return the files of a tree, by their path in the repository."""
    top = TREES / tree
    paths = [one for one in sorted(top.rglob("*")) if one.is_file() and one.name != "layouts.yaml"]
    return {one.relative_to(top).as_posix(): one.read_text(encoding="utf-8") for one in paths}


def planted(bench: Bench, tree: str) -> Bench:
    """Commit another tool's tree, and the settings that go with it; its story is the one of the bench."""
    own = TREES / tree / "layouts.yaml"
    bench.configure(SETTINGS + (own.read_text(encoding="utf-8") if own.exists() else ""))
    bench.commit(theirs(tree))
    return Bench(bench.root, CASES[tree].id if tree in CASES else bench.id)


def start(bench: Bench, given: str = "") -> None:
    """Begin the story as `/implement` does."""
    said = bench.baton("start", "-", stdin=given or bench.id)
    assert (said.code, said.action) == (0, "DO spawn baton:implementer"), said.out + said.err


def finish(bench: Bench, case: Case) -> None:
    """Do what is open, and what an agent of the other tool would do to its files; have it passed and merged."""
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.edit({name: "overwritten\n" for name in theirs(case.tree) if not name.startswith(".specify/")})
    bench.mark(*range(case.done + 1, case.phases + 1))
    bench.insist("impl-report", report_on("test_calc.py", criteria=len(case.criteria)))
    step = bench.end()
    assert "(another tool's, which stays as it is)" in str(step["warnings"])
    assert bench.judge()["action"] == "complete"


def changed(bench: Bench, case: Case) -> list[str]:
    """Return which of their files main has otherwise."""
    return [name for name, text in theirs(case.tree).items() if bench.git("show", f"main:{name}") != text.strip()]
