"""SECURITY.md says where each defense is, and it is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith("| Threat")]
PLACES = sorted({place for row in ROWS for place in re.findall(r"`([^`]+)`", row.rstrip(" |").rpartition("|")[2])})


def test_every_threat_has_a_place() -> None:
    assert len(ROWS) > 10
    assert all("`" in row.rstrip(" |").rpartition("|")[2] for row in ROWS)


@pytest.mark.parametrize("place", PLACES)
def test_the_place_of_a_defense_is_there(place: str) -> None:
    assert (ROOT / "scripts/lib/baton" / place).exists() or (ROOT / place).exists()
