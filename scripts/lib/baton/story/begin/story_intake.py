"""The criteria of a story that was made of a text without them: read by its planner, confirmed by its user."""

import re
from collections.abc import Iterator, Sequence

from baton.artifacts.document import decode
from baton.artifacts.file_name import name_fault
from baton.artifacts.findings import Finding
from baton.artifacts.intake import KIND, Intake, ReadCriterion, count_criteria, intake_of_data, read_places
from baton.artifacts.kinds import is_valid
from baton.artifacts.plan import block_reason, read_plan
from baton.artifacts.story_file import read_story, with_title
from baton.errors import BatonError
from baton.journal.events import Confirmed, Edited
from baton.journal.run import Run
from baton.journal.state import State
from baton.story.begin.find_source import write_back_criterion
from baton.story.begin.origin import confirmed_sources
from baton.story.session.papers import all_files
from baton.story.session.session import StorySession
from baton.story.session.story_branch import put_on_branch, take_in_commits
from baton.story.session.story_files import (
    accept_text,
    closed_phases,
    data_of,
    keep_report,
    keep_text,
    put_report,
    read_spec,
    text_of,
)
from baton.templates.render import render
from baton.text import one_line, visible

CONFIRM_RULE = "planning/confirm"
UNCLEAR = "unclear"  # the setting by which only these are asked about, and how the others are confirmed
BY_SETTINGS = f"the setting `intake.confirm: {UNCLEAR}`"
NUMBER = re.compile(r"(?:phase\s+)?\d+(?:\.\d+)*\s*[:.)–—-]?\s*", re.I)
SECTION = "\n## Acceptance Criteria\n"
COMMIT = re.compile(r"[0-9a-f]{7,64}")
# What the user writes to change the list: lines of these alone are carried out as they stand.
REMOVED = re.compile(r"-\s*AC(\d{1,3})(?:\s*(?:\.\.|-|–)\s*(?:AC)?(\d{1,3}))?", re.I)
REMOVALS = re.compile(rf"(?:{REMOVED.pattern}[\s,;]*)+", re.I)
CHANGED = re.compile(r"AC(\d{1,3})\s*=\s*(\S.*)", re.I)
ADDED = re.compile(r"\+\s*(\S.*)")


class NoNote(BatonError):
    """An answer that says nothing without a note was given without one."""


def sources_of(story: StorySession) -> dict[str, str]:
    """Return the texts that a story was made of, by their paths; a BatonError where one is gone."""
    own = {f"{story.folder.relative}/{name}": data for name, data in all_files(story.folder).items()}
    texts = dict[str, str]()
    for path in read_spec(story).sources:
        fault = name_fault(path)
        data = None if fault else own[path] if path in own else story.git.blob(story.state.head, path)
        if data is None:
            what = f"a source of story {story.id} cannot be read ({fault or 'it is gone'})"
            remedy = f"put it back, or correct `sources` with `baton story edit {story.id}`"
            raise BatonError(what, visible(one_line(path)), remedy)
        texts[path] = decode(data, path)
    return texts


def _beside(story: StorySession) -> dict[str, str]:
    """Return the texts beside the sources, in which a place may be, by path."""
    paths = [path for path in read_spec(story).beside if not name_fault(path)]
    blobs = {path: story.git.blob(story.state.head, path) for path in paths}
    return {path: decode(data, path) for path, data in blobs.items() if data is not None}


def is_unread(story: StorySession) -> bool:
    """Whether a story has no criteria yet, and a text from which they are to be read."""
    known = read_spec(story)
    return bool(known.sources) and not known.is_confirmed


def unread_sources(story: StorySession) -> list[tuple[str, int]]:
    """Return the texts the planner is to read first: their paths, and how many lines each has."""
    return [(path, len(text.splitlines())) for path, text in sources_of(story).items()] if is_unread(story) else []


def intake_of(story: StorySession) -> Intake:
    """Return the criteria the newest planner handed in; an empty intake where none has."""
    data, known = data_of(story, KIND), read_spec(story)
    intake = intake_of_data(data) if data else Intake()
    if not (intake.criteria and known.write_back):
        return intake
    last = ReadCriterion(known.sources[0], 1, "--write-back", write_back_criterion(known.origin))
    return intake._replace(criteria=(*intake.criteria, last))


