"""What came of a round, on one screen: by verdict, by cluster, what the user has to decide, what is left."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from baton.artifacts.resolver_result import ItemResult, ResolverResult
from baton.feedback.land.outbox import DELETED, SKIPPED, EffectOutcome
from baton.feedback.land.validate import ValidationResult
from baton.feedback.plan.round import Round
from baton.feedback.read.item import NEW, PENDING
from baton.feedback.read.read_command import Snapshot
from baton.rules.engine import Decision
from baton.text import clip, plural, visible

VERDICTS = ("fixed", "fixed-differently", "replied", "not-addressing", "needs-human")
# What a caller does next, by what was decided.
NEXT = {"plan": "plan", "ask": "ask", "complete": "report"}
MOST = 12  # lines for each verdict
LINE = 160


class LandResult(NamedTuple):
    """A round that has landed."""

    round: Round
    results: Mapping[str, ResolverResult]
    read: Snapshot  # what is there now
    decision: Decision
    commit: str
    validated: ValidationResult
    replies: Sequence[EffectOutcome]
    resolved: Sequence[EffectOutcome]
    notes: Sequence[str] = ()  # what became of the user's own branch, and what stays

    @property
    def verdicts(self) -> list[ItemResult]:
        """The verdict on each item."""
        return [one for made in self.results.values() for one in made.results]

    def lines(self) -> Iterator[str]:
        """Return the summary as text, the action first."""
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
        if how := self.decision.row.stop:
            yield f"QUESTION {how.question}"
            yield from (f"OPTION {name}" for name in how.options)
            yield f"THEN baton answer pr-{number} OPTION"

    def data(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        assessed = {name: made.assessment for name, made in self.results.items() if made.assessment}
        return {
            "commit": self.commit or None, "validation": self.validated.summary(),
            "verdicts": [{**one._asdict(), "decision_context": _asked(one)} for one in self.verdicts],
            "clusters": [{"unit": name, **one._asdict()} for name, one in assessed.items()],
            "replies": [one._asdict() for one in self.replies],
            "resolved": [one._asdict() for one in self.resolved],
            "counts": self.read.record.counts,
            "not_reviewed": [one._asdict() for one in self.read.record.not_reviewed],
        }  # fmt: skip

    def _done(self) -> Iterator[str]:
        told = f"COMMIT {self.commit[:12]}, pushed; {self.validated.summary()}" if self.commit else "COMMIT none"
        yield told
        kept = [one for one in (*self.replies, *self.resolved) if one.how in (SKIPPED, DELETED)]
        replied = len([one for one in self.replies if one.how not in (SKIPPED, DELETED)])
        closed = len([one for one in self.resolved if one.how not in (SKIPPED, DELETED)])
        yield f"ANSWERED {plural(replied, 'item')}, resolved {plural(closed, 'thread')}"
        for one in kept[:MOST]:
            yield f"  {one.id}: {one.how}: {one.why}"

    def _of(self, verdict: str) -> Iterator[str]:
        those = [one for one in self.verdicts if one.verdict == verdict]
        if not those:
            return
        yield f"{verdict.upper()} {len(those)}"
        for one in those[:MOST]:
            said = (one.feedback_id, _short(", ".join(one.files_changed)), _short(one.reason))
            yield f"  {' '.join(word for word in said if word)}"
            if asked := one.decision_context:
                yield f"    {_short(asked.question)} ({_short(' | '.join(asked.options))})"
        if len(those) > MOST:
            yield f"  and {len(those) - MOST} more"

    def _clusters(self) -> Iterator[str]:
        units = {one.id: one for one in self.round.units}
        for name, made in self.results.items():
            if (said := made.assessment) and name in units:
                where = f"{units[name].theme} in {units[name].area}"
                yield f"CLUSTER {_short(where)}: {said.mode}: {_short(said.summary)}"
                if said.files_investigated:
                    yield f"  looked at {_short(', '.join(said.files_investigated))}"

    def _left(self) -> Iterator[str]:
        counts = self.read.record.counts
        yield "LEFT " + " · ".join(
            f"{counts[one]} {one}" for one in counts if counts[one] or one in (NEW, PENDING)
        )
        for one in self.read.record.not_reviewed:
            yield f"NOT REVIEWED by {one.bot}: {_short(one.why)}"


def _asked(one: ItemResult) -> dict[str, Any] | None:
    return one.decision_context._asdict() if one.decision_context else None


def _short(text: str) -> str:
    return clip(" ".join(visible(text).split()), LINE)
