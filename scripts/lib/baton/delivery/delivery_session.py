"""One pass of a story's delivery: what it needs, and how what it finds is journalled, asked or waited for."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum, auto
from time import time
from typing import Any, NamedTuple

from baton.bootstrap import DRIVEN
from baton.delivery.destination import Destination, find_destination
from baton.delivery.pull_request import PullRequestState
from baton.github.client import GitHub
from baton.journal import index
from baton.journal.events import Answered, EffectDone, EffectIntended, Event, IntegrationStepDone, QuestionClosed
from baton.journal.run import events_since_anew
from baton.rules.all_tables import waiting_rules
from baton.rules.engine import Decision
from baton.story.ask.answer_source import session_here
from baton.story.ask.question import was_accepted
from baton.story.ask.step import Step, decided_step
from baton.story.integrate.integration_steps import decide_step, record_or_ask
from baton.story.session.session import StorySession, tip_of

# How often what is waited for is looked at: at first, and when it has lasted long.
LOOK_S, SELDOM_S = 30, 300
# For how long GitHub may take to show what it was asked for.
SHOWN_S = 3600


class Progress(Enum):
    """How a delivery goes on after a part of it, where there is no step to wait for."""

    GOES_ON = auto()  # with the next part
    STOPPED = auto()  # the user is asked, a run is due, or the story is over
    BASE_MOVED = auto()  # it is merged in and all is checked again, then delivered


class Matter(NamedTuple):
    """What the user is asked to accept of a delivery: by which rule, at which commit.

    `what` tells it from others of that rule at that commit. Journals have all of it as text, which older questions
    are known by: none of it is reworded.
    """

    rule: str
    commit: str
    what: str = ""

    def __str__(self) -> str:
        return f"{self.rule} at {self.commit}{f': {self.what}' if self.what else ''}"


def matter_of(rule: str, question: Mapping[str, Any]) -> Matter:
    """Return what a question of that rule asks about; of one that is no delivery's, without a commit."""
    start, named, rest = str(question.get("about")).partition(f"{rule} at ")
    commit, _, what = rest.partition(": ")
    return Matter(rule, commit, what) if named and not start else Matter(rule, "")


