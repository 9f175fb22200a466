"""What tokens cost: a range where it depends, nothing where nobody knows."""

import pytest

from baton.usage.prices import PRICES, Cost, cost_of, find_prices
from baton.usage.transcript import Tokens

EACH = Tokens(1, 1_000_000, 1_000_000, 1_000_000, 2_000_000, 1_000_000, 1_000_000)


@pytest.mark.parametrize(("model", "name"), [
    ("claude-opus-5-5", "opus-5-5"), ("claude-opus-5-5[1m]", "opus-5-5"), ("claude-opus-5", "opus-5"),
    ("claude-opus-4-20250514", "opus-4"), ("us.anthropic.claude-opus-4-5-20251101-v1:0", "opus-4-5"),
    ("claude-sonnet-4-5@20250929", "sonnet-4-5"), ("Claude-Haiku-4-5", "haiku-4-5"),
    ("claude-fable-5-1", "fable-5-1"), ("claude-fable-5", "fable-5"),
])  # fmt: skip
def test_a_model_has_the_price_of_its_version(model: str, name: str) -> None:
    assert find_prices(model) == PRICES[name]


@pytest.mark.parametrize("model", ["opus", "claude-opus-6", "claude-opus-5-7", "claude-opus-4-9-20270101"])
def test_a_version_that_is_not_listed_may_cost_what_any_of_its_family_does(model: str) -> None:
    cost = cost_of({model: EACH})
    assert (cost.low, cost.high) == (4 + 20 + 0.2 + 5 + 8, 15 + 75 + 1.5 + 18.75 + 30)


@pytest.mark.parametrize("model", ["unknown", "gpt-6-sol", "", "magnum"])
def test_of_another_model_no_price_is_known(model: str) -> None:
    assert cost_of({model: EACH, "claude-haiku-4-5": Tokens(1, 1_000_000)}) == Cost(1, 1, (model,))


def test_what_is_kept_nobody_says_how_long_may_cost_either_price() -> None:
    assert cost_of({"claude-opus-5-5": Tokens(1, cache_write=1_000_000)}) == Cost(5, 8)
    assert cost_of({"claude-opus-5-5": Tokens(1, cache_write=1_000_000, write_1h=1_000_000)}) == Cost(8, 8)


def test_every_price_is_ordered_as_published() -> None:
    for price in (price for prices in PRICES.values() for price in prices):
        assert price.read < price.input < price.write_5m < price.write_1h < price.output
