"""Before a round is planned, comments are read: the readers to start, or to wait for."""

from baton.feedback.plan.pull_head import fetch_head
from baton.feedback.plan.reader_run import open_reading
from baton.feedback.plan.round_step import RoundStep, Spawn
from baton.feedback.reader.reader_shares import OpenReading
from baton.feedback.reader.readings import load_readings
from baton.feedback.record.read_pull import settings_for
from baton.feedback.record.record import PullRequestRecord
from baton.git.command import Git
from baton.journal.paths import Project
from baton.rules.engine import decide
from baton.rules.facts import ReadFacts
from baton.rules.pages import table_of
from baton.text import plural

READER = "baton:feedback-reader"


def ask_readers(project: Project, record: PullRequestRecord, then: str) -> RoundStep | None:
    """Return the step that starts readers or waits for them, then calls `then`; None if nothing is to be read."""
    if not record.unread:
        return None
    git = Git(project)
    fetch_head(git, record.pull)
    model = settings_for(git, record.pull).models.get("feedback-reader")
    reading = open_reading(project, record, then)
    wanted = {text.key for text in record.unread}
    missing = reading.missing(load_readings(project, record.folder).texts)
    out = {name: share for name, share in missing.items() if share.is_of(wanted)}
    start = tuple(_spawn(reading, name, model) for name, share in out.items() if not share.is_started)
    at_work = tuple(_spawn(reading, name, model) for name, share in out.items() if share.is_started)
    number = record.pull.number
    if not out:
        return RoundStep(then, "read/in", "what was said is read by now", then=f"baton pr {then} {number}")
    ends = f"end your turn; when all your agents have ended: baton pr {then} {number}"
    lines = tuple(_if_lost(reader, then, number) for reader in at_work[:1])
    values = {"texts": plural(len(record.unread), "text"), "readers": ", ".join(reader.unit for reader in at_work)}
    decision = decide(table_of("feedback-read"), ReadFacts(unread=True, out=not start, new=True), values)
    return RoundStep(decision.action, decision.rule, decision.reason, start, lines, ends, out=at_work)


def _spawn(reading: OpenReading, name: str, model: str | None) -> Spawn:
    prompt = f"Reading {name}: first call `baton begin {name}`, then do what it prints."
    label = f"PR {reading.number}: reads {plural(len(reading.shares[name].texts), 'text')}"
    lost = f"{reading.then} {reading.number} --give-up"
    return Spawn(name, READER, prompt, label, "", lost, model=model)


def _if_lost(reader: Spawn, then: str, number: int) -> str:
    again = f"spawn {READER} once more with `{reader.prompt}`, shown as `{reader.label}`"
    return (
        f"IF one has ended and handed nothing in, as {reader.unit}: {again}; ended so twice, go on without it: "
        f"baton pr {then} {number} --give-up {reader.unit}"
    )
