"""The questions to the user: enough to decide from without opening anything else."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from baton.journal.events import Answered, EffectDone, Judged, QuestionAsked, QuestionClosed
from baton.journal.run import ROLE_OF, ROLES
from baton.journal.state import State
from baton.rules.engine import Decision
from baton.story.session.session import StorySession, limit_of, mode_of, tip_of

# The effect of a comment on GitHub.
COMMENT = "comment"
NOTHING: Mapping[str, Any] = MappingProxyType({})
# What a run is called, and where a story ends, by its mode.
RUNS = {"qa": "QA run", "micro-delivery": "run of the whole small story"}
END_OF_MODE = {
    "local": "the merge into {base}",
    "merge": "the merge on GitHub",
    "pr": "the pull request",
    "branch": "the end on its branch",
}


def build_question(
    story: StorySession,
    decision: Decision,
    phase: str,
    artifact: str,
    findings: Sequence[str] = (),
    errors: Sequence[str] = (),
    open_criteria: Sequence[str] = (),
) -> tuple[dict[str, Any], dict[str, str]]:
    """Make the question of a decision that asks or escalates, and what each answer leads to."""
    how = decision.row.asks
    assert how is not None, decision.rule
    answers = {option: _target(story, choice.then, phase) for option, choice in how.options.items()}
    values = {"allowance": _allowance(story), "base": story.settings().base, "id": story.id}
    question: dict[str, Any] = {
        "story": story.id,
        "title": story.state.created.title,
        "phase": phase,
        "rule": decision.rule,
        "artifact": artifact,
        "branch": story.branch if story.state.started and tip_of(story) else "",
        "reason": decision.reason,
        "recommendation": how.recommendation,
        "advice": how.advice.format(**values),
        "kind": how.kind,
        "question": how.question.format(**values),
        "options": [
            {"id": name, "does": _does(story, choice.does, answers[name])} for name, choice in how.options.items()
        ],
        "attempts": {role.phase: story.state.count(name) for name, role in ROLES.items()},
        "errors": list(dict.fromkeys([*accumulated_errors(story), *errors])),
        "findings": list(findings),
        "open_criteria": list(open_criteria),
        "answer_with": f"baton answer {story.id} OPTION [--note TEXT]",
    }
    return question, answers


def _allowance(story: StorySession) -> int:
    """Return how many implementation runs an answer at the limit allows."""
    return 1 if story.state.flags.no_loop else limit_of(story, "iterations")


def _does(story: StorySession, words: str, then: str) -> str:
    """Say what an option does that leads to `then`."""
    end = END_OF_MODE.get(mode_of(story), "its end").format(base=story.settings().base)
    return words.format(base=story.settings().base, allowance=_allowance(story), run=RUNS.get(then, then), end=end)


def ask_question(
    story: StorySession,
    decision: Decision,
    phase: str,
    artifact: str,
    about: str = "",
    findings: Sequence[str] = (),
    more: Mapping[str, Any] = NOTHING,
) -> None:
    """Journal a question that no run's end led to; the story now waits for an answer.

    `about` names exactly what the user is asked to accept, `more` is what the question says beside.
    """
    question, answers = build_question(story, decision, phase, artifact, findings)
    question |= {"about": about} if about else {}
    question |= more
    story.note(QuestionAsked(decision.action, decision.rule, decision.reason, question, answers))


def posted_as(state: State) -> str:
    """Return the name of the open question in the outbox and in the mark of its comment on GitHub."""
    return f"question {state.asked_seq}"


def find_posted(state: State) -> EffectDone | None:
    """Return the outcome of posting the open question; None where it was not posted."""
    if state.question is None:
        return None
    done = (event for event in reversed(state.events) if isinstance(event, EffectDone))
    return next((event for event in done if (event.effect, event.about) == (COMMENT, posted_as(state))), None)


def posted_url(state: State) -> str:
    """Return the URL of the open question on GitHub; empty where it is not there."""
    posted = find_posted(state)
    return posted.commit if posted else ""


def shown_question(state: State) -> dict[str, Any]:
    """Return the open question as it is shown: with its URL on GitHub, if it has one."""
    assert state.question is not None
    url = posted_url(state)
    return {**state.question.text, **({"posted": url} if url else {})}


def _target(story: StorySession, target: str, phase: str) -> str:
    """Resolve `again` and `due`, the role whose phase it is, and `fixer`, the one that does the story's code."""
    if target == "due" and story.state.stage in ("running", "ready"):
        return story.state.pending.then if story.state.pending else "look"
    if target == "fixer":
        return "micro-delivery" if story.state.count("micro-delivery") else "implementer"
    return ROLE_OF[phase] if target in ("again", "due") else target


def accumulated_errors(story: StorySession) -> list[str]:
    """Return every error the runs of this story reported, once each, oldest first."""
    errors = [error for event in story.state.events if isinstance(event, Judged) for error in event.errors]
    return list(dict.fromkeys(errors))


def was_accepted(story: StorySession, about: str, locally: bool = False) -> bool:
    """Whether the user accepted exactly this since it was last put to them; `locally`: and not on GitHub."""
    given = _answer_to(story, about)
    return given is not None and given.option == "accept" and not (locally and given.said.get("how") == "github")


def answer_to(story: StorySession, about: str) -> str:
    """Return what the user answered when exactly this was last put to them; nothing while they did not."""
    given = _answer_to(story, about)
    return given.option if given else ""


def _answer_to(story: StorySession, about: str) -> Answered | None:
    given = None
    for event in reversed(story.state.events):
        if isinstance(event, Answered):
            given = event
        elif isinstance(event, QuestionClosed):
            given = None
        elif isinstance(event, QuestionAsked | Judged) and (event.question or {}).get("about") == about:
            return given
    return None
