"""A step: what the caller is to do next and why; and the steps that a decision or an open question makes."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from baton.rules.engine import Decision, advice_words
from baton.story.ask.question import shown_question
from baton.story.session.session import StorySession

# In the order in which a story goes through them, as skills/implement names them.
SKILL_STAGES = ("preflight", "plan", "delegate", "gate", "qa", "integrate", "summary")
# What is asked before a run is due, of a story or of what `/implement` was given.
BEFORE_A_STORY = ("start/", "request/")
OF_PHASE = {"planning": "plan", "qa": "qa", "integration": "integrate"}

# After how long to ask again for what goes on by itself.
CHECK_SECONDS = 90
# The default of a step; nothing adds to it.
NO_WARNINGS: list[str] = []


def skill_stage_of(phase: str, action: str, rule: str) -> str:
    """Return the stage of a step: by its phase, what is to be done, and the rule that decided it."""
    if action == "complete":
        return "summary"
    if action in ("ask", "escalate", "wait") and rule.startswith(BEFORE_A_STORY):
        return "preflight"
    return OF_PHASE.get(phase, "delegate" if action in ("spawn", "wait") else "gate")


def advice_of(question: Mapping[str, Any]) -> str:
    """Return what a question recommends and why; of an earlier version's question only what kind of advice."""
    return advice_words(str(question.get("advice") or question["recommendation"]))


def question_facts(question: Mapping[str, Any]) -> str:
    """Say what a question has beside its story, title and reason: its stage, what to read, what is recommended."""
    stage = skill_stage_of(question["phase"], "ask", question["rule"])
    return f"Stage: {stage}. To read: {question['artifact']}. Recommended: {advice_of(question)}."


class Step(NamedTuple):
    """The caller's next action, the rule that decided it, and why."""

    story: str
    phase: str
    action: str
    rule: str
    reason: str
    label: str | None = None
    guard: str | None = None
    run: str | None = None
    agent: str | None = None
    brief: str | None = None
    prompt: str | None = None
    iteration: int | None = None
    attempt: int | None = None
    model: str | None = None
    seconds: int | None = None
    warnings: list[str] = NO_WARNINGS
    question: dict[str, Any] | None = None
    report: str | None = None
    start_seen: bool | None = None
    started_elsewhere: bool | None = None
    started_as: str | None = None
    # For what is waited for on GitHub: where, and when it is worth another look.
    pull: str | None = None
    until: str | None = None
    # What is looked up only where a step is told as data.
    more: Callable[[], dict[str, Any]] | None = None
    # For a wait that ends by itself: waits so many seconds, and says whether it is over.
    hold: Callable[[float], object] | None = None

    @property
    def skill_stage(self) -> str:
        """Return the stage of `/implement` that this step belongs to."""
        return skill_stage_of(self.phase, self.action, self.rule)

    def to_data(self) -> dict[str, Any]:
        """Return the step as JSON data."""
        data = {name: value for name, value in self._asdict().items() if name not in ("hold", "more")}
        more = self.more() if self.more else {}
        return {**data, "max_iterations": None, "resume": None, **more, "stage": self.skill_stage}


def decided_step(story: StorySession, decision: Decision, phase: str = "") -> Step:
    """Return a decision as a step, in the phase the story is in unless another is named."""
    return Step(story.id, phase or story.state.phase, decision.action, decision.rule, decision.reason)


def question_step(story: StorySession) -> Step:
    """Return the open question."""
    question = story.state.question
    assert question is not None
    return Step(
        story=story.id,
        phase=story.state.phase,
        action=question.action,
        rule=question.rule,
        reason=question.reason,
        question=shown_question(story.state),
    )
