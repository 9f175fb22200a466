"""What a plan's phases name under `Files:`, and whether what two plans name meets."""

import pytest

from baton.artifacts.claims import find_shared
from baton.artifacts.findings import warnings_in
from baton.artifacts.plan import check_plan, read_plan


def plan(*bodies: str) -> str:
    return "\n\n".join(f"### Phase {number}: Name\n\n{body}" for number, body in enumerate(bodies, 1))


def claims(*bodies: str) -> tuple[str, ...] | None:
    return read_plan(plan(*bodies)).claims


@pytest.mark.parametrize(("line", "claimed"), [
    ("Files: a.py, src/b/", ("a.py", "src/b")),
    ("**Files:** `a.py` (new), `src/b`: the parser.", ("a.py", "src/b")),
    ("- files: ./src//a.py.", ("src/a.py",)),
    ("Files:\n\n- `a.py`: the parser\n- src/b\n\nThen: c.py", ("a.py", "src/b")),
    ("Files: src/x/../a.py", ("src/a.py",)),
    ("Files: src/**/*.py, test_?.py, lib/{a,b}.py", (".", "b}.py", "lib", "src")),
    ("Files: app/[id]/page.tsx", ("app/[id]/page.tsx",)),
    ("Files: .", (".",)),
])  # fmt: skip
def test_a_phase_claims_what_its_line_names(line: str, claimed: tuple[str, ...]) -> None:
    assert claims(line) == claimed


@pytest.mark.parametrize("body", ["What to do.", "The files: all", "Files: ", "```\nFiles: a.py\n```"])
def test_a_phase_without_that_line_claims_nothing(body: str) -> None:
    assert claims(body) is None


def test_a_plan_claims_what_its_phases_claim_together() -> None:
    assert claims("Files: b.py", "Nothing.", "Files: a.py, b.py") == ("a.py", "b.py")


@pytest.mark.parametrize("name", ["/etc/passwd", "../other/a.py", "a/../../b", "~/a.py", ".git/config"])
def test_a_name_outside_the_repository_is_a_finding_and_claims_nothing(name: str) -> None:
    found = [one for one in warnings_in(check_plan(plan(f"Files: {name}"), "plan")) if one.rule == "plan/file"]
    assert [(one.where, name in one.message) for one in found] == [("line 3", True)]
    assert claims(f"Files: {name}, a.py") == ("a.py",)
    assert not [one for one in check_plan(plan("Files: a.py"), "plan") if one.rule == "plan/file"]


@pytest.mark.parametrize(("one", "other", "shared"), [
    (("a.py",), ("b.py", "a.py"), "a.py"), (("src",), ("src/a.py",), "src/a.py"), (("src/a",), ("src",), "src/a"),
    ((".",), ("a.py",), "a.py"), (("src/a",), ("src/ab",), ""), (("a",), (), ""),
])  # fmt: skip
def test_claims_meet_in_a_file_or_its_folder(one: tuple[str, ...], other: tuple[str, ...], shared: str) -> None:
    assert find_shared(one, other) == find_shared(other, one) == shared
