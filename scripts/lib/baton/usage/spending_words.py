"""Spending in words: one line for a run, a story, or a phase."""

from collections.abc import Sequence
from typing import Any

from baton.text import clip, join_words, lasting, plural, visible
from baton.usage.spending import Spending, Total, by_phase, sum_of

# How the service's refusals are told.
REFUSED = {"limit": "the limit of your plan is reached", "overloaded": "the service is overloaded"}
UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def sum_words(total: Total) -> str:
    """Say a sum in words: tokens in, from and to the cache, out; time; dollars; and the unknown parts."""
    tokens = total.tokens
    cache = f"cache {short_count(tokens.cache_read)} read and {short_count(tokens.cache_write)} written"
    used = f"{short_count(tokens.input)} tokens in, {cache}, at least {short_count(tokens.output)} out"
    unpriced = join_words([visible(model) for model in total.unpriced])
    parts = [
        used if tokens.requests else "tokens not known",
        lasting(total.seconds),
        dollar_range(total) if total.high else "",
        f"no price is known of {unpriced}" if unpriced else "",
        f"not counted: {plural(total.unknown, 'run')} of unknown use" if total.unknown and tokens.requests else "",
    ]
    return "; ".join(filter(None, parts))


def spending_words(spent: Spending) -> str:
    """Say the spending of a run or the conversation: models, the one asked for, sums, why it is not known."""
    ran = join_words([clip(visible(name), 60) for name in spent.models])
    instead = f", {clip(visible(spent.asked), 60)} was asked for" if spent.other_models else ""
    parts = [f"{ran}{instead}", sum_words(sum_of([spent])), visible(spent.unknown)]
    return "; ".join(filter(None, parts))


def other_models_words(spending: Sequence[Spending]) -> str:
    """Name the runs that used another model than the one asked for; empty for none."""
    named = [f"{row.run}: {join_words(list(row.models))}, not {row.asked}" for row in spending if row.other_models]
    return visible("; ".join(named))


def sum_data(total: Total) -> dict[str, Any]:
    """Return a sum as JSON data; its output and its dollars are at least so many."""
    tokens = total.tokens._asdict()
    output = {"output_at_least": tokens.pop("output")}
    known = {"seconds": total.seconds, "usd": [round(total.low, 4), round(total.high, 4)]}
    return {**tokens, **output, **known, "unpriced": list(total.unpriced), "runs_not_known": total.unknown}


def spending_data(spent: Spending) -> dict[str, Any]:
    """Return the spending of a run as JSON data."""
    about = {"run": spent.run, "phase": spent.phase, "models": list(spent.models), "model_asked": spent.asked}
    return {**about, **sum_data(sum_of([spent])), "unknown": spent.unknown}


def phases_words(spending: Sequence[Spending]) -> str:
    """Say the spending of each phase, in a line."""
    return " · ".join(f"{phase}: {sum_words(total)}" for phase, total in by_phase(spending).items())


def dollar_range(total: Total) -> str:
    """Say a range of dollars, as a lower bound, since the tokens of output are one."""
    low, high = f"{total.low:.2f}", f"{total.high:.2f}"
    return f"${low} or more" if low == high else f"${low} to ${high} or more"


def whole_minutes(seconds: float) -> int:
    """Round seconds up to minutes."""
    return -int(-seconds // 60)


def short_count(count: float) -> str:
    """Write a number of tokens in three digits or so."""
    size, unit = next(((size, unit) for size, unit in UNITS if count >= size), (1, ""))
    scaled = count / size
    return f"{scaled:.0f}{unit}" if unit == "" or scaled >= 100 else f"{scaled:.1f}{unit}"
