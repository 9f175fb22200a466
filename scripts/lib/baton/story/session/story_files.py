"""A story's own files: kept beside the journal, judged from there, laid into work trees, put on the story branch.

What a run handed in is kept by its hash as well: whatever happens to a file, what was accepted is judged.
"""

import glob
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baton.artifacts.document import decode, read_document
from baton.artifacts.kinds import is_valid
from baton.artifacts.metadata import Metadata, read_metadata
from baton.artifacts.plan import Plan, read_plan
from baton.artifacts.report import REPORT_KINDS, RunReport, read_report
from baton.artifacts.story_file import Story, load_story
from baton.errors import BatonError
from baton.journal.atomic_file import move_durably, read_plain, write_durably
from baton.journal.events import Adopted, Answered, Dispatched, Edited, HandedIn, Judged
from baton.journal.paths import Folder
from baton.journal.run import FIXES_DELTA, RETURN, ROLES, Run
from baton.story.session.session import StorySession

# What a run alone may say: a file that others put in its place, or commit on the story branch, says nothing.
REPORTS = ("criteria", "plan-blocked", *REPORT_KINDS)
# What is handed in as data, and lies in the folder as Markdown made of it.
RENDERED = ("criteria", *REPORT_KINDS)
WORDS = (RETURN, *REPORTS)


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def read_spec(story: StorySession) -> Story:
    """Read `story.md`, with what the user deferred since; a BatonError when it is gone or unreadable."""
    spec = load_story(story.folder.artifact("story"))
    if not spec.is_confirmed:  # in a form that was read when the story began
        spec = spec._replace(criteria=story.state.criteria)
    granted = tuple(criterion for criterion in spec.criteria if criterion in story.state.deferred)
    left = tuple(criterion for criterion in spec.criteria if criterion not in granted)
    return spec._replace(criteria=left, deferred=spec.deferred + granted)


def is_metadata(story: StorySession, text: str) -> bool:
    """Whether a text is return metadata: as it was accepted from a run, which needs no second look, or valid."""
    taken = (run.handed_in[RETURN].sha256 for run in story.state.runs if RETURN in run.handed_in)
    return digest_of(text) in taken or is_valid(RETURN, text)


def keep_text(story: StorySession, text: str) -> str:
    """Keep a text under its hash; returns the hash."""
    name = digest_of(text)
    write_durably(story.folder.root.parent / "accepted" / name, text, story.project.common)
    return name


def accept_text(story: StorySession, path: Path, text: str) -> str:
    """Keep an artifact under its hash and in its place; returns the hash."""
    name = keep_text(story, text)
    write_durably(path, text, story.project.common)
    return name


def keep_report(story: StorySession, data: dict[str, Any], markdown: str) -> str:
    """Keep a report's data, and the Markdown made of it, under their hash; returns the hash."""
    return keep_text(story, json.dumps({"data": data, "markdown": markdown}, ensure_ascii=False))


def put_report(story: StorySession, path: Path, name: str) -> None:
    """Write the Markdown of a kept report to its place."""
    markdown = json.loads(kept_as_accepted(story, name, path))["markdown"]
    write_durably(path, markdown, story.project.common)


def report_of(story: StorySession, kind: str) -> RunReport:
    """Return the accepted report; an empty one when no run that was asked for it handed one in."""
    data = data_of(story, kind)
    return read_report(data) if data else RunReport()


def data_of(story: StorySession, kind: str) -> dict[str, Any]:
    """Return the accepted data of a kind; empty when no run that was asked for it handed it in."""
    if not (accepted := _word(story, kind)):
        return {}
    data: dict[str, Any] = json.loads(kept_as_accepted(story, accepted, story.folder.artifact(kind)))["data"]
    return data


def words_of(story: StorySession, run: Run) -> Iterator[RunReport | Metadata]:
    """Return the report and the metadata of a run as they were accepted, of each kind the last."""
    for kind in (*REPORT_KINDS, RETURN):
        handed = run.handed_in.get(kind)
        kept = accepted_text(story, handed.sha256) if handed else None
        if handed and kept is not None:
            text = kept.decode(errors="replace")
            yield read_metadata(text, run.role) if kind == RETURN else read_report(json.loads(text)["data"])


def reported_files(story: StorySession) -> frozenset[str]:
    """Return the files that any run named among its changes, in a report or metadata that was accepted."""
    words = [word for run in story.state.runs for word in words_of(story, run)]
    named = (word.files if isinstance(word, RunReport) else word.files_changed for word in words)
    return frozenset(name.removeprefix("./") for names in named for name in names)


