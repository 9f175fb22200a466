"""Decide whether a next run may start: budgets, the service, used up iterations, a repeated error."""

from collections.abc import Sequence
from datetime import datetime

from baton.journal.journal import Record
from baton.journal.repository import journals_of_day
from baton.journal.state import NextAction
from baton.rules.budgets import attempts_allowed, attempts_used, was_run_without_loop
from baton.rules.engine import Decision, decide
from baton.rules.facts import SpawnFacts
from baton.rules.pages import table_of
from baton.rules.repetition import backoff_seconds, results_since_answer, same_error_count
from baton.story.ask.step import Step, decided_step
from baton.story.session.session import StorySession, limit_of
from baton.usage.budget import STORY, TODAY, over_budget
from baton.usage.spending import spending_of
from baton.usage.spending_words import REFUSED, phases_words

# How often what the service refuses is looked at anew, at most: a clock may be set, a machine may sleep.
SELDOM_S = 600


def guard_spawn(story: StorySession, pending: NextAction) -> Decision:
    """Decide what stands in the way of the next run."""
    events = story.state.events
    used, most = (
        attempts_used("iterations", events),
        attempts_allowed("iterations", limit_of(story, "iterations"), events),
    )
    budget, over = _spent_budget(story)
    held, until = held_until(story)
    facts = SpawnFacts(
        role=pending.then,  # type: ignore[arg-type]
        budget=budget,  # type: ignore[arg-type]
        held=held or "no",  # type: ignore[arg-type]
        iterations_used_up=used >= most or was_run_without_loop(events),
        same_error_again=same_error_count(results_since_answer(events)) > 1,
    )
    words = {
        "iterations": used, "gained": _gained(story), "due": pending.reason, "seconds": pause_seconds(story),
        "over": over, "spent": phases_words(spending_of(story.journal.records)) if over else "",
        "held": REFUSED.get(held, ""), "until": until,
    }  # fmt: skip
    return decide(table_of("spawn-limits"), facts, words)


def pause_seconds(story: StorySession) -> float:
    """Return the pause before a run that follows a repeated error; 0 for any other."""
    return backoff_seconds(results_since_answer(story.state.events), story.settings().config.backoff_s)


def held_until(story: StorySession) -> tuple[str, str]:
    """Return why the service takes no request yet, and until when; nothing where it takes them."""
    end = story.state.run.end if story.state.run else None
    return (end.refused, end.until) if end and end.until > story.journal.clock() else ("", "")


def held_step(story: StorySession, guard: Decision) -> Step:
    """Return the step that waits until the next run may start; no turn of the conversation is spent on it."""
    now = story.journal.clock()
    until = held_until(story)[1] or now  # it may have passed since this was decided
    left = datetime.fromisoformat(until) - datetime.fromisoformat(now)
    seconds = min(SELDOM_S, max(1, int(left.total_seconds())))
    return decided_step(story, guard)._replace(seconds=seconds, until=until)


def _spent_budget(story: StorySession) -> tuple[str, str]:
    """Return whose budget is spent, and how far: the story's, today's for all stories, or none."""
    own: Sequence[Record] = story.journal.records
    config = story.settings().config
    if over := over_budget(config.budget, STORY, [own]):
        return "story", over
    if config.budget_per_day == (None, None, None):
        return "left", ""
    day = datetime.now().date()
    stories = {**journals_of_day(story.project, day), story.id: own}
    over = over_budget(config.budget_per_day, TODAY, list(stories.values()), day)
    return ("today", over) if over else ("left", "")


def _gained(story: StorySession) -> str:
    judged = [run.judged for run in story.state.runs if run.role == "implementer" and run.judged]
    if not judged:
        return "none has ended"
    before, last = judged[-2:][0], judged[-1]
    reached = f"{last.closed} of {last.total} phases are closed"
    return reached if len(judged) < 2 else f"{reached}, {before.closed} before the last run"
