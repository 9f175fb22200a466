"""Tables of rows, and the choice of the first row that fits; there is no default."""

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, get_args

from baton.errors import BatonError

Value = str | bool
Action = Literal[
    "spawn", "goto", "integrate", "refuse", "wait", "ask", "escalate", "complete", "proceed", "next-check",
    "cluster", "plan", "feedback", "post", "send-back",
]  # fmt: skip
AdviceKind = Literal["back to discovery", "manual fix", "scope clarification", "continue"]


def advice_words(advice: str) -> str:
    """Return an advice as people read it: without its kind, which the data has."""
    kind, _, words = advice.partition(": ")
    return words if words and kind in get_args(AdviceKind) else advice


class Answer(NamedTuple):
    """An option's next step, and its effect in words for the user.

    `{run}` is the run it starts, `{end}` the end of a story in its mode, `{allowance}` the runs it allows.
    """

    then: str
    does: str


class RowQuestion(NamedTuple):
    """The question of a row that asks or escalates, with its options and their answers."""

    kind: Literal["decide", "authorize", "act"]
    recommendation: AdviceKind
    options: Mapping[str, Answer]
    question: str
    advice: str  # the option that is recommended, and why
    closes: bool = False  # by itself, where GitHub shows that its rule does not hold any more
    here: tuple[str, ...] = ()  # the options that no comment on GitHub can choose


class Row(NamedTuple):
    """A row: it fits when every fact it names has one of the values it names.

    `then` is the target of the action, such as a role; `charges` the budget it counts against; `asks` its
    question. `told` is what the user reads of the run it judged, in place of the reason; `text` is its source on
    the page.
    """

    rule: str
    when: str
    facts: Mapping[str, tuple[Value, ...]]
    action: Action
    reason: str
    then: str = ""
    charges: str = ""
    asks: RowQuestion | None = None
    told: str = ""
    text: str = ""

    @property
    def does(self) -> str:
        """The action and its target, such as `spawn qa`."""
        return self.action if self.then in ("", self.action) else f"{self.action} {self.then}"


class Table(NamedTuple):
    """The rows of a table, in order, over a class of facts; `phase` is its name; `total`: some row must fit."""

    phase: str
    facts: type
    rows: tuple[Row, ...]
    total: bool = True
    skill_stage: str = ""


class Decision(NamedTuple):
    """The chosen row, and its reason with the facts filled in."""

    row: Row
    reason: str

    @property
    def rule(self) -> str:
        return self.row.rule

    @property
    def action(self) -> Action:
        return self.row.action

    @property
    def then(self) -> str:
        return self.row.then


def decide(table: Table, facts: Any, values: Mapping[str, object], overridden: Collection[str] = ()) -> Decision:
    """Choose a row as `may_decide` does, from a table in which some row always fits."""
    decision = may_decide(table, facts, values, overridden)
    assert decision is not None, "a total table chooses or raises"
    return decision


def may_decide(
    table: Table, facts: Any, values: Mapping[str, object], overridden: Collection[str] = ()
) -> Decision | None:
    """Choose the first row of `table` that fits `facts`, below the last row whose rule is in `overridden`.

    The reason is filled from `values`. None only for a table that need not match; otherwise a BatonError
    names the facts no row fits.
    """
    fact_values = facts._asdict()
    for row in _rows_below(table.rows, overridden):
        if row_fits(row, fact_values):
            return Decision(row, row.reason.format_map(values))
    if not table.total:
        return None
    named = ", ".join(f"{name}={value}" for name, value in fact_values.items())
    remedy = f"`baton explain {table.phase}` shows those there are: fix the page, or install the plugin again"
    raise BatonError(f"no rule for {named}", f"the rules `{table.phase}`", remedy)


def row_fits(row: Row, fact_values: Mapping[str, Value]) -> bool:
    """Whether each fact of a row has one of its accepted values."""
    return all(fact_values[name] in accepted for name, accepted in row.facts.items())


def _rows_below(rows: tuple[Row, ...], overridden: Collection[str]) -> tuple[Row, ...]:
    last = max((index for index, row in enumerate(rows) if row.rule in overridden), default=-1)
    return rows[last + 1 :]
