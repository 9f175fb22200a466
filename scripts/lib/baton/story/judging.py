"""What every phase's judge needs: budgets weighed for the run in hand, the last answer, words for reasons."""

from baton.rules.budgets import allowed, used
from baton.rules.engine import Decision
from baton.story.run_facts import Evidence
from baton.story.session import StorySession


def used_up(story: StorySession, budget: str) -> bool:
    """Whether the run that is being judged used the last of a budget."""
    events = story.state.events
    return used(budget, events) + 1 >= allowed(budget, story.limit(budget), events)


def told_attempts(story: StorySession, evidence: Evidence, budget: str) -> dict[str, object]:
    """Give what a reason may quote, with the attempts charged to a budget, this run included."""
    joined = "; ".join(evidence.findings) or "no findings"
    return {**evidence.told, "attempts": used(budget, story.state.events) + 1, "findings": joined}


def chosen(decision: Decision | None) -> Decision:
    """Give the decision of a table in which some row always fits."""
    assert decision is not None, "a total table chooses or raises"
    return decision


def answered(story: StorySession, rule: str, *options: str) -> bool:
    """Whether the last answer was one to this rule (with one of these options, if any are named)."""
    last = story.state.answered
    return last is not None and last.rule == rule and (not options or last.option in options)
