"""A reader at work: its brief, and what it hands in."""

from collections.abc import Iterator
from pathlib import Path

from baton.artifacts.data import load_object
from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import READING, check_artifact
from baton.errors import BatonError
from baton.feedback.reader.check_reading import CheckedReading, HeadFiles, check_reading
from baton.feedback.reader.reader_shares import (
    READING_FILE,
    READING_LOCK,
    OpenReading,
    ReaderShare,
    find_reading,
    load_reading,
)
from baton.feedback.reader.readings import Readings, ReadText, keep_readings, load_readings
from baton.feedback.reader.texts import Text, brief_texts
from baton.feedback.store.kept_files import write_as
from baton.git.command import Git
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.story.judge.hand_in import HandInResult
from baton.templates.render import render

MOST_REFUSALS = 2
# Of the texts in one print; with the form around them a client shows it whole: of more than 30,000 characters it
# leaves out the middle (anthropics/claude-code#19901).
PART_BYTES = 20_000


def begin_reading(project: Project, name: str, part: int) -> str:
    """Return a part of a reader's brief, no longer than a client shows whole."""
    folder, reading = find_reading(project, name)
    parts = brief_parts(reading, name)
    if part > len(parts):
        raise BatonError(f"part {part} of {len(parts)}", name, "take one that exists")
    with hold_lock(folder / READING_LOCK, f"baton begin {name}"):
        _note(project, folder, name, begun=True)
    return parts[part - 1]


def brief_parts(reading: OpenReading, name: str) -> list[str]:
    """Return the brief of a reader, in parts."""
    parts = list(_parts(reading, name))
    share = reading.shares[name]
    values = {"name": name, "parts": len(parts), "count": len(share.texts), "kind": READING, "asked": share.asked}
    return [
        render("brief-reader.md.j2", **values, part=number, texts=texts, pull=f"pr-{reading.number}")
        for number, texts in enumerate(parts, 1)
    ]


def _parts(reading: OpenReading, name: str) -> Iterator[str]:
    """Return a reader's texts and what is known, cut between lines into parts of at most PART_BYTES."""
    part: list[str] = []
    size = 0
    share = reading.share(name)
    asked_of_others = {thread for share in reading.shares.values() for thread in share.asked} - {
        *share.uncategorized
    }
    known = {key: words.line for key, words in reading.known.items() if key not in asked_of_others}
    for line in brief_texts(share.texts.items(), known):
        length = len(line.encode("utf-8", "surrogatepass")) + 1
        if part and size + length > PART_BYTES:
            yield "\n".join(part)
            part, size = [], 0
        part.append(line)
        size += length
    yield "\n".join(part)


def _note(project: Project, folder: Path, name: str, begun: bool = False, refused: int = 0) -> None:
    """Note how far a reader is; call it under the lock."""
    reading = load_reading(project, folder)
    if reading and name in reading.shares:
        before = reading.shares[name]
        now = before._replace(begun=before.begun or begun, refused=before.refused + refused)
        write_as(project, folder / READING_FILE, reading._replace(shares={**reading.shares, name: now}))


def receive_reading(project: Project, pull: str, name: str, text: str, source: str) -> HandInResult:
    """Take a reading or refuse it; of one refused twice the right entries, and all other texts unread."""
    folder, reading = find_reading(project, name)
    if pull != f"pr-{reading.number}":
        raise BatonError(f"{name} is of pr-{reading.number}", pull, "hand in as your brief says")
    if faults(findings := check_artifact(READING, text, source)):
        return HandInResult(False, "", findings)
    with hold_lock(folder / READING_LOCK, f"the hand-in of {name}"):
        _, reading = find_reading(project, name)
        checked = check_reading(load_object(text, READING), reading.share(name), head_files(project, reading.head))
        refused = reading.shares[name].refused
        wrong = [*checked.faults, *(checked.doubts if not refused else ())]
        if wrong and refused < MOST_REFUSALS:
            _note(project, folder, name, refused=1)
            shown = [Finding(source, fault.where, f"{READING}/{fault.rule}", fault.message) for fault in wrong]
            return HandInResult(False, "", shown, checked.notes)
        keep_readings(project, folder, _taken(reading.shares[name], checked))
    return HandInResult(True, str(folder / READING_FILE), [], checked.notes)


def _taken(share: ReaderShare, checked: CheckedReading) -> Readings:
    """Return the readings to keep; a text whose entry is wrong, after two refusals, is taken as it stands."""
    doubted = {doubt.text: doubt.rule for doubt in checked.doubts}
    failed = ReadText("whole", failed=True)
    sound, texts, categories = checked.sound, dict[str, ReadText](), dict(checked.categories)
    for name, text in share.by_id.items():
        read = sound.get(name, failed)
        texts[text.key] = read._replace(doubted=doubted.get(name, ""))
        if text.surface == "inline" and read.findings:
            categories[text.item] = read.findings[0].category
    return Readings(texts, categories, {text.item: text.key for text in share.texts})


def take_whole(project: Project, folder: Path, texts: tuple[Text, ...], failed: bool = False) -> None:
    """Take texts as they stand: nobody reads them, or their reader failed."""
    with hold_lock(folder / READING_LOCK, "taking what was said as it stands"):
        keep_readings(project, folder, Readings({text.key: ReadText("whole", failed=failed) for text in texts}))


def give_up(project: Project, folder: Path, name: str) -> None:
    """Go on without a reader: its texts are taken as they stand, and the report says so."""
    reading = load_reading(project, folder)
    if reading is None or name not in reading.shares:
        raise BatonError(f"no reading {name[:80]!r} is out", f"pr-{folder.name}", f"`baton pr plan {folder.name}`")
    read = load_readings(project, folder).texts
    left = tuple(text for text in reading.shares[name].texts if text.key not in read)
    take_whole(project, folder, left, failed=True)


def head_files(project: Project, head: str) -> HeadFiles:
    """Return the files of a commit; of one that is not here, none."""
    git = Git(project)
    if not git.commit_of(head):
        return HeadFiles((), lambda name: 0)
    entries = git.do("ls-tree", "-r", "-z", "--full-tree", head).split("\0")
    names = (entry.partition("\t")[2] for entry in entries if " blob " in entry.partition("\t")[0])
    return HeadFiles(frozenset(names), lambda name: _lines(git, head, name))


def _lines(git: Git, head: str, name: str) -> int:
    return git.do("cat-file", "blob", f"{head}:{name}").count("\n") + 1
