"""What is said of what was seen, also on the page of each client: since when it holds, what changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton_lab.probes.all_probes import PROBES, find_probes
from baton_lab.probes.command import lines_of, summary
from baton_lab.probes.probe import TERMINAL, Lab, Probe
from baton_lab.probes.run_probes import Observation, holds_since, read_tables, seen_before, try_probe, version_of
from baton_lab.probes.tables import table_of
from client.fetch_client import VERSION

TABLES = {"2.1.9": {"a": "yes"}, "2.1.10": {"a": "no"}, "2.1.20": {"a": "yes"}, "2.1.30": {"a": "yes", "b": "new"}}


def a_probe(try_out: Callable[[Lab], str] = lambda _: "yes", scope: str = "`claude -p`") -> Probe:
    return Probe("a", "Is it?", "It is.", "yes", scope, try_out)


@pytest.mark.parametrize(("name", "version", "observed", "since"), [
    ("a", "2.1.30", "yes", "2.1.20"), ("a", "2.1.40", "yes", "2.1.20"), ("a", "2.1.10", "no", "2.1.10"),
    ("a", "2.1.40", "no", "2.1.40"), ("b", "2.1.30", "new", "2.1.30"), ("c", "2.1.30", "yes", "2.1.30"),
])  # fmt: skip
def test_a_claim_holds_since_the_same_was_always_seen(name: str, version: str, observed: str, since: str) -> None:
    assert holds_since(name, version, observed, TABLES) == since


@pytest.mark.parametrize(("version", "before"), [("2.1.25", ("2.1.20", "yes")), ("2.1.8", None)])
def test_the_newest_version_up_to_this_one_is_compared_with(version: str, before: tuple[str, str] | None) -> None:
    assert seen_before("a", version, TABLES) == before


def test_a_change_names_what_was_seen_before() -> None:
    changed = lines_of(Observation(a_probe(), "2.1.40", "no"), TABLES, whole=False)
    assert changed == ["CHANGED   a: It is. · 2.1.40 · no", "  the claim needs: yes; in 2.1.30 it was: yes"]
    held = lines_of(Observation(a_probe(), "2.1.40", "yes"), TABLES, whole=True)
    assert held == [
        "holds     It is. · 2.1.40 · yes · since 2.1.20",
        "  question: Is it?",
        "  tried in: `claude -p`",
    ]


def test_a_probe_that_fails_has_observed_that(tmp_path: Path) -> None:
    def fails(_: Lab) -> str:
        raise AssertionError("no answer\nat all")

    seen = try_probe(a_probe(fails), tmp_path, "2.1.40")
    assert (seen.holds, seen.observed) == (False, "the probe failed: no answer at all")
    assert (
        lines_of(seen, TABLES, whole=False)[0]
        == "FAILED    a: It is. · 2.1.40 · the probe failed: no answer at all"
    )


def test_without_packages_a_terminals_probe_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("baton_lab.probes.run_probes.find_spec", lambda _: None)
    seen = [try_probe(a_probe(scope=scope), tmp_path, "2.1.40") for scope in (TERMINAL, "`claude -p`")]
    assert [one.left_out[:20] for one in seen] == ["it needs a terminal,", ""]
    assert summary(seen) == "1 of 1 claims hold in 2.1.40, 1 left out"


def test_a_program_that_is_no_client_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", Path("/bin/ls")):
        with pytest.raises(BatonError, match="--client PATH"):
            version_of(path)
    with pytest.raises(BatonError, match="no probe `nope`"):
        find_probes(["nope"])


def test_results_of_the_pinned_client_are_kept() -> None:
    assert read_tables()[VERSION] == {name: one.expected for name, one in PROBES.items()}


# The page of each client says what was seen there


ROOT = Path(__file__).parents[2]
SEEN = {"2.1.9": {"tools-unknown": "started"}, "2.1.10": {"tools-unknown": "refused; with Read it runs"}}


@pytest.mark.parametrize("version", read_tables())
def test_the_page_of_a_client_is_the_one_that_is_written(version: str) -> None:
    page = ROOT / "docs" / "clients" / f"{version}.md"
    assert page.read_text(encoding="utf-8") == table_of(version, read_tables()), "run scripts/lab tables"


def test_each_page_is_of_a_client_that_was_tried() -> None:
    assert {page.stem for page in ROOT.glob("docs/clients/*.md")} == set(read_tables())


@pytest.mark.parametrize(
    ("version", "claim"),
    [("2.1.9", "| ~~An agent whose `tools` name no"), ("2.1.10", "| An agent whose `tools` name no")],
)
def test_a_claim_that_did_not_hold_is_struck_through(version: str, claim: str) -> None:
    assert claim in table_of(version, SEEN)
