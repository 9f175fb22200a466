"""Before a round is planned, comments are read: divided among readers, which are to be started or waited for."""

from collections.abc import Iterator, Sequence
from secrets import token_hex

from baton.feedback.fetch.item import Item
from baton.feedback.plan.pull_head import fetch_head
from baton.feedback.plan.round_step import RoundStep, Spawn
from baton.feedback.reader.reader_shares import (
    READING_FILE,
    READING_LOCK,
    KnownWords,
    OpenReading,
    ReaderShare,
    load_reading,
)
from baton.feedback.reader.readings import Readings, load_readings
from baton.feedback.reader.texts import divide_texts
from baton.feedback.record.fetch_pull import settings_for
from baton.feedback.record.record import PullRequestRecord, with_kept_readings
from baton.feedback.store.kept_files import write_as
from baton.git.command import Git
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.rules.engine import decide
from baton.rules.facts import ReadFacts
from baton.rules.pages import table_of
from baton.text import plural

READER = "baton:feedback-reader"
# What is said of earlier words in a brief, at most: threads that lack a category, findings, characters of each.
MOST_UNCATEGORIZED, MOST_FINDINGS, WORDS = 10, 40, 80


def ask_readers(project: Project, record: PullRequestRecord, then: str) -> RoundStep | None:
    """Return the step that starts readers or waits for them, then calls `then`; None if nothing is to be read."""
    if not record.unread:
        return None
    git = Git(project)
    fetch_head(git, record.pull)
    model = settings_for(git, record.pull).models.get("feedback-reader")
    reading = _open_reading(project, record, then)
    wanted = {text.key for text in record.unread}
    missing = reading.missing(load_readings(project, record.folder).texts)
    out = {name: share for name, share in missing.items() if share.is_of(wanted)}
    start = tuple(_spawn(reading, name, model) for name, share in out.items() if not share.is_started)
    at_work = tuple(_spawn(reading, name, model) for name, share in out.items() if share.is_started)
    number = record.pull.number
    if not out:
        return RoundStep(then, "read/in", "what was said is read by now", then=f"baton pr {then} {number}")
    ends = f"end your turn; when all your agents have ended: baton pr {then} {number}"
    hints = tuple(_if_lost(reader, then, number) for reader in at_work[:1])
    values = {"texts": plural(len(record.unread), "text"), "readers": ", ".join(reader.unit for reader in at_work)}
    decision = decide(table_of("feedback-read"), ReadFacts(unread=True, out=not start, new=True), values)
    return RoundStep(decision.action, decision.rule, decision.reason, start, hints=hints, then=ends, out=at_work)


def _open_reading(project: Project, record: PullRequestRecord, then: str) -> OpenReading:
    """Divide what nobody read among readers; texts that are out with one already stay there.

    A reader that began may hand in whatever was fetched since: what it read of other texts is kept as well.
    """
    folder = record.folder
    with hold_lock(folder / READING_LOCK, "dividing what is to be read"):
        before, read = load_reading(project, folder), load_readings(project, folder)
        wanted = {text.key for text in record.unread}
        out = before.missing(read.texts) if before else {}
        kept = {name: share.told_again for name, share in out.items() if share.begun or share.is_of(wanted)}
        taken = {text.key for share in kept.values() for text in share.texts}
        rest = {text.key: text for text in record.unread if text.key not in taken}.values()  # each is read once
        asked = _uncategorized(record, read)
        parts = enumerate(divide_texts(rest), 1) if rest else ()
        new = {
            _new_name(record.pull.number, number): ReaderShare(tuple(part), asked if number == 1 else ())
            for number, part in parts
        }
        now = dict(_known(record, asked, with_kept_readings(project, record, edited=True).items))
        known = {**(before.known if before and kept else {}), **now}
        reading = OpenReading(record.pull.number, record.pull.head_oid, then, {**kept, **new}, known)
        write_as(project, folder / READING_FILE, reading)
    return reading


def _new_name(number: int, place: int) -> str:
    """Return the name of a reader: no other can be guessed of it, as a text may ask for another's hand-in."""
    return f"pr{number}-r{token_hex(4)}-t{place}"


def _uncategorized(record: PullRequestRecord, read: Readings) -> tuple[str, ...]:
    """Return the threads that were resolved before and of which nobody said what they are about."""
    missing = (
        [thread.id for thread in record.resolved if thread.id not in read.categories] if record.signal else []
    )
    return tuple(missing[:MOST_UNCATEGORIZED])


def _known(
    record: PullRequestRecord, asked: tuple[str, ...], items: Sequence[Item]
) -> Iterator[tuple[str, KnownWords]]:
    """Return the earlier words of the authors of bodies, and the threads that lack a category.

    Of a thread that a stranger began, no words are there to return. `items` has the findings of a body that was
    edited since, as it read before.
    """
    authors = {text.author for text in record.unread if text.surface != "inline"}
    for name, known in record.known.items():
        if known.author in authors and name not in asked:
            yield name, KnownWords(known.author, f"{known.path}:{known.lines} {known.words}")
    for thread in record.resolved:
        if thread.id in asked:
            first = thread.comments[0]
            words = record.known[thread.id].words if thread.id in record.known else first.body[:WORDS]
            yield thread.id, KnownWords(first.author.login, f"? {thread.path} {' '.join(words.split())}")
    parts = [item for item in items if item.is_part and item.author in authors]
    for part in parts[-MOST_FINDINGS:]:
        yield part.id, KnownWords(part.author, f"{part.path or ''}:{part.lines} {part.title[:WORDS]}")


def _spawn(reading: OpenReading, name: str, model: str | None) -> Spawn:
    prompt = f"Reading {name}: first call `baton begin {name}`, then do what it prints."
    shares = [*reading.shares]
    share = f", share {shares.index(name) + 1} of {len(shares)}" if len(shares) > 1 else ""
    label = f"PR {reading.number}: read what was said{share}"
    lost = f"{reading.then} {reading.number} --give-up"
    return Spawn(name, READER, prompt, label, "", lost, model=model)


def _if_lost(reader: Spawn, then: str, number: int) -> str:
    again = f"spawn {READER} once more with `{reader.prompt}`, shown as `{reader.label}`"
    return (
        f"IF one has ended and handed nothing in, as {reader.unit}: {again}; ended so twice, go on without it: "
        f"baton pr {then} {number} --give-up {reader.unit}"
    )
