"""The feedback on a pull request as a report: its rounds in time, and the verdicts of the last one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from baton.artifacts.report import Criterion
from baton.errors import BatonError
from baton.feedback.fetch.threads import thread_item
from baton.feedback.land.accepted_work import HAND_IN
from baton.feedback.land.outbox import read_effects
from baton.feedback.land.summary import NEEDS_HUMAN
from baton.feedback.plan.build_round import brief_path
from baton.feedback.plan.round import Round, load_round
from baton.feedback.record import PullRequestRecord, load_record_in
from baton.feedback.store import find_folder, read_kept
from baton.git.command import Git
from baton.github.address import link_to
from baton.journal.events import EffectDone, EffectIntended
from baton.journal.journal import Record
from baton.journal.paths import Papers, Project
from baton.report.data import DecisionRow, ReportData, RunRow, bounded
from baton.report.evidence import NO_WORK, read_check_runs, try_read, work_between
from baton.report.lanes import Stretch, draw, seconds
from baton.text import plural

# What was not looked at: by the state of an item, what it is.
UNREAD = {"quarantined": "by strangers, not read", "unverified": "by people or bots you have not said to trust"}
# What is said of commands that have all passed.
PASSED = re.compile(r"\d+ commands? passed")


def round_report(project: Project, number: int) -> ReportData:
    """Return the report of the feedback on a pull request that was read here; a BatonError where no round was."""
    folder, unread = find_folder(project, number), list[str]()
    record, made = load_record_in(project, folder), load_round(project, folder)
    if made is None:
        raise BatonError("no round was planned", f"pr-{number}", f"plan one: `baton pr plan {number}`")
    kept, remedy = folder / "landed.json", f"`baton pr fetch {number}` says what is open now"
    step = read_kept(project, kept, lambda kept: dict(kept["step"]), remedy) if made.landed else None
    told: dict[str, Any] = step["data"] if step else {}
    effects, checks, pull = read_effects(folder).records, read_check_runs(folder / "checks"), record.pull
    pushed, updated = list(_done(effects, "push")), effects[-1].time if effects else ""
    spans = [(f"{commit}^1", commit) for commit in reversed(pushed)]
    commits, files = try_read(lambda: work_between(Git(project), spans, Papers(), unread), NO_WORK, unread)
    return bounded(ReportData(
        kind="round", id=f"pr-{number}", title=pull.title or f"pull request {number}",
        state=f"round {made.cycle} {'landed' if step else 'under way'}", tone="good" if step else "open",
        base=pull.base, branch=pull.target if pull.cross_repository else pull.head,
        commit=pushed[-1] if pushed else "", url=link_to(pull.url), updated=updated,
        timeline=draw([*_spans(folder, effects), *(check.stretch for check in checks)]),
        runs=list(_units(made, effects)), commits=commits, files=files,
        checks=[check.row for check in checks], hosted=list(_replies(told, updated)),
        decisions=[DecisionRow(updated, "a round landed", "", step["rule"], step["action"], step["reason"])]
        if step else [],
        criteria=[_verdict(verdict, record) for verdict in told.get("verdicts", [])],
        not_verified=[*_not_verified(record, made, told), *unread],
        undo=" ".join(["git revert", *(one[:12] for one in reversed(pushed))]) if pushed else "",
        undo_why="on the branch of the pull request, then push it" if pushed else "no round has pushed a commit",
    ))  # fmt: skip


def _done(effects: Sequence[Record], effect: str) -> dict[str, str]:
    """Return when each effect of a sort was done, by what it is about."""
    done = ((effect.event, effect.time) for effect in effects if isinstance(effect.event, EffectDone))
    return {event.about: time for event, time in done if event.effect == effect and not event.refused}


def _spans(folder: Path, effects: Sequence[Record]) -> Iterator[Stretch]:
    """Give when each unit was out, from its brief to its hand-in, and what was done on GitHub."""
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


def _units(made: Round, effects: Sequence[Record]) -> Iterator[RunRow]:
    """Give the units of the last round, and what became of each."""
    taken = _done(effects, HAND_IN)
    for unit in made.units:
        about = f"{unit.theme} in {unit.area}" if unit.is_cluster else ", ".join(unit.files)
        task = ", ".join(filter(None, (plural(len(unit.items), "comment"), about)))
        ended = "handed in" if unit.id in taken else "not handed in"
        result = "given up" if unit.id in made.skipped_units else ended
        yield RunRow(unit.id, "unit", task, result=result, unknown="no hook counts what units use")


def _verdict(one: Mapping[str, Any], record: PullRequestRecord) -> Criterion:
    """Return a piece of feedback by whose it is and where, with what was made of it."""
    known = {item.id: item for item in (*map(thread_item, record.resolved), *record.items)}
    item = known.get(one["feedback_id"])
    about = (f"@{item.author}", f"{item.path or ''}{item.lines and f':{item.lines}'}") if item else ()
    asked = (one.get("decision_context") or {}).get("question", "")
    files = ", ".join(one.get("files_changed", ()))
    seen = " — ".join(filter(None, (str(one.get("reason", "")), str(asked), files)))
    return Criterion("", " ".join(filter(None, about)) or str(one["feedback_id"]), str(one["verdict"]), seen)


def _replies(told: Mapping[str, Any], time: str) -> Iterator[DecisionRow]:
    for what, name in (("reply", "replies"), ("resolve", "resolved")):
        for one in told.get(name, []):
            yield DecisionRow(time, "", "", what, str(one["how"]), f"{one['id']} {one['why']}".strip())


def _not_verified(record: PullRequestRecord, made: Round, told: Mapping[str, Any]) -> Iterator[str]:
    """Give what is open, what nobody read, and what no command was run on."""
    for verdict in told.get("verdicts", []):
        if verdict["verdict"] == NEEDS_HUMAN:
            yield f"{verdict['feedback_id']}: it is yours to decide"
    yield from (f"{unit}: its agent handed nothing in, and it was given up" for unit in made.skipped_units)
    yield from (f"{one.id}: said by @{one.author}, and not worked on yet" for one in record.left)
    for state, what in UNREAD.items():
        if count := record.counts.get(state):
            yield f"{plural(count, 'comment')} {what}"
    yield from (f"{one.bot} has not reviewed it: {one.why}" for one in record.not_reviewed)
    said = str(told.get("validation", ""))
    if not told:
        yield "the round has not landed: it is not known that its commands pass"
    elif said and not PASSED.fullmatch(said):
        yield f"the commands on its commit: {said}"
    yield "what the units used is not known"
