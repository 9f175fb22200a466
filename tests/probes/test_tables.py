"""The page of each client says what was seen there."""

from pathlib import Path

import pytest

from baton_lab.probes.run_probes import read_tables
from baton_lab.probes.tables import table_of

ROOT = Path(__file__).parents[2]
TABLES = {"2.1.9": {"tools-unknown": "started"}, "2.1.10": {"tools-unknown": "refused; with Read it runs"}}


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
    assert claim in table_of(version, TABLES)
