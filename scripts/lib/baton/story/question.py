"""What the user is asked or told: enough to decide from without opening anything else."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from baton.journal.events import Answered, EffectDone, Judged, QuestionAsked
from baton.journal.run import ROLE_OF, ROLES
from baton.journal.state import State
from baton.rules.engine import Decision
from baton.story.session import StorySession

# The effect of a comment on GitHub.
COMMENT = "comment"
OPENS = "ends with an open pull request on GitHub, its checks known: pushes the story branch, merges nothing"
MERGES = (
    "pushes the story branch, opens a pull request, and merges it into {base} on GitHub once its checks pass and "
    "what was said on it is settled"
)
NOTHING: Mapping[str, str] = MappingProxyType({})
# What an option does, by the option and the rule that asks, or what it leads to.
OPTION_TEXT = {
    ("continue", "below"): "keeps what this run did, judges it, and goes on with your note in the next brief",
    ("continue", "due"): "allows as much once more, and makes the run that is due",
    ("continue", "wait"): "waits for this run once more",
    (
        "continue",
        "implementer",
    ): "makes the next implementation run; it asks again after {allowance} more at most",
    ("retry", "planner"): "starts another planner at once, with your note in its brief",
    ("retry", "implementer"): "starts another implementer at once, with your note in its brief; QA comes after it",
    ("retry", "qa"): "starts another QA run at once, with your note in its brief",
    ("retry", "micro-delivery"): "starts another run of the whole small story with your note in its brief",
    ("accept", "defer"): "defers exactly the criteria that are not passed, and has QA judge the rest again",
    (
        "retry",
        "integrate",
    ): "merges {base} in and runs everything again; then comes the end, a fix run, or this question",
    (
        "replan",
        "planner",
    ): "plans anew with your note in the brief and fresh counts; the old plan is kept in history/",
    (
        "accept",
        "qa/escalate",
    ): "takes it as passed, with what QA says against it in the report, and goes on to the end",
    ("accept", "report/still-blocking"): "takes the failures as no reason to stop, and has QA judge the work",
    (
        "accept",
        "run/message",
    ): "commits it; the hook for messages is asked once more, and passed over if it refuses",
    ("accept", "start"): "lets baton run exactly these commands in this repository, on this machine",
    ("accept", "implementer"): "has this plan carried out",
    ("accept", "integrate"): "allows exactly this and goes on to the merge",
    ("pr", "start"): OPENS,
    ("pr", "integrate"): OPENS,
    ("merge", "start"): MERGES,
    ("merge", "integrate"): MERGES,
    ("fix", "fixer"): "starts a run that fixes it, with this log in its brief; QA comes after it",
    ("accept", "below"): "takes it as it is now, and judges the run by it",
    ("restore", "below"): "holds to story.md as it was, and judges the run by that",
    ("restore", "integrate"): "holds to story.md as it was judged, and goes on to the merge",
    ("retry", "start"): "looks again",
    ("plan", "below"): "the plan holds: it is carried out",
    ("block", "below"): "the block holds: the story stops until you say how to go on",
    (
        "branch",
        "start",
    ): "ends with finished stories on their branches, checked, and says how to merge each into {base}",
    ("branch", "integrate"): "ends the story on its branch, checked, and says how to merge it into {base}",
    ("local", "integrate"): "merges the story into {base} on this machine, with a merge commit; pushes nothing",
    ("accept", "qa"): "takes the criteria as they are written now, and has QA judge the work by them",
    ("local", "start"): "merges finished stories into {base} on this machine, with a merge commit; pushes nothing",
    ("abandon", "abandon"): "closes the story; its branch and files stay",
}


def build_question(
    story: StorySession,
    decision: Decision,
    phase: str,
    artifact: str,
    findings: list[str],
    errors: list[str],
    open_criteria: list[str],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Make the question of a decision that asks or escalates, and what each answer leads to."""
    how = decision.row.stop
    assert how is not None, decision.rule
    answers = {option: _target(story, target, phase) for option, target in how.options.items()}
    question: dict[str, Any] = {
        "story": story.id,
        "title": story.state.created.title,
        "phase": phase,
        "rule": decision.rule,
        "artifact": artifact,
        "branch": story.branch if story.state.started else "",
        "reason": decision.reason,
        "recommendation": how.recommendation,
        "kind": how.kind,
        "question": how.question.format(allowance=_allowance(story), base=story.base),
        "options": [{"id": one, "does": _does(story, decision, one, answers[one])} for one in answers],
        "attempts": {role.phase: story.state.count(name) for name, role in ROLES.items()},
        "errors": list(dict.fromkeys([*accumulated_errors(story), *errors])),
        "findings": findings,
        "open_criteria": open_criteria,
        "answer_with": f"baton answer {story.id} OPTION [--note TEXT]",
    }
    return question, answers


