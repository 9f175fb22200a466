"""One place for all scenarios of a test process."""

import pytest

from faults.site import Site, scenario_site


@pytest.fixture(scope="session")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The place, and the shelf of what was prepared."""
    return scenario_site(tmp_path_factory)


@pytest.fixture
def site(shelved: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Give the place, kept from this machine's own settings."""
    shelved.settle(monkeypatch)
    return shelved
