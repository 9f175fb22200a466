"""Events for tests: one plain sample of each kind to vary, and strategies that make any."""

from typing import Any, get_type_hints

from hypothesis import strategies as st

from baton.journal.events import (
    KINDS,
    SCHEMA_VERSION,
    Answered,
    Completed,
    Created,
    Dispatched,
    Ended,
    Event,
    HandedIn,
    Judged,
    QuestionAsked,
    RunArchived,
    Started,
)
from baton.journal.journal import Record

# A file name that is not UTF-8 reaches the journal with surrogates in the place of its other bytes.
TEXT = st.text(st.characters(exclude_categories=()))
NUMBER = st.integers(min_value=-(10**9), max_value=10**9)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: NUMBER,
    bool: st.booleans(),
    int | None: st.none() | NUMBER,
    list[str]: st.lists(TEXT, max_size=3),
    dict[str, str]: st.dictionaries(TEXT, TEXT, max_size=3),
    list[dict[str, str]]: st.lists(st.dictionaries(TEXT, TEXT, max_size=3), max_size=3),
    dict[str, list[int]]: st.dictionaries(TEXT, st.lists(NUMBER, max_size=7), max_size=3),
    dict[str, Any]: st.dictionaries(TEXT, JSON, max_size=3),
    dict[str, Any] | None: st.none() | st.dictionaries(TEXT, JSON, max_size=3),
}


def any_event(kind: type[Event]) -> st.SearchStrategy[Event]:
    """Give a strategy for events of one kind, whatever fields it has."""
    hints = get_type_hints(kind)
    values = {name: VALUES[hints[name]] for name in kind._fields}
    if kind is Created:
        values["version"] = st.just(SCHEMA_VERSION)
    return st.builds(kind, **values)


def records(*events: Event) -> list[Record]:
    """Give events as records, a minute apart."""
    return [Record(at, f"2026-01-02T03:{at:02}:00Z", event) for at, event in enumerate(events)]


ANY_EVENTS = st.one_of([any_event(kind) for kind in KINDS.values()])

CREATED = Created(SCHEMA_VERSION, "a-repository", "42", "Dark mode", "specs/42_dark-mode", "sess_1_abc", "tip")
STARTED = Started("main", "base-commit", "story/42-dark-mode", ["it is dark"], "text")
FILED = RunArchived("p1", "gate-commit")
COMPLETED = Completed("close/done", "merge-commit", "report.md")


def dispatched(run: str, role: str) -> Dispatched:
    """Say that a run of a role was started."""
    return Dispatched(run, role, 1, 1, f"head-of-{run}", "some/rule", "limit/proceed", "because")


def handed_in(run: str, artifact: str, final: bool = False) -> HandedIn:
    """Say that a run handed an artifact in."""
    return HandedIn(run, artifact, f"specs/{artifact}", "0" * 64, final)


def ended(run: str) -> Ended:
    """Say that a run ended, as the caller told."""
    return Ended(run, "caller")


def judged(run: str, then: str, rule: str = "some/rule", charges: str = "") -> Judged:
    """Say that a run was judged and what follows."""
    return Judged(run, rule, "spawn", then, "because", charges)


def asked(rule: str, phase: str, action: str = "ask", **answers: str) -> QuestionAsked:
    """Say that the user is asked, and what each answer leads to."""
    return QuestionAsked(action, rule, "because", {"phase": phase, "findings": ["a fault"]}, answers)


def answered(rule: str, then: str, option: str = "retry", *grants: str) -> Answered:
    """Say how the user answered, and what that grants."""
    return Answered(rule, option, then, "a note", list(grants))
