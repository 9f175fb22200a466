"""The user's answer to an open question."""

from collections.abc import Callable

from baton.artifacts.config import commands_digest
from baton.artifacts.story_file import named_criteria
from baton.checks.cleanup import remove_trees
from baton.errors import BatonError
from baton.journal.events import Answered, EffectDone
from baton.journal.permit import Permit
from baton.journal.run import events_since_anew
from baton.journal.state import OpenQuestion
from baton.project.settings import confirm
from baton.rules.budgets import ANEW_BUDGETS, PHASE_BUDGETS, REPLAN_BUDGETS, attempts_allowed, attempts_used
from baton.story.ask.answer_source import DialogAnswer, had_hooks, session_here, take_word
from baton.story.ask.question import END_OF_MODE
from baton.story.begin.issue import read_again, take_change
from baton.story.begin.origin import SOURCES
from baton.story.begin.story_intake import CONFIRM_RULE, is_unread, take_answer
from baton.story.run.run_work import forget_runs, remove_run_tree
from baton.story.session.session import (
    StorySession,
    commands_for,
    limit_of,
    lines_to_confirm,
    pull_url_of,
)
from baton.story.session.story_branch import begin_anew, keep_text, restore_text, text_changed
from baton.story.session.story_files import read_spec
from baton.usage.budget import STORY, TODAY

# The questions that are asked when a pull request is no longer open.
NOT_OPEN = ("pr/closed-by-hand", "pr/merged-other")
# The questions that ask for more of one thing, by what they grant.
GRANTS = {"limit/iterations": "iterations", "limit/budget": STORY, "limit/budget-today": TODAY}
# The questions about what was no attempt: their answers grant none.
GRANT_NOTHING = ("git/refused", "run/hooks")
# The answers that make all retries available again, by what they grant.
FRESH = {"replan": REPLAN_BUDGETS, "again": ANEW_BUDGETS}
# The questions whose accepted answer makes a changed story.md the story.
TEXT_RULES = ("run/criteria-changed", "integrate/criteria-changed")


def apply_answer(
    story: StorySession, option: str, note: str, token: str | DialogAnswer = "", word: dict[str, str] | None = None
) -> str:
    """Take an answer: journal it with what it grants; returns one line that says what follows.

    `word` says who gave it, and how, where that is known already.
    """
    question = story.state.question
    if question is None and option == "abandon" and story.state.stage == "abandoned":
        return _tidied(story)  # what was in the way then may be gone by now
    if question is None:
        raise BatonError(
            "no question is open", f"story {story.id}", f"`baton next {story.id}` says where it stands"
        )
    _check_option(story, question, option)
    word = word or _take_word(story, option, token, note)
    _apply_side_effects(story, question, option)
    then = question.answers[option]
    if question.rule == CONFIRM_RULE:
        then = take_answer(story, option, note, word.get("who") or "you") or then
    deferred = _deferred(story, question) if then == "defer" else []
    if option == "restore":
        restore_text(story)
    if option == "replan" and _is_of_sources(question):
        read_again(story, word.get("who") or "you")
    # A changed text holds only when that is what was answered; else it is asked about again.
    accepted = question.rule in TEXT_RULES and option == "accept" and not _is_of_sources(question)
    if accepted and "text" in question.text:
        take_change(story, str(question.text["text"]), str(question.text.get("source", "")))
    holds = accepted or not text_changed(story)
    known = read_spec(story).criteria if holds and then != "abandon" else ()
    left = [name for name in known if name not in deferred]
    text = keep_text(story) if accepted else ""
    grants = _grants(story, question, option)
    then = "qa" if then == "defer" else then
    story.note(Answered(question.rule, option, then, note, grants, left, deferred, text=text, said=word))
    if then != "abandon":
        return f"taken; `baton next {story.id}` goes on"
    return _tidied(story)


