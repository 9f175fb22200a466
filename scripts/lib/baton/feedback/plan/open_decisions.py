"""The decisions that resolvers ask the user for: kept by item, asked one at a time, worked on once decided."""

from collections.abc import Mapping, Set
from string import ascii_lowercase

from baton.artifacts.resolver_result import DecisionContext, ItemResult
from baton.feedback.fetch.item import ANSWERED, NEW, Item
from baton.feedback.plan.round import Round
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.store.questions import Answers, Question
from baton.feedback.text.excerpt import excerpt
from baton.github.address import CommentRef
from baton.rules.pages import table_of
from baton.text import clip, on_one_line

DECIDE_RULE, PATTERN_RULE, LEAVE = "verify/decide", "verify/pattern", "leave"
LONGEST_TITLE = 72  # characters of what was said
MOST_DECISION = 1_000  # characters of a question, and of each option
MOST_IN_BRIEF = 400  # the same in a brief, where several may stand
# The target of a round that is made for decisions alone.
DECISIONS_ALONE = CommentRef("decision", 0)


def item_name(item: Item) -> str:
    """Return an item in words: its author, place and title."""
    title = excerpt(item.title, LONGEST_TITLE)
    return " ".join(filter(None, (f"@{item.author}", on_one_line(item.place), title and f'"{title}"')))


def decision_of(result: ItemResult, asked: DecisionContext, item: Item, round: str) -> Question:
    """Return a resolver's question about an item for the user: its own options, then to leave it open."""
    row = next(row for row in table_of("feedback-verify").rows if row.rule == DECIDE_RULE)
    assert row.asks is not None
    text = clip(on_one_line(asked.question), MOST_DECISION)
    own = (clip(on_one_line(option), MOST_DECISION) for option in asked.options)
    always = {name: answer.does.format() for name, answer in row.asks.options.items()}
    evidence = [
        item.url,
        clip(item.title, MOST_DECISION),
        f"the resolver: {clip(result.reason.strip(), MOST_DECISION)}",
    ]
    return Question(
        DECIDE_RULE, f"{result.feedback_id} {round}", row.reason.format(),
        row.asks.question.format(item=item_name(item), question=text),
        {**dict(zip(ascii_lowercase, own, strict=False)), **always}, "plan", "\n".join(evidence),
        row.asks.advice.format(),
    )  # fmt: skip


def questions_to_ask(
    decisions: Mapping[str, Question], answers: Answers, record: PullRequestRecord
) -> list[Question]:
    """Return the questions still to be asked, in order; none of an item that is new or gone by now."""
    return list(_open(decisions, answers, record).values())


def _open(decisions: Mapping[str, Question], answers: Answers, record: PullRequestRecord) -> dict[str, Question]:
    """Return by item the questions that wait for an answer; several items may wait for the same."""
    waiting = {item.id for item in record.items if item.state == ANSWERED}
    asked = {item: question for item, question in decisions.items() if item in waiting}
    return {item: question for item, question in asked.items() if not answers.given(question.rule, question.about)}


def decisions_in_words(answers: Answers, record: PullRequestRecord) -> dict[str, str]:
    """Return by item the decisions that no round has settled yet, in words for its brief."""
    present = {item.id for item in record.items if item.state in (ANSWERED, NEW)}
    return {
        item: _in_words(item, question, option, answers.note(question.rule, question.about))
        for item, question in answers.kept.decisions.items()
        if item in present and (option := answers.given(question.rule, question.about)) not in ("", LEAVE)
    }


def _in_words(item: str, question: Question, option: str, note: str) -> str:
    asked = f"Asked of {item}: {clip(question.question, MOST_IN_BRIEF)}"
    return "\n".join(filter(None, [asked, f"Decided: {clip(question.options[option], MOST_IN_BRIEF)}", note]))


def items_to_decide(answers: Answers, record: PullRequestRecord) -> Set[str]:
    """Return the items that wait for the user's decision, or for work on it."""
    return _open(answers.kept.decisions, answers, record).keys() | decisions_in_words(answers, record).keys()


def with_decisions(record: PullRequestRecord, answers: Answers, before: Round | None = None) -> PullRequestRecord:
    """Return a record in which the items that wait for the user's decision, or for work on it, are new.

    After a round (`before`) for what a URL names, or whose new items the user left open, no other item is new.
    """
    due = items_to_decide(answers, record)
    why = "it waits for your decision, or for work on it"
    items = (item._replace(state=NEW, why=why) if item.id in due else item for item in record.items)
    if not (before and record.after == before.id and _is_over(answers, before)):
        return record._replace(items=tuple(items))
    return record._replace(items=tuple(item for item in items if item.id in due), target=DECISIONS_ALONE)


def _is_over(answers: Answers, before: Round) -> bool:
    """Whether nothing but decisions follows from a round."""
    is_named = before.landed == DECIDE_RULE and before.targeted
    return bool(answers.kept.decisions) and (is_named or answers.given(PATTERN_RULE, before.id) == LEAVE)
