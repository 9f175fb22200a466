"""Plan a round: first the readers to start; then its units, a brief for each, and the resolvers to start."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from baton.errors import BatonError
from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.build_round import draft_round, items_on_our_lines
from baton.feedback.plan.cluster import Cluster
from baton.feedback.plan.cluster_brief import brief_of
from baton.feedback.plan.head_commands import question_at_plan
from baton.feedback.plan.open_decisions import PATTERN_RULE, decisions_in_words, questions_to_ask, with_decisions
from baton.feedback.plan.pull_head import fetch_head
from baton.feedback.plan.resolver_brief import BriefInput, brief_path, write_unit_brief
from baton.feedback.plan.round import Round, Unit, load_round, save_round
from baton.feedback.plan.round_step import RoundStep, send_out, step_to_ask
from baton.feedback.plan.unit_work import load_unit_work
from baton.feedback.reader.items import ACTIONABLE, IGNORE
from baton.feedback.record.fetch_pull import settings_for
from baton.feedback.record.record import PullRequestRecord, with_kept_readings
from baton.feedback.store.outbox import effect_commits
from baton.feedback.store.questions import Answers
from baton.git.command import Git
from baton.git.worktrees import ignore_trees
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.text import plural

USER_VERDICTS = (ACTIONABLE, IGNORE)


class LandFirst(BatonError):
    """The round before has hand-ins that are to be landed before another is planned."""


def plan_round(project: Project, record: PullRequestRecord, verdicts: Mapping[str, str]) -> RoundStep:
    """Have what is new read, then plan a round, with a brief for each unit; returns the agents to start.

    `verdicts` is what the user says of items: it is kept before anything else is looked at.
    """
    folder, git = record.folder, Git(project)
    record = _with_verdicts(project, record, verdicts)
    with hold_lock(folder / "lock", "baton pr plan"):
        before = load_round(project, folder)
        if before and not before.landed and _is_under_way(project, folder, before, record):
            reason = "this round is running already"
            return send_out(project, folder, before, "round/under-way", reason, repeat=True)
        if readers := None if record.pending_review else ask_readers(project, record, "plan"):
            return readers
        config = settings_for(git, record.pull)
        answers = Answers(project, folder)
        if asks := questions_to_ask(answers.kept.decisions, answers, record):
            answers.ask(asks[0])
            return step_to_ask(asks[0], record.pull.number)
        record = with_decisions(record, answers, before)
        ours = items_on_our_lines(git, record, effect_commits(folder, "push").values())
        draft = draft_round(record, config, before, ours)
        if draft.round is None:
            return RoundStep("report", draft.decision.rule, draft.decision.reason)
        fetch_head(git, record.pull)
        ignore_trees(git)
        if question := question_at_plan(git, answers, record.pull, config):
            answers.ask(question)
            return step_to_ask(question, record.pull.number)
        words = decisions_in_words(answers, record)
        note = answers.note(PATTERN_RULE, before.id) if before else ""
        units = tuple(
            _briefed(project, record, unit, draft.clusters, [note, *(words.get(item, "") for item in unit.items)])
            for unit in draft.round.units
        )
        ready = draft.round._replace(units=units)
        save_round(project, folder, ready)
        step = send_out(project, folder, ready, draft.decision.rule, draft.decision.reason)
        return step._replace(lines=tuple(_recurring(record, ready, ours)))


def _with_verdicts(project: Project, record: PullRequestRecord, verdicts: Mapping[str, str]) -> PullRequestRecord:
    """Keep what the user says of items; returns the record as it reads with that."""
    if not verdicts:
        return record
    _check_verdicts(verdicts, record)
    folder = record.folder
    with hold_lock(folder / "lock", "keeping verdicts"):
        answers = Answers(project, folder)
        at = {item.id: item.at for item in record.items}
        answers.ignore({item: at[item] for item, word in verdicts.items() if word == IGNORE})
        answers.want({item: at[item] for item, word in verdicts.items() if word == ACTIONABLE})
    return with_kept_readings(project, record)


def _check_verdicts(verdicts: Mapping[str, str], record: PullRequestRecord) -> None:
    """Refuse verdicts on unknown items, and words that are no verdict."""
    known = {item.id for item in record.items}
    for item, word in verdicts.items():
        if item not in known:
            raise BatonError(f"no item {item[:80]}", "--verdicts", "take the ids that `baton pr fetch` gave")
        if word not in USER_VERDICTS:
            raise BatonError(f"{word[:80]!r} for {item}", "--verdicts", f"one of: {', '.join(USER_VERDICTS)}")


def _recurring(record: PullRequestRecord, current: Round, ours: Collection[str]) -> Iterator[str]:
    """Say how many of a round's items recur: on lines our fixes wrote, or found before."""
    items = {name for unit in current.units for name in unit.items}
    repeated = [item for item in record.items if item.id in items and item.repeated]
    if wrote := items.intersection(ours):
        yield f"AGAIN {plural(len(wrote), 'item')} on lines that our own earlier fixes wrote"
    if repeated:
        yield f"AGAIN {plural(len(repeated), 'item')} of which their bot says that it found them before"


def _is_under_way(project: Project, folder: Path, before: Round, record: PullRequestRecord) -> bool:
    """Whether a round is out that is of what was fetched last; a later fetch makes way for another."""
    fetched_since = record.file.stat().st_mtime_ns > (folder / "round.json").stat().st_mtime_ns
    taken = load_unit_work(project, folder, before)
    if fetched_since and taken and (record.pull.head_oid == before.head or _is_pushed(project, folder, before)):
        what = f"{len(taken)} units of the round before were handed in"
        raise LandFirst(what, f"pr-{before.number}", f"land them first: `baton pr land {before.number}`")
    return not fetched_since


def _is_pushed(project: Project, folder: Path, before: Round) -> bool:
    """Whether a round's commit was pushed: what is left of its landing is to read, to ask and to report."""
    pushed = effect_commits(folder, "push").values()
    return any(commit in pushed for commit in before.commits_in(effect_commits(folder, "commit")))


def _briefed(
    project: Project,
    record: PullRequestRecord,
    unit: Unit,
    clusters: Mapping[str, Cluster],
    notes: Sequence[str],
) -> Unit:
    """Write the brief of a unit, `notes` are what the user said; returns the unit with its place."""
    path, cluster = brief_path(record.folder, unit.id), clusters.get(unit.items[0])
    note = "\n".join(filter(None, notes))
    write_unit_brief(project, path, BriefInput(unit, record, cluster and brief_of(cluster), note))
    lines = "" if unit.is_cluster else next(item.lines for item in record.items if item.id == unit.items[0])
    return unit._replace(brief=str(path), lines=lines)
