"""What came of a round, on one screen: by verdict, by cluster, what the user has to decide, what is left."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from baton.artifacts.resolver_result import ItemResult, ResolverResult
from baton.feedback.decisions import DECISION, item_name
from baton.feedback.fetch.item import NEW, PENDING, Item
from baton.feedback.fetch.read_command import Snapshot
from baton.feedback.fetch.threads import thread_item
from baton.feedback.land.outbox import DELETED, SKIPPED, EffectOutcome
from baton.feedback.land.validate import ValidationResult
from baton.feedback.plan.round import Round
from baton.feedback.questions import Question
from baton.feedback.record import PullRequestRecord
from baton.feedback.text.quote import on_one_line, quoted
from baton.rules.engine import Decision
from baton.text import clip, join_words, plural, visible

NEEDS_HUMAN = "needs-human"
VERDICTS = (NEEDS_HUMAN, "fixed", "fixed-differently", "replied", "not-addressing", "asks-nothing")
# What a caller does next, by what was decided.
NEXT = {"plan": "plan", "ask": "ask", "complete": "report"}
MOST = 12  # lines for each verdict
LINE = 160
FEW = 3  # items of one line
OPEN = {SKIPPED: "left open"}  # what became of a thread that was answered and not resolved


@dataclass(frozen=True)
class LandResult:
    """A round that has landed."""

    round: Round
    results: Mapping[str, ResolverResult]
    planned: PullRequestRecord  # as it was when landing began
    read: Snapshot  # what is there now
    decision: Decision
    commit: str
    validated: ValidationResult
    replies: Sequence[EffectOutcome]
    resolved: Sequence[EffectOutcome]
    decisions: Mapping[str, Question]  # all that the user is to decide, by item
    question: Question | None  # what is asked now
    notes: Sequence[str] = ()  # what became of the user's own branch, and what stays

    @property
    def verdicts(self) -> list[ItemResult]:
        """The verdict on each item."""
        return [result for made in self.results.values() for result in made.results]

    def lines(self) -> Iterator[str]:
        """Return the summary as text, the action first, then what the user has to decide."""
        yield f"DO {NEXT[self.decision.action]}"
        yield f"WHY {self.decision.rule}: {self.decision.reason}"
        yield from self._done()
        for verdict in VERDICTS:
            yield from self._of(verdict)
        yield from self._clusters()
        yield from self._left()
        yield from self.notes

    def then(self) -> Iterator[str]:
        """Say what comes next, the last of the summary."""
        number = self.round.number
        if self.decision.action == "plan":
            yield f"THEN baton pr plan {number}"
        if self.question:
            yield from (*self.question.choices, *self.question.answered_by(number))

    def data(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        assessed = {name: made.assessment for name, made in self.results.items() if made.assessment}
        return {
            "commit": self.commit or None, "validation": self.validated.summary(),
            "verdicts": [{**verdict._asdict(), "decision_context": _asked(verdict)} for verdict in self.verdicts],
            "clusters": [{"unit": name, **one._asdict()} for name, one in assessed.items()],
            "replies": [reply._asdict() for reply in self.replies],
            "resolved": [one._asdict() for one in self.resolved],
            "counts": self.read.record.counts,
            "not_reviewed": [one._asdict() for one in self.read.record.not_reviewed],
            **(self.question.data(self.round.number) if self.question else {}),
        }  # fmt: skip

    def _done(self) -> Iterator[str]:
        told = f"COMMIT {self.commit[:12]}, pushed; {self.validated.summary()}" if self.commit else "COMMIT none"
        yield told
        kept = [(reply.how, reply) for reply in self.replies if reply.how in (SKIPPED, DELETED)]
        kept += [(OPEN.get(one.how, one.how), one) for one in self.resolved if one.how in (SKIPPED, DELETED)]
        replied = len([reply for reply in self.replies if reply.how not in (SKIPPED, DELETED)])
        closed = len([one for one in self.resolved if one.how not in (SKIPPED, DELETED)])
        yield f"ANSWERED {plural(replied, 'item')}, resolved {plural(closed, 'thread')}"
        for how, why in dict.fromkeys((how, one.why) for how, one in kept):
            names = [one.id for is_so, one in kept if (is_so, one.why) == (how, why)]
            yield f"  {join_words(names, FEW)}: {how}: {why}"

    def _of(self, verdict: str) -> Iterator[str]:
        those = [one for one in self.verdicts if one.verdict == verdict]
        if not those:
            return
        yield f"{verdict.upper()} {len(those)}"
        # What is to be decided is shown whole, however much that is.
        shown = those if verdict == NEEDS_HUMAN else those[:MOST]
        for one in shown:
            yield f"  {self.name_item(one.feedback_id)}"
            yield from (f"    {line}" for line in _told(one))
        if len(those) > len(shown):
            yield f"  and {len(those) - len(shown)} more"

    def name_item(self, name: str) -> str:
        """Return an item as a person knows it: whose it is, where, what it says, its address."""
        item = self._items.get(name)
        return f"{item_name(item)} {item.url}" if item else name

    @cached_property
    def _items(self) -> dict[str, Item]:
        """Every item as it was worked on; of what is left or was resolved before, as it reads now."""
        resolved = {thread.id: thread_item(thread) for thread in self.read.feedback.threads if thread.resolved}
        left = {one.id: one for one in self.read.record.items}
        return {**resolved, **left, **{one.id: one for one in self.planned.items}}

    def _clusters(self) -> Iterator[str]:
        units = {unit.id: unit for unit in self.round.units}
        for name, made in self.results.items():
            if (said := made.assessment) and name in units:
                where = f"{units[name].theme} in {units[name].area}"
                yield f"CLUSTER {_short(where)}: {said.mode}: {_short(said.summary)}"
                if said.files_investigated:
                    yield f"  looked at {_short(', '.join(said.files_investigated))}"

    def _left(self) -> Iterator[str]:
        counts, new = self.read.record.counts, self.read.record.new
        yield "LEFT " + " · ".join(
            f"{counts[count]} {count}" for count in counts if counts[count] or count in (NEW, PENDING)
        )
        yield from (f"  {item_name(one)} {one.url}" for one in new[:MOST])
        if len(new) > MOST:
            yield f"  and {len(new) - MOST} more"
        for one in self.read.record.not_reviewed:
            yield f"NOT REVIEWED by {one.bot}: {_short(one.why)}"
        not_read = dict.fromkeys((*self.round.not_read, *self.read.record.not_read))
        miscounted = dict.fromkeys((*self.round.miscounted, *self.read.record.miscounted))
        yield from (f"NOT READ {url}: it was taken as it stands" for url in list(not_read)[:MOST])
        yield from (f"WARNING {url} counts more findings than were read" for url in list(miscounted)[:MOST])
        yield from self._left_out()

    def _left_out(self) -> Iterator[str]:
        """Say what of people's words was taken to ask for nothing, and how to have it worked on all the same."""
        ignored = self.read.record.ignored
        if not ignored:
            return
        yield f"TAKEN TO ASK FOR NOTHING {len(ignored)}"
        for one in ignored[-MOST:]:
            yield quoted(f"{one.id} @{one.author}", one.title)
        verdict = f'{{"{ignored[-1].id}": "actionable"}}'
        yield f"  to have one worked on: baton pr plan {self.round.number} --verdicts - with {verdict}"


def _told(one: ItemResult) -> Iterator[str]:
    """Return what a resolver says of an item: what it changed and why; what the user must decide, in full."""
    if said := " ".join(word for word in (_short(", ".join(one.files_changed)), _short(one.reason)) if word):
        yield said
    if asked := one.decision_context:
        yield clip(on_one_line(asked.question), DECISION)
        yield from (f"- {clip(on_one_line(option), DECISION)}" for option in asked.options)


def _asked(one: ItemResult) -> dict[str, Any] | None:
    return one.decision_context._asdict() if one.decision_context else None


def _short(text: str) -> str:
    return clip(" ".join(visible(text).split()), LINE)