def _check_option(story: StorySession, question: OpenQuestion, option: str) -> None:
    if option not in question.answers:
        what = f"`{option}` is not an option" if option else "no option was given"
        raise BatonError(what, f"story {story.id}", f"answer one of: {', '.join(question.answers)}")
    if _is_of_sources(question) and option not in ("replan", "abandon") and is_unread(story):
        what = "`replan` was answered before, and cut short: the criteria are taken back"
        raise BatonError(what, f"story {story.id}", "answer `replan` once more, or `abandon`")


def _is_of_sources(question: OpenQuestion) -> bool:
    return str(question.text.get("about", "")).startswith(SOURCES)


def _tidied(story: StorySession) -> str:
    """Remove what only an open story needs; say what stays."""
    run = story.state.run
    removals = (
        lambda: remove_run_tree(story, run) if run else "",
        lambda: remove_trees(story.project, story.id),
        lambda: forget_runs(story),
    )
    stays = [_or_why(removal) for removal in removals]
    pull = f"its pull request stays open: {pull_url_of(story)}" if is_pull_open(story) else ""
    return "; ".join([f"abandoned; its branch {story.branch} stays", *filter(None, [pull, *stays])])


def _or_why(remove: Callable[[], str | None]) -> str:
    """Remove something of a story that is over; returns what stays, also where git cannot look."""
    try:
        return remove() or ""
    except BatonError as error:
        return f"{error.what} at {error.where}"


def is_pull_open(story: StorySession) -> bool:
    """Whether a pull request was opened for the story and, as far as is known here, is open."""
    events = events_since_anew(story.state.events)
    merged = any(isinstance(event, EffectDone) and event.effect == "merge" for event in events)
    rule = story.state.answered.rule if story.state.answered else ""
    return bool(pull_url_of(story)) and not merged and rule not in NOT_OPEN


def _take_word(story: StorySession, option: str, token: str | DialogAnswer, note: str) -> dict[str, str]:
    """Use up what shows that the user gave this answer; say how they did: a BatonError if nothing does."""
    asked = Permit(session_here(), f"answer {story.id} {option}", str(story.state.asked_seq))
    return take_word(story.project, story.state.said, option, asked, token, note, had_hooks(story.state.events))


def _apply_side_effects(story: StorySession, question: OpenQuestion, option: str) -> None:
    """Do what is to be there before it counts as answered: what is settled for the repository, a new begin."""
    asked = question.rule == "start/commands" and option == "accept"
    # If they changed on base since they were shown, they are asked for again.
    if asked and question.text.get("about") == (digest := commands_digest(lines_to_confirm(story))):
        confirm(story.project, commands=digest)
        confirm(story.project, commands=commands_digest(commands_for(story)))  # of those alone agents' checks ask
    if question.rule in ("start/mode", "start/mode-github") and option in END_OF_MODE:
        confirm(story.project, mode=option)
    if question.answers[option] == "anew":
        begin_anew(story)


def _deferred(story: StorySession, question: OpenQuestion) -> list[str]:
    """Return the criteria the user defers: those the question names as open."""
    open_now, criteria = question.text["open_criteria"], read_spec(story).criteria
    return [
        criterion for criterion, name in zip(criteria, named_criteria(criteria), strict=True) if name in open_now
    ]


def _grants(story: StorySession, question: OpenQuestion, option: str) -> list[str]:
    if option in FRESH:
        return list(FRESH[option])
    if question.rule in GRANT_NOTHING:
        return []
    limited = GRANTS.get(question.rule, "") if option == "continue" else ""
    if limited in (STORY, TODAY):
        return [limited]
    if option != "retry" and not limited and question.answers[option] != "defer":
        return []
    events = story.state.events
    budgets = [limited] if limited else [*PHASE_BUDGETS[str(question.text["phase"])], "iterations"]
    budgets = list(dict.fromkeys(budgets))
    return [
        budget
        for budget in budgets
        if attempts_used(budget, events) >= attempts_allowed(budget, limit_of(story, budget), events)
    ]
