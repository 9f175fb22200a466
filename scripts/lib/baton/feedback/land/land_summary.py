"""The summary of a round, on one screen: by verdict, by cluster, what the user must decide, what is left."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from baton.artifacts.resolver_result import ItemResult
from baton.feedback.fetch.item import ANSWERED, DROPPED, QUARANTINED, STATE_WORDS, STATES, UNVERIFIED, Item
from baton.feedback.fetch.threads import thread_item
from baton.feedback.land.commit import Fixed
from baton.feedback.land.kept_summary import LandedRound
from baton.feedback.land.land_round import LandContext
from baton.feedback.plan.open_decisions import LEAVE, MOST_DECISION, item_name
from baton.feedback.plan.round import Round
from baton.feedback.plan.round_step import RoundStep
from baton.feedback.record.fetch_pull import Snapshot
from baton.feedback.store.outbox import SKIPPED, EffectOutcome
from baton.feedback.store.questions import Question
from baton.rules.engine import Decision
from baton.text import clip, join_words, on_one_line, plural, quoted, visible

NEEDS_HUMAN = "needs-human"
VERDICTS = (NEEDS_HUMAN, "fixed", "fixed-differently", "replied", "not-addressing", "asks-nothing")
# What a caller does next, by what was decided.
NEXT_ACTION = {"plan": "plan", "ask": "ask", "complete": "report"}
MOST_SHOWN = 12  # lines for each verdict
LONGEST_LINE = 160
MOST_NAMES = 3  # items of one line
# What an assessment says, by its mode.
MODES = {
    "systemic": "one cause behind all of it",
    "coincidental": "they only look alike",
    "band-aid": "the earlier fixes hid the cause",
    "correct-but-incomplete": "the earlier fixes missed places",
    "sound-and-independent": "the earlier fixes hold, this has another cause",
}
LEFT_OPEN = {SKIPPED: "left open"}  # what became of a thread that was answered and not resolved


@dataclass(frozen=True)
class LandResult:
    """A round that has landed."""

    landing: LandContext  # the round, and the pull request as it was when landing began
    round: Round  # as it ended
    fetched: Snapshot  # what is there now
    decision: Decision
    fixed: Fixed
    replies: Sequence[EffectOutcome]
    resolved: Sequence[EffectOutcome]
    decisions: Mapping[str, Question]  # all that the user is to decide, by item
    question: Question | None  # what is asked now
    notes: Sequence[str] = ()  # what became of the user's own branch, and what stays

    def kept(self, asked: str) -> LandedRound:
        """Return the summary as it is kept; `asked` is the key of the question that it asks."""
        done = (*self._done(), *(line for verdict in VERDICTS[1:] for line in self._of(verdict)))
        passed = self.fixed.validated.passed
        return LandedRound(self.step(), cleared=False, asked=asked, passed=passed, round=self.round.id, done=done)

    def step(self) -> RoundStep:
        """Return the summary, with what comes next."""
        decision, question, number = self.decision, self.question, self.round.number
        return RoundStep(
            NEXT_ACTION[decision.action], decision.rule, decision.reason, lines=tuple(self._lines()),
            choices=tuple(question.choices) if question else (),
            answer=question.answer_with(number) if question else "",
            then=f"baton pr plan {number}" if decision.action == "plan" else "", data=self._data(),
        )  # fmt: skip

    def _lines(self) -> Iterator[str]:
        """Return the summary as text: what was done and what is left, then each item; a window may cut the end."""
        yield from self._done()
        yield from self._of(NEEDS_HUMAN)
        yield from self._left()
        for verdict in VERDICTS[1:]:
            yield from self._of(verdict)
        yield from self._clusters()
        yield from self.notes

    def _data(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        assessed = {name: result.assessment for name, result in self.landing.results.items() if result.assessment}
        return {
            "commit": self.fixed.commit or None, "validation": self.fixed.validated.summary(),
            "verdicts": [_data_of(verdict) for verdict in self.landing.verdicts],
            "clusters": [{"unit": name, **assessment._asdict()} for name, assessment in assessed.items()],
            "replies": [reply._asdict() for reply in self.replies],
            "resolved": [outcome._asdict() for outcome in self.resolved],
            "counts": self.fetched.record.counts,
            "not_reviewed": [gap._asdict() for gap in self.fetched.record.not_reviewed],
            **(self.question.data(self.round.number) if self.question else {}),
        }  # fmt: skip

    def _done(self) -> Iterator[str]:
        commit, checked = self.fixed.commit, self.fixed.validated.summary()
        if commit:
            yield f"COMMIT {commit[:12]}, pushed; {checked}"
        replied = sum(reply.is_done for reply in self.replies)
        closed = sum(thread.is_done for thread in self.resolved)
        counts = Counter(result.verdict for result in self.landing.verdicts)
        yield f"ANSWERED {plural(replied, 'item')}, resolved {plural(closed, 'thread')}"
        if len(counts) > 1:
            yield f"  {', '.join(f'{counts[verdict]} {verdict}' for verdict in VERDICTS if counts[verdict])}"
        not_done = [(reply.how, reply) for reply in self.replies if not reply.is_done]
        not_done += [
            (LEFT_OPEN.get(thread.how, thread.how), thread) for thread in self.resolved if not thread.is_done
        ]
        names = dict[tuple[str, str], list[str]]()
        for how, effect in not_done:
            names.setdefault((how, effect.why), []).append(effect.id)
        for (how, why), ids in names.items():
            yield f"  {join_words(ids, MOST_NAMES)}: {how}: {why}"

    def _of(self, verdict: str) -> Iterator[str]:
        results = [result for result in self.landing.verdicts if result.verdict == verdict]
        if not results:
            return
        yield f"{verdict.upper()} {len(results)}"
        # What is to be decided is shown whole, however much that is.
        shown = results if verdict == NEEDS_HUMAN else results[:MOST_SHOWN]
        for result in shown:
            yield f"  {self._name_item(result.feedback_id)}"
            yield from (f"    {line}" for line in _told(result))
        if len(results) > len(shown):
            yield f"  and {len(results) - len(shown)} more"

    def _name_item(self, name: str) -> str:
        """Return an item as a person knows it: whose it is, where, what it says, its address."""
        item = self._items.get(name)
        return f"{item_name(item)} {item.url}" if item else name

    @cached_property
    def _items(self) -> dict[str, Item]:
        """Every item as it was worked on; those left, or resolved before, as they read now."""
        resolved = {thread.id: thread_item(thread) for thread in self.fetched.feedback.threads if thread.resolved}
        left = {item.id: item for item in self.fetched.record.items}
        return {**resolved, **left, **self.landing.items}

    def _clusters(self) -> Iterator[str]:
        units = {unit.id: unit for unit in self.round.units}
        for name, result in self.landing.results.items():
            if (assessment := result.assessment) and name in units:
                where = f"{units[name].theme} in {units[name].area}"
                mode = MODES.get(assessment.mode, assessment.mode)
                yield f"CLUSTER {_short(where)}: {mode}: {_short(assessment.summary)}"
                if assessment.files_investigated:
                    yield f"  looked at {_short(', '.join(assessment.files_investigated))}"

    def _left(self) -> Iterator[str]:
        record, new = self.fetched.record, self.fetched.record.new
        ours = {verdict.feedback_id for verdict in self.landing.verdicts}
        before = sum(item.state == ANSWERED and item.id not in ours for item in record.items)
        left = [item for item in record.items if item.state != DROPPED or item.author != record.viewer]
        words = " · ".join(_in_words([item for item in left if item.state != ANSWERED])) or "nothing"
        yield f"LEFT {words}" + (f"; answered before: {before}" if before else "")
        yield from (f"  {item_name(item)} {item.url}" for item in new[:MOST_SHOWN])
        if len(new) > MOST_SHOWN:
            yield f"  and {len(new) - MOST_SHOWN} more"
        if undecided := [item for item in record.items if item.state == ANSWERED and self._is_left(item.id)]:
            yield f"LEFT OPEN BY YOU {len(undecided)}"
            yield from (f"  {item_name(item)} {item.url}" for item in undecided)
        for gap in self.fetched.record.not_reviewed:
            yield f"NOT REVIEWED by {gap.bot}: {_short(gap.why)}"
        not_read = dict.fromkeys((*self.round.not_read, *self.fetched.record.not_read))
        miscounted = dict.fromkeys((*self.round.miscounted, *self.fetched.record.miscounted))
        yield from (f"NOT READ {url}: it was taken as it stands" for url in list(not_read)[:MOST_SHOWN])
        yield from (f"WARNING {url} counts more findings than were read" for url in list(miscounted)[:MOST_SHOWN])
        yield from self._left_out()

    def _is_left(self, item: str) -> bool:
        """Whether the user left open what was to be decided about an item."""
        asked = self.decisions.get(item)
        return asked is not None and self.landing.answers.given(asked.rule, asked.about) == LEAVE

    def _left_out(self) -> Iterator[str]:
        """Yield people's comments that were taken to ask for nothing, and how to have one worked on anyway."""
        ignored = self.fetched.record.ignored
        if not ignored:
            return
        yield f"TAKEN TO ASK FOR NOTHING {len(ignored)}"
        for item in ignored[-MOST_SHOWN:]:
            yield quoted(f"{item.id} @{item.author}", item.title)
        verdict = f'{{"{ignored[-1].id}": "actionable"}}'
        yield f"  to have one worked on: baton pr plan {self.round.number} --verdicts - with {verdict}"


