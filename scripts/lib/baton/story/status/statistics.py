"""Statistics of several stories, from their journals: outcomes, what they used, and what they asked."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back
from baton.journal.events import Event, Judged, QuestionAsked
from baton.journal.journal import Journal, Record
from baton.journal.paths import Project, validate_story_id
from baton.journal.run import ROLE_OF
from baton.journal.state import State, fold
from baton.rules.all_tables import rows_by_rule
from baton.story.session.open_story import find_journal
from baton.usage.spending import Spending, spending_of, sum_of
from baton.usage.spending_words import sum_data, whole_minutes

OUTCOMES = ("merged", "undone", "complete_not_merged", "abandoned", "waiting_for_you", "under_way", "not_begun")
OF_STAGE = {"abandoned": "abandoned", "question": "waiting_for_you", "new": "not_begun"}
# The rule by which a story ends that is merged, by baton or by somebody else.
MERGED = "close/done"
NOT_KNOWN = "not known"
# By how much the clock of a file system may be behind.
MARGIN_SECONDS = 2
# What runs and the conversation used, as `sum_data` has it, with `runs`, `minutes` and all `tokens`.
Used = dict[str, Any]


class Followed(NamedTuple):
    """The journal of a story, and whether its merge was reverted, and that still holds."""

    records: Sequence[Record]
    undone: bool = False


class RuleCount(NamedTuple):
    """A rule, how often it held, and when it does."""

    rule: str
    times: int
    when: str


class Statistics(NamedTuple):
    """Numbers over stories: when the one at rest longest last changed, and the newest."""

    stories: int
    changed_from: str
    changed_to: str
    outcomes: dict[str, int]
    with_a_question: int
    in_all: Used
    by_role: dict[str, Used]
    by_model: dict[str, Used]
    questions: list[RuleCount]
    failed_attempts: list[RuleCount]


def read_newest(project: Project, most: int) -> tuple[list[Followed], list[BatonError]]:
    """Read the stories that changed last, and say what is wrong with those of them that cannot be read.

    A journal changed last when its file did, or before: once that is long ago, no others need to be read.
    """
    newest, faults = list[tuple[str, str, Followed]](), list[BatonError]()
    for written, story_id in sorted(
        ((_written(project, story_id), story_id) for story_id in project.story_ids()), reverse=True
    ):
        if len(newest) == most and newest[0][0] > written:
            break
        try:
            if journal := find_journal(project, validate_story_id(story_id)):
                heappush(newest, (journal.records[-1].time, story_id, _follow(project, journal)))
        except BatonError as error:
            faults.append(error)
        if len(newest) > most:
            heappop(newest)
    return [story for _, _, story in newest], faults


def _follow(project: Project, journal: Journal) -> Followed:
    revert = fold(journal.records).undone
    return Followed(journal.records, bool(revert) and not brought_back(Git(project), *revert))


def _written(project: Project, story_id: str) -> str:
    """Return the latest time a journal may have been written at; `unseen`, which sorts last, if none is known."""
    try:
        changed = project.journal(story_id).lstat().st_mtime
    except OSError:
        return "unseen"
    return datetime.fromtimestamp(changed + MARGIN_SECONDS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def statistics_of(stories: Sequence[Followed]) -> Statistics:
    """Count over stories; a failed attempt is a judgment that was charged to a budget of retries.

    A run and its minutes count for the model that used most of its tokens.
    """
    states = [fold(story.records) for story in stories]
    events = [event for state in states for event in state.events]
    spending = [spent for story in stories for spent in spending_of(story.records)]
    times = sorted(state.updated for state in states) or [""]
    became = Counter(outcome_of(state, story.undone) for state, story in zip(states, stories, strict=True))
    return Statistics(
        stories=len(states),
        changed_from=times[0],
        changed_to=times[-1],
        outcomes={name: became[name] for name in OUTCOMES},
        with_a_question=sum(any(map(is_question, state.events)) for state in states),
        in_all=_used(spending),
        by_role=_grouped((ROLE_OF.get(spent.phase, spent.phase), spent) for spent in spending),
        by_model=_grouped(part for spent in spending for part in _by_model(spent)),
        questions=_counted(filter(is_question, events)),
        failed_attempts=_counted(event for event in events if isinstance(event, Judged) and event.charges),
    )


def outcome_of(state: State, undone: bool) -> str:
    """Return which of `OUTCOMES` became of a story; `undone`: its merge was reverted, and that still holds."""
    if state.completed is None:
        return OF_STAGE.get(state.stage, "under_way")
    return "undone" if undone else "merged" if state.completed.rule == MERGED else "complete_not_merged"


def is_question(event: Event) -> bool:
    """Whether the user was asked something."""
    return isinstance(event, QuestionAsked) or (isinstance(event, Judged) and event.question is not None)


def _counted(events: Iterable[Any]) -> list[RuleCount]:
    """Count the rules of events, the most frequent first."""
    counts = Counter(str(event.rule) for event in events).most_common()
    rows = rows_by_rule()
    return [RuleCount(rule, times, rows[rule][-1].when if rule in rows else "") for rule, times in counts]


def _by_model(spent: Spending) -> Iterator[tuple[str, Spending]]:
    """Split what was spent by model; the run and its time count for the one that used most of its tokens."""
    most = max(spent.models, key=lambda name: spent.models[name].total, default=NOT_KNOWN)
    if not spent.models:
        yield NOT_KNOWN, spent
    for name, tokens in spent.models.items():
        part = spent._replace(models={name: tokens})
        yield name, part if name == most else part._replace(run="", seconds=0)


def _grouped(named: Iterable[tuple[str, Spending]]) -> dict[str, Used]:
    """Add up what was spent under each name, the name with most tokens first."""
    groups: dict[str, list[Spending]] = {}
    for name, spent in named:
        groups.setdefault(name, []).append(spent)
    used = {name: _used(group) for name, group in groups.items()}
    return dict(sorted(used.items(), key=lambda item: -item[1]["tokens"]))


def _used(spending: Sequence[Spending]) -> Used:
    total = sum_of(spending)
    about = {"runs": sum(1 for spent in spending if spent.run), "minutes": whole_minutes(total.seconds)}
    return {**about, "tokens": total.tokens.total, **sum_data(total)}
