"""The draft: one bounded run edits memory in a tree of its own; a breaker stops it, and the report says how."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from typing import Any

from baton.artifacts.schema import check_schema
from baton.artifacts.strict_json import JsonFault, load_json
from baton.errors import BatonError
from baton.headless.draft_process import DraftProcess
from baton.journal.atomic_file import write_durably
from baton.journal.events import EffectIntended, MemoryTriaged
from baton.journal.journal import Journal
from baton.journal.paths import Project
from baton.memory.edit_tree import begin_tree, find_tree, place_at, take_change
from baton.story.integrate.story_memory import (
    DRAFTED,
    DRAFTS,
    FAILED,
    TRIPPED,
    delta_stands,
    find_decision,
    find_draft,
    read_delta,
)
from baton.story.session.session import StorySession
from baton.templates.render import render
from baton.text import clip, one_line, quoted

EFFECT, RUN = "memory-draft", "run-"
# After so many failures in a row, over all stories, none is made until a person has decided on a delta.
MOST_FAILURES = 3
LONGEST_PROMPT = 40_000
HEADING = "## Memory-Delta Triage (autonomous draft mode)"
BEGINS = re.compile(r'\{\s*"entries"')
NO_TRIAGE, PERSON = "no triage — reason: {}", "you decide"
# What waits for a draft that is being made, for so many seconds at most; whether it is over.
Hold = Callable[[float], object]


def draft_once(story: StorySession) -> Hold | None:
    """Have a complete story's delta drafted once, where the settings want it; returns a call that waits for it."""
    wanted = story.settings().config.triage == "draft" and delta_stands(story.folder, story.state) == "waits"
    if not wanted or find_draft(story.state) or _drafts(story)[1]:
        return take_draft(story)
    if failures_in_a_row(outcomes_of(story.project)) >= MOST_FAILURES:
        story.note(MemoryTriaged(TRIPPED, []))
        return None
    try:
        return begin_draft(story)
    except BatonError as error:
        _note_failure(story, error)
        return None


def begin_draft(story: StorySession, words: str = "") -> Hold | None:
    """Have one run edit the tree, by what the user said of the draft before; returns a call that waits for it."""
    number = _drafts(story)[0] + 1
    place = place_at(story, begin_tree(story).start).path
    if place.startswith(".claude/"):
        remedy = f"edit it yourself: `baton memory triage {story.id} --tree`"
        raise BatonError("Claude Code lets no run of its own edit this", place, remedy)
    delta = quoted("what QA found", clip(read_delta(story.folder), LONGEST_PROMPT))
    wanted = quoted("what the user says of the draft before", clip(words, LONGEST_PROMPT)) if words else ""
    prompt = render("memory-draft.md.j2", place=place, delta=delta, words=wanted)
    DraftProcess(story.project, story.id, number).keep(prompt)
    story.note(EffectIntended(EFFECT, f"{RUN}{number}", ""))
    return take_draft(story)


def take_draft(story: StorySession) -> Hold | None:
    """Start the draft that is under way, or take it in once it has ended; returns a call that waits for it."""
    number, is_out = _drafts(story)
    if not is_out:
        return None
    process = DraftProcess(story.project, story.id, number)
    if process.lives:
        return process.wait
    try:
        if not process.was_started:
            process.start(find_tree(story).path)
            return process.wait
        entries = read_answer(process.answer())
        commit, refused = take_change(story)
        drafted = any(entry["verdict"] == DRAFTED for entry in entries)
        if refused or (drafted and not commit):
            raise BatonError("; ".join(refused) or "it changed nothing", "the draft", PERSON)
    except BatonError as error:
        _note_failure(story, error)
        return None
    story.note(MemoryTriaged(DRAFTED, entries))
    return None


def _drafts(story: StorySession) -> tuple[int, bool]:
    """Return how many drafts were begun, and whether the newest is under way."""
    count, is_out = 0, False
    for event in story.state.events:
        if isinstance(event, EffectIntended) and event.effect == EFFECT and event.about.startswith(RUN):
            count, is_out = count + 1, True
        elif isinstance(event, MemoryTriaged) and event.how in DRAFTS:
            is_out = False
    return count, is_out


def _note_failure(story: StorySession, error: BatonError) -> None:
    failures = failures_in_a_row(outcomes_of(story.project)) + 1
    story.note(MemoryTriaged(FAILED, [], clip(one_line(str(error)), 600), failures))


def read_answer(answer: str) -> list[dict[str, str]]:
    """Read the run's verdict on each entry; a BatonError for a text that is no answer."""
    begins = [match.start() for match in BEGINS.finditer(answer)] or [max(0, answer.find("{"))]
    where = "the draft's answer"
    try:
        value: Any = load_json(answer[begins[-1] : answer.rfind("}") + 1])
    except JsonFault as fault:
        raise BatonError(f"no JSON ({fault})", where, PERSON) from fault
    if findings := check_schema(value, "memory-draft", where):
        raise BatonError(findings[0].message, f"{where}, {findings[0].where}", PERSON)
    return [{name: one_line(text) for name, text in entry.items()} for entry in value["entries"]]


def outcomes_of(project: Project) -> list[str]:
    """Return the outcomes of all stories' drafts and of a person's decisions, the oldest first."""
    triaged = list[tuple[str, int, str]]()
    for story_id in project.story_ids():
        with suppress(BatonError):  # a damaged one is told elsewhere
            for row in Journal(project.journal(story_id)).records:
                triaged += [(row.time, row.seq, row.event.how)] if isinstance(row.event, MemoryTriaged) else []
    return [how for _, _, how in sorted(triaged)]


def failures_in_a_row(outcomes: list[str]) -> int:
    """Return how many drafts failed since the last that did not, or since a person decided."""
    newest_first = (outcome for outcome in reversed(outcomes) if outcome != TRIPPED)
    return len(list(takewhile(lambda outcome: outcome == FAILED, newest_first)))


def section_of(story: StorySession) -> str:
    """Return the completion report's section on the draft; empty while there is nothing to say."""
    draft, decided = find_draft(story.state), find_decision(story.state)
    if story.settings().config.triage != "draft" or story.state.stage != "complete":
        return ""
    if draft is None and not story.folder.artifact("memory-delta").exists():
        lines = [NO_TRIAGE.format("no_delta")]
    elif draft is None and not decided:
        return ""  # it is still to be drafted
    elif draft and draft.how == TRIPPED:
        lines = [NO_TRIAGE.format("circuit_breaker_tripped")]
    else:
        count = Counter(entry["verdict"] for entry in draft.entries) if draft else Counter[str]()
        failures = draft.failures if draft else 0
        lines = [
            f"drafts_produced: {count[DRAFTED]}",
            f"escalated_in_draft: {count['escalated']}",
            f"circuit_breaker_tripped: {str(failures >= MOST_FAILURES).lower()}",
            f"autonomous_triage_failed: {failures}",
        ]
    return "\n".join([HEADING, "", *lines, ""])


def keep_section(story: StorySession) -> None:
    """Add the section to the kept copy of the completion report, once."""
    section, path = section_of(story), story.project.state / story.id / "report.md"
    if section and path.exists():
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        if HEADING not in text:
            write_durably(path, f"{text.rstrip()}\n\n{section}", story.project.common)
