"""What a story has spent is added up from its journal, and told in a line."""

import re

import pytest

from baton.journal.events import Dispatched, Event, Judged, Spent
from baton.usage.spending import Spending, by_phase, join_conversation, spending_of, sum_of
from baton.usage.spending_words import other_models_words, short_count, spending_words, sum_words
from baton.usage.transcript import Tokens
from journal.happenings import dispatched, ended, judged, records

OPUS = "claude-opus-5-5"


def spent(run: str, requests: int = 1, model: str = OPUS, seconds: int = 90, unknown: str = "") -> Spent:
    return Spent(run, "s", {model: [requests, 1_000_000, 0, 0, 0]} if requests else {}, seconds, unknown)


def test_a_run_counts_once_as_it_was_told_last_and_the_conversation_each_time() -> None:
    told = spent("p1"), spent(""), spent("p1", 2), spent("")
    runs = spending_of(records(dispatched("p1", "planner"), *told))
    assert [(run.run, run.phase, run.models[OPUS].requests) for run in runs] == [
        ("p1", "planning", 2), ("", "conversation", 1), ("", "conversation", 1),
    ]  # fmt: skip
    assert [one.models[OPUS].requests for one in join_conversation(runs)] == [2, 2]
    assert sum_of(runs).tokens.requests == 4


@pytest.mark.parametrize("end", [ended("p1"), judged("p1", "implementer")])
def test_how_long_a_run_took_is_known_without_a_transcript(end: Event) -> None:
    [run] = spending_of(records(dispatched("p1", "planner"), end, judged("p1", "qa")))
    assert (run.seconds, run.models, bool(run.unknown)) == (60, {}, True)


def test_what_is_not_known_of_a_run_is_counted_and_said() -> None:
    runs = spending_of(records(dispatched("p1", "planner"), spent("p1"), dispatched("i1", "implementer")))
    assert "not counted: 1 run of unknown use" in sum_words(sum_of(runs))
    assert "no hook of the client" in spending_words(runs[1])
    assert "not counted" not in sum_words(sum_of(runs[:1]))


def test_what_was_spent_is_told_by_phase() -> None:
    runs = spending_of(records(dispatched("p1", "planner"), spent("p1"), spent("")))
    assert {phase: total.tokens.input for phase, total in by_phase(runs).items()} == {
        "planning": 1_000_000, "conversation": 1_000_000,
    }  # fmt: skip


def test_a_line_says_tokens_time_and_dollars_of_which_some_are_a_lower_bound() -> None:
    run = Spending("p1", "planning", "", {OPUS: Tokens(3, 1200, 45_600, 7_800_000, 90_000)}, 61)
    used = "1.2k tokens in, cache 7.8M read and 90.0k written, at least 45.6k out"
    assert re.fullmatch(rf"claude-opus-5-5; {used}; 1 min 1 s; \$2\.\d\d to \$[\d.]+ or more", spending_words(run))


def test_a_model_without_a_price_is_named() -> None:
    total = sum_of(spending_of(records(dispatched("p1", "planner"), spent("p1", model="gpt-6"))))
    assert "no price is known of gpt-6" in sum_words(total)
    assert "$" not in sum_words(total)


@pytest.mark.parametrize(("asked", "ran", "other"), [
    ("opus", OPUS, False), ("opus", "claude-sonnet-5-5", True), ("claude-opus-5", OPUS, True),
    ("claude-opus-5-5[1m]", OPUS, False), ("opus", "us.anthropic.claude-opus-4-5-20251101-v1:0", False),
    ("", "claude-sonnet-5-5", False), ("inherit", OPUS, False), ("opusplan", "claude-sonnet-5-5", False),
])  # fmt: skip
def test_a_model_that_ran_in_place_of_another_is_named(asked: str, ran: str, other: bool) -> None:
    sent = dispatched("p1", "planner")
    assert isinstance(sent, Dispatched)
    runs = spending_of(records(sent._replace(model=asked), spent("p1", model=ran)))
    assert bool(other_models_words(runs)) == other
    assert (f"{ran}, {asked} was asked for" in spending_words(runs[0])) == other


@pytest.mark.parametrize(("count", "text"), [
    (0, "0"), (999, "999"), (1000, "1.0k"), (99_940, "99.9k"), (123_456, "123k"), (2_000_000_000, "2.0G"),
])  # fmt: skip
def test_a_number_of_tokens_is_short(count: int, text: str) -> None:
    assert short_count(count) == text


def test_an_event_for_a_run_that_is_not_known_counts_nowhere() -> None:
    assert spending_of(records(spent("x"), Judged("y", "r", "spawn", "qa", "because"))) == []
