"""The questions of a round by its rules: the texts are the pages', what they are about is the round's."""

from collections.abc import Mapping

from baton.feedback.store.questions import Question
from baton.rules.engine import Decision, decide
from baton.rules.facts import RoundQuestionFacts
from baton.rules.pages import table_of


def round_question(
    rule: str, about: str, values: Mapping[str, object], then: str = "land", evidence: str = ""
) -> Question:
    """Return the question of a rule that stops a round; its texts are filled from `values`."""
    decision = decide(table_of("feedback-ask"), RoundQuestionFacts(rule), values)
    return question_of(decision, about, values, then)._replace(evidence=evidence)


def question_of(decision: Decision, about: str, values: Mapping[str, object], then: str) -> Question:
    """Return the question of the row that was chosen."""
    asks = decision.row.asks
    assert asks is not None
    does = {name: option.does.format() for name, option in asks.options.items()}
    question, advice = asks.question.format_map(values), asks.advice.format()
    return Question(decision.rule, about, decision.reason, question, does, then, advice=advice)
