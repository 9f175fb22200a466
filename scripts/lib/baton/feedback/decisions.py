"""What resolvers ask the user to decide: kept by item, asked one at a time, and worked on once it is decided."""

from collections.abc import Mapping
from string import ascii_lowercase

from baton.artifacts.resolver_result import DecisionContext, ItemResult
from baton.feedback.fetch.item import ANSWERED, NEW, Item
from baton.feedback.plan.round import Round
from baton.feedback.questions import Answers, Question
from baton.feedback.record import PullRequestRecord
from baton.feedback.text.quote import excerpt, on_one_line
from baton.github.address import CommentRef
from baton.rules.pages import table_of
from baton.text import clip

DECIDE, PATTERN, LEAVE = "verify/decide", "verify/pattern", "leave"
TITLE = 72  # characters of what was said
DECISION = 1_000  # characters of a question, and of each option
SHORT = 400  # the same in a brief, where several may stand
OF_A_DECISION = "it waits for your decision, or for work on it"
# What a round is of that is made for decisions alone.
DECIDED = CommentRef("decision", 0)


def item_name(item: Item) -> str:
    """Return what an item is to a reader: whose it is, where, what it says."""
    place = f"{on_one_line(item.path)}{item.lines and f':{item.lines}'}" if item.path else ""
    title = excerpt(item.title, TITLE)
    return " ".join(part for part in (f"@{item.author}", place, title and f'"{title}"') if part)


def decision_of(one: ItemResult, asked: DecisionContext, item: Item, round: str) -> Question:
    """Return what a resolver asks of an item as a question to the user: its own options, then to leave it open."""
    row = next(row for row in table_of("feedback-verify").rows if row.rule == DECIDE)
    assert row.stop is not None
    text = clip(on_one_line(asked.question), DECISION)
    own = (clip(on_one_line(option), DECISION) for option in asked.options)
    does = {name: answer.does.format() for name, answer in row.stop.options.items()}
    seen = [f"{item.url}", clip(item.title, DECISION), f"the resolver: {clip(one.reason.strip(), DECISION)}"]
    return Question(
        DECIDE, f"{one.feedback_id} {round}", row.reason.format(),
        row.stop.question.format(item=item_name(item), question=text),
        {**dict(zip(ascii_lowercase, own, strict=False)), **does}, "plan", "\n".join(seen),
    )  # fmt: skip


def undecided(decisions: Mapping[str, Question], answers: Answers, record: PullRequestRecord) -> list[Question]:
    """Return what is still to be asked, in order; of an item that is new or gone by now nothing is."""
    return list(_open(decisions, answers, record).values())


def _open(decisions: Mapping[str, Question], answers: Answers, record: PullRequestRecord) -> dict[str, Question]:
    """Return by item what waits for an answer; several may wait for the same."""
    waiting = {item.id for item in record.items if item.state == ANSWERED}
    known = decisions.items()
    return {item: one for item, one in known if item in waiting and not answers.given(one.rule, one.about)}


def decided(answers: Answers, record: PullRequestRecord) -> dict[str, str]:
    """Return by item what the user decided that no round has settled yet, in words for its brief."""
    there = {item.id for item in record.items if item.state in (ANSWERED, NEW)}
    return {
        item: _said(item, one, option, answers.note(one.rule, one.about))
        for item, one in answers.decisions.items()
        if item in there and (option := answers.given(one.rule, one.about)) not in ("", LEAVE)
    }


def _said(item: str, one: Question, option: str, note: str) -> str:
    asked = f"Asked of {item}: {clip(one.question, SHORT)}"
    return "\n".join(filter(None, [asked, f"Decided: {clip(one.options[option], SHORT)}", note]))


def with_decisions(record: PullRequestRecord, answers: Answers, before: Round | None = None) -> PullRequestRecord:
    """Return what was read with those items new that wait for the user's decision, or for work on it.

    After a round, `before`, of what a URL names, or whose new items the user left, nothing beside them is new.
    """
    due = _open(answers.decisions, answers, record).keys() | decided(answers, record).keys()
    items = (item._replace(state=NEW, why=OF_A_DECISION) if item.id in due else item for item in record.items)
    if not (before and record.after == before.id and _is_over(answers, before)):
        return record._replace(items=tuple(items))
    return record._replace(items=tuple(item for item in items if item.id in due), target=DECIDED)


def _is_over(answers: Answers, before: Round) -> bool:
    """Whether nothing but decisions follows from a round."""
    is_named = before.landed == DECIDE and before.targeted
    return bool(answers.decisions) and (is_named or answers.given(PATTERN, before.id) == LEAVE)
