"""One answer to "what next?", in the shape the contract gives it."""

from collections.abc import Callable
from typing import Any, NamedTuple

# Nothing adds to the warnings of a step.
NONE: list[str] = []


class Resume(NamedTuple):
    """Where an implementation run takes up the work."""

    resume_phase: str | None
    handoff_path: str | None
    iteration: int
    session_id: str
    plan_path: str
    errors: list[str]


class Step(NamedTuple):
    """What the caller is to do now, by which rule, and why."""

    story: str
    phase: str
    action: str
    rule: str
    reason: str
    guard: str | None = None
    run: str | None = None
    agent: str | None = None
    brief: str | None = None
    prompt: str | None = None
    iteration: int | None = None
    max_iterations: int | None = None
    attempt: int | None = None
    model: str | None = None
    seconds: int | None = None
    resume: Resume | None = None
    warnings: list[str] = NONE
    question: dict[str, Any] | None = None
    report: str | None = None
    start_seen: bool | None = None
    started_elsewhere: bool | None = None
    # For a wait that ends by itself: waits so many seconds, and says whether it is over.
    hold: Callable[[float], object] | None = None

    def to_data(self) -> dict[str, Any]:
        """Give the step as JSON data."""
        data = {name: value for name, value in self._asdict().items() if name != "hold"}
        return {**data, "resume": self.resume._asdict() if self.resume else None}