def keep_hand_in(story: StorySession, run: Run, text: str, source: str) -> tuple[str, list[Finding]]:
    """Keep what a planner hands in, its words copied; returns its hash, or what is wrong with it."""
    if not is_unread(story):
        message = f"the criteria of this story hold already: {run.id} hands in the plan"
        return "", [Finding(source, "$", f"{KIND}/confirmed", message)]
    intake, findings = read_places(text, sources_of(story), source, _beside(story))
    findings += _not_shown(story, intake, source)
    if not findings and (wrong := _read_otherwise(story, intake.words)):
        findings.append(Finding(source, "$.criteria", f"{KIND}/words", wrong))
    if findings:
        return "", findings
    whole = render("criteria.md.j2", title=story.state.created.title, intake=intake)
    digest = keep_report(story, intake._asdict(), whole)
    put_report(story, story.folder.artifact(KIND), digest)
    return digest, []


def check_plan_of(story: StorySession, run: Run, text: str, source: str) -> tuple[str, list[Finding]]:
    """Find what a planner's plan lacks: criteria before it, and phases that it may not close itself."""
    if run.role != "planner":
        return "", []
    if is_unread(story) and KIND not in run.handed_in:
        message = "the story has no criteria yet: hand in `criteria` first, as your brief says"
        return "", [Finding(source, "$", "plan/criteria-first", message)]
    shown = {_bare(part.what) for part in intake_of(story).done} if KIND in run.handed_in else set()
    done = closed_phases(story)
    early = [phase for phase in read_plan(text).phases if phase.closed and phase.name not in done]
    message = "nobody has worked on this phase yet: mark it [NOT STARTED]"
    return "", [
        Finding(source, f"line {phase.line}", "plan/closed", f"{message} ({phase.name[:60]})")
        for phase in early
        if _bare(phase.name) not in shown
    ]


def confirm_criteria(story: StorySession, criteria: Sequence[str], how: str, *, write_back: bool = True) -> None:
    """Give a story its criteria: in story.md, on its branch, and in the journal.

    `write_back`: whether what `--write-back` demands is still among them, if it was.
    """
    title = intake_of(story).title
    text = with_title(_with_criteria(story, criteria), title)
    text = text if write_back else text.replace("\nwrite_back: true\n", "\n", 1)
    if wrong := _read_otherwise(story, criteria):
        raise BatonError(wrong, f"story {story.id}", "say it in other words")
    if lost := take_in_commits(story):
        raise BatonError(lost, story.branch, f"`baton next {story.id}` asks about it")
    if story.settings().config.artifacts == "commit":
        put_on_branch(story, "story.md", text, "the criteria, confirmed")
    story.note(Confirmed(list(criteria), keep_text(story, text), how, confirmed_sources(story), title))
    accept_text(story, story.folder.artifact("story"), text)  # cut short before, the answer is given once more


def confirm_if_clear(story: StorySession, run: Run) -> None:
    """Confirm what a planner read where the settings say so: every word a source's own, nothing left open."""
    planned = is_valid("plan", text_of(story, "plan")) and not block_reason(text_of(story, "plan-blocked"))
    if run.role == "planner" and story.settings().config.confirm == UNCLEAR and planned and is_unread(story):
        intake = intake_of(story)
        if intake.is_clear:
            confirm_criteria(story, intake.words, BY_SETTINGS)


def count_confirmed_by_person(state: State) -> int:
    """Count the confirmations that a person gave, not the settings."""
    return sum(isinstance(event, Confirmed) and event.how != BY_SETTINGS for event in state.events)


