"""What a story used is known as the model counted it; a run that the service refuses waits."""

from collections import Counter
from pathlib import Path

import pytest

from baton.journal.events import Spent
from baton.usage.spending import add_models, models_of
from baton.usage.transcript import Tokens
from baton_lab.scripted_client.model import Asked
from client.actors import MARKERS, SIX, marked, refused, six_runs
from client.orchestrator import orchestrate
from client.person import PLUGIN, NewDesk, agents_sent, allow, baton, edits_in_trees, state_of

pytestmark = pytest.mark.long


def counted(asked: list[Asked]) -> Tokens:
    """Add up what the model counted for these requests."""
    total = Counter[str]()
    for one in asked:
        total.update(one.usage)
    return Tokens(
        len(asked), total["input_tokens"], total["output_tokens"], total["cache_read_input_tokens"],
        total["cache_creation_input_tokens"],
    )  # fmt: skip


def told(spent: list[Spent]) -> Tokens:
    """Add up what was noted, by whichever model; nobody said how long the cache keeps it."""
    every = add_models([models_of(one) for one in spent]).values()
    return Tokens(*map(sum, zip(*every, strict=True)))._replace(write_5m=0, write_1h=0)


def test_every_run_costs_what_the_model_counted(new_desk: NewDesk, ready: Path) -> None:
    allow(ready, edits_in_trees(ready))
    desk = new_desk({"main": orchestrate, **marked(six_runs())}).with_plugin_dir(PLUGIN)
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    state = state_of(ready)
    spent = {event.run: event for event in state.events if isinstance(event, Spent) and event.run}
    assert len(spent) == len(SIX)
    for run in state.runs:
        agent = run.starts[-1][1].agent
        model, noted = counted([one for one in desk.model.asked if one.agent == agent]), told([spent[run.id]])
        assert noted._replace(output=0) == model._replace(output=0)
        assert 0 < noted.output <= model.output
    talk = told([event for event in state.events if isinstance(event, Spent) and not event.run])
    main = counted(desk.model.of("main"))
    assert 0 < talk.requests <= main.requests
    assert talk.cache_read <= main.cache_read
    assert "tokens in, cache " in baton(ready, "status", "42")


def test_a_run_the_service_refused_is_no_attempt_and_waits(new_desk: NewDesk, small: Path) -> None:
    allow(small, edits_in_trees(small))
    desk = new_desk({"main": orchestrate, MARKERS["micro-delivery"]: refused}).with_plugin_dir(PLUGIN)
    desk = desk.with_extra(CLAUDE_CODE_MAX_RETRIES="0")
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the service is overloaded"), 60)
    run = state_of(small).runs[-1]
    assert (run.refused_by_service, run.judged and run.judged.rule) == ("overloaded", "run/refused")
    assert agents_sent(small) == ["micro-delivery"]
