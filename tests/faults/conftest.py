"""One place for all scenarios of a test process."""

from functools import partial

import pytest

from faults.scenarios import Scenario
from faults.site import Site, scenario_site
from faults.strike import Strikes


@pytest.fixture(scope="session")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The place, and the shelf of what was prepared."""
    return scenario_site(tmp_path_factory)


@pytest.fixture
def site(shelved: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Give the place, kept from this machine's own settings."""
    shelved.settle(monkeypatch)
    return shelved


@pytest.fixture
def strikes(site: Site, scenario: Scenario) -> Strikes:
    """Give the command of a test's scenario, to be struck."""
    return Strikes(site, scenario, scenario.name, partial(site.lay_out, scenario.start), scenario.call)