def take_answer(story: StorySession, option: str, note: str, how: str) -> str:
    """Confirm the criteria as the user answered; returns who is due where that is not what the option says."""
    if option not in ("accept", "edit") or _has_own_list(story):
        return ""
    criteria = list(intake_of(story).words)
    if option == "accept":
        confirm_criteria(story, criteria, how)
        return ""
    if not note:
        remedy = (
            f"`baton answer {story.id} edit --note -`, with lines `-AC3`, `AC4 = text`, `+ text`, or your words"
        )
        raise NoNote("`edit` without a note of what to change", f"story {story.id}", remedy)
    changed = edited_criteria(criteria, note)
    if changed is None:  # in words, for the planner
        return ""
    reworded = [int(line[1]) for line in map(CHANGED.match, map(str.strip, note.splitlines())) if line]
    confirm_criteria(story, changed, how, write_back=criteria[-1] in changed or len(criteria) in reworded)
    return "implementer" if set(changed) <= set(criteria) else ""


def _has_own_list(story: StorySession) -> bool:
    """Whether the user has written the criteria into story.md themselves while they were asked."""
    changes = [event for event in story.state.events if isinstance(event, Confirmed | Edited)]
    return bool(changes) and isinstance(changes[-1], Edited) and not is_unread(story)


def edited_criteria(criteria: Sequence[str], note: str) -> list[str] | None:
    """Return the criteria with the lines of a note carried out; None where a line is no such change."""
    kept, added = dict(enumerate(criteria, 1)), list[str]()
    for line in filter(None, map(str.strip, note.splitlines())):
        if REMOVALS.fullmatch(line):
            for first, last in REMOVED.findall(line):
                if last and int(last) < int(first):
                    remedy = "name the lower one first"
                    raise BatonError(f"AC{first} to AC{last} is not a range", "the answer", remedy)
                for number in range(int(first), int(last or first) + 1):
                    _check_number(number, criteria)
                    kept.pop(number, None)
        elif match := CHANGED.fullmatch(line):
            _check_number(int(match[1]), criteria)
            kept[int(match[1])] = one_line(match[2])
        elif match := ADDED.fullmatch(line):
            added.append(one_line(match[1]))
        else:
            return None
    if not kept and not added:
        raise BatonError("no criterion would be left", "the answer", "keep one, or answer `replan` or `abandon`")
    return [*(kept[number] for number in sorted(kept)), *added]


def _check_number(number: int, criteria: Sequence[str]) -> None:
    if not 1 <= number <= len(criteria):
        raise BatonError(f"no AC{number}", "the answer", f"there are AC1 to AC{len(criteria)}")


def _with_criteria(story: StorySession, criteria: Sequence[str]) -> str:
    before = text_of(story, "story").partition(SECTION)[0].rstrip()
    return "".join([f"{before}\n{SECTION}\n", *(f"- {criterion}\n" for criterion in criteria)])


def _read_otherwise(story: StorySession, criteria: Sequence[str]) -> str:
    """Say which criterion story.md would not hold as it is; empty for none."""
    known = read_story(_with_criteria(story, criteria))
    held = (*known.criteria, *known.deferred)
    if sorted(held) == sorted(criteria):
        return ""
    lost = next((criterion for criterion in criteria if criterion not in held), criteria[0])
    count = f"{count_criteria(len(criteria))}, of which story.md would hold {len(held)}"
    return f"{count}: take a scenario whole, with its Given, When and Then, as one ({lost[:60]})"


def _bare(name: str) -> str:
    return NUMBER.sub("", one_line(name), count=1).casefold()


def _not_shown(story: StorySession, intake: Intake, source: str) -> Iterator[Finding]:
    """Find evidence that a part is done which the story's commit does not have."""
    git, head = story.git, story.state.head
    for index, done in enumerate(intake.done):
        for shown in done.shown_by:
            path, _, name = shown.partition("::")
            blob = None if name_fault(path) else git.blob(head, path)
            is_commit = bool(COMMIT.fullmatch(shown)) and git.contains(shown, head)
            in_it = blob is not None and all(part in blob.decode(errors="replace") for part in name.split("::"))
            if not (in_it or is_commit):
                where, quoted = f"$.done[{index}].shown_by", visible(one_line(shown[:200]))
                yield Finding(source, where, f"{KIND}/not-shown", f"not in this repository: {quoted}")
