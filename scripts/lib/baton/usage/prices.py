"""The prices of models, in US dollars per million tokens, as published.

From https://platform.claude.com/docs/en/about-claude/pricing, on 24 October 2026: list prices of the API, without
batches, fast mode, data residency or what another cloud adds. A subscription is not billed by these.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from baton.usage.transcript import Tokens


class Price(NamedTuple):
    """US dollars per million tokens: input, output, cache writes for 5 minutes or an hour, cache reads."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float


class Cost(NamedTuple):
    """A range in US dollars, and the models in it without a price."""

    low: float
    high: float
    unpriced: tuple[str, ...] = ()


# By the model's name and version; several where the price depends on what is not known here.
PRICES: dict[str, tuple[Price, ...]] = {
    "fable-5-1": (Price(10, 50, 12.5, 20, 0.25),),
    "mythos-5-1": (Price(10, 50, 12.5, 20, 0.25),),
    "fable-5": (Price(10, 50, 12.5, 20, 1),),
    "mythos-5": (Price(10, 50, 12.5, 20, 1),),
    "opus-5-5": (Price(4, 20, 5, 8, 0.2),),
    "opus-5": (Price(5, 25, 6.25, 10, 0.5),),
    "opus-4-8": (Price(5, 25, 6.25, 10, 0.5),),
    "opus-4-7": (Price(5, 25, 6.25, 10, 0.5),),
    "opus-4-6": (Price(5, 25, 6.25, 10, 0.5),),
    "opus-4-5": (Price(5, 25, 6.25, 10, 0.5),),
    "opus-4-1": (Price(15, 75, 18.75, 30, 1.5),),
    "opus-4": (Price(15, 75, 18.75, 30, 1.5),),
    "sonnet-5-5": (Price(2, 10, 2.5, 4, 0.1),),
    "sonnet-5": (Price(2, 10, 2.5, 4, 0.2),),
    "sonnet-4-6": (Price(3, 15, 3.75, 6, 0.3),),
    "sonnet-4-5": (Price(3, 15, 3.75, 6, 0.3),),
    "sonnet-4": (Price(3, 15, 3.75, 6, 0.3),),
    # A request of more than 100,000 tokens costs the second.
    "haiku-5-5": (Price(0.1, 0.5, 0.125, 0.2, 0.01), Price(0.5, 2.5, 0.625, 1, 0.05)),
    "haiku-4-5": (Price(1, 5, 1.25, 2, 0.1),),
}
FAMILIES = ("fable", "mythos", "opus", "sonnet", "haiku")


def find_prices(model: str) -> tuple[Price, ...]:
    """Return the prices a model may have: all of its family where its version is not listed; none if unknown."""
    # A number of one or two digits that follows is a part of the version; a longer one is a date.
    fits = (name for name in PRICES if re.search(rf"(?<![a-z]){name}(?!-?\d{{1,2}}(?!\d))", model.lower()))
    if name := next(fits, ""):
        return PRICES[name]
    family = next((family for family in FAMILIES if family in model.lower()), "")
    return tuple(
        price for name, prices in PRICES.items() if family and name.startswith(family) for price in prices
    )


def cost_of(models: Mapping[str, Tokens]) -> Cost:
    """Return the cost of tokens by model; a lower bound, as their output is one."""
    low, high, unpriced = 0.0, 0.0, list[str]()
    for model, tokens in models.items():
        ends = [end for price in find_prices(model) for end in _ends(price, tokens)]
        if not ends:
            unpriced.append(model)
            continue
        low, high = low + min(ends), high + max(ends)
    return Cost(low, high, tuple(sorted(unpriced)))


def _ends(price: Price, tokens: Tokens) -> tuple[float, float]:
    """Return the least and the most by one price, as some cache writes do not say for how long."""
    unsaid = max(0, tokens.cache_write - tokens.write_5m - tokens.write_1h)
    known = (
        tokens.input * price.input
        + tokens.output * price.output
        + tokens.cache_read * price.read
        + tokens.write_5m * price.write_5m
        + tokens.write_1h * price.write_1h
    )
    return (known + unsaid * price.write_5m) / 1e6, (known + unsaid * price.write_1h) / 1e6