class Delivery(NamedTuple):
    """A story on its way: its closing commit `head`, where it goes, and its pull request as it was just read."""

    story: StorySession
    github: GitHub
    place: Destination
    head: str
    pull: PullRequestState | None = None

    @property
    def url(self) -> str:
        return self.pull.url if self.pull else ""

    @property
    def number(self) -> int:
        return self.pull.number if self.pull else 0

    @property
    def is_merged(self) -> bool:
        return self.pull is not None and self.pull.state == "merged"

    def settle(
        self, outcome: str, evidence: str = "", commit: str = "", see: str = "", about: str = ""
    ) -> Step | Progress:
        """Carry out what follows from a step's outcome: on, a question, or a wait."""
        decision = decide_step(self.story, outcome, evidence, commit)
        lasts = {
            "merge/wait": ("merge/late", SHOWN_S),
            "merge/held": ("merge/blocked", self.story.settings().config.checks_wait_s),
        }
        later, wait_s = lasts.get(outcome, ("", 0))
        if later and self._lasted(decision) > wait_s:
            decision = decide_step(self.story, later, evidence, commit)
        return self.carry_out(decision, evidence, see, about)

    def carry_out(self, decision: Decision, evidence: str = "", see: str = "", about: str = "") -> Step | Progress:
        """Carry out a decision; what the user has accepted for this very commit is no question again.

        `about` names what the user is asked to accept, where a commit can have more than one of it.
        """
        if decision.action == "wait":
            return self.wait(decision)
        if decision.row.asks and "accept" in decision.row.asks.options and self.accepted(decision.rule, about):
            return Progress.GOES_ON
        matter = str(Matter(decision.rule, self.head, about))
        is_recorded = record_or_ask(self.story, decision, self.head, evidence, matter, see or self.url)
        return Progress.GOES_ON if is_recorded else Progress.STOPPED

    def accepted(self, rule: str, about: str = "", here: bool = False) -> bool:
        """Whether the user accepted exactly this for this very commit; `here`: and not on GitHub."""
        return was_accepted(self.story, str(Matter(rule, self.head, about)), here)

    def wait(self, decision: Decision, least: float = LOOK_S, about: str = "") -> Step:
        """Note a wait once, and return its step: `about` what, else in which session."""
        story = self.story
        noted = IntegrationStepDone(decision.rule, self.head, decision.reason, about or self._session)
        if not _same_wait(story.state.events[-1], noted):
            story.note(noted)
            if not about:  # the hook that waits looks its session up: this one may have started no run
                index.add_line(str(story.project.state), index.DRIVEN, noted.evidence, story.id)
        seconds = int(max(least, min(SELDOM_S, self.age(self.head) / 10)))
        return decided_step(story, decision, "integration")._replace(
            seconds=seconds,
            until=datetime.fromtimestamp(time() + seconds, UTC).isoformat(timespec="seconds"),
            pull=self.url or self.place.name,
        )

    def _lasted(self, decision: Decision) -> float:
        """Return for how many seconds a wait has lasted in which nothing but tries was journalled."""
        since = time()
        for record in reversed(self.story.journal.records):
            if isinstance(record.event, IntegrationStepDone) and record.event[:2] == (decision.rule, self.head):
                since = datetime.fromisoformat(record.time).timestamp()
            elif not isinstance(record.event, EffectIntended):
                break
        return time() - since

    @property
    def _session(self) -> str:
        """The session that is woken: this one; a look from elsewhere, as a terminal, leaves it with the last.

        Nothing where the client's module drives the story: it looks again by itself.
        """
        if DRIVEN in os.environ:
            return ""
        waits = (step.evidence for step in reversed(self.story.state.checked) if step.rule in waiting_rules())
        return session_here() or next(waits, "")

    def age(self, commit: str) -> float:
        """Return for how many seconds a commit has been there, or since the user last had it looked at again."""
        return time() - time_of(self.story, commit)

    def made(self, effect: str) -> list[str]:
        """Return the results of a sort of effects, each a commit or a URL, oldest first."""
        return [
            event.commit
            for event in events_since_anew(self.story.state.events)
            if isinstance(event, EffectDone) and event.effect == effect
        ]

    def intend(self, effect: str, about: str, before: str) -> None:
        """Journal that something is about to be changed on the outside, unless the last event says it."""
        wanted = EffectIntended(effect, about, before)
        if self.story.state.events[-1] != wanted:
            self.story.note(wanted)

    def done(self, effect: str, about: str, result: str, refused: str = "", at: str = "") -> None:
        """Journal the result of such a change, once."""
        ended = EffectDone(effect, about, result, refused, at)
        if ended not in self.story.state.events:
            self.story.note(ended)


def delivery_of(story: StorySession) -> Delivery:
    """Return the delivery of a story's tip; a BatonError where it is not known where to."""
    place = find_destination(story.git, story.branch)
    return Delivery(story, GitHub(place.host, story.project.root), place, tip_of(story))


def _same_wait(event: Event, other: IntegrationStepDone) -> bool:
    return isinstance(event, IntegrationStepDone) and event._replace(reason=other.reason) == other


def time_of(story: StorySession, commit: str) -> float:
    """Return when (seconds since 1970) we pushed or merged a commit, or the user had it tried again; else now."""

    def counts(event: Event) -> bool:
        if isinstance(event, Answered):
            return event.option != "accept"  # what was late is no less so for being accepted
        return isinstance(event, QuestionClosed) or (isinstance(event, EffectDone) and event.commit == commit)

    times = [record.time for record in story.journal.records if counts(record.event)]
    return datetime.fromisoformat(times[-1]).timestamp() if times else time()