def _in_words(left: Sequence[Item]) -> Iterator[str]:
    """Say how many items of each state are left, and why where they are not to be worked on."""
    for state in STATES:
        items = [item for item in left if item.state == state]
        why = [f"@{item.author} ({on_one_line(item.why)})" for item in items if state in (QUARANTINED, UNVERIFIED)]
        # Without the id of another, or words that are quoted.
        dropped = (item.why.partition(":")[0] for item in items if state == DROPPED)
        why += [re.sub(r"says what \S+", "says what another", words) for words in dropped]
        reasons = f": {join_words([*dict.fromkeys(why)], MOST_NAMES)}" if why else ""
        if items:
            yield f"{len(items)} {STATE_WORDS.get(state, state)}{reasons}"


def _told(result: ItemResult) -> Iterator[str]:
    """Yield the changes of a resolver for an item, with its reason; then what the user must decide, in full."""
    if line := " ".join(word for word in (_short(", ".join(result.files_changed)), _short(result.reason)) if word):
        yield line
    if asked := result.decision_context:
        yield clip(on_one_line(asked.question), MOST_DECISION)
        yield from (f"- {clip(on_one_line(option), MOST_DECISION)}" for option in asked.options)


def _data_of(result: ItemResult) -> dict[str, Any]:
    asked = result.decision_context
    return {**result._asdict(), "decision_context": asked and asked._asdict()}


def _short(text: str) -> str:
    return clip(" ".join(visible(text).split()), LONGEST_LINE)
