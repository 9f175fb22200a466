"""The draft of a triage: one bounded run suggests, a circuit breaker stops it, and the report says how it went."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from baton.artifacts.schema import check_schema
from baton.artifacts.strict_json import JsonFault, load_json
from baton.errors import BatonError
from baton.feedback.text.quote import quoted
from baton.headless.draft_process import DraftProcess
from baton.journal.atomic_file import write_durably
from baton.journal.events import EffectIntended, MemoryTriaged
from baton.journal.journal import Journal, Record
from baton.journal.paths import Project
from baton.memory.lines import inert_line
from baton.memory.place import find_place, read_memory
from baton.memory.triage import DeltaTriage, base_now, read_triage
from baton.story.memory import DRAFTED, FAILED, TRIPPED, count_waiting, decisions_of, delta_entries, find_draft
from baton.story.session import StorySession
from baton.templates.render import render
from baton.text import clip, one_line

EFFECT = "memory-draft"
# After so many failures in a row, over all stories, none is made until a person has decided on a delta.
MOST_FAILURES = 3
LONGEST_PROMPT = 40_000
HEADING = "## Memory-Delta Triage (autonomous draft mode)"
BEGINS = re.compile(r'\{\s*"drafts"')
NO_TRIAGE = "no triage — reason: {}"


def draft_triage(story: StorySession, starts: bool = True) -> Callable[[float], object] | None:
    """Have the triage drafted, once; returns what waits for the draft that is being made, None for none."""
    if find_draft(story.state) or not count_waiting(story.folder, story.state):
        return None
    process = DraftProcess(story.project, story.id)
    if process.lives:
        return process.wait
    if process.was_started:
        _note_end(story, process)
        return None
    if not starts:
        return None
    if failures_in_a_row(outcomes_of(story.project)) >= MOST_FAILURES:
        story.note(MemoryTriaged(TRIPPED, []))
        return None
    if (EFFECT, story.id) not in story.state.outbox:
        story.note(EffectIntended(EFFECT, story.id, ""))
    try:
        process.start(_prompt(story))
    except BatonError as error:
        _note_failure(story, error)
        return None
    return process.wait


def _note_end(story: StorySession, process: DraftProcess) -> None:
    try:
        known = decisions_of(story.journal.records)
        digests = [one.digest for one in delta_entries(story.folder)]
        drafts = read_drafts(process.answer(), digests, [one for one in digests if one not in known])
    except BatonError as error:
        _note_failure(story, error)
        return
    story.note(MemoryTriaged(DRAFTED, drafts))


def _note_failure(story: StorySession, error: BatonError) -> None:
    failures = failures_in_a_row(outcomes_of(story.project)) + 1
    story.note(MemoryTriaged(FAILED, [], clip(one_line(str(error)), 300), failures))


def read_drafts(answer: str, digests: Sequence[str], waiting: Sequence[str]) -> list[dict[str, str]]:
    """Read what the run answered on the entries that wait, by their digests; one it left out is escalated."""
    begins = [one.start() for one in BEGINS.finditer(answer)]
    found = answer[begins[-1] if begins else max(0, answer.find("{")) : answer.rfind("}") + 1]
    try:
        value: Any = load_json(found)
    except JsonFault as fault:
        raise BatonError(f"no JSON ({fault})", "the draft's answer", "a person decides without it") from fault
    if findings := check_schema(value, "memory-draft", "the draft's answer"):
        raise BatonError(
            findings[0].message, f"the draft's answer, {findings[0].where}", "a person decides without it"
        )
    made: dict[int, dict[str, Any]] = {}
    for one in value["drafts"]:
        if one["entry"] > len(digests) or one["entry"] in made:
            raise BatonError(
                f"no entry {one['entry']}, or twice", "the draft's answer", "a person decides without it"
            )
        made[one["entry"]] = one
    left = {"verdict": "escalate", "why": "the draft says nothing about it"}
    numbered = [(number, one) for number, one in enumerate(digests, 1) if one in waiting]
    return [_draft(digest, made.get(number, left)) for number, digest in numbered]


def _draft(digest: str, one: dict[str, Any]) -> dict[str, str]:
    text, why = one_line(one.get("text", "")), one_line(one["why"])
    verdict = "escalate" if one["verdict"] == "edit" and not inert_line(text) else one["verdict"]
    return {"entry": digest, "verdict": verdict, "text": text, "why": why}


def outcomes_of(project: Project) -> list[str]:
    """Return how drafts of all stories went, and where a person decided, in the order of time."""
    found = list[tuple[str, int, str]]()
    for story_id in project.story_ids():
        try:
            records = Journal(project.journal(story_id)).records
        except BatonError:  # a damaged one is told elsewhere
            continue
        found += [(one.time, one.seq, how) for one in records if (how := _outcome(one))]
    return [how for _, _, how in sorted(found)]


def _outcome(record: Record) -> str:
    return record.event.how if isinstance(record.event, MemoryTriaged) else ""


def failures_in_a_row(outcomes: Sequence[str]) -> int:
    """Return how many drafts failed since the last that did not, or since a person decided."""
    count = 0
    for one in reversed([one for one in outcomes if one != TRIPPED]):
        if one != FAILED:
            break
        count += 1
    return count


def _prompt(story: StorySession) -> str:
    found: DeltaTriage = read_triage(story)
    rows = [{**row.to_data(), "names": row.entry.names} for row in found.rows if row.decided is None]
    entries = quoted("the entries", json.dumps(rows, ensure_ascii=False, indent=1))
    memory = ""
    if found.keep:
        base = base_now(story)
        files = read_memory(story.git, base, find_place(story.git, base, story.config.keep))
        memory = "\n".join(quoted(path, clip(text, LONGEST_PROMPT // 4)) for path, text in files.items())
    said = {"entries": clip(entries, LONGEST_PROMPT), "memory": clip(memory, LONGEST_PROMPT)}
    return render("memory-draft.md.j2", **said)


def section_of(story: StorySession) -> str:
    """Return what the completion report says of the draft; nothing while there is nothing to say."""
    made = find_draft(story.state)
    if story.config.triage != "draft" or story.state.stage != "complete":
        return ""
    if not delta_entries(story.folder):
        return f"{HEADING}\n\n{NO_TRIAGE.format('no_delta')}\n"
    if made is None:
        if count_waiting(story.folder, story.state):
            return ""  # it is still to be drafted
        made = MemoryTriaged(DRAFTED, [])  # you had decided on all of it
    if made.how == TRIPPED:
        return f"{HEADING}\n\n{NO_TRIAGE.format('circuit_breaker_tripped')}\n"
    escalated = sum(one["verdict"] == "escalate" for one in made.entries)
    lines = [
        f"drafts_produced: {len(made.entries) - escalated}",
        f"escalated_in_draft: {escalated}",
        f"circuit_breaker_tripped: {str(made.failures >= MOST_FAILURES).lower()}",
        f"autonomous_triage_failed: {made.failures}",
    ]
    return "\n".join([HEADING, "", *lines, ""])


def keep_section(story: StorySession) -> None:
    """Add the section to the kept copy of the completion report, once."""
    completed, section = story.state.completed, section_of(story)
    path = story.project.state / story.id / "report.md"
    if not (completed and section and path.exists()):
        return
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if HEADING not in text:
        write_durably(path, f"{text.rstrip()}\n\n{section}", story.project.common)
