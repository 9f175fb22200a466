"""The report of the feedback on a pull request: its rounds in time, and the verdicts of the last one."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from baton.artifacts.report import Criterion
from baton.errors import BatonError
from baton.feedback.fetch.threads import thread_item
from baton.feedback.land.kept_summary import LandedRound, load_landed
from baton.feedback.land.land_summary import NEEDS_HUMAN
from baton.feedback.plan.open_decisions import item_name
from baton.feedback.plan.resolver_brief import brief_path
from baton.feedback.plan.round import Round, load_round
from baton.feedback.plan.unit_work import HAND_IN
from baton.feedback.record.record import PullRequestRecord, load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.outbox import read_effects
from baton.feedback.store.questions import Answers
from baton.git.command import Git
from baton.github.address import link_to
from baton.journal.events import EffectDone, EffectIntended
from baton.journal.journal import Record
from baton.journal.paths import Papers, Project
from baton.report.evidence import NO_WORK, read_check_runs, try_read, work_between
from baton.report.lanes import Stretch, draw, seconds
from baton.report.report_data import DecisionRow, ReportData, RunRow, bounded
from baton.text import plural

# What was not looked at: by the state of an item, what it is.
UNREAD = {
    "quarantined": "ignored, by people who may not push",
    "unverified": "by people or bots you have not said to trust",
}


def round_report(project: Project, number: int) -> ReportData:
    """Return the report of the feedback on a pull request that was read here; a BatonError without a round."""
    folder, unread = find_folder(project, number), list[str]()
    record, planned = load_record_in(project, folder), load_round(project, folder)
    if planned is None:
        raise BatonError("no round was planned", f"pr-{number}", f"plan one: `baton pr plan {number}`")
    landed = load_landed(project, folder) if planned.landed else None
    step, landing = (landed.step, landed.step.data) if landed else (None, {})
    state, tone = f"round {planned.cycle} {'landed' if step else 'under way'}", "good" if step else "open"
    if asks := _asks(project, folder):
        state, tone = "waiting for you", "ask"
    effects, checks, pull = read_effects(folder).records, read_check_runs(folder / "checks"), record.pull
    pushed, updated = list(_done(effects, "push")), effects[-1].time if effects else ""
    spans = [(f"{commit}^1", commit) for commit in reversed(pushed)]
    commits, files = try_read(lambda: work_between(Git(project), spans, Papers(), unread), NO_WORK, unread)
    return bounded(ReportData(
        kind="round", id=f"pr-{number}", title=pull.title or f"pull request {number}",
        state=state, tone=tone,
        base=pull.base, branch=pull.target if pull.cross_repository else pull.head,
        commit=pushed[-1] if pushed else "", url=link_to(pull.url), updated=updated,
        timeline=draw([*_spans(folder, effects), *(check.stretch for check in checks)]),
        runs=list(_units(planned, effects)), commits=commits, files=files,
        checks=[check.row for check in checks], hosted=list(_replies(landing, updated)),
        decisions=[DecisionRow(updated, "a round landed", "", step.rule, step.action, step.reason)]
        if step else [],
        criteria=[_verdict(verdict, record) for verdict in landing.get("verdicts", [])],
        not_verified=[*asks, *_not_verified(record, planned, landed), *unread],
        undo=" ".join(["git revert", *(commit[:12] for commit in reversed(pushed))]) if pushed else "",
        undo_why="on the branch of the pull request, then push it" if pushed else "no round has pushed a commit",
    ))  # fmt: skip


def _asks(project: Project, folder: Path) -> list[str]:
    """Return the open question, and how it is answered; empty for none."""
    if (asked := Answers(project, folder).open) is None:
        return []
    name = f"pr-{folder.name}"
    return [
        f"it asks you: {asked.question} `baton question {name}` shows it, `baton answer {name} OPTION` answers"
    ]


def _done(effects: Sequence[Record], effect: str) -> dict[str, str]:
    """Return the times at which effects of a sort were done, by their subject."""
    done = ((effect.event, effect.time) for effect in effects if isinstance(effect.event, EffectDone))
    return {event.about: time for event, time in done if event.effect == effect and not event.refused}


def _spans(folder: Path, effects: Sequence[Record]) -> Iterator[Stretch]:
    """Give the stretch of each unit, from its brief to its hand-in, and those of effects on GitHub."""
    for unit, time in _done(effects, HAND_IN).items():
        brief, end = brief_path(folder, unit), seconds(time)
        start = min(brief.stat().st_mtime, end) if brief.exists() else end
        yield Stretch("runs", unit.rpartition("-")[2], f"{unit}: handed in", start, end)
    begun: dict[tuple[str, str], str] = {}
    for record in effects:
        match record.event:
            case EffectIntended(effect=effect, about=about):
                begun.setdefault((effect, about), record.time)
            case EffectDone(effect=effect, about=about) if (effect, about) in begun:
                start, end = seconds(begun[effect, about]), seconds(record.time)
                yield Stretch("github", effect, f"{effect} {about.rpartition(' ')[2]}", start, end)


def _units(planned: Round, effects: Sequence[Record]) -> Iterator[RunRow]:
    """Give the units of the last round, with their results."""
    taken = _done(effects, HAND_IN)
    for unit in planned.units:
        about = f"{unit.theme} in {unit.area}" if unit.is_cluster else ", ".join(unit.files)
        task = ", ".join(filter(None, (plural(len(unit.items), "comment"), about)))
        ended = "handed in" if unit.id in taken else "not handed in"
        result = "given up" if unit.id in planned.skipped_units else ended
        yield RunRow(unit.id, "unit", task, result=result, unknown="no hook counts what units use")


def _verdict(verdict: Mapping[str, Any], record: PullRequestRecord) -> Criterion:
    """Return the verdict on an item of feedback, with its author, its place and its first words."""
    known = {item.id: item for item in (*map(thread_item, record.resolved), *record.items)}
    item = known.get(verdict["feedback_id"])
    text = item_name(item) if item else str(verdict["feedback_id"])
    asked = (verdict.get("decision_context") or {}).get("question", "")
    files = ", ".join(verdict.get("files_changed", ()))
    seen = " — ".join(filter(None, (str(verdict.get("reason", "")), str(asked), files)))
    return Criterion("", text, str(verdict["verdict"]), seen)


def _replies(landing: Mapping[str, Any], time: str) -> Iterator[DecisionRow]:
    for what, name in (("reply", "replies"), ("resolve", "resolved")):
        for effect in landing.get(name, []):
            yield DecisionRow(time, "", "", what, str(effect["how"]), f"{effect['id']} {effect['why']}".strip())


def _not_verified(record: PullRequestRecord, planned: Round, landed: LandedRound | None) -> Iterator[str]:
    """Give the items that are open or unread, and the commands that did not run or pass."""
    landing = landed.step.data if landed else {}
    not_passed = landed and not landed.passed and landing.get("validation")
    for verdict in landing.get("verdicts", []):
        if verdict["verdict"] == NEEDS_HUMAN:
            yield f"{verdict['feedback_id']}: it is yours to decide"
    yield from (f"{unit}: its agent handed nothing in, and it was given up" for unit in planned.skipped_units)
    yield from (f"{item.id}: said by @{item.author}, and not worked on yet" for item in record.left)
    for state, what in UNREAD.items():
        if count := record.counts.get(state):
            yield f"{plural(count, 'comment')} {what}"
    yield from (f"{review.bot} has not reviewed it: {review.why}" for review in record.not_reviewed)
    if not landing:
        yield "the round has not landed: it is not known that its commands pass"
    elif not landing["commit"]:
        yield "the round made no commit, so no command ran"
    elif not_passed:
        yield f"the commands on its commit: {not_passed}"
    yield "what the units used is not known"