def text_of(story: StorySession, kind: str) -> str:
    """Return an artifact's text as it was accepted, or nothing when it is not there or no run handed it in.

    A report that was accepted is put back where somebody deleted or changed it; metadata and plans are filed away.
    """
    path = story.folder.artifact(kind)
    is_there = path.exists() or path.is_symlink()
    if not is_there and kind not in REPORTS:
        return ""
    accepted = _word(story, kind) if kind in WORDS else _accepted(story, kind, story.folder.relative_to_root(path))
    if kind in WORDS and not accepted:
        return ""
    text = read_document(path) if is_there else ""
    if is_there and accepted in ("", digest_of(text)):
        return text
    kept = kept_as_accepted(story, accepted, path)
    if kind in RENDERED:
        kept = json.loads(kept)["markdown"].encode()
    if not story.read_only and text.encode(errors="surrogateescape") != kept:
        write_durably(path, kept, story.project.common)
    return decode(kept, str(path))


def kept_as_accepted(story: StorySession, accepted: str, path: Path) -> bytes:
    """Return the accepted text of a hash; a BatonError where it was changed or is gone."""
    kept = accepted_text(story, accepted)
    if kept is None:
        what = "it was changed after it was accepted, and the accepted text is gone"
        raise BatonError(what, str(path), "put the accepted text back, then call again")
    return kept


def accepted_text(story: StorySession, accepted: str) -> bytes | None:
    """Return the accepted text of a hash; None where it was changed or is gone."""
    kept = read_plain(story.folder.root.parent / "accepted" / accepted, story.project.common)
    return kept if kept is not None and hashlib.sha256(kept).hexdigest() == accepted else None


def lost_phases(story: StorySession, plan: Plan) -> int:
    """Count the phases a plan lost since it was planned, or changed by the user."""
    return max(_planned(story) - len(plan.phases), 0)


def _planned(story: StorySession) -> int:
    planners = {run.id for run in story.state.runs if run.role == "planner"}
    for event in reversed(story.state.events):
        if isinstance(event, Edited) and event.artifact == "plan":
            path = story.folder.artifact("plan")
            return len(read_plan(decode(kept_as_accepted(story, event.sha256, path), str(path))).phases)
        if isinstance(event, Judged) and event.run in planners:
            return event.total
    return 0


def _word(story: StorySession, kind: str) -> str:
    """Return the hash of what was handed in last of a kind; empty where a run was sent since to do it anew."""
    for event in reversed(story.state.events):
        if isinstance(event, HandedIn) and event.artifact == kind:
            return event.sha256
        sent = isinstance(event, Dispatched) and event.rule not in FIXES_DELTA
        if sent and kind in (RETURN, *ROLES[event.role].filed):
            break
    return ""


def _accepted(story: StorySession, kind: str, name: str) -> str:
    """Return the hash of the artifact that was accepted last; empty where others committed another one since."""
    for event in reversed(story.state.events):
        if isinstance(event, Adopted) and story.git.do(
            "diff", "--name-only", event.before, event.head, "--", name
        ):
            return ""
        if isinstance(event, HandedIn | Edited) and event.artifact == kind:
            return event.sha256
    return ""


def edited_since(story: StorySession, run: Run, kind: str) -> bool:
    """Whether the user changed the story or its plan, or took over a changed story, since a run was started."""
    for event in reversed(story.state.events):
        if event == run.dispatched:
            break
        if isinstance(event, Edited) and event.artifact == kind:
            return True
        if isinstance(event, Answered) and event.text and kind == "story":
            return True
    return False


def file_away(story: StorySession, kinds: tuple[str, ...]) -> None:
    """Move artifacts to `history/<run>/` of the run that handed them in."""
    for kind in kinds:
        path = story.folder.artifact(kind)
        if path.exists():
            owner = next((run.id for run in reversed(story.state.runs) if kind in run.handed_in), "before")
            target = free_name(story.folder.history(owner) / path.name)
            move_durably(path, target, story.project.common)


def free_name(path: Path) -> Path:
    """Return a path where nothing is: this one, or this one with a number behind."""
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}.{number}")
    return free


def tree_plan(story: StorySession, root: Path) -> str:
    """Return the plan as a run's tree has it; nothing when it is not there."""
    path = Folder(root, story.folder.relative, story.id).artifact("plan")
    return read_document(path) if path.is_file() and not path.is_symlink() else ""


def closed_phases(story: StorySession) -> set[str]:
    """Return the names of the phases that are closed in the plan, or in one that was filed away."""
    name = story.folder.artifact("plan").name
    filed = [
        path for run in story.state.runs for path in story.folder.history(run.id).glob(f"{glob.escape(name)}*")
    ]
    texts = [text_of(story, "plan"), *(read_document(path) for path in filed if not path.is_symlink())]
    return {phase.name for text in texts for phase in read_plan(text).phases if phase.closed}