def _allowance(story: StorySession) -> int:
    """Return how many implementation runs an answer at the limit allows."""
    return 1 if story.state.flags.no_loop else story.limit("iterations")


def _does(story: StorySession, decision: Decision, option: str, then: str) -> str:
    """Say what an option does: of this question, else by where its row leads, else by what follows."""
    assert decision.row.stop is not None
    places = (decision.rule, decision.row.stop.options[option], then)
    words = next(OPTION_TEXT[option, place] for place in places if (option, place) in OPTION_TEXT)
    return words.format(base=story.base, allowance=_allowance(story))


def ask_question(
    story: StorySession,
    decision: Decision,
    phase: str,
    artifact: str,
    findings: list[str],
    about: str = "",
    more: Mapping[str, str] = NOTHING,
) -> None:
    """Journal a question that no run's end led to; the story now waits for an answer.

    `about` names exactly what the user is asked to accept, `more` is what the question says beside.
    """
    question, answers = build_question(story, decision, phase, artifact, findings, [], [])
    question |= {"about": about} if about else {}
    question |= more
    story.note(QuestionAsked(decision.action, decision.rule, decision.reason, question, answers))


def posted_as(state: State) -> str:
    """Return what the open question is called in the outbox and in the mark of its comment on GitHub."""
    return f"question {state.asked_at}"


def find_posted(state: State) -> EffectDone | None:
    """Return what came of posting the open question; None where it was not."""
    if state.question is None:
        return None
    done = (one for one in reversed(state.events) if isinstance(one, EffectDone))
    return next((one for one in done if (one.effect, one.about) == (COMMENT, posted_as(state))), None)


def posted_url(state: State) -> str:
    """Return where the open question stands on GitHub; empty where it does not."""
    posted = find_posted(state)
    return posted.commit if posted else ""


def shown_question(state: State) -> dict[str, Any]:
    """Return the open question as it is shown: with the place on GitHub where it stands, too."""
    assert state.question is not None
    url = posted_url(state)
    return {**state.question.text, **({"posted": url} if url else {})}


def _target(story: StorySession, target: str, phase: str) -> str:
    """Resolve `again` and `due`, the role whose phase it is, and `fixer`, the one that does the story's code."""
    if target == "fixer":
        return "micro-delivery" if story.state.count("micro-delivery") else "implementer"
    return ROLE_OF[phase] if target in ("again", "due") else target


def accumulated_errors(story: StorySession) -> list[str]:
    """Return every error the runs of this story reported, once each, oldest first."""
    errors = [error for event in story.state.events if isinstance(event, Judged) for error in event.errors]
    return list(dict.fromkeys(errors))


def was_accepted(story: StorySession, about: str) -> bool:
    """Whether the user accepted exactly this since it was last put to them."""
    return answer_to(story, about) == "accept"


def answer_to(story: StorySession, about: str) -> str:
    """Return what the user answered when exactly this was last put to them; nothing while they did not."""
    option = ""
    for event in reversed(story.state.events):
        if isinstance(event, Answered):
            option = event.option
        elif isinstance(event, QuestionAsked | Judged) and (event.question or {}).get("about") == about:
            return option
    return ""
